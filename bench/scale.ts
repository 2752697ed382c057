// `npm run bench:scale`: sends the same reads and writes to a small organization (10 thousand leads) and to one a hundred times
// as large (1 million leads, 3 million contacts, 10 million activities), beside a thousand small ones. The last column matters: a
// hundred times the data should cost nearly nothing. SCALE=0.1 makes the large one a tenth.
import type { Actor } from "../src/core/context.ts";
import { perform } from "../src/core/perform.ts";
import { copy, run, timed, withoutIndexes } from "./copies.ts";
import { type Load, type Measured, measure, median, middle } from "./load.ts";
import { foundBenchOrganization, type Organization, openStand, startService } from "./stand.ts";

const scale = Number(process.env.SCALE ?? 1);
const large = Math.round(1_000_000 * scale);
const small = Math.min(10_000, large);
const others = 1_000;
const rounds = Number(process.env.BENCH_ROUNDS ?? 9);
const roundSeconds = Number(process.env.BENCH_SECONDS ?? 2);
const target = 1.5;

const stand = await openStand({
  shared_buffers: "2GB",
  maintenance_work_mem: "1GB",
  fsync: "off",
  max_wal_size: "16GB",
  work_mem: "64MB",
});
const { app } = stand;

// --- data ---

/** Rows are copies of one that the service wrote itself, with other ids, names, dates and custom values. */
async function multiply(organization: Organization, leads: number): Promise<void> {
  const template = await writeTemplate(organization);
  const values = [organization.id, template.lead, template.contact, template.note, leads];
  const steps = [copyLeads, copyContacts, copyActivities];
  if (leads < 1000) for (const step of steps) await run(stand, ...used(await step(template), values));
  else
    for (const step of steps)
      await timed(`${step.name} × ${leads}`, async () => run(stand, ...used(await step(template), values)));
}

interface Template {
  lead: string;
  contact: string;
  note: string;
  field: string;
}

const templateName = "templatename";

async function writeTemplate({ key }: Organization): Promise<Template> {
  const actor: Actor = await app.authenticator.authenticate(`Bearer ${key}`);
  const call = async (name: string, body: Record<string, unknown>, params: Record<string, string> = {}) => {
    const operation = app.core.registry.operation(name)!;
    const request = { id: "req_bench", method: operation.method, path: operation.path, offsetMinutes: 0, ifMatch: null };
    const given = { params, query: {}, body, strict: false };
    return JSON.parse(String((await perform(app.core, { operation, actor, given, request })).body));
  };
  const field = await call("custom_field.create", { name: "Reference", type: "text" }, { object_type: "lead" });
  const lead = await call("lead.create", {
    name: templateName,
    url: "https://example.com",
    industry: "Software",
    description: "Makes things that other companies need.",
    emails: [{ email: "office@example.com" }],
    phones: [{ phone: "+18004445555" }],
    addresses: [{ city: "San Francisco", state: "CA", country: "US" }],
    [`custom.${field.id}`]: "templatevalue",
  });
  const contact = await call("contact.create", {
    lead_id: lead.id,
    name: templateName,
    emails: [{ email: "person@example.com" }],
  });
  const note = await call("activity_note.create", { lead_id: lead.id, note: "We spoke about the offer." });
  return { lead: lead.id, contact: contact.id, note: note.id, field: field.id };
}

/** A pronounceable word for a number, in SQL. All are different. */
const word = (n: string) =>
  `(select string_agg(substr('bdfgklmnprstvz', (($n / 70 ^ k)::bigint % 14)::int + 1, 1) || substr('aeiou', (($n / (14 * 70 ^ k))::bigint % 5)::int + 1, 1), '' order by k) from generate_series(0, 3) k)`.replaceAll(
    "$n",
    `(${n})`,
  );

/** The words of a name and their beginnings with the month of a moment, marked as the service marks them. */
const searchOf = (moment: string) => `(select array_to_tsvector(array(
    select right($1, 8) || one from unnest(words || array(select '^' || left(word, letters) || month from unnest(words) word, unnest(array[3, 4]) letters)) one))
  from (select string_to_array(names.name, ' ') words, to_char(${moment} at time zone 'UTC', '"@"YYYYMM') as month) of)`;

/** Spread evenly over three years. */
const momentOf = (n: string, count: string) => `(now() - interval '3 years' + ${n} * interval '3 years' / (${count} + 1))`;

const leadId = (n: string) => `'lead_' || lpad((${n})::text, 26, '0')`;

// Each word is in about five names, and a name has two. Newest first is the order of the ids.
const copyLeads = async ({ field }: Template) =>
  copy(
    stand,
    "lead",
    "$2",
    "generate_series(1, $5::int) n",
    {
      id: leadId("n"),
      name: `names.name`,
      display_name: `names.name`,
      custom: `jsonb_build_object('custom.${field}', 'ref' || (n / 3))`,
      search: searchOf(momentOf("n", "$5::int")),
      rendered: `replace(replace(replace(t.rendered, t.id, ${leadId("n")}), '${templateName}', names.name), 'templatevalue', 'ref' || (n / 3))`,
      date_created: momentOf("n", "$5::int"),
    },
    `cross join lateral (select ${word("n / 5 + 1000")} || ' ' || ${word("n * 7 % 100003 + 5000")} as name) names`,
  );

