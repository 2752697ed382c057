// Puts the rows of an archive into an empty database, in the transaction of its caller. References and indexes are built when all
// rows are there, which is faster than row by row and checks all of them.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { Chunks } from "./archive.ts";
import { quoted, tablesOf } from "./catalog.ts";
import type { Manifest, TableEntry } from "./manifest.ts";

export interface Loading {
  table(name: string, chunks: Chunks): Promise<void>;
  finish(): Promise<void>;
}

/** Throws if the archive's tables are not those of the database. */
export async function beginLoading(client: pg.Client, manifest: Manifest): Promise<Loading> {
  const tables = new Map((await tablesOf(client)).map((one) => [one.name, one]));
  for (const { name, columns } of manifest.tables) {
    const known = tables.get(name)?.columns ?? [];
    const strange = columns.find((one) => !known.includes(one)) ?? known.find((one) => !columns.includes(one));
    if (strange !== undefined || known.length === 0)
      throw new Error(`The archive does not fit the database: ${name} has ${strange ?? "no columns"} on one side only.`);
  }
  const names = [...tables.keys()].map(quoted);
  const again = await takeDown(client);
  await client.query(`truncate ${names.join(", ")}`);
  for (const name of names) await client.query(`alter table ${name} disable trigger user, no force row level security`);

  return {
    async table(name, chunks) {
      await copyRows(client, quoted(name), manifest.tables.find((one) => one.name === name)!, chunks);
    },
    async finish() {
      for (const statement of again) await client.query(statement);
      for (const { name, counter } of manifest.tables)
        if (counter !== null)
          await client.query("select setval(pg_get_serial_sequence($1, $2), $3::bigint)", [
            quoted(name),
            counter.column,
            counter.value,
          ]);
      await client.query("analyze");
    },
  };
}

/** Puts the rows of a table of the archive into one of the database: `into`, a name in SQL. */
export async function copyRows(
  client: pg.Client,
  into: string,
  { name, columns, rows }: TableEntry,
  chunks: Chunks,
): Promise<void> {
  const sink = client.query(copyFrom(`copy ${into} (${columns.map(quoted).join(", ")}) from stdin`));
  await pipeline(Readable.from(chunks, { objectMode: false }), sink);
  if (sink.rowCount !== rows) throw new Error(`The archive was changed: ${name} has ${sink.rowCount} rows and not ${rows}.`);
}

/** Removes what would slow down or forbid rows in any order, and returns the statements that bring it back. */
async function takeDown(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ down: string; up: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as down,
       format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as up, 2 as place
     from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0
     union all
     select format('drop index %s', i.indexrelid::regclass), replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON '), 1
     from pg_index i join pg_class t on t.oid = i.indrelid
     where t.relnamespace = 'public'::regnamespace and not t.relispartition and t.relkind in ('r', 'p')
       and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
     union all
     select 'select', format('alter table %s enable trigger user', oid::regclass), 3
     from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
     union all
     select 'select', format('alter table %s force row level security', oid::regclass), 3
     from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relforcerowsecurity
     order by place desc`,
  );
  for (const { down } of rows) await client.query(down);
  return rows.map(({ up }) => up).reverse();
}
