// `npm run bench`: compares the service with three others on the same machine, in alternating rounds.
//   bare      a plain server of finished JSON with a table and indexes of its own (`bare.ts`): the total cost of the service
//   own       a plain server that sends the service's own statements (`floor.ts`): the cost of its process over them
//   pgbench   the statement alone, without any server
// The case `tool` is a call of an agent's tool beside the same request of REST, which stands in the columns of `bare`.
// Read the ratios. The requests per second of one machine say little about another, but the ratios are similar everywhere.
import type { App } from "../src/app.ts";
import type { Actor } from "../src/core/context.ts";
import { perform } from "../src/core/perform.ts";
import { type Load, type Measured, measure, median, middle } from "./load.ts";
import { createScript, hasPgbench, pgbench, searchScript } from "./pgbench.ts";
import { type Recorded, recordedWord } from "./recorded.ts";
import {
  foundBenchOrganization,
  type Organization,
  openStand,
  type Running,
  record,
  startBare,
  startFloor,
  startService,
} from "./stand.ts";

const rounds = Number(process.env.BENCH_ROUNDS ?? 9);
const roundSeconds = Number(process.env.BENCH_SECONDS ?? 2);
// A service that is idle for some seconds while others are measured loses its compiled code: V8 collects garbage and drops code
// compiled for object shapes that no longer exist. This never happens under load. So each round starts with a warm-up that is not
// counted.
const leadInSeconds = Number(process.env.BENCH_LEAD_IN ?? 2);
const warmUpSeconds = 8;
const leadCount = Number(process.env.BENCH_LEADS ?? 10_000);
/** `BENCH_CASES=get,list` measures only these. */
const chosen = process.env.BENCH_CASES?.split(",");
const familyCount = 500;
const deletedCount = 2_000;

/** Target ratios of the service to a server that sends its statements, and to the bare server. */
const targets: Record<string, { own?: number; bare?: number }> = {
  get: { own: 0.6 },
  list: { own: 0.45 },
  create: { own: 0.6 },
  search: { own: 0.7 },
  tool: { bare: 0.7 },
};
/** How many milliseconds longer a call of a tool may take than the same request of REST, at the 95th percentile. */
const toolCostsMs = 5;

type Asked = Pick<Load, "method" | "paths" | "body">;

interface Case {
  name: string;
  connections: number;
  service: Asked;
  bare: Asked;
  /** `bare` is not asked of the bare server, but of the service itself by REST. */
  isToRest?: true;
  own?: string[];
  pgbench?: string;
  /** A number of requests instead of a duration, and the preparation before each round. */
  amount?: number;
  prepare?: () => Promise<void>;
}

