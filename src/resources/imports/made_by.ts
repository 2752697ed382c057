// What an import has created itself. To its later rows, that is no record that exists already.
import { type Ctx, query } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { firstIdAt } from "../../values/id.ts";
import type { Import } from "./import_rows.ts";

/** The clocks of machines differ. */
const clocksApartMs = 60_000;

/** Those of the records that the import has created. */
export async function madeBy(ctx: Ctx, imp: Import, of: Resource, ids: readonly string[]): Promise<Set<string>> {
  const before = new Date(Date.parse(imp.date_created) - clocksApartMs);
  const first = firstIdAt(of.prefix, before);
  const young = [...new Set(ids)].filter((id) => id >= first);
  if (young.length === 0) return new Set();
  const rows = await query(
    ctx,
    statement(sql`select object_id from event where organization_id = ${ctx.organization_id} and object_id = any(${young})
      and id > ${firstIdAt("ev", before)} and action = 'created' and meta->>'import_id' = ${imp.id}`),
  );
  return new Set(rows.map(([id]) => id!));
}

/** The same, where it makes a difference. */
export const madeIfTold = async (ctx: Ctx, imp: Import, of: Resource, ids: readonly string[]): Promise<ReadonlySet<string>> =>
  keepsOld(imp) ? madeBy(ctx, imp, of, ids) : new Set();

/** What exists already is treated otherwise than what the import makes. */
export const keepsOld = ({ options: { on_match = "update" } }: Import): boolean => on_match !== "update";
