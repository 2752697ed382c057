// `npm run bench:reports`: runs every report over a large organization (100 thousand leads, 150 thousand deals, 1 million
// activities in three years), for this month, this year and all time. SCALE=0.1 makes it a tenth. BENCH_KEEP=1 keeps the database
// running until Ctrl-C, to look at its plans.
import type { Actor } from "../src/core/context.ts";
import { perform } from "../src/core/perform.ts";
import { findOrCreateUser } from "../src/resources/organization/found.ts";
import { newId } from "../src/values/id.ts";
import { copy, run, timed, withoutIndexes } from "./copies.ts";
import { foundBenchOrganization, type Organization, openStand, startService } from "./stand.ts";

const scale = Number(process.env.SCALE ?? 1);
const requests = Number(process.env.BENCH_REQUESTS ?? 40);
const leads = Math.round(100_000 * scale);
const deals = Math.round(150_000 * scale);
const target = 300;

const stand = await openStand({ shared_buffers: "2GB", maintenance_work_mem: "1GB", fsync: "off", max_wal_size: "16GB" });
const { app } = stand;

// --- data ---

/** How many of the million activities have each kind, and how they differ. */
const kinds: { name: string; share: number; body: object; changes?: Record<string, string> }[] = [
  {
    name: "activity_call",
    share: 0.25,
    body: { duration: 90 },
    changes: {
      direction: "case when n % 3 = 0 then 'inbound' else 'outbound' end",
      disposition: "(array['answered', 'answered', 'no-answer', 'vm-left', 'busy'])[1 + n % 5]",
      duration: "case when n % 5 < 2 then n * 7919::bigint % 900 else 0 end",
    },
  },
  {
    name: "activity_email",
    share: 0.3,
    body: { status: "sent", to: ["person@example.com"], subject: "Offer" },
    changes: {
      status: "case when n % 3 = 0 then 'inbox' else 'sent' end",
      has_reply: "n % 4 = 0",
      opens_summary: "case when n % 2 = 0 then 'Opened once' end",
      template_id: "case when n % 3 > 0 then 'tmpl_' || lpad((n % 40)::text, 26, '0') end",
    },
  },
  { name: "activity_sms", share: 0.05, body: { status: "inbox", remote_phone: "+14155550123", text: "Hello" } },
  {
    name: "activity_meeting",
    share: 0.05,
    body: { title: "Talk", starts_at: "2026-01-01T10:00:00Z" },
    changes: { starts_at: "at", ends_at: "at + interval '30 minutes'" },
  },
  { name: "activity_note", share: 0.1, body: { note: "We spoke about the offer." } },
];
const statusChanges = { lead: 0.08, opportunity: 0.17 };

async function fill(organization: Organization): Promise<void> {
  const users = await addMembers(organization, 12);
  const call = caller(await app.authenticator.authenticate(`Bearer ${organization.key}`));
  const [pipeline] = (await call("pipeline.list", {})).data;
  for (const label of ["Contacted", "Offer", "Negotiation"])
    await call("opportunity_status.create", { label, pipeline_id: pipeline.id, position: 1 });
  const statuses = await statusesOf(call, "opportunity_status");
  const leadStatuses = await statusesOf(call, "lead_status");
  const lead = await call("lead.create", { name: "Template" });
  const deal = await call("opportunity.create", { lead_id: lead.id, value: 100_000, status_id: statuses[0] });
  await call("opportunity.update", { status_id: statuses[1] }, { id: deal.id });
  await call("lead.update", { status_id: leadStatuses[1] }, { id: lead.id });

  const of = (values: readonly string[]) =>
    `(array[${values.map((value) => `'${value}'`).join(",")}])[1 + (n * 31 % ${values.length})::int]`;
  const leadId = (n: string) => `'lead_' || lpad((${n})::text, 26, '0')`;
  const dealId = (n: string) => `'oppo_' || lpad((${n})::text, 26, '0')`;
  const made = (count: number) => `now() - interval '3 years' + n * interval '3 years' / ${count + 1}`;
  const add = async (what: string, count: number, text: Promise<string>) =>
    timed(`${what} × ${count}`, async () => run(stand, await text, [organization.id]));
  const series = (count: number) => `generate_series(1, ${count}) n`;

  await add(
    "leads",
    leads,
    copy(stand, "lead", `'${lead.id}'`, series(leads), {
      id: leadId("n"),
      status_id: of(leadStatuses),
      owner_id: of(users),
      created_by: of(users),
      date_created: made(leads),
    }),
  );
  await add(
    "deals",
    deals,
    copy(stand, "opportunity", `'${deal.id}'`, series(deals), {
      id: dealId("n"),
      lead_id: leadId(`n * 7919::bigint % ${leads} + 1`),
      status_id: of(statuses),
      user_id: of(users),
      created_by: of(users),
      value: "n * 7919::bigint % 1000000",
      annualized_value: "n * 7919::bigint % 1000000",
      expected_value: "n * 7919::bigint % 500000",
      date_created: made(deals),
      date_won: `case when n * 31 % ${statuses.length} = ${statuses.length - 2} then (${made(deals)} + interval '20 days')::date end`,
      date_lost: `case when n * 31 % ${statuses.length} = ${statuses.length - 1} then ${made(deals)} + interval '20 days' end`,
      expected_close_date: "case when n % 10 > 0 then current_date + (n % 300)::int end",
    }),
  );
  const history = (what: string, subject: string, share: number, id: string, values: readonly string[]) => {
    const count = Math.round(1_000_000 * scale * share);
    return add(
      what,
      count,
      copy(stand, "activity", id, series(count), {
        id: `'acti_${subject}' || lpad(n::text, 21, '0')`,
        lead_id: leadId(`n * 7919::bigint % ${leads} + 1`),
        ...(subject === "oppo" ? { opportunity_id: dealId(`n * 7919::bigint % ${deals} + 1`) } : {}),
        user_id: of(users),
        old_status_id: of(values),
        new_status_id: of([...values.slice(1), values[0]!]),
        activity_at: made(count),
        date_created: made(count),
      }),
    );
  };
  const changeOf = (type: string) => `(select c.id from activity c where c.organization_id = $1 and c._type = '${type}' limit 1)`;
  await history("status changes of leads", "lead", statusChanges.lead, changeOf("LeadStatusChange"), leadStatuses);
  await history("status changes of deals", "oppo", statusChanges.opportunity, changeOf("OpportunityStatusChange"), statuses);
  for (const [i, { name, share, body, changes = {} }] of kinds.entries()) {
    const count = Math.round(1_000_000 * scale * share);
    const { id } = await call(`${name}.create`, { lead_id: lead.id, ...body });
    const at = made(count);
    await add(
      name,
      count,
      copy(stand, "activity", `'${id}'`, `(select n, ${at} as at from ${series(count)}) s`, {
        id: `'acti_kind${i}' || lpad(n::text, 20, '0')`,
        lead_id: leadId(`n * 7919::bigint % ${leads} + 1`),
        user_id: of(users),
        activity_at: "at",
        date_created: "at",
        ...changes,
      }),
    );
  }
}

