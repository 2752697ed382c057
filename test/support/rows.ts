// Reads the rows of an organization in all tables.
import assert from "node:assert/strict";
import type { Workspace } from "./given.ts";

const ask = ({ service }: Workspace, text: string, ...values: unknown[]) => service.app.db.unscoped({ text, values });

// The list of stored bytes to be removed outlives the organization.
const tablesOf = async (ws: Workspace): Promise<string[]> => {
  const tables = await ask(
    ws,
    `select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> 'stored_bytes_removal'
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id') order by 1`,
  );
  assert.ok(tables.length > 50);
  return tables.map(([table]) => table!);
};

export async function tablesWithRowsOf(ws: Workspace): Promise<string[]> {
  const found: string[] = [];
  for (const table of await tablesOf(ws))
    if ((await ask(ws, `select 1 from "${table}" where organization_id = $1 limit 1`, ws.id)).length > 0) found.push(table);
  return found;
}

/** A digest of each table's rows, to compare before and after. Pending last-use times of keys are written first. */
export async function digestsOf(ws: Workspace): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const table of (await tablesOf(ws)).filter((one) => one !== "api_key")) {
    const text = `select count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\\n' order by t::text)), '') from "${table}" t where t.organization_id = $1`;
    digests[table] = (await ask(ws, text, ws.id))[0]![0]!;
  }
  return digests;
}

/** Inserts this many copies of a stored record. */
export async function multiply(ws: Workspace, table: string, id: string, count: number): Promise<void> {
  const columns = await ask(
    ws,
    "select column_name from information_schema.columns where table_name = $1 and is_identity = 'NO' and column_name not in ('id', 'search')",
    table,
  );
  const names = columns.map(([name]) => `"${name}"`).join(", ");
  await ask(
    ws,
    `insert into ${table} (id, ${names}) select id || n, ${names} from ${table}, generate_series(1, $3::int) n where organization_id = $1 and id = $2`,
    ws.id,
    id,
    count,
  );
}
