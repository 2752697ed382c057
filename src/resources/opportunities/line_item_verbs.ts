// A line item is created and deleted together with what it does to its opportunity's value.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { checkOwner, findRecords, lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { moneyMax } from "../shared/money.ts";
import { behind, pushedBack } from "../shared/positions.ts";
import { completeLine, productNamed, productsNamed } from "./complete_line.ts";
import { lineItem } from "./line_item.ts";
import { lineTotals, worth } from "./line_totals.ts";
import { opportunity } from "./opportunity.ts";

type LineItem = Row<typeof lineItem>;
type Opportunity = Row<typeof opportunity>;

export async function createLineItem(ctx: Ctx, given: Create<typeof lineItem>): Promise<LineItem> {
  const deal = await lockRecord(ctx, opportunity, given.opportunity_id!);
  checkOwner(ctx, opportunity, deal, "update");
  const of = productNamed(await productsNamed(ctx, [given]), given);
  const values = completeLine(given, of, { called: "opportunity", currency: deal.value_currency });
  const { sum } = await sumOf(ctx, deal);
  if (sum + worth(lineTotals(values)) > moneyMax) throw invalid({ unit_price: "makes the opportunity's value too large" });

  const position = await placeIn(ctx, deal, given.position);
  const row = store.insert(ctx, lineItem, { ...values, opportunity_id: deal.id, lead_id: deal.lead_id, position });
  setValue(ctx, deal, sum + worth(row));
  return row;
}

/** The value stays as it is when the last line goes. */
export async function deleteLineItem(ctx: Ctx, before: LineItem): Promise<void> {
  const deal = await lockRecord(ctx, opportunity, before.opportunity_id);
  checkOwner(ctx, opportunity, deal, "delete");

  await store.remove(ctx, lineItem, [before]);
  const { sum, count } = await sumOf(ctx, deal);
  setValue(ctx, deal, count === 0 ? null : sum);
}

function setValue(ctx: Ctx, deal: Opportunity, sum: number | null): void {
  store.update(ctx, opportunity, deal, sum === null ? { line_items_total: null } : { value: sum, line_items_total: sum });
}

/** The opportunity is locked, so nobody else adds or removes a line meanwhile. */
async function sumOf(ctx: Ctx, deal: Opportunity): Promise<{ sum: number; count: number }> {
  const [row] = await query(
    ctx,
    statement(sql`select coalesce(sum(subtotal - discount_total), 0), count(*) from line_item
      where organization_id = ${ctx.organization_id} and opportunity_id = ${deal.id}`),
  );
  return { sum: Number(row![0]), count: Number(row![1]) };
}

async function placeIn(ctx: Ctx, deal: Opportunity, wanted: number | undefined): Promise<number> {
  const others = await findRecords(ctx, lineItem, [sql`t.opportunity_id = ${deal.id}`]);
  if (wanted === undefined) return behind(others);
  for (const [row, position] of pushedBack(others, wanted)) store.update(ctx, lineItem, row, { position });
  return wanted;
}
