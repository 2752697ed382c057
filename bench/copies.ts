// Creates much data quickly: copies rows that the service wrote itself, with other ids, dates and words.
import pg from "pg";
import type { Stand } from "./stand.ts";

/**
 * `insert … select` of copies: the row `id` of the organization $1, once for each `n` of the series. SQL over `n`, the row `t`
 * and `joins` computes the columns in `changes`.
 */
export async function copy(
  { app }: Stand,
  table: string,
  id: string,
  series: string,
  changes: Record<string, string>,
  joins = "",
): Promise<string> {
  const rows = await app.db.unscoped({
    text: "select attname from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''",
    values: [table],
  });
  const columns = rows.map((row) => row[0]!);
  const select = columns.map((column) => changes[column] ?? `t."${column}"`).join(", ");
  return `insert into ${table} (${columns.map((column) => `"${column}"`).join(", ")}) select ${select} from ${table} t cross join ${series} ${joins} where t.organization_id = $1 and t.id = ${id}`;
}

/**
 * Indexes are built once at the end, and foreign keys are not checked row by row, because the rows are correct by construction.
 */
export async function withoutIndexes(stand: Stand, tables: readonly string[], load: () => Promise<void>): Promise<void> {
  const indexes = await stand.app.db.unscoped({
    text: `select pg_get_indexdef(i.indexrelid), ic.relname from pg_index i join pg_class ic on ic.oid = i.indexrelid join pg_class c on c.oid = i.indrelid
           where c.relname = any($1) and not i.indisprimary and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`,
    values: [tables],
  });
  for (const [, name] of indexes) await run(stand, `drop index ${name}`);
  for (const table of tables) await run(stand, `alter table ${table} disable trigger all`);
  await load();
  for (const table of tables) await run(stand, `alter table ${table} enable trigger all`);
  for (const [definition, name] of indexes) await timed(`index ${name}`, () => run(stand, definition!));
}

/** Runs a statement without a time limit. */
export async function run({ databaseUrl }: Stand, text: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(text, values);
  } finally {
    await client.end();
  }
}

export async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await work();
  console.log(`${what}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  return result;
}
