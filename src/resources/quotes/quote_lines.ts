// The lines of a quote as they are stored: complete, in order, each with an id and its totals.
import type { Ctx } from "../../core/context.ts";
import { below } from "../../core/errors.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { idMoment } from "../../records/rehearse.ts";
import { newId } from "../../values/id.ts";
import { completeLine, productNamed, productsNamed, type WholeLine } from "../opportunities/complete_line.ts";
import { lineItem } from "../opportunities/line_item.ts";
import { lineTotals } from "../opportunities/line_totals.ts";
import type { QuoteLine } from "./quote.ts";

/** The lines of a body, completed. A product that a line already named (`before`) may be deleted or inactive. */
export async function linesGiven(
  ctx: Ctx,
  given: readonly QuoteLine[],
  currency: string,
  before: readonly QuoteLine[] = [],
): Promise<QuoteLine[]> {
  const products = await productsNamed(ctx, given);
  const kept = new Map(before.map((line) => [line.id, line]));
  const ids = new Set<string>();

  return given.map(({ id, ...line }, position) => {
    const was = kept.get(id);
    const same = was !== undefined && was.product_id === (line.product_id ?? null);
    const known = id !== undefined && was !== undefined && !ids.has(id);
    const whole = below(`line_items.${position}`, () => {
      const named = same && !products.has(was.product_id ?? "") ? null : productNamed(products, line, same);
      return completeLine({ ...line }, named, { called: "quote", currency });
    });
    const stored = storedLine(whole, known ? id : newId(lineItem.prefix, idMoment(ctx)), position);
    ids.add(stored.id);
    return stored;
  });
}

/** A deal's lines as those of a new quote. */
export async function linesOfDeal(ctx: Ctx, opportunityId: string): Promise<QuoteLine[]> {
  const items = await findRecords(ctx, lineItem, [sql`t.opportunity_id = ${opportunityId}`], sql`order by t.position, t.id`);
  return copiedLines(ctx, items as unknown as QuoteLine[]);
}

/** The same lines with new ids. */
export const copiedLines = (ctx: Ctx, lines: readonly QuoteLine[]): QuoteLine[] =>
  lines.map((line, position) => storedLine(line, newId(lineItem.prefix, idMoment(ctx)), position));

const storedLine = (line: WholeLine, id: string, position: number): QuoteLine => ({
  id,
  product_id: line.product_id ?? null,
  name: line.name,
  description: line.description ?? null,
  quantity: line.quantity,
  unit_price: line.unit_price,
  currency: line.currency,
  discount: line.discount,
  discount_type: line.discount_type,
  tax_percent: line.tax_percent,
  tax_method: line.tax_method,
  billing_period: line.billing_period,
  position,
  ...lineTotals(line),
});
