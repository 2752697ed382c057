// The part of `npm run bench:background` about automations: how many runs workers carry out, beside the same writes sent as plain SQL.
// It has a database of its own. Its runs are made beforehand, and let go by SQL.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Ctx } from "../src/core/context.ts";
import type { Create } from "../src/core/resource.ts";
import type { Statement } from "../src/db/database.ts";
import { claimJobs, doJob, wakeLateJobs } from "../src/jobs/claims.ts";
import { consumeSome, type LogEntry } from "../src/jobs/consumer.ts";
import { openWorker } from "../src/jobs/worker.ts";
import { asService, asSystem } from "../src/records/acting.ts";
import { createRecord } from "../src/records/records.ts";
import { automationConsumer } from "../src/resources/automations/consume.ts";
import { runJobs } from "../src/resources/automations/names.ts";
import { runWork } from "../src/resources/automations/run_work.ts";
import { bulkWork } from "../src/resources/bulk_actions/bulk_work.ts";
import { lead } from "../src/resources/leads/lead.ts";
import { newId } from "../src/values/id.ts";
import { foundBenchOrganization, type Organization, openStand, record, type Stand, startService, startWorker } from "./stand.ts";

export interface RunFigures {
  /** Runs of three steps a second: their writes as plain SQL, then with one worker, then with two. */
  plain: number;
  oneWorker: number;
  twoWorkers: number;
  /** µs that the consumer spends on an event, beside so many automations that it does not start, and what reading it costs. */
  perEvent: number;
  perEventRead: number;
  listening: number;
  /** ms of a look that wakes so many of all waiting runs, and of a plain update of as many rows. */
  tick: number;
  tickPlain: number;
}

interface Bench extends Stand {
  organization: Organization;
  sql: pg.Client;
}

const connections = 16;
const listening = 500;
export const [waiting, due] = [100_000, 1000];

export async function measureRuns(count: number): Promise<RunFigures> {
  const stand = await openStand();
  const sql = new pg.Client({ connectionString: stand.databaseUrl });
  try {
    await sql.connect();
    const bench = { ...stand, sql, organization: await foundBenchOrganization(stand.app, "runs") };
    await makeRuns(bench, 3 * count + 1);
    const plain = await plainly(bench, count);
    const first = await startWorker(stand.databaseUrl);
    const oneWorker = await letGo(bench, count);
    const second = await startWorker(stand.databaseUrl);
    const twoWorkers = await letGo(bench, count);
    await Promise.all([first.stop(), second.stop()]);
    return { plain, oneWorker, twoWorkers, listening, ...(await consuming(bench)), ...(await ticking(bench)) };
  } finally {
    await sql.end();
    await stand.close();
  }
}

// --- what runs ---

export const graph = {
  start: "tell",
  steps: {
    tell: {
      type: "record.update",
      config: { fields: { description: { $template: "Seen {{ record.name }}" } } },
      ports: { out: "call" },
    },
    call: { type: "task.create", config: { text: { $template: "Call {{ record.name }}" } }, ports: { out: "tag" } },
    tag: { type: "tag.change", config: { tag: "seen", change: "add" }, ports: { out: null } },
  },
};

