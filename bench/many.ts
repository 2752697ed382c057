// The part of `npm run bench:background` about many records at once: a bulk edit and an import beside the same rows written as plain SQL,
// and an export. It has a database of its own.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { newId } from "../src/values/id.ts";
import { asking, batch, ended, type ManyBench, makeLeads } from "./many_bench.ts";
import { type ImportFigures, measureImport } from "./many_import.ts";
import { foundBenchOrganization, openStand, type Running, startService, startWorker } from "./stand.ts";

export interface ManyFigures extends ImportFigures {
  /** Leads a second: edited by a bulk action, and as plain SQL in the same batches. */
  edited: number;
  plain: number;
  /** A file with so many rows: seconds, the MB by which the worker grew, and seconds in which the database alone reads the rows. */
  rows: number;
  exportSeconds: number;
  exportMegabytes: number;
  readSeconds: number;
}

export async function measureMany(edited: number, imported: number, rows: number): Promise<ManyFigures> {
  const stand = await openStand();
  const sql = new pg.Client({ connectionString: stand.databaseUrl });
  const running: Running[] = [];
  try {
    await sql.connect();
    const organization = await foundBenchOrganization(stand.app, "many");
    await makeLeads(stand.app, organization, Math.max(edited, rows));
    await sql.query("vacuum analyze");
    const api = await startService(stand.databaseUrl, {}, "api");
    running.push(api);
    const worker = await startWorker(stand.databaseUrl);
    running.push(worker);
    const bench = { ...stand, sql, organization, request: asking(api.url, organization) };
    const exported = await exporting(bench, worker, rows);
    const edit = await editing(bench, edited);
    return { ...exported, rows, ...edit, ...(await measureImport(bench, imported)) };
  } finally {
    for (const one of running.reverse()) await one.stop();
    await sql.end();
    await stand.close();
  }
}

// --- a bulk edit ---

async function editing(bench: ManyBench, count: number): Promise<Pick<ManyFigures, "edited" | "plain">> {
  const rounds: Pick<ManyFigures, "edited" | "plain">[] = [];
  for (const industry of ["Wood", "Stone", "Glass"])
    rounds.push({ edited: await editAll(bench, industry, count), plain: await plainly(bench, count) });
  // The machine is not equally quick all the time, so the two are compared where they were measured one after the other.
  return rounds.sort((a, b) => a.edited / a.plain - b.edited / b.plain)[1]!;
}

async function editAll({ request }: ManyBench, industry: string, count: number): Promise<number> {
  const body = { type: "set_fields", object_type: "lead", fields: { industry }, all: true, results_limit: count };
  const { id } = await request("POST", "/bulk_action/edit/", body);
  const { date_started, date_completed, n_succeeded } = await ended(() => request("GET", `/bulk_action/${id}/`));
  if (n_succeeded !== count) throw new Error(`${n_succeeded} of ${count} leads were edited`);
  return (count * 1000) / (Date.parse(date_completed) - Date.parse(date_started));
}

/** The rows of the last edit once more: each record, its event and its item, with statements for 200 of each in a transaction. */
async function plainly({ sql, organization }: ManyBench, count: number): Promise<number> {
  const [{ rows: leads }, { rows: events }, { rows: items }] = [
    await sql.query("select id, industry, rendered, date_updated from lead where organization_id = $1 order by id limit $2", [
      organization.id,
      count,
    ]),
    await sql.query("select * from event where organization_id = $1 and event = 'lead.updated' order by position desc limit $2", [
      organization.id,
      count,
    ]),
    await sql.query(
      "select id, status, error, address, kept from bulk_action_item where organization_id = $1 order by bulk_action_id desc, ord limit $2",
      [organization.id, count],
    ),
  ];
  const names = Object.keys(events[0]).filter((one) => !["epoch", "position", "seq", "xid"].includes(one));
  const began = performance.now();
  for (let from = 0; from < count; from += batch) {
    const piece = <T>(all: readonly T[]) => all.slice(from, from + batch);
    const ids = piece(leads).map(({ id }) => id);
    await sql.query("begin");
    await sql.query("select * from lead where organization_id = $1 and id = any($2) order by id for update", [
      organization.id,
      ids,
    ]);
    await sql.query(
      `update lead t set industry = m.industry, rendered = m.rendered, date_updated = m.date_updated, version = t.version + 1
       from json_populate_recordset(null::lead, $2::json) m where t.organization_id = $1 and t.id = m.id`,
      [organization.id, JSON.stringify(piece(leads))],
    );
    await sql.query(
      `insert into event (${names.join()}) select ${names.join()} from json_populate_recordset(null::event, $1::json)`,
      [JSON.stringify(piece(events).map((one) => ({ ...one, id: newId("ev") })))],
    );
    await sql.query(
      `update bulk_action_item t set status = m.status, error = m.error, address = m.address, kept = m.kept, version = t.version + 1
       from json_populate_recordset(null::bulk_action_item, $2::json) m where t.organization_id = $1 and t.id = m.id`,
      [organization.id, JSON.stringify(piece(items))],
    );
    await sql.query("commit");
  }
  return (count * 1000) / (performance.now() - began);
}

// --- an export ---

type Exported = Pick<ManyFigures, "exportSeconds" | "exportMegabytes" | "readSeconds">;

async function exporting(bench: ManyBench, worker: Running, rows: number): Promise<Exported> {
  const { sql, organization } = bench;
  await settled(bench, worker);
  const before = worker.memory();
  let most = before;
  const done = await exported(bench, rows, () => (most = Math.max(most, worker.memory())));
  const began = performance.now();
  await sql.query(
    "select count(length(t.rendered)) from (select rendered from lead where organization_id = $1 order by date_created desc, id desc limit $2) t",
    [organization.id, rows],
  );
  return {
    exportSeconds: (Date.parse(done.date_completed) - Date.parse(done.date_started)) / 1000,
    exportMegabytes: most - before,
    readSeconds: (performance.now() - began) / 1000,
  };
}

async function exported({ request }: ManyBench, rows: number, look: () => void): Promise<any> {
  const { id } = await request("POST", "/export/lead/", { format: "csv", results_limit: rows });
  const done = await ended(async () => {
    look();
    return request("GET", `/export/${id}/`);
  });
  if (done.n_docs !== rows) throw new Error(`${done.n_docs} of ${rows} rows were exported`);
  return done;
}

/** The worker has an export behind it, and the events of what was made for it. */
async function settled(bench: ManyBench, worker: Running): Promise<void> {
  await exported(bench, 1000, () => {});
  for (let [before, quiet] = [worker.memory(), 0]; quiet < 3; ) {
    await sleep(1000);
    const now = worker.memory();
    quiet = Math.abs(now - before) < 2 ? quiet + 1 : 0;
    before = now;
  }
}