const copyContacts = async () =>
  copy(
    stand,
    "contact",
    "$3",
    "generate_series(1, $5::int * 3) n",
    {
      id: `'cont_' || lpad(n::text, 26, '0')`,
      lead_id: leadId("(n - 1) / 3 + 1"),
      name: `names.name`,
      display_name: `names.name`,
      search: searchOf(momentOf("n", "$5::int * 3")),
      rendered: `replace(replace(replace(t.rendered, t.id, 'cont_' || lpad(n::text, 26, '0')), '${templateName}', names.name), t.lead_id, ${leadId("(n - 1) / 3 + 1")})`,
      date_created: momentOf("n", "$5::int * 3"),
    },
    `cross join lateral (select 'p' || ${word("n % 60013 + 3000")} || ' ' || 'q' || ${word("n / 7 + 2000")} as name) names`,
  );

const copyActivities = async () =>
  copy(stand, "activity", "$4", "generate_series(1, $5::int * 10) n", {
    id: `'acti_' || lpad(n::text, 26, '0')`,
    lead_id: leadId("(n * 7919::bigint) % $5::int + 1"),
    date_created: momentOf("n", "$5::int * 10"),
    activity_at: momentOf("n", "$5::int * 10"),
  });

/** A statement with only the parameters it names, numbered again. */
function used(text: string, values: readonly unknown[]): [string, unknown[]] {
  const places = [...new Set([...text.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])))].toSorted((a, b) => a - b);
  return [
    text.replace(/\$(\d+)/g, (_, place: string) => `$${places.indexOf(Number(place)) + 1}`),
    places.map((place) => values[place - 1]),
  ];
}

// --- cases ---

type Ask = (path: string, body?: object) => Promise<any>;
type Asked = Pick<Load, "method" | "paths" | "body" | "amount">;

interface Question {
  name: string;
  /** The number of concurrent clients, by default one. */
  clients?: number;
  /** Paths to read, or another load. */
  paths(organization: Organization, leads: number, ask: Ask): Promise<string[] | Asked>;
}

const spread = (count: number, of: number) => Array.from({ length: count }, (_, i) => 1 + Math.floor((i * of) / count));
const idOf = (n: number) => `lead_${String(n).padStart(26, "0")}`;

const questions: Question[] = [
  { name: "get", paths: async (_, leads) => spread(200, leads).map((n) => `/lead/${idOf(n)}/`) },
  { name: "list page 1", paths: async () => ["/lead/"] },
  { name: "cursor page 1,000", paths: async (_, leads, ask) => [await cursorPath(ask, Math.min(999, leads / 10 - 2))] },
  { name: "one lead's activities", paths: async (_, leads) => spread(200, leads).map((n) => `/activity/?lead_id=${idOf(n)}`) },
  { name: "name search", paths: async (_, leads, ask) => (await words(ask, leads)).map((one) => `/lead/?query=${one}`) },
  {
    name: "name search, ten",
    paths: async (_, leads, ask) => (await words(ask, leads)).map((one) => `/lead/?query=${one}&_limit=10`),
  },
  {
    name: "custom field equality",
    async paths(_, leads, ask) {
      const [field] = (await ask("/custom_field/lead/")).data;
      return spread(200, leads).map((n) => `/lead/?custom.${field.id}=ref${Math.floor(n / 3)}`);
    },
  },
  { name: "create", paths: async () => ({ method: "POST", paths: ["/lead/"], body: newLead(0) }) },
  { name: "update", paths: async (_, leads) => ({ method: "PUT", paths: inRotation([changes(leads)]) }) },
  { name: "delete", paths: async (_, __, ask) => ({ method: "DELETE", amount: deletedCount, paths: await doomed(ask) }) },
  { name: "mixed, sixteen clients", clients: 16, paths: async (_, leads) => ({ paths: inRotation(mixture(leads)) }) },
];

type Request = ReturnType<Exclude<Load["paths"], readonly string[]>>;

const deletedCount = 200;

const newLead = (n: number) => JSON.stringify({ name: `Newly made ${n}`, emails: [{ email: `office${n}@example.com` }] });

const changes =
  (leads: number) =>
  (n: number): Request => ({
    method: "PUT",
    path: `/lead/${idOf(1 + ((n * 7919) % leads))}/`,
    body: `{"description":"Changed for the time number ${n}."}`,
  });

/** Of ten requests, seven read a record or a page, two update and one creates. */
function mixture(leads: number): ((n: number) => Request)[] {
  const some = (n: number) => idOf(1 + ((n * 104_729) % leads));
  const get = (n: number): Request => ({ path: `/lead/${some(n)}/` });
  const activities = (n: number): Request => ({ path: `/activity/?lead_id=${some(n)}` });
  const list = (): Request => ({ path: "/lead/?_limit=20" });
  const create = (n: number): Request => ({ method: "POST", path: "/lead/", body: newLead(n) });
  return [get, activities, get, changes(leads), get, list, activities, changes(leads), get, create];
}

