// The tables of an archive, from PostgreSQL's own catalog: a new table is in the next backup without being named anywhere.
import type pg from "pg";

export interface StoredTable {
  name: string;
  /** All but those that PostgreSQL computes. */
  columns: string[];
  /** Those of the columns that cannot be null. */
  required: string[];
  partitions: string[];
  /** The column whose values PostgreSQL counts, and its sequence. */
  counter: { column: string; sequence: string } | null;
  has_organization: boolean;
}

/** What belongs to a database and not to the data in it. */
const ofDatabase = ["migration", "sealing_key"];

export async function tablesOf(client: pg.ClientBase): Promise<StoredTable[]> {
  const { rows } = await client.query<StoredTable>({ text: tablesQuery, values: [ofDatabase] });
  return rows;
}

const tablesQuery = `
select c.relname as name,
  array(select a.attname::text from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
  array(select a.attname::text from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attnotnull order by a.attnum) as required,
  array(select p.relname::text from pg_inherits i join pg_class p on p.oid = i.inhrelid
    where i.inhparent = c.oid and p.relname ~ '_\\d{4}_\\d{2}$' order by 1) as partitions,
  (select json_build_object('column', a.attname, 'sequence', pg_get_serial_sequence(quote_ident(c.relname), a.attname))
    from pg_attribute a where a.attrelid = c.oid and a.attidentity <> '' limit 1) as counter,
  exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped) as has_organization
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all($1)
order by c.relname`;

/** The tables with the keys of stored files, from the same catalog. */
export const withFiles = (tables: readonly StoredTable[]): StoredTable[] =>
  tables.filter(({ columns }) => columns.includes("storage_key"));

/** A name in SQL. Names of the catalog may be words of SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
