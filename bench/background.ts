// `npm run bench:background`: measures how soon webhooks and the stream report events, how fast a backlog is delivered and mail leaves,
// and what this costs concurrent requests. Targets are in the last column. All traffic stays on this machine.
// `BACKGROUND_PARTS=mail` measures only some parts, of `webhooks`, `stream`, `mail`, `arriving`, `resting`, `sequences`,
// `automations`, `many`, `beside_many` and `backups`.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { besideABackup, fill, measureBackups } from "./backups.ts";
import type { Answers, Crowd, Group } from "./crowd.ts";
import type { Taken } from "./mail_server.ts";
import { measureAtRest, measureMailboxes } from "./mailboxes.ts";
import { measureMany } from "./many.ts";
import { measureBeside } from "./many_beside.ts";
import type { Received } from "./receiver.ts";
import { due, graph, measureRuns, waiting } from "./runs.ts";
import { capOfDay, measureThirtyDays } from "./sequences.ts";
import { foundBenchOrganization, type Organization, openStand, startService } from "./stand.ts";

const seconds = Number(process.env.BENCH_SECONDS ?? 15);
const backlog = Number(process.env.BACKGROUND_BACKLOG ?? 100_000);
const mails = Number(process.env.BACKGROUND_MAILS ?? 2000);
const subscribed = Number(process.env.BACKGROUND_SUBSCRIPTIONS ?? 10_000);
const runs = Number(process.env.BACKGROUND_RUNS ?? 2000);
const edited = Number(process.env.BACKGROUND_EDITED ?? 20_000);
const besideLeads = Number(process.env.BACKGROUND_BESIDE_LEADS ?? 40_000);
const imported = Number(process.env.BACKGROUND_IMPORTED ?? 20_000);
const backedUp = {
  leads: Number(process.env.BACKGROUND_BACKED_UP_LEADS ?? 100_000),
  activities: Number(process.env.BACKGROUND_BACKED_UP_ACTIVITIES ?? 500_000),
};
const exported = Number(process.env.BACKGROUND_EXPORTED ?? 100_000);
const parts = process.env.BACKGROUND_PARTS?.split(",");
const streams = Number(process.env.BACKGROUND_STREAMS ?? 500);

interface Figure {
  what: string;
  value: string;
  target: string;
  holds: boolean;
}
const figures: Figure[] = [];

/** Said at once, because all of it takes long. */
function note(figure: Figure): void {
  figures.push(figure);
  console.log(rowOf(figure));
}

const rowOf = ({ what, value, target, holds }: Figure): string => `| ${what} | ${value}${holds ? "" : " (missed)"} | ${target} |`;

function most(what: string, value: number, limit: number, unit: string): void {
  note({ what, value: `${Math.round(value)} ${unit}`, target: `≤ ${limit} ${unit}`, holds: value <= limit });
}

function least(what: string, value: number, limit: number, unit: string): void {
  note({ what, value: `${Math.round(value)} ${unit}`, target: `≥ ${limit} ${unit}`, holds: value >= limit });
}

