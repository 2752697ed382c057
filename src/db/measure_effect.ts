// How long a change to a whole table is likely to take here: it is done to a copy of some of its rows, in a temporary table, and
// reckoned up to all of them. The table itself is only read.
import pg from "pg";
import type { Effect } from "./foresee.ts";

export interface Measured {
  rows: number;
  bytes: number;
  /** Null: the table is not there yet, or it depends on rows that nobody counted. */
  seconds: number | null;
}

/** So many rows are copied: enough for a time that is no accident, and done within a second. */
const sampleRows = 20_000;

/** The size of a table, as the database's statistics have it; null if there is none of this name. */
async function sizeOf(client: pg.Client, table: string): Promise<{ rows: number; bytes: number } | null> {
  const { rows } = await client.query(
    `select sum(case when p.reltuples < 0 then null else p.reltuples end)::float8 as rows, sum(pg_table_size(p.oid))::float8 as bytes,
       bool_or(p.reltuples < 0 and pg_relation_size(p.oid) > 0) as unknown
     from pg_class c, lateral (select c.oid where c.relkind = 'r' union all select relid from pg_partition_tree(c.oid) where c.relkind = 'p' and isleaf) t(oid)
     join pg_class p on p.oid = t.oid where c.oid = to_regclass(quote_ident($1))`,
    [table],
  );
  const [{ rows: counted, bytes, unknown }] = rows;
  if (bytes === null) return null;
  if (!unknown) return { rows: counted ?? 0, bytes };
  const exact = await client.query(`select count(*)::float8 as rows from ${pg.escapeIdentifier(table)}`);
  return { rows: exact.rows[0].rows, bytes };
}

export async function measureEffect(client: pg.Client, { table, kind, index }: Effect): Promise<Measured | null> {
  const size = await sizeOf(client, table);
  if (size === null) return null;
  if (size.rows === 0) return { ...size, seconds: 0 };
  await client.query("begin");
  try {
    const copied = performance.now();
    const { rowCount } = await client.query(
      `create temp table sample on commit drop as select * from ${pg.escapeIdentifier(table)} limit ${sampleRows}`,
    );
    const begun = performance.now();
    if (index !== undefined) await client.query(`create index on sample ${index}`);
    else if (kind === "key") await client.query("create index on sample ((sample::text))");
    else if (kind !== "rewrite" && kind !== "rows") await client.query("select count(*) from sample where sample is not null");
    const isCopy = kind === "rewrite" || kind === "rows";
    const ms = isCopy ? begun - copied : performance.now() - begun;
    const n = Math.max(rowCount ?? 0, 1);
    // Building sorts.
    const more = isCopy ? 1 : Math.max(1, Math.log(size.rows) / Math.log(Math.max(n, 2)));
    // Concurrently, the table is read twice.
    return { ...size, seconds: ((ms * size.rows) / n / 1000) * more * (kind === "beside" ? 2 : 1) };
  } catch {
    // It needs a column that an earlier file of the same release adds.
    return { ...size, seconds: null };
  } finally {
    await client.query("rollback");
  }
}