function cases({ organization, data, recorded, service, bare, headers }: Ground): Case[] {
  const some = (ids: readonly string[]) => ids.filter((_, i) => i % 40 === 0);
  const words = data.words.slice(0, 50);
  const org = organization.id;
  const lead = JSON.stringify(sampleLead(recordedWord));
  const doomed: { ours: string[]; bare: string[] } = { ours: [], bare: [] };
  return [
    {
      name: "get",
      connections: 32,
      service: { paths: some(data.ids).map((id) => `/api/v1/lead/${id}/`) },
      bare: { paths: some(data.bareIds).map((id) => `/lead/${id}`) },
      own: some(data.ids).map((id) => `/get/${id}`),
      pgbench: `select rendered from lead where organization_id = '${org}' and id = '${data.ids[0]}';`,
    },
    {
      name: "tool",
      connections: 16,
      isToRest: true,
      service: { method: "POST", paths: ["/mcp/"], body: toolCall("get_record", { object_type: "lead", id: data.ids[0] }) },
      bare: { paths: [`/api/v1/lead/${data.ids[0]}/`] },
    },
    {
      name: "list",
      connections: 16,
      service: { paths: ["/api/v1/lead/"] },
      bare: { paths: ["/lead"] },
      own: ["/list"],
      pgbench: `select rendered from lead where organization_id = '${org}' order by date_created desc, id desc limit 101;`,
    },
    {
      name: "create",
      connections: 32,
      service: { method: "POST", paths: ["/api/v1/lead/"], body: lead },
      bare: { method: "POST", paths: ["/lead"], body: lead },
      own: ["/create"],
      pgbench: createScript(recorded),
    },
    {
      name: "update",
      connections: 32,
      service: { method: "PUT", paths: changing(data.ids, (id) => `/api/v1/lead/${id}/`) },
      bare: { method: "PUT", paths: changing(data.bareIds, (id) => `/lead/${id}`) },
    },
    {
      name: "delete",
      connections: 16,
      amount: deletedCount,
      // The load generator may send a few more requests than it counts.
      async prepare() {
        const make = (url: string, path: string) => createThrough(url + path, headers, lead, deletedCount + 64);
        doomed.ours = await make(service.url, "/api/v1/lead/");
        doomed.bare = await make(bare.url, "/lead");
      },
      service: { method: "DELETE", paths: () => ({ path: `/api/v1/lead/${doomed.ours.pop()}/` }) },
      bare: { method: "DELETE", paths: () => ({ path: `/lead/${doomed.bare.pop()}` }) },
    },
    {
      name: "search",
      connections: 16,
      service: { paths: words.map((word) => `/api/v1/lead/?query=${word}`) },
      bare: { paths: words.map((word) => `/lead?search=${word}`) },
      own: words.map((word) => `/search/${word}`),
      pgbench: searchScript(recorded, words[0]!),
    },
    {
      name: "contacts",
      connections: 32,
      service: { paths: data.families.map((id) => `/api/v1/contact/?lead_id=${id}`) },
      bare: { paths: data.bareFamilies.map((id) => `/contact?lead_id=${id}`) },
      own: data.families.map((id) => `/contacts/${id}`),
      pgbench: `select rendered from contact where organization_id = '${org}' and lead_id = '${data.families[0]}' order by date_created desc, id desc limit 101;`,
    },
  ];
}

const toolCall = (name: string, args: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });

/** Each request changes another record to another value, so that each is a change. */
function changing(ids: readonly string[], pathOf: (id: string) => string): () => { path: string; body: string } {
  let count = 0;
  return () => {
    count++;
    return { path: pathOf(ids[(count * 7) % ids.length]!), body: `{"description":"Changed for the time number ${count}."}` };
  };
}

/** What every case needs to run. */
interface Ground {
  url: string;
  organization: Organization;
  data: Data;
  recorded: Recorded;
  service: Running;
  bare: Running;
  floor: Running;
  headers: Record<string, string>;
  withPgbench: boolean;
}

interface Result {
  name: string;
  toBare: number;
  toOwn: number | null;
  toPgbench: number | null;
  service: Measured;
  bare: Measured;
}

/** Rounds alternate in order, so that a machine that slows down slows every side equally. */
async function compare({ service, bare, floor, headers, withPgbench, url }: Ground, one: Case): Promise<Result> {
  const measured = { ours: [] as Measured[], bare: [] as Measured[], own: [] as Measured[], alone: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    await one.prepare?.();
    // The first round is longer and not counted. After it code is compiled, and caches and plans are warm, on all sides.
    const seconds = round === 0 ? warmUpSeconds : roundSeconds;
    const load = { connections: one.connections, amount: one.amount, leadInSeconds, seconds };
    const runs = [
      async () => measured.ours.push(await measure({ url: service.url, headers, ...load, ...one.service })),
      async () =>
        measured.bare.push(await measure({ ...(one.isToRest ? { url: service.url, headers } : bare), ...load, ...one.bare })),
      async () => one.own && measured.own.push(await measure({ url: floor.url, ...load, ...one.service, paths: one.own })),
      async () => withPgbench && one.pgbench && measured.alone.push(pgbench(url, one.pgbench, load)),
    ];
    for (const run of round % 2 === 0 ? runs : runs.toReversed()) await run();
    if (round === 0) for (const list of Object.values(measured)) list.length = 0;
  }
  const over = (others: readonly number[]) =>
    others.length === 0 ? null : median(measured.ours.map(({ perSecond }, i) => perSecond / others[i]!));
  return {
    name: one.name,
    toBare: over(measured.bare.map(({ perSecond }) => perSecond))!,
    toOwn: over(measured.own.map(({ perSecond }) => perSecond)),
    toPgbench: over(measured.alone),
    service: middle(measured.ours),
    bare: middle(measured.bare),
  };
}