/** What reads and writes cost beside something, to what they cost beside an idle worker. */
function compare(what: string, idle: Answers, beside: Answers, limit = 1.5): void {
  for (const [name, status] of [
    ["read", 200],
    ["write", 201],
  ] as const) {
    const ratio = quantile(beside[name]![status]!, 0.95) / quantile(idle[name]![status]!, 0.95);
    note({
      what: `${name}s beside ${what}, p95 to that beside an idle worker`,
      value: ratio.toFixed(2),
      target: `≤ ${limit}`,
      holds: ratio <= limit,
    });
  }
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

// --- participants ---

const stand = await openStand();
const began = performance.now();
const service = await startService(stand.databaseUrl, { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" });
const readyMs = performance.now() - began;
const children: ChildProcess[] = [];

function partner(file: string): ChildProcess {
  const child = fork(new URL(file, import.meta.url).pathname, { stdio: "inherit" });
  children.push(child);
  return child;
}

async function ask<T>(child: ChildProcess, message: object | string): Promise<T> {
  child.send(message);
  return (await once(child, "message"))[0] as T;
}

const headersOf = ({ key }: Organization) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });

async function request(organization: Organization, method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: headersOf(organization),
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Both processes of the service. */
function memory(): number {
  const { pid } = service.process;
  const worker = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return [String(pid), ...worker].map(residentMegabytes).reduce((sum, one) => sum + one, 0);
}

function residentMegabytes(pid: string): number {
  const name = readFileSync(`/proc/${pid}/comm`, "utf8");
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return /postgres/.test(name) ? 0 : Number(kilobytes ?? 0) / 1024;
}

const lead: Group["requests"] = [{ path: "/api/v1/lead/", body: '{"name":"Acme"}' }];
const writers = (perSecond: number): Group => ({ name: "write", perSecond, method: "POST", requests: lead });

/** What others ask meanwhile. */
const readsAndWrites = (leadId: string): Group[] => [
  writers(50),
  { name: "read", perSecond: 200, method: "GET", requests: [{ path: `/api/v1/lead/${leadId}/` }] },
];

async function crowd(organization: Organization, groups: readonly Group[]): Promise<Answers> {
  const told: Crowd = { url: service.url, headers: headersOf(organization), seconds, groups, slow: 0 };
  return ask<Answers>(partner("./crowd.ts"), told);
}

async function subscribe(organization: Organization, urls: readonly string[], body: object = {}): Promise<string[]> {
  const made = urls.map((url) => request(organization, "POST", "/webhook/", { url, events: ["lead.created"], ...body }));
  return (await Promise.all(made)).map((one) => one.id);
}

const found = (name: string) => foundBenchOrganization(stand.app, `${name}-${Date.now()}`);

const receiver = partner("./receiver.ts");
const { healthy, silent } = await ask<{ healthy: string[]; silent: string[] }>(receiver, { healthy: 20, silent: 5 });
/** Nobody listens on this port. */
const dead = [1, 2, 3, 4, 5].map((port) => `http://127.0.0.1:${port}/`);

const report = () => ask<Received>(receiver, "report");

/** Everything received until two seconds pass without anything new. */
async function reportOfAll(expected: number): Promise<Received> {
  const all: Received = { count: 0, ages: [], from: 0, to: 0 };
  for (let quiet = 0; all.count < expected && quiet < 40; quiet++) {
    await sleep(250);
    const { count, ages, from, to } = await report();
    if (count === 0) continue;
    quiet = 0;
    all.count += count;
    for (const age of ages) all.ages.push(age);
    all.from ||= from;
    all.to = to;
  }
  if (all.count < expected) console.error(`${all.count} of ${expected} deliveries came`);
  return all;
}

// --- measurements ---

async function soonAfter(name: string, others: readonly string[]): Promise<Received> {
  const organization = await found(name);
  await subscribe(organization, [healthy[0]!, ...others]);
  await crowd(organization, [writers(20)]);
  await report();
  const { write } = await crowd(organization, [writers(200)]);
  const received = await reportOfAll(write![201]!.length);
  if (others.length > 0) await unsubscribe(organization);
  return received;
}

async function unsubscribe(organization: Organization): Promise<void> {
  for (const { id } of (await request(organization, "GET", "/webhook/")).data)
    await request(organization, "DELETE", `/webhook/${id}/`);
}

/** Uses a plain database client, which is closed whatever happens. */
async function bySql<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: stand.databaseUrl });
  await client.connect();
  return work(client).finally(() => client.end());
}

/** Inserts as many events as a busy organization has, by SQL. */
async function addEvents(organization: Organization, count: number): Promise<void> {
  const { id } = await request(organization, "POST", "/lead/", { name: "Acme" });
  await bySql((client) => insertEvents(client, organization.id, id, count));
}

