// A line item is created and deleted together with what it does to its opportunity's value.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { checkOwner, findRecord, findRecords, lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { moneyMax } from "../shared/money.ts";
import { behind, pushedBack } from "../shared/positions.ts";
import { lineItem, usualLine } from "./line_item.ts";
import { type Line, lineTotals, worth } from "./line_totals.ts";
import { opportunity } from "./opportunity.ts";
import { product } from "./product.ts";

type LineItem = Row<typeof lineItem>;
type Opportunity = Row<typeof opportunity>;
type Product = Row<typeof product>;
type Draft = Create<typeof lineItem> & Omit<Line, "unit_price">;

export async function createLineItem(ctx: Ctx, given: Create<typeof lineItem>): Promise<LineItem> {
  const deal = await lockRecord(ctx, opportunity, given.opportunity_id!);
  checkOwner(ctx, opportunity, deal, "update");
  const values = completed(deal, given, await productOf(ctx, given));
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
  const others = await findRecords(ctx, lineItem, [sql`t.opportunity_id = ${deal.id}`], sql`for update of t`);
  if (wanted === undefined) return behind(others);
  for (const [row, position] of pushedBack(others, wanted)) store.update(ctx, lineItem, row, { position });
  return wanted;
}

async function productOf(ctx: Ctx, { product_id }: Create<typeof lineItem>): Promise<Product | null> {
  if (!product_id) return null;
  const found = await findRecord(ctx, product, product_id);
  if (found === null) throw invalid({ product_id: "does not exist" });
  if (!found.is_active) throw invalid({ product_id: "is not active" });
  return found;
}

/** The whole line: what the caller says, else what the product says, else what is usual. */
function completed(deal: Opportunity, given: Create<typeof lineItem>, of: Product | null): Draft & Line {
  const line: Draft = { ...usualLine, ...(of && copied(of)), currency: deal.value_currency, ...given };

  const errors: Record<string, string> = {};
  if (line.name === undefined) errors.name = "is required without product_id";
  else if (line.name.trim() === "") errors.name = "must not be empty";
  if (line.unit_price === undefined) errors.unit_price = "is required without product_id";
  else if (given.unit_price === undefined && of!.currency !== deal.value_currency)
    errors.product_id = `is priced in ${of!.currency}; give unit_price in the opportunity's ${deal.value_currency}`;
  if (line.currency !== deal.value_currency) errors.currency = `must be ${deal.value_currency}, as the opportunity's`;
  if (line.quantity === 0) errors.quantity = "must be more than 0";
  if (line.discount_type === "percentage" && line.discount > 100) errors.discount = "must be 100 or less";
  if (Object.keys(errors).length > 0) throw invalid(errors);

  const whole = line as Draft & Line;
  const totals = lineTotals(whole);
  if (totals.subtotal > moneyMax) throw invalid({ quantity: "makes the line too large" });
  if (totals.discount_total > totals.subtotal) throw invalid({ discount: `must be ${totals.subtotal} or less, the subtotal` });
  return whole;
}

const copied = ({ name, description, unit_price, tax_percent, billing_period }: Product) => ({
  name,
  description,
  unit_price,
  tax_percent,
  billing_period,
});