function print(rows: readonly Result[]): void {
  console.log(`\n${rounds} rounds of ${roundSeconds} s each, medians; a ratio is the median of the rounds' own ratios.`);
  console.log("| case | to bare | to own statements | to pgbench | service/s | p50 ms | p99 ms | bare/s | p50 ms | p99 ms |");
  console.log("|---|---|---|---|---|---|---|---|---|---|");
  for (const { name, toBare, toOwn, toPgbench, service, bare } of rows) {
    const figures = [service, bare].flatMap((one) => [Math.round(one.perSecond), one.p50.toFixed(2), one.p99.toFixed(2)]);
    const ratios = [toBare, toOwn, toPgbench].map((ratio) => ratio?.toFixed(2) ?? "");
    console.log(`| ${[name, ...ratios, ...figures].join(" | ")} |`);
  }
}

function missedBy({ name, toBare, toOwn, service, bare: other }: Result): string[] {
  const { own, bare } = targets[name] ?? {};
  const longer = service.p95 - other.p95;
  return [
    ...(name === "tool" && longer > toolCostsMs
      ? [`tool: takes ${longer.toFixed(1)} ms longer than REST, more than ${toolCostsMs}`]
      : []),
    ...(bare !== undefined && toBare < bare ? [`${name}: ${toBare.toFixed(2)} of the bare server is below ${bare}`] : []),
    ...(own !== undefined && toOwn! < own ? [`${name}: ${toOwn!.toFixed(2)} of its own statements is below ${own}`] : []),
  ];
}

// --- data ---

interface Data {
  ids: string[];
  /** Each of these words is in a handful of names. */
  words: string[];
  /** Creates leads with three contacts each. */
  families: string[];
  /** Creates the same records in the bare server's tables. */
  bareIds: string[];
  bareFamilies: string[];
}

async function fill(on: App, { key }: Organization, bareUrl: string): Promise<Data> {
  const call = await caller(on, key);
  const words = Array.from({ length: leadCount / 5 }, (_, i) => wordOf(i));
  const nameOf = (i: number) => `${words[i % words.length]} ${wordOf(i * 7 + 1)}`;
  const ids = await inParallel(leadCount, async (i) => (await call("lead.create", sampleLead(nameOf(i)))).id);
  const bareIds = await inParallel(leadCount, async (i) => (await postTo(`${bareUrl}/lead`, sampleLead(nameOf(i)))).id);
  const [families, bareFamilies] = [ids.slice(0, familyCount), bareIds.slice(0, familyCount)];
  await inParallel(families.length * 3, (i) => call("contact.create", samplePerson(i, families)));
  await inParallel(bareFamilies.length * 3, (i) => postTo(`${bareUrl}/contact`, samplePerson(i, bareFamilies)));
  return { ids, words, families, bareIds, bareFamilies };
}