async function insertEvents(client: pg.Client, organizationId: string, leadId: string, count: number): Promise<void> {
  const { rows } = await client.query(
    "select column_name as name from information_schema.columns where table_name = 'event' and column_name not in ('id', 'epoch', 'position', 'seq', 'xid')",
  );
  const names = rows.map((row) => row.name).join(", ");
  for (let from = 0; from < count; from += 10_000)
    await client.query(
      `insert into event (id, ${names}) select 'ev_' || left(substr(id, 4), 10) || lpad(($3::int + n)::text, 16, '0'), ${names}
       from (select * from event where organization_id = $1 and object_id = $2 and action = 'created' order by seq limit 1) made,
         generate_series(1, least(10000, $4::int - $3::int)) n`,
      [organizationId, leadId, from, count],
    );
}

async function drain(name: string, receivers: readonly string[], beside?: () => Promise<void>): Promise<number> {
  const organization = await found(name);
  const ids = await subscribe(organization, receivers, { status: "paused" });
  await addEvents(organization, Math.ceil(backlog / receivers.length));
  await report();
  for (const id of ids) await request(organization, "PUT", `/webhook/${id}/`, { status: "active" });
  await beside?.();
  const { count, from, to } = await reportOfAll(Math.ceil(backlog / receivers.length) * receivers.length);
  return (count * 1000) / (to - from);
}

/** The same rows, written by a plain client: one transaction for each 200 deliveries, one after the other. */
async function floorOfDeliveries(client: pg.Client): Promise<number> {
  await client.query(
    "create table plain_delivery (id bigint generated always as identity primary key, webhook_id text, event_id text, sent jsonb)",
  );
  await client.query("create table plain_cursor (id int primary key, at bigint)");
  await client.query("insert into plain_cursor values (1, 0)");
  const until = performance.now() + 3000;
  let rows = 0;
  for (; performance.now() < until; rows += 200) {
    await client.query("begin");
    await client.query("select from plain_cursor where id = 1 for update");
    await client.query(
      `insert into plain_delivery (webhook_id, event_id, sent) select 'whk_01', 'ev_' || n, '[{"http_status": 200, "duration_ms": 3}]' from generate_series(1, 200) n`,
    );
    await client.query("update plain_cursor set at = at + 200");
    await client.query("commit");
  }
  await client.query("drop table plain_delivery, plain_cursor");
  return rows / 3;
}

async function besideABacklog(): Promise<number> {
  const [large, small] = [await found("large"), await found("small")];
  const slow = healthy.slice(1, 3);
  const ids = await subscribe(large, slow, { status: "paused" });
  await addEvents(large, 10_000);
  await subscribe(small, [healthy[3]!]);
  for (const id of ids) await request(large, "PUT", `/webhook/${id}/`, { status: "active" });
  await sleep(500);
  const sent = Date.now();
  for (let i = 0; i < 5; i++) await request(small, "POST", "/lead/", { name: "Small" });
  const [id] = (await request(small, "GET", "/webhook/")).data.map((one: any) => one.id);
  for (;;) {
    const { counters } = await request(small, "GET", `/webhook/${id}/`);
    if (counters.delivered >= 5 || Date.now() - sent > 60_000) break;
    await sleep(20);
  }
  const took = Date.now() - sent;
  await reportOfAll(20_000);
  return took;
}

async function stream(): Promise<number[]> {
  const organization = await found("stream");
  const readers = partner("./readers.ts");
  await ask(readers, { url: service.url, headers: headersOf(organization), count: streams });
  const { write } = await crowd(organization, [writers(20)]);
  await sleep(1000);
  const ages = await ask<number[]>(readers, "report");
  if (ages.length !== write![201]!.length * streams)
    console.error(`${ages.length} of ${write![201]!.length * streams} events came by the stream`);
  readers.disconnect();
  return ages;
}

const mailboxes = 20;

