// What a quote comes to, in whole minor units. A discount on the whole quote is shared out among its lines, to the unit, before
// tax: so the sums of the lines are the sums of the quote, whatever their taxes are.
import { percentOf, times } from "../../values/decimal.ts";
import { type Line, type LineTotals, lineTotals, taxOn, worth } from "../opportunities/line_totals.ts";

export interface Discount {
  discount: number;
  discount_type: "percentage" | "amount";
}

/** What a line comes to with its share of the discount on the whole quote in `discount_total`. */
export function sharedTotals(lines: readonly Line[], whole: Discount): LineTotals[] {
  const totals = lines.map(lineTotals);
  const shares = sharesOf(wholeDiscount(totals, whole), totals.map(worth));
  return totals.map(({ subtotal, discount_total }, i) => {
    const line = lines[i]!;
    const discounted = discount_total + shares[i]!;
    const net = subtotal - discounted;
    const tax_total = taxOn(net, line);
    return { subtotal, discount_total: discounted, tax_total, total: line.tax_method === "exclusive" ? net + tax_total : net };
  });
}

export function quoteTotals({ line_items, ...whole }: { line_items: readonly Line[] } & Discount): LineTotals {
  const totals = sharedTotals(line_items, whole);
  const sum = (key: keyof LineTotals) => totals.reduce((total, line) => total + line[key], 0);
  return { subtotal: sum("subtotal"), discount_total: sum("discount_total"), tax_total: sum("tax_total"), total: sum("total") };
}

/** What the lines come to before the discount on the whole: the most that it can take off. */
export const discountable = (lines: readonly Line[]): number =>
  lines.map(lineTotals).reduce((total, line) => total + worth(line), 0);

function wholeDiscount(totals: readonly LineTotals[], { discount, discount_type }: Discount): number {
  const net = totals.reduce((total, line) => total + worth(line), 0);
  return discount_type === "percentage" ? percentOf(net, discount) : Math.min(times(1, discount), net);
}

/** `amount` in shares as large as the parts are to each other. Each share is what the running share grows by, so they add up exactly. */
function sharesOf(amount: number, parts: readonly number[]): number[] {
  const whole = BigInt(parts.reduce((sum, part) => sum + part, 0));
  if (whole === 0n) return parts.map(() => 0);
  let passed = 0n;
  let given = 0n;
  return parts.map((part) => {
    passed += BigInt(part);
    const before = given;
    given = (BigInt(amount) * passed) / whole;
    return Number(given - before);
  });
}