async function postTo(url: string, body: object, headers: Record<string, string> = {}): Promise<any> {
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

const createThrough = (url: string, headers: Record<string, string>, lead: string, count: number): Promise<string[]> =>
  inParallel(count, async () => (await postTo(url, JSON.parse(lead), headers)).id);

const samplePerson = (i: number, families: readonly string[]) => ({
  lead_id: families[i % families.length],
  name: `Person ${i}`,
  emails: [{ email: `person${i}@example.com` }],
});

const sampleLead = (name: string) => ({
  name,
  url: "https://example.com",
  industry: "Software",
  description: "Makes things that other companies need.",
  mrr: 120_000,
  emails: [{ email: "office@example.com", type: "office" }],
  phones: [{ phone: "+18004445555", type: "office" }],
  addresses: [{ city: "San Francisco", state: "CA", country: "US" }],
});

/** A pronounceable word for every number, all different. */
function wordOf(number: number): string {
  const [consonants, vowels] = ["bdfgklmnprstvz", "aeiou"];
  let rest = number + 5000;
  let word = "";
  while (rest > 0) {
    word += consonants[rest % 14];
    rest = Math.floor(rest / 14);
    word += vowels[rest % 5];
    rest = Math.floor(rest / 5);
  }
  return word;
}

async function caller(
  on: App,
  key: string,
): Promise<(name: string, body: object, query?: Record<string, string>) => Promise<any>> {
  const actor: Actor = await on.authenticator.authenticate(`Bearer ${key}`);
  return async (name, body, query = {}) => {
    const operation = on.core.registry.operation(name)!;
    const given = { params: {}, query, body: body as Record<string, unknown>, strict: false };
    const request = { id: "req_bench", method: operation.method, path: operation.path, offsetMinutes: 0, ifMatch: null };
    return JSON.parse(String((await perform(on.core, { operation, actor, given, request })).body));
  };
}

/** Loading is not measured. It retries when the machine is too slow for the service's own limits. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if ((error as { status?: number }).status !== 503 || attempt === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

async function inParallel<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (next < count) {
        const i = next++;
        results[i] = await patiently(() => work(i));
      }
    }),
  );
  return results;
}

// --- the floor's statements ---

async function recordStatements(on: App, { id, key }: Organization): Promise<Recorded> {
  const call = await caller(on, key);
  const { written } = await record(on, () => call("lead.create", sampleLead(recordedWord)));
  const { queried } = await record(on, () => call("lead.list", {}, { query: recordedWord }));
  const created = written.flatMap((statement) =>
    statement.text.startsWith("insert into") ? [statement.values[0] === id ? statement.values[1] : statement.values[0]] : [],
  );
  return { organizationId: id, create: written, createdIds: created as string[], search: queried.at(-1)! };
}

// --- the run ---

const stand = await openStand();
const { app } = stand;
console.log(`Filling an organization with ${leadCount} leads …`);
const organization = await foundBenchOrganization(app, `bench-${Date.now()}`);
const bare = await startBare(stand.databaseUrl);
const data = await fill(app, organization, bare.url);
const recorded = await recordStatements(app, organization);
await app.db.unscoped({ text: "vacuum analyze", values: [] });
await app.db.unscoped({ text: "checkpoint", values: [] });

const service = await startService(stand.databaseUrl);
const idle = service.memory();
const floor = await startFloor(stand.databaseUrl, recorded);
const headers = {
  authorization: `Basic ${Buffer.from(`${organization.key}:`).toString("base64")}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
const withPgbench = hasPgbench();
if (!withPgbench) console.log("pgbench is not installed: its column is left out.");

try {
  const ground = { url: stand.databaseUrl, organization, data, recorded, service, bare, floor, headers, withPgbench };
  const rows: Result[] = [];
  for (const one of cases(ground).filter(({ name }) => !chosen || chosen.includes(name))) {
    console.log(`Measuring ${one.name}, in ${rounds} rounds …`);
    rows.push(await compare(ground, one));
  }
  print(rows);
  console.log(`\nService process: ${idle} MB when started, ${service.memory()} MB after the load.`);
  const missed = rows.flatMap(missedBy);
  for (const line of missed) console.log(line);
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  await service.stop();
  await bare.stop();
  await floor.stop();
  await stand.close();
}