/** Mail waits in the outboxes of several mailboxes and is due at one moment; others ask meanwhile. */
async function mailLeaves(): Promise<{ perSecond: number; idle: Answers; sending: Answers }> {
  const organization = await found("mail");
  const server = partner("./mail_server.ts");
  const smtp = { host: "127.0.0.1", port: await ask<number>(server, "listen"), use_ssl: false };
  const { id: lead_id } = await request(organization, "POST", "/lead/", { name: "Acme" });
  for (let i = 0; i < mailboxes; i++) await writeMails(organization, lead_id, smtp, i);
  const groups = readsAndWrites(lead_id);
  await crowd(organization, groups);
  const idle = await crowd(organization, groups);
  await makeDue(organization);
  const sending = await crowd(organization, groups);
  const taken: Taken = { count: 0, from: 0, to: 0 };
  for (let quiet = 0; taken.count < mails && quiet < 40; quiet++) {
    await sleep(250);
    const { count, from, to } = await ask<Taken>(server, "report");
    if (count === 0) continue;
    quiet = 0;
    taken.count += count;
    taken.from ||= from;
    taken.to = to;
  }
  if (taken.count < mails) console.error(`${taken.count} of ${mails} mails came`);
  return { perSecond: (taken.count * 1000) / (taken.to - taken.from), idle, sending };
}

/** The mails of one mailbox, for tomorrow. */
async function writeMails(organization: Organization, lead_id: string, smtp: object, mailbox: number): Promise<void> {
  const email = `bench-${mailbox}@acme.example`;
  const account = await request(organization, "POST", "/connected_account/", { email, smtp });
  const date_scheduled = new Date(Date.now() + 86_400_000).toISOString();
  const common = { lead_id, sender: email, email_account_id: account.id, status: "scheduled", date_scheduled };
  for (let i = 0; i < mails / mailboxes; i++)
    await request(organization, "POST", "/activity/email/", {
      ...common,
      to: [`receiver-${mailbox}-${i}@client.example`],
      subject: `Offer ${mailbox}-${i}`,
      body_html: `<p>Dear receiver,</p><p>${"here is our offer. ".repeat(20)}</p>`,
    });
}

/** Tomorrow is now. */
const makeDue = ({ id }: Organization): Promise<unknown> =>
  bySql(async (client) => {
    await client.query(
      "update activity set date_scheduled = now(), send_after = now() where organization_id = $1 and status = 'scheduled'",
      [id],
    );
    await client.query("update job set due_at = now() where organization_id = $1 and kind = 'email'", [id]);
  });

async function askedBeside(): Promise<{ idle: Answers; draining: Answers }> {
  const organization = await found("beside");
  const { id } = await request(organization, "POST", "/lead/", { name: "Acme" });
  const groups = readsAndWrites(id);
  await crowd(organization, groups);
  const idle = await crowd(organization, groups);
  let draining!: Answers;
  await drain("drain-beside", [healthy[4]!], async () => void (draining = await crowd(organization, groups)));
  return { idle, draining };
}

const wants = (part: string) => parts?.includes(part) ?? true;

async function measureWebhooks(): Promise<void> {
  const alone = await soonAfter("alone", []);
  most("event to receiver at 200 a second, median", quantile(alone.ages, 0.5), 200, "ms");
  most("event to receiver at 200 a second, p95", quantile(alone.ages, 0.95), 1000, "ms");
  const beside = await soonAfter("beside-dead", [...silent, ...dead]);
  most("the same beside ten dead and silent receivers, the latest", quantile(beside.ages, 1), 2000, "ms");
  const floor = await bySql(floorOfDeliveries);
  console.log(`A plain client writes ${Math.round(floor)} rows of deliveries a second, 200 in a transaction, and sends nothing.`);
  least("a backlog to one receiver", await drain("one", [healthy[5]!]), 1000, "/s");
  least("a backlog to sixteen receivers", await drain("sixteen", healthy.slice(4, 20)), 2000, "/s");
  most("five deliveries beside another organization's 20,000", await besideABacklog(), 3000, "ms");
  const { idle, draining } = await askedBeside();
  compare("a backlog", idle, draining);
}

