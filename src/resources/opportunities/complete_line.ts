// Completes a line of a deal or a quote: each value is the caller's, or else the product's, or else a default.
import { type Ctx } from "../../core/context.ts";
import { invalid, refuse } from "../../core/errors.ts";
import type { Create, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { isId } from "../../values/id.ts";
import { moneyMax, type Period } from "../shared/money.ts";
import { type lineItem, usualLine } from "./line_item.ts";
import { type Line, lineTotals } from "./line_totals.ts";
import { product } from "./product.ts";

type GivenLine = Create<typeof lineItem>;
type Product = Row<typeof product>;
type Draft = GivenLine & Omit<Line, "unit_price">;

export type WholeLine = Draft & Line & { name: string; currency: string; billing_period: Period };

/** The record of the line. Its currency is also the line's. */
export interface Holder {
  called: "opportunity" | "quote";
  currency: string;
}

/** The product of a line. An inactive one may stay (`kept`), but is not added. */
export function productNamed(products: ReadonlyMap<string, Product>, given: GivenLine, kept = false): Product | null {
  if (!given.product_id) return null;
  const found = products.get(given.product_id);
  if (found === undefined) throw invalid({ product_id: "does not exist" });
  if (!found.is_active && !kept) throw invalid({ product_id: "is not active" });
  return found;
}

/** The products that lines name, by their ids. */
export async function productsNamed(
  ctx: Ctx,
  lines: readonly { product_id?: string | null }[],
): Promise<ReadonlyMap<string, Product>> {
  const ids = [
    ...new Set(lines.flatMap(({ product_id }) => (product_id && isId(product.prefix, product_id) ? [product_id] : []))),
  ];
  const found = ids.length === 0 ? [] : await findRecords(ctx, product, [sql`t.id = any(${ids})`]);
  return new Map(found.map((one) => [one.id, one]));
}

export function completeLine(given: GivenLine, of: Product | null, holder: Holder): WholeLine {
  const line: Draft = { ...usualLine, ...(of && copied(of)), currency: holder.currency, ...given };

  const errors: Record<string, string> = {};
  if (line.name === undefined) errors.name = "is required without product_id";
  else if (line.name.trim() === "") errors.name = "must not be empty";
  if (line.unit_price === undefined) errors.unit_price = "is required without product_id";
  else if (given.unit_price === undefined && of!.currency !== holder.currency)
    errors.product_id = `has a price in ${of!.currency}: give unit_price in the ${holder.called}'s ${holder.currency}`;
  if (line.currency !== holder.currency) errors.currency = `must be ${holder.currency}, as the ${holder.called}'s`;
  if (line.quantity === 0) errors.quantity = "must be more than 0";
  if (line.discount_type === "percentage" && line.discount > 100) errors.discount = "must be 100 or less";
  if (line.discount_type === "amount" && !Number.isInteger(line.discount))
    errors.discount = "must be a whole number of minor units, as discount_type is amount";
  refuse(errors);

  const whole = line as WholeLine;
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
