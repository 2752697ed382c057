// An import beside the same rows written as plain SQL. Half of its rows are about leads that exist, and are found by their names.
import type pg from "pg";
import { newId } from "../src/values/id.ts";
import { batch, ended, type ManyBench } from "./many_bench.ts";

export interface ImportFigures {
  /** Rows a second: of an import, and as plain SQL in the same batches. */
  imported: number;
  written: number;
}

export async function measureImport(bench: ManyBench, rows: number): Promise<ImportFigures> {
  const rounds: ImportFigures[] = [];
  for (const round of [1, 2, 3]) {
    await imported(bench, tableOf(round, 0, rows / 2, "Steel"));
    const { id, perSecond } = await imported(bench, tableOf(round, 0, rows, "Wood"));
    rounds.push({ imported: perSecond, written: await plainly(bench, id) });
  }
  // Compared where they were measured one after the other.
  return rounds.sort((a, b) => a.imported / a.written - b.imported / b.written)[1]!;
}

/** A company with a person in each row. */
function tableOf(round: number, from: number, to: number, industry: string): string {
  const line = (n: number) => `Bolt ${round} ${n},${industry},Makes anvils and more,Ann Lee ${n},ann-${round}-${n}@bolt.example`;
  const lines = Array.from({ length: to - from }, (_, i) => line(from + i));
  return ["Company,Industry,About,Person,Email", ...lines].join("\n");
}

const mapping = {
  Company: "name",
  Industry: "industry",
  About: "description",
  Person: "contact.name",
  Email: "contact.email",
};

async function imported({ request }: ManyBench, csv: string): Promise<{ id: string; perSecond: number }> {
  const { id, n_rows } = await request("POST", "/import/", { content_base64: Buffer.from(csv).toString("base64") });
  await request("PUT", `/import/${id}/`, { mapping });
  const { n_failed, date_started, date_completed } = await ended(() => request("GET", `/import/${id}/`));
  if (n_failed > 0) throw new Error(`${n_failed} rows failed`);
  return { id, perSecond: (n_rows * 1000) / (Date.parse(date_completed) - Date.parse(date_started)) };
}

// --- the same rows by a plain client ---

/** What each batch of the import wrote, as JSON: what it created under new ids, and what it changed. */
interface Batch {
  created: [table: string, rows: string][];
  changed: string;
  outcomes: string;
}

const createdTables = ["lead", "contact", "activity", "event"];

async function plainly({ sql, organization }: ManyBench, importId: string): Promise<number> {
  const columns = new Map<string, string>();
  for (const table of createdTables) columns.set(table, await writable(sql, table));
  const batches = await batchesOf(sql, organization.id, importId);
  const began = performance.now();
  for (const { created, changed, outcomes } of batches) {
    await sql.query("begin");
    for (const [table, rows] of created)
      await sql.query(
        `insert into ${table} (${columns.get(table)}) select ${columns.get(table)} from json_populate_recordset(null::${table}, $1)`,
        [rows],
      );
    await sql.query(
      `update lead t set industry = m.industry, rendered = m.rendered, date_updated = m.date_updated, version = t.version + 1
       from json_populate_recordset(null::lead, $2) m where t.organization_id = $1 and t.id = m.id`,
      [organization.id, changed],
    );
    await sql.query(
      `update import_row t set status = m.status, object_ids = m.object_ids, key = m.key, kept = m.kept
       from json_populate_recordset(null::import_row, $3) m where t.organization_id = $1 and t.import_id = $2 and t.n = m.n`,
      [organization.id, importId, outcomes],
    );
    await sql.query("commit");
  }
  const seconds = (performance.now() - began) / 1000;
  return (batches.length * batch) / seconds;
}

/** The columns that a client may write. */
async function writable(sql: pg.Client, table: string): Promise<string> {
  const { rows } = await sql.query(
    `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
     where table_schema = current_schema() and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'
       and not (table_name = 'event' and column_name in ('epoch', 'position', 'seq', 'xid'))`,
    [table],
  );
  return rows[0].names;
}

async function batchesOf(sql: pg.Client, organizationId: string, importId: string): Promise<Batch[]> {
  const { rows } = await sql.query(
    `select r.n, row_to_json(r) as outcome, r.object_ids as ids,
       array(select k ->> 'id' from jsonb_array_elements(r.kept) k where not k ? 'was') as made
     from import_row r where r.organization_id = $1 and r.import_id = $2 order by r.n`,
    [organizationId, importId],
  );
  const batches: Batch[] = [];
  for (let from = 0; from < rows.length; from += batch)
    batches.push(await batchOf(sql, organizationId, importId, rows.slice(from, from + batch)));
  return batches;
}

async function batchOf(sql: pg.Client, organizationId: string, importId: string, rows: readonly any[]): Promise<Batch> {
  const ids: string[] = rows.flatMap((row) => row.ids);
  const made = new Set<string>(rows.flatMap((row) => row.made));
  const changed = ids.filter((id) => id.startsWith("lead_") && !made.has(id));
  const given: Record<string, string[]> = { lead: [...made], contact: [...made], activity: [...made], event: ids };
  const names = new Map([...made].map((id) => [id, newId(id.split("_")[0]!)]));
  const created: Batch["created"] = [];
  for (const table of createdTables)
    created.push([table, renamed(await rowsOf(sql, table, organizationId, importId, given[table]!), names)]);
  const outcomes = JSON.stringify(rows.map(({ outcome }) => outcome));
  return { created, changed: await rowsOf(sql, "lead", organizationId, importId, changed), outcomes };
}

/** Of an activity, the ids are those of leads; of an event, those of its objects. */
async function rowsOf(sql: pg.Client, table: string, organizationId: string, importId: string, ids: string[]): Promise<string> {
  const by = table === "activity" ? "lead_id" : table === "event" ? "object_id" : "id";
  const ofImport = table === "event" ? "and t.meta ->> 'import_id' = $3" : "and $3::text is not null";
  const { rows } = await sql.query(
    `select coalesce(json_agg(t), '[]')::text as all from ${table} t where t.organization_id = $1 and t.${by} = any($2) ${ofImport}`,
    [organizationId, ids, importId],
  );
  return rows[0].all;
}

/** The rows once more, under other ids. */
const renamed = (rows: string, names: ReadonlyMap<string, string>): string =>
  rows.replace(/\b(lead|cont)_\w+/g, (id) => names.get(id) ?? id).replace(/\b(acti|ev)_\w+/g, (id) => newId(id.split("_")[0]!));