async function measureStream(): Promise<void> {
  const ages = await stream();
  most(`the stream with ${streams} readers at 20 events a second, p95`, quantile(ages, 0.95), 500, "ms");
}

async function measureMail(): Promise<void> {
  const { perSecond, idle, sending } = await mailLeaves();
  least(`mail handed over by ${mailboxes} mailboxes`, perSecond, 100, "/s");
  compare("mail that leaves", idle, sending);
}

const number = (text: string) => bySql(async (client) => Number((await client.query({ text, rowMode: "array" })).rows[0]![0]));

async function measureArriving(): Promise<void> {
  const mail = await measureMailboxes({ found, request, ask, memory, number }, partner("./mail_store.ts"));
  least(`${mail.waiting} waiting messages, filed`, mail.perSecond, 100, "/s");
  most("another organization's message beside them", mail.besideMs, 3000, "ms");
  most("a new message on its lead, the latest of twenty", quantile(mail.newMs, 1), 2000, "ms");
}

async function measureResting(): Promise<void> {
  const rest = await measureAtRest({ found, request, ask, memory, number }, partner("./mail_store.ts"));
  most(`${rest.connected} connected mailboxes at rest`, rest.megabytes, 200, "MB");
  most("visits to them", rest.visitsPerMinute, rest.connected / 3, "a minute");
}

async function measureSequences(): Promise<void> {
  const run = await measureThirtyDays(partner("./mail_server.ts"), ask, subscribed);
  most(`${run.subscriptions} subscriptions through thirty days, ${run.sent} mails`, run.seconds, 120, "s");
  most("the most mails of a mailbox on a day of these", run.mostOfDay, capOfDay, "mails");
  most("mails of these that left out of hours", run.outOfHours, 0, "mails");
}

async function measureAutomations(): Promise<void> {
  const run = await measureRuns(runs);
  console.log(`A plain client sends the writes of ${Math.round(run.plain)} runs a second.`);
  least("runs of three steps, one worker", run.oneWorker, 500, "/s");
  least("runs of three steps, two workers", run.twoWorkers, Math.round(0.4 * run.plain), "/s");
  console.log(`A plain client reads an event in ${Math.round(run.perEventRead)} µs.`);
  most(`an event that starts none of ${run.listening} automations`, run.perEvent, 50, "µs");
  console.log(`A plain client changes ${due} jobs in ${Math.round(run.tickPlain)} ms.`);
  most(`a look that wakes ${due} of ${waiting} waiting runs`, run.tick, 1000, "ms");
  const { idle, running } = await besideRuns();
  compare("runs of automations", idle, running);
}

async function measureManyRecords(): Promise<void> {
  const run = await measureMany(edited, imported, exported);
  console.log(`The database alone reads ${run.rows} rows of an export in ${run.readSeconds.toFixed(1)} s.`);
  most(`an export of ${run.rows} leads`, run.exportSeconds, 20, "s");
  most("the worker grows by it", run.exportMegabytes, 64, "MB");
  console.log(`A plain client edits ${Math.round(run.plain)} leads a second, 200 in a transaction.`);
  least(`a bulk edit of ${edited} leads`, run.edited, Math.min(1500, Math.round(0.5 * run.plain)), "/s");
  least("the same to that of a plain client", (100 * run.edited) / run.plain, 50, "%");
  console.log(`A plain client writes what ${Math.round(run.written)} rows of an import write in a second, 200 in a transaction.`);
  least(`an import of ${imported} rows, half of which match`, run.imported, Math.min(5000, Math.round(0.5 * run.written)), "/s");
  least("the same to that of a plain client", (100 * run.imported) / run.written, 50, "%");
}

