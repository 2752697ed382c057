// The verbs of line items. Creating and deleting a line also changes the value of its opportunity.
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
import { type ByPeriod, lineTotals, nothingDue, worth, worthOfDeal } from "./line_totals.ts";
import { opportunity } from "./opportunity.ts";

type LineItem = Row<typeof lineItem>;
type Opportunity = Row<typeof opportunity>;

export async function createLineItem(ctx: Ctx, given: Create<typeof lineItem>): Promise<LineItem> {
  const deal = await lockRecord(ctx, opportunity, given.opportunity_id!);
  checkOwner(ctx, opportunity, deal, "update");
  const of = productNamed(await productsNamed(ctx, [given]), given);
  const values = completeLine(given, of, { called: "opportunity", currency: deal.value_currency });
  const lines = { ...nothingDue, ...(await sumsOf(ctx, deal)) };
  lines[values.billing_period] += worth(lineTotals(values));
  if (worthOfDeal(lines).value > moneyMax) throw invalid({ unit_price: "makes the opportunity's value too large" });

  const position = await placeIn(ctx, deal, given.position);
  const row = store.insert(ctx, lineItem, { ...values, opportunity_id: deal.id, lead_id: deal.lead_id, position });
  store.update(ctx, opportunity, deal, worthOfDeal(lines));
  return row;
}

/** The value stays as it is when the last line is deleted. */
export async function deleteLineItem(ctx: Ctx, before: LineItem): Promise<void> {
  const deal = await lockRecord(ctx, opportunity, before.opportunity_id);
  checkOwner(ctx, opportunity, deal, "delete");

  await store.remove(ctx, lineItem, [before]);
  const left = await sumsOf(ctx, deal);
  store.update(ctx, opportunity, deal, left ? worthOfDeal(left) : { line_items_total: null, line_items_by_period: null });
}

/** Lines came back to these deals, whose values follow from them again. */
export async function countLinesAgain(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const deals = await findRecords(ctx, opportunity, [sql`t.id = any(${ids})`], sql`order by t.id for update of t`);
  for (const deal of deals) {
    const sums = await sumsOf(ctx, deal);
    if (sums !== null) store.update(ctx, opportunity, deal, worthOfDeal(sums));
  }
}

/** Null without lines. The opportunity is locked, so nobody else adds or removes a line at the same time. */
async function sumsOf(ctx: Ctx, deal: Opportunity): Promise<ByPeriod | null> {
  const found = await query(
    ctx,
    statement(sql`select billing_period, sum(subtotal - discount_total) from line_item
      where organization_id = ${ctx.organization_id} and opportunity_id = ${deal.id} group by 1`),
  );
  const sums = Object.fromEntries(found.map(([period, sum]) => [period, Number(sum)]));
  return found.length === 0 ? null : { ...nothingDue, ...sums };
}

async function placeIn(ctx: Ctx, deal: Opportunity, wanted: number | undefined): Promise<number> {
  const others = await findRecords(ctx, lineItem, [sql`t.opportunity_id = ${deal.id}`]);
  if (wanted === undefined) return behind(others);
  for (const [row, position] of pushedBack(others, wanted)) store.update(ctx, lineItem, row, { position });
  return wanted;
}