type Caller = (name: string, body: object, params?: Record<string, string>) => Promise<any>;

function caller(actor: Actor): Caller {
  return async (name, body, params = {}) => {
    const operation = app.core.registry.operation(name)!;
    const request = { id: "req_bench", method: operation.method, path: operation.path, offsetMinutes: 0, ifMatch: null };
    const given = { params, query: {}, body: body as Record<string, unknown>, strict: false };
    return JSON.parse(String((await perform(app.core, { operation, actor, given, request })).body));
  };
}

const statusesOf = async (call: Caller, of: string): Promise<string[]> =>
  (await call(`${of}.list`, {})).data.map((one: { id: string }) => one.id);

async function addMembers({ id, userId }: Organization, count: number): Promise<string[]> {
  const now = new Date();
  const ids = await app.db.unscopedTransaction((tx) =>
    Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const user = await findOrCreateUser(tx, { email: `member-${i}-${id}@bench.example`, first_name: `Member ${i}`, now });
        tx.write({
          text: "insert into membership (organization_id, id, user_id, role_id, status, date_created, date_updated) values ($1, $2, $3, 'user', 'active', $4, $4)",
          values: [id, newId("memb"), user, now],
        });
        return user;
      }),
    ),
  );
  app.core.forget(id);
  return [userId, ...ids];
}

// --- reports ---

const reports: [string, object][] = [
  ["activity", {}],
  ["activity", { type: "overview" }],
  ["funnel", {}],
  ["calls_funnel", {}],
  ["opportunity_funnels", {}],
  ["opportunity_funnels", { type: "active-stage-cohort" }],
  ["sales", {}],
  ["status_change/lead", {}],
  ["status_change/opportunity", {}],
  ["sent_emails", {}],
];

/** The request without a range. The loop below adds this month, this year and all time. */
async function ask({ key }: Organization): Promise<void> {
  const service = await startService(stand.databaseUrl);
  const missed: string[] = [];
  try {
    console.log(`\n${deals.toLocaleString("en")} deals, ${requests} requests each, one at a time.`);
    console.log("| report | range | p50 ms | p95 ms |\n|---|---|---|---|");
    for (const [path, body] of reports) {
      for (const range of [null, "this-month", "this-year", "all-time"]) {
        const asked = { ...body, ...(range === null ? {} : { relative_range: range }) };
        const { p50, p95 } = await measure(`${service.url}/api/v1/report/${path}/`, key, asked);
        const name = `${path}${"type" in body ? ` (${body.type})` : ""}`;
        console.log(`| ${name} | ${range ?? "by default"} | ${p50.toFixed(1)} | ${p95.toFixed(1)} |`);
        if (range === null && p95 > target) missed.push(`${name}: ${p95.toFixed(0)} ms is above ${target}`);
      }
    }
  } finally {
    await service.stop();
  }
  for (const line of missed) console.log(line);
  process.exitCode = missed.length > 0 ? 1 : 0;
}

async function measure(url: string, key: string, body: object): Promise<{ p50: number; p95: number }> {
  const headers = { authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}`, "content-type": "application/json" };
  const taken: number[] = [];
  for (let i = -3; i < requests; i++) {
    const begun = performance.now();
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
    if (i >= 0) taken.push(performance.now() - begun);
  }
  taken.sort((a, b) => a - b);
  return { p50: taken[Math.floor(taken.length / 2)]!, p95: taken[Math.floor(taken.length * 0.95)]! };
}

// --- the run ---

try {
  const organization = await foundBenchOrganization(app, `reports-${Date.now()}`);
  await withoutIndexes(stand, ["lead", "opportunity", "activity"], () => fill(organization));
  await timed("vacuum analyze", () => run(stand, "vacuum analyze"));
  if (process.env.BENCH_KEEP) console.log(`${stand.databaseUrl} ${organization.id} ${organization.key}`);
  await ask(organization);
  if (process.env.BENCH_KEEP) await new Promise((resolve) => process.once("SIGINT", resolve));
} finally {
  await stand.close();
}
