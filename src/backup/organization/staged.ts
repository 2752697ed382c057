// The rows of an archive in temporary tables: nobody sees them, no rule is asked, and they can still be changed. From there they go to
// their tables in the order in which they refer to each other.
import type pg from "pg";
import { markOf } from "../../values/id.ts";
import type { Chunks } from "../archive.ts";
import { quoted, type StoredTable } from "../catalog.ts";
import { copyRows } from "../load.ts";
import type { TableEntry } from "../manifest.ts";
import { leftOut } from "./archived.ts";

export const staged = (table: string): string => quoted(`staged_${table}`);

/** Puts the rows of a table aside. */
export async function stage(client: pg.Client, entry: TableEntry, known: StoredTable, chunks: Chunks): Promise<void> {
  const { name, columns } = entry;
  const strange = columns.find((one) => !known.columns.includes(one));
  if (strange !== undefined) throw new Error(`The archive does not fit the database: ${name} has no ${strange} here.`);
  await client.query(
    `create temporary table ${staged(name)} as select ${columns.map(quoted).join(", ")} from ${quoted(name)} with no data`,
  );
  await copyRows(client, staged(name), entry, chunks);
}

/** Whatever a row says: it belongs to this organization, and so do its stored bytes. It brings no secrets, and nothing of others. */
export async function putInPlace(
  client: pg.Client,
  tables: readonly TableEntry[],
  ids: { there: string; here: string },
): Promise<void> {
  const here = client.escapeLiteral(ids.here);
  const words = await columnsWithWords(client);
  const valueOf = (table: string, column: string) => {
    if (column === "organization_id") return here;
    const instead = leftOut(table, column);
    if (instead !== null) return instead;
    if (words.has(`${table}.${column}`)) return markedAnew(client, quoted(column), ids);
    return column === "storage_key" ? `regexp_replace(storage_key, '^[^/]*/', ${here} || '/')` : quoted(column);
  };
  await client.query("set constraints all deferred");
  for (const { name, columns } of await inOrder(client, tables)) {
    const values = columns.map((column) => valueOf(name, column)).join(", ");
    await client.query(
      `insert into ${quoted(name)} (${columns.map(quoted).join(", ")}) overriding system value select ${values} from ${staged(name)}`,
    );
  }
}

async function columnsWithWords(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query(
    `select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and a.atttypid = 'tsvector'::regtype`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** Words of the search begin with the mark of their organization. */
const markedAnew = (client: pg.Client, column: string, { there, here }: { there: string; here: string }): string =>
  there === here
    ? column
    : `replace(${column}::text, ${client.escapeLiteral(`'${markOf(there)}`)}, ${client.escapeLiteral(`'${markOf(here)}`)})::tsvector`;

/** What is referred to comes first, where a reference does not wait for the end of the transaction. */
async function inOrder(client: pg.Client, tables: readonly TableEntry[]): Promise<TableEntry[]> {
  const { rows } = await client.query<{ from: string; to: string }>(
    `select f.relname as from, t.relname as to from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
     where k.contype = 'f' and not k.condeferrable and k.conparentid = 0 and f.oid <> t.oid and f.relnamespace = 'public'::regnamespace`,
  );
  const left = new Map(tables.map((one) => [one.name, one]));
  const ordered: TableEntry[] = [];
  while (left.size > 0) {
    const isFree = (name: string) => !rows.some(({ from, to }) => from === name && left.has(to));
    const next = [...left.keys()].find(isFree) ?? [...left.keys()][0]!;
    ordered.push(left.get(next)!);
    left.delete(next);
  }
  return ordered;
}
