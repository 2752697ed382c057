// Replaces all lines of a deal at once, as when a quote is accepted.
import type { Ctx } from "../../core/context.ts";
import type { Values } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { productsNamed } from "./complete_line.ts";
import { lineItem } from "./line_item.ts";
import { nothingDue, worth, worthOfDeal } from "./line_totals.ts";
import { opportunity } from "./opportunity.ts";

/** Replaces the deal's lines, and sets its value to their sum. References to deleted products are left out. */
export async function replaceLineItems(
  ctx: Ctx,
  opportunityId: string,
  currency: string,
  lines: readonly Values<typeof lineItem>[],
): Promise<void> {
  const [deal] = await findRecords(ctx, opportunity, [sql`t.id = ${opportunityId}`], sql`for update of t`);
  if (deal === undefined) return;
  const products = await productsNamed(ctx, lines);
  await store.remove(ctx, lineItem, await findRecords(ctx, lineItem, [sql`t.opportunity_id = ${deal.id}`], sql`for update of t`));

  const about = { opportunity_id: deal.id, lead_id: deal.lead_id, currency };
  const rows = lines.map((line, position) => {
    const product_id = line.product_id && products.has(line.product_id) ? line.product_id : null;
    return store.insert(ctx, lineItem, { ...line, ...about, product_id, position });
  });
  const sums = { ...nothingDue };
  for (const row of rows) sums[row.billing_period] += worth(row);
  store.update(ctx, opportunity, deal, { ...worthOfDeal(sums), value_currency: currency });
}
