// Numbers quotes consecutively in each organization, without gaps.
import { type Ctx, transactionOf } from "../../core/context.ts";

/** The next number. Others who need one wait until this transaction ends: call it late, and write at once. */
export async function nextQuoteNumber(ctx: Ctx): Promise<string> {
  const [row] = await transactionOf(ctx).read({
    name: "counter.next",
    text: `insert into counter (organization_id, series, last) values ($1, 'quote', 1)
           on conflict (organization_id, series) do update set last = counter.last + 1 returning last`,
    values: [ctx.organization_id],
  });
  return `Q-${row![0]!.padStart(6, "0")}`;
}