/** Runs of an automation with three steps that write, each for a lead of its own. None of them is due. Another automation only listens. */
async function makeRuns({ app, databaseUrl, organization, sql }: Bench, count: number): Promise<void> {
  for (let i = 0; i < count; i += 100)
    await asService(
      app.core,
      organization.id,
      organization.userId,
      { id: newId("req"), method: "", path: "bench" },
      async (ctx) => {
        for (let n = i; n < Math.min(i + 100, count); n++)
          await createRecord(ctx, lead, { name: `Acme ${n}` } as Create<typeof lead>);
      },
    );
  const api = await startService(databaseUrl, {}, "api");
  const request = async (path: string, body: object): Promise<any> => {
    const headers = { authorization: `Bearer ${organization.key}`, "content-type": "application/json" };
    const answer = await fetch(`${api.url}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const trigger = { type: "manual", config: { object_type: "lead" } };
  const { id } = await request("/automations/", { name: "Greet", trigger, graph });
  await request(`/automations/${id}/publish/`, {});
  await request(`/automations/${id}/run/`, { all: true, limit: count });
  const change = { type: "record.updated", config: { object_type: "lead", fields: ["status_id"] } };
  const other = await request("/automations/", { name: "Listen", trigger: change, graph });
  await request(`/automations/${other.id}/publish/`, {});
  await api.stop();
  const worker = openWorker(app.core, { works: [bulkWork], consumers: [], timers: [] }, (error) => console.error(error));
  await worker.drained();
  await worker.stop();
  await sql.query("update job set state = 'scheduled', due_at = '2100-01-01' where kind = $1", [runJobs.kind]);
  await sql.query("vacuum analyze");
}

const some = "select object_id from job where kind = $1 and state = 'scheduled' order by object_id limit $2";

/** Runs a second, from the moment when so many are due until the last of them is over. */
async function letGo({ sql }: Bench, count: number): Promise<number> {
  await sleep(1000);
  const began = performance.now();
  await sql.query(`update job set state = 'ready', due_at = now() where kind = $1 and object_id in (${some})`, [
    runJobs.kind,
    count,
  ]);
  for (;;) {
    await sleep(50);
    const { rowCount } = await sql.query("select from job where kind = $1 and state <> 'scheduled' limit 1", [runJobs.kind]);
    if (rowCount === 0) return (count * 1000) / (performance.now() - began);
  }
}

// --- what starts nothing, and what waits ---

/** The log of the runs once more, for many automations that listen to changes of leads and to none of these. */
async function consuming({ app, organization, sql }: Bench): Promise<{ perEvent: number; perEventRead: number }> {
  const copies = {
    automation: `'id', m.id || n, 'active_version_id', m.active_version_id || n`,
    automation_version: `'id', m.id || n, 'automation_id', m.automation_id || n`,
  };
  const listens = { automation: "trigger_type = 'record.updated'", automation_version: "trigger->>'type' = 'record.updated'" };
  await sql.query("update automation_version set published_at = '2000-01-01'");
  for (const table of ["automation", "automation_version"] as const)
    await sql.query(
      `insert into ${table} select (jsonb_populate_record(m, jsonb_build_object(${copies[table]}))).*
       from ${table} m, generate_series(2, ${listening}) n where ${listens[table]}`,
    );
  const back = "update consumer set cursor_epoch = 0, cursor_position = 0, cursor_seq = 0 where name = $1";
  await sql.query(back, [automationConsumer.name]);
  const request = { id: newId("req"), method: "", path: "bench" };
  const read: string[] = [];
  const heard = {
    ...automationConsumer,
    consume: (ctx: Ctx, events: readonly LogEntry[]) => (
      read.push(...events.map(({ id }) => id)), automationConsumer.consume(ctx, events)
    ),
  };
  const started = async () => Number((await sql.query("select count(*) from automation_event")).rows[0].count);
  const before = await started();
  const began = performance.now();
  while (await asSystem(app.core, organization.id, request, (ctx) => consumeSome(ctx, heard)));
  const took = performance.now() - began;
  const more = (await started()) - before;
  if (more !== 0) throw new Error(`${more} events started something`);
  const plainBegan = performance.now();
  for (let i = 0; i < read.length; i += 100)
    await sql.query("select id, event, object_id, previous_data::text, data::text, meta::text from event where id = any($1)", [
      read.slice(i, i + 100),
    ]);
  const plain = performance.now() - plainBegan;
  return { perEvent: (took * 1000) / read.length, perEventRead: (plain * 1000) / read.length };
}

/** Waiting runs whose jobs are due in a far future, but for some. */
async function ticking({ app, organization, sql }: Bench): Promise<{ tick: number; tickPlain: number }> {
  const { rows } = await sql.query(
    "select column_name as name from information_schema.columns where table_name = 'automation_run'",
  );
  const names = rows
    .map(({ name }) => name as string)
    .filter((one) => !["id", "status", "enrol_key", "wait_until"].includes(one))
    .join(", ");
  await sql.query(
    `insert into automation_run (id, status, wait_until, ${names}) select m.id || n, 'waiting', '2100-01-01', ${names}
     from (select * from automation_run limit 1) m, generate_series(1, ${waiting}) n`,
  );
  await sql.query(
    `insert into job (organization_id, kind, object_id, state, due_at) select organization_id, $1, id, 'scheduled', '2100-01-01'
     from automation_run where status = 'waiting'`,
    [runJobs.kind],
  );
  await sql.query("vacuum analyze automation_run, job");
  const some = "select object_id from job where state = 'scheduled' order by random() limit $1";
  await sql.query(`update job set due_at = now() where object_id in (${some})`, [due]);
  const began = performance.now();
  await wakeLateJobs(app.core, organization.id);
  const tick = performance.now() - began;
  const { rowCount } = await sql.query("select from job where state = 'ready'");
  if (rowCount !== due) throw new Error(`${rowCount} of ${due} waiting runs were woken`);
  const ids = (await sql.query(some, [due])).rows.map(({ object_id }) => object_id);
  const plainBegan = performance.now();
  await sql.query("update job set state = 'ready' where organization_id = $1 and kind = $2 and object_id = any($3)", [
    organization.id,
    runJobs.kind,
    ids,
  ]);
  return { tick, tickPlain: performance.now() - plainBegan };
}

// --- the floor ---

/** The statements that write in one run, sent for others as they are: a transaction for each, without looking at anything. */
async function plainly({ app, organization, sql }: Bench, count: number): Promise<number> {
  const { rows } = await sql.query(
    `update job set state = 'claimed', claim = 'floor', claimed_until = '2100-01-01' where kind = $1 and object_id in (${some})
     returning object_id as id, (select r.object_id from automation_run r where r.organization_id = job.organization_id and r.id = job.object_id) as lead`,
    [runJobs.kind, count + 1],
  );
  const [sample, ...others] = rows as { id: string; lead: string }[];
  await sql.query("update job set state = 'ready', due_at = now(), claim = null where object_id = $1", [sample!.id]);
  const { written } = await record(app, async () => {
    for (const job of await claimJobs(app.core, organization.id, runWork, { most: 1, shared: 1 }, "floor"))
      await doJob(app.core, runWork, job);
  });
  const made = idsIn(written).filter((id) => /^(ev|astep|task)_/.test(id));
  const began = performance.now();
  const left = others.values();
  const one = async () => {
    for (const { id, lead } of left) {
      const places = new Map([
        [sample!.id, id],
        [sample!.lead, lead],
        ...made.map((id) => [id, newId(id.slice(0, id.indexOf("_")))] as const),
      ]);
      await app.db.transaction(organization.id, async (tx) => written.forEach((each) => tx.write(withIds(each, places))));
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  const took = performance.now() - began;
  const over = await sql.query("select from automation_run where status = 'completed'");
  if (over.rowCount !== count + 1) throw new Error(`the floor ended ${over.rowCount} of ${count + 1} runs`);
  return (count * 1000) / took;
}

const idsIn = (statements: readonly Statement[]): string[] => [
  ...new Set(statements.flatMap(({ values }) => values.flatMap((one) => String(one).match(/\b[a-z]+_[A-Za-z0-9]{20,}/g) ?? []))),
];

function withIds(statement: Statement, places: ReadonlyMap<string, string>): Statement {
  const replaced = (value: unknown) => {
    if (typeof value !== "string") return value;
    let text = value;
    for (const [from, to] of places) if (text.includes(from)) text = text.replaceAll(from, to);
    return text;
  };
  return { ...statement, values: statement.values.map(replaced) };
}
