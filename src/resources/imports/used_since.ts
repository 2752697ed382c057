// What an import made and somebody has worked with since. It stays when the import is reverted, with all that the import made below it, so
// that no half is left.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { firstIdAt } from "../../values/id.ts";
import { workedWithAmong } from "../change_sets/worked_since.ts";
import { lead } from "../leads/lead.ts";
import type { Import, Touched } from "./import_rows.ts";
import { madeBy } from "./made_by.ts";

/** The reasons of those that stay, by their ids. A lead of the import stays or goes as a whole. */
export async function stayingOf(ctx: Ctx, imp: Import, touched: readonly Touched[]): Promise<ReadonlyMap<string, string>> {
  const leadOf = await leadsOf(ctx, touched);
  const made = await madeBy(ctx, imp, lead, [...new Set(leadOf.values())]);
  const created = touched.flatMap(({ id, was }) => (was === undefined ? [id] : []));
  const used = await usedAmong(ctx, imp, [...new Set([...created, ...made])]);
  const stays = new Map<string, string>();
  for (const { id, was } of touched) {
    const its = leadOf.get(id);
    const isOfMade = its !== undefined && made.has(its);
    if (isOfMade ? !used.has(its) : was !== undefined || !used.has(id)) continue;
    stays.set(id, isOfMade && its !== id ? `belongs to ${its}, which stays` : "was changed or used since");
  }
  return stays;
}

async function leadsOf(ctx: Ctx, touched: readonly Touched[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [of, some] of Map.groupBy(touched, (one) => one.of)) {
    const resource = ctx.registry.resource(of)!;
    if (of !== "lead" && resource.fields.lead_id === undefined) continue;
    const rows = await findRecords(ctx, resource, [sql`t.id = any(${[...new Set(some.map(({ id }) => id))]})`]);
    for (const row of rows)
      if (of === "lead" || row.lead_id != null) found.set(row.id, of === "lead" ? row.id : (row.lead_id as string));
  }
  return found;
}

/** Those that somebody has worked with. */
const usedAmong = (ctx: Ctx, { id, date_created }: Import, ids: readonly string[]): Promise<Set<string>> => {
  const since = firstIdAt("ev", new Date(date_created));
  return workedWithAmong(
    ctx,
    ids.map((one) => ({ id: one, since })),
    { requests: new Set(), import_id: id },
  );
};
