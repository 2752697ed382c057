// The records that a bulk action covers, as they are found when it is asked for. What is created later does not join.
import type { Ctx } from "../../core/context.ts";
import { transactionOf } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { from, type Resource, scope } from "../../core/resource.ts";
import { and, type Sql, sql, statement } from "../../db/sql.ts";
import { orderBy } from "../../records/order.ts";
import { readSort } from "../search/sort.ts";
import { objectsMax, type Selection, selectedBy } from "../shared/selection.ts";
import type { Item } from "./doing.ts";
import { itemsBegin } from "./unknown_ids.ts";

interface Asked extends Selection {
  sort?: any;
  results_limit?: number | null;
}

export type Counted = Record<"n_objects" | "n_leads", number>;

/** Selects `id`, `lead_id` and `ord` of what is covered. */
export async function covered(ctx: Ctx, of: Resource, asked: Asked): Promise<Sql> {
  const order = orderBy(readSort(ctx, of, asked.sort));
  const conditions = and([...scope(ctx, of), await selectedBy(ctx, of, asked)]);
  const most = Math.min(asked.results_limit ?? Number.POSITIVE_INFINITY, objectsMax + 1);
  return sql`select t.id, ${leadOf(of)} as lead_id, row_number() over (order by ${order}) as ord
    from ${from(of, "t")} where ${conditions} order by ord limit ${most}`;
}

/** Selects the same of the contacts of selected leads. */
export async function coveredContacts(ctx: Ctx, lead: Resource, asked: Asked): Promise<Sql> {
  const contact = ctx.registry.resource("contact")!;
  const most = objectsMax + 1;
  return sql`select t.id, t.lead_id, row_number() over (order by l.ord, t.date_created, t.id) as ord
    from ${from(contact, "t")} join (${await covered(ctx, lead, asked)}) l on l.id = t.lead_id
    where ${and(scope(ctx, contact))} order by ord limit ${most}`;
}

const leadOf = (of: Resource): Sql => (of.name === "lead" ? sql`t.id` : sql`t.lead_id`);

/** Writes the items of a bulk action, in one statement, and counts them. */
export async function takeSnapshot(ctx: Ctx, { id }: { id: string }, selected: Sql): Promise<Counted> {
  const begin = itemsBegin(id);
  const now = ctx.now.toISOString();
  const [row] = await transactionOf(ctx).read(
    statement(sql`with found as (${selected}),
      made as (insert into bulk_action_item (organization_id, id, bulk_action_id, ord, object_id, lead_id, opens_lead, date_created, date_updated)
        select ${ctx.organization_id}, ${begin} || lpad(f.ord::text, 6, '0'), ${id}, f.ord, f.id, f.lead_id,
          f.lead_id is not null and row_number() over (partition by f.lead_id order by f.ord) = 1, ${now}::timestamptz, ${now}::timestamptz
        from found f returning opens_lead)
      select count(*), count(*) filter (where opens_lead) from made`),
  );
  const counted = { n_objects: Number(row![0]), n_leads: Number(row![1]) };
  if (counted.n_objects > objectsMax)
    throw invalid({ results_limit: `must be given, because more than ${objectsMax} records are selected` });
  return counted;
}

/** The items that are left, in their order. */
export async function nextItems(ctx: Ctx, bulkActionId: string, most: number): Promise<Item[]> {
  const rows = await transactionOf(ctx).read({
    name: "bulk_action_item.next",
    text: `select id, ord, object_id, lead_id, opens_lead from bulk_action_item
           where organization_id = $1 and bulk_action_id = $2 and status = 'pending' order by ord limit $3`,
    values: [ctx.organization_id, bulkActionId, most],
  });
  return rows.map(
    ([id, ord, object_id, lead_id, opens]) => ({ id, ord: Number(ord), object_id, lead_id, opens_lead: opens === "t" }) as Item,
  );
}
