// Ids of a selection that name no record which the caller can see. They are items that have failed, so that they are not lost without a word.
import { type Ctx, query, write } from "../../core/context.ts";
import { from, type Resource, scope } from "../../core/resource.ts";
import { and, sql, statement } from "../../db/sql.ts";
import type { Selection } from "../shared/selection.ts";
import { errorsMost } from "./progress.ts";

const error = "does not exist, or is not visible to you";

/** In their order. */
export async function unknownIds(ctx: Ctx, of: Resource, { object_ids }: Selection): Promise<string[]> {
  if (object_ids === null) return [];
  const rows = await query(
    ctx,
    statement(sql`select g.id from unnest(${object_ids}::text[]) with ordinality g(id, n)
      where not exists (select from ${from(of, "t")} where ${and([...scope(ctx, of), sql`t.id = g.id`])}) order by g.n`),
  );
  return rows.map(([id]) => id!);
}

/** Writes them behind the items that were found. Returns their errors. */
export function noteUnknown(
  ctx: Ctx,
  { id }: { id: string },
  ids: readonly string[],
  found: number,
): { object_id: string; error: string }[] {
  if (ids.length === 0) return [];
  write(ctx, {
    name: "bulk_action_item.unknown",
    text: `insert into bulk_action_item (organization_id, id, bulk_action_id, ord, object_id, status, error, opens_lead, date_created, date_updated)
           select $1, $2 || lpad(($5 + g.n)::text, 6, '0'), $3, $5 + g.n, g.object_id, 'failed', $6, false, $7, $7
           from unnest($4::text[]) with ordinality g(object_id, n)`,
    values: [ctx.organization_id, itemsBegin(id), id, ids, found, error, ctx.now],
  });
  return errorsFor(ids);
}

/** What the list of errors says about them. */
export const errorsFor = (ids: readonly string[]): { object_id: string; error: string }[] =>
  ids.slice(0, errorsMost).map((object_id) => ({ object_id, error }));

/** What the ids of a bulk action's items begin with. */
export const itemsBegin = (id: string): string => `bitem_${id.slice(id.indexOf("_") + 1).slice(0, 20)}`;
