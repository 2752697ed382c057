// Removing every row of an organization. The tables are read off the database, so that a new one needs nothing here.
import { type Ctx, query, write } from "../../core/context.ts";
import { name, sql, statement } from "../../db/sql.ts";
import { deferConstraints } from "../../records/defer_constraints.ts";

/** Runs in one transaction whatever the size, and takes the time it needs. */
const timeoutMinutes = 10;

/** Deletes all that has this organization's id, in all tables. */
export async function erase(ctx: Ctx): Promise<void> {
  write(ctx, { text: `select set_config('statement_timeout', '${timeoutMinutes}min', true)`, values: [] });
  deferConstraints(ctx);
  for (const table of await tablesInOrder(ctx)) {
    write(ctx, statement(sql`delete from ${name(table)} where organization_id = ${ctx.organization_id}`));
  }
}

/**
 * What refers to others goes before them, where the reference is checked at once. Tables without references come late: a change
 * that ends while we wait for its row may still have left its event there.
 */
async function tablesInOrder(ctx: Ctx): Promise<string[]> {
  const tables = (await query(ctx, { text: tablesQuery, values: [] })).map(([table]) => table!);
  const references = await query(ctx, { text: referencesQuery, values: [] });
  const refers = new Map<string, Set<string>>(tables.map((table) => [table, new Set()]));
  for (const [from, to, deferrable] of references) if (deferrable === "f" && from !== to) refers.get(from!)?.add(to!);
  const referring = new Set(references.map(([from]) => from!));

  const ordered: string[] = [];
  const remaining = new Set([...tables].sort((a, b) => Number(referring.has(b)) - Number(referring.has(a)) || (a < b ? -1 : 1)));
  while (remaining.size > 0) {
    const next = [...remaining].find((table) =>
      [...remaining].every((other) => other === table || !refers.get(other)!.has(table)),
    );
    if (next === undefined)
      throw new Error(`the references among ${[...remaining].join(", ")} go in a circle: make one deferrable`);
    remaining.delete(next);
    ordered.push(next);
  }
  return ordered;
}

// The list of stored bytes to be removed outlives the organization.
const tablesQuery = `select c.relname from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> 'stored_bytes_removal'
    and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped)`;

const referencesQuery = `select f.relname, t.relname, k.condeferrable from pg_constraint k
  join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
  where k.contype = 'f' and f.relnamespace = 'public'::regnamespace`;