async function measureBesideMany(): Promise<void> {
  const [busy, other] = [await found("many"), await found("beside-many")];
  const { id } = await request(other, "POST", "/lead/", { name: "Acme" });
  const asked = { app: stand.app, url: service.url, busy, other, crowd: () => crowd(other, readsAndWrites(id)) };
  const run = await measureBeside(asked, besideLeads);
  for (const [what, answers] of run.beside) compare(what, run.idle, answers);
  console.log(`Five leads are edited in ${Math.round(run.fiveAlone)} ms.`);
  most("five leads edited beside all of another organization", run.fiveBeside, 3000, "ms");
}

async function measureBackingUp(): Promise<void> {
  const [large, other] = [await found("backed-up"), await found("beside-backup")];
  await fill(stand, service.url, large, backedUp.leads, backedUp.activities);
  const run = await measureBackups(stand);
  const both = `${backedUp.leads} leads and ${backedUp.activities} activities`;
  console.log(`COPY takes ${both} out in ${run.copyOut.toFixed(1)} s and in, with their indexes, in ${run.copyIn.toFixed(1)} s.`);
  const ofMigrations = `, of which ${run.migrations.toFixed(1)} s are the migrations of an empty database, whatever its size`;
  console.log(`A backup takes ${run.backup.toFixed(1)} s, a restore ${run.restore.toFixed(1)} s${ofMigrations}.`);
  least("a backup, to the speed of COPY", (100 * run.copyOut) / run.backup, 50, "%");
  least("a restore after its migrations, to the speed of COPY", (100 * run.copyIn) / (run.restore - run.migrations), 50, "%");
  most("the process grows by a backup", run.backupMegabytes, 128, "MB");
  most("the process grows by a restore", run.restoreMegabytes, 128, "MB");
  const { id } = await request(other, "POST", "/lead/", { name: "Acme" });
  const asked = () => crowd(other, readsAndWrites(id));
  await asked();
  compare("a backup", await asked(), await besideABackup(stand, asked), 1.3);
}

/** Requests of one organization while another's automation runs for all of its leads. */
async function besideRuns(): Promise<{ idle: Answers; running: Answers }> {
  const [busy, other] = [await found("runs"), await found("beside-runs")];
  await crowd(busy, [writers(150)]);
  const { id } = await request(other, "POST", "/lead/", { name: "Acme" });
  const groups = readsAndWrites(id);
  await crowd(other, groups);
  const idle = await crowd(other, groups);
  const trigger = { type: "manual", config: { object_type: "lead" } };
  const made = await request(busy, "POST", "/automations/", { name: "Greet", trigger, graph });
  await request(busy, "POST", `/automations/${made.id}/publish/`, {});
  await request(busy, "POST", `/automations/${made.id}/run/`, { all: true });
  return { idle, running: await crowd(other, groups) };
}

try {
  await sleep(3000);
  const atRest = memory();
  if (wants("webhooks")) await measureWebhooks();
  if (wants("stream")) await measureStream();
  if (wants("mail")) await measureMail();
  if (wants("arriving")) await measureArriving();
  if (wants("resting")) await measureResting();
  if (wants("sequences")) await measureSequences();
  if (wants("automations")) await measureAutomations();
  if (wants("many")) await measureManyRecords();
  if (wants("beside_many")) await measureBesideMany();
  if (wants("backups")) await measureBackingUp();
  most("both processes at rest", atRest, 220, "MB");
  most("both processes after all of it", memory(), 450, "MB");
  most("ready", readyMs, 1500, "ms");

  console.log("| what | measured | to hold |\n|---|---|---|");
  for (const figure of figures) console.log(rowOf(figure));
  process.exitCode = figures.every(({ holds }) => holds) ? 0 : 1;
} finally {
  for (const child of children) if (child.connected) child.disconnect();
  await service.stop();
  await stand.close();
}