/** Each of the requests in turn, with a number that is unique. */
function inRotation(requests: readonly ((n: number) => Request)[]): () => Request {
  let count = 0;
  return () => requests[count % requests.length]!(count++);
}

/** Leads to be deleted, created when requested. A round may send a few more requests than it counts. */
async function doomed(ask: Ask): Promise<() => Request> {
  const ids: string[] = [];
  for (let i = 0; i < (rounds + 1) * (deletedCount + 10); i++) ids.push((await ask("/lead/", JSON.parse(newLead(i)))).id);
  return () => ({ path: `/lead/${ids.pop()}/` });
}

// A page of ten, so that the small organization has a thousandth page too. The cursor comes from the page before.
async function cursorPath(ask: Ask, page: number): Promise<string> {
  let cursor = "";
  for (let at = 0; at < page; at++) {
    const answer = await ask(`/lead/?_limit=10${cursor && `&_cursor=${cursor}`}`);
    if (!answer.has_more) break;
    cursor = answer.cursor_next;
  }
  return `/lead/?_limit=10&_cursor=${cursor}`;
}

/** Whole words of names, and their first three to five letters. */
async function words(ask: Ask, leads: number): Promise<string[]> {
  const names: string[] = [];
  for (const n of spread(60, leads)) names.push(...(await ask(`/lead/${idOf(n)}/?_fields=name`)).name.split(" "));
  return names.flatMap((name, i) => [name, name.slice(0, 3 + (i % 3))]);
}

type Side = Asked & Pick<Load, "headers" | "connections">;

const base = "/api/v1";

async function sideOf(url: string, question: Question, organization: Organization, leads: number): Promise<Side> {
  const authorization = `Basic ${Buffer.from(`${organization.key}:`).toString("base64")}`;
  const headers = { authorization, "content-type": "application/json" };
  const ask: Ask = async (path, body) =>
    (await fetch(url + base + path, { headers, method: body ? "POST" : "GET", body: JSON.stringify(body) })).json();
  const found = await question.paths(organization, leads, ask);
  const asked: Asked = Array.isArray(found) ? { paths: found } : found;
  const { paths } = asked;
  const within = (request: Request): Request => ({ ...request, path: base + request.path });
  return {
    ...asked,
    headers,
    connections: question.clients ?? 1,
    paths: typeof paths === "function" ? () => within(paths()) : paths.map((path) => base + path),
  };
}

/**
 * Alternates between both organizations, with a first round to warm up: a machine that others use is slower for seconds at a
 * time.
 */
async function inTurns(url: string, sides: readonly Side[]): Promise<Measured[][]> {
  const all: Measured[][] = sides.map(() => []);
  for (let round = 0; round <= rounds; round++)
    for (const [i, side] of sides.entries()) {
      const measured = await measure({ url, ...side, leadInSeconds: 0, seconds: roundSeconds });
      if (round > 0) all[i]!.push(measured);
    }
  return all;
}

async function compare(big: Organization, little: Organization): Promise<void> {
  const service = await startService(stand.databaseUrl);
  const missed: string[] = [];
  try {
    const sizes = `${small.toLocaleString("en")} against ${large.toLocaleString("en")} leads`;
    console.log(
      `\n${sizes}, one connection where nothing else is said, ${rounds} rounds of ${roundSeconds} s each in turns, medians.`,
    );
    console.log("The ratio is the median of the rounds' own ratios.\n");
    console.log(
      "| question | small p50 ms | p95 | p99 | large p50 ms | p95 | p99 | p95 ratio |\n|---|---|---|---|---|---|---|---|",
    );
    for (const question of questions) {
      const sides = [await sideOf(service.url, question, little, small), await sideOf(service.url, question, big, large)];
      const [a, b] = (await inTurns(service.url, sides)) as [Measured[], Measured[]];
      const ratio = median(b.map(({ p95 }, i) => p95 / a[i]!.p95));
      if (ratio > target) missed.push(`${question.name}: ${ratio.toFixed(2)} is above ${target}`);
      const figures = [a, b].map(middle).flatMap(({ p50, p95, p99 }) => [p50, p95, p99]);
      const cells = [question.name, ...figures.map((ms) => ms.toFixed(2)), ratio.toFixed(2)];
      console.log(`| ${cells.join(" | ")} |`);
    }
    console.log(`\nService process: ${service.memory()} MB.`);
  } finally {
    await service.stop();
  }
  for (const line of missed) console.log(line);
  process.exitCode = missed.length > 0 ? 1 : 0;
}

// --- the run ---

try {
  const [big, little] = [
    await foundBenchOrganization(app, `large-${Date.now()}`),
    await foundBenchOrganization(app, `small-${Date.now()}`),
  ];
  await withoutIndexes(stand, ["lead", "contact", "activity"], async () => {
    await multiply(big, large);
    await multiply(little, small);
    for (let i = 0; i < others; i++) await multiply(await foundBenchOrganization(app, `other-${i}-${Date.now()}`), 20);
  });
  await timed("vacuum analyze", () => run(stand, "vacuum analyze"));
  await compare(big, little);
} finally {
  await stand.close();
}
