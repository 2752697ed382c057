// What a quote comes to, in whole minor units. A discount on the whole quote is shared out among its lines, to the unit, before
// tax; the tax of each rate is rounded once and shared out alike: so the shares of the lines add up to the sums of the quote.
import { percentOf, times } from "../../values/decimal.ts";
import { type ByPeriod, type Line, type LineTotals, lineTotals, nothingDue, taxOn, worth } from "../opportunities/line_totals.ts";
import type { Period } from "../shared/money.ts";

export interface Discount {
  discount: number;
  discount_type: "percentage" | "amount";
}

/** What is taxed alike: the tax is worked out and rounded once for all of it, as the reader of a table does. */
export interface Tax {
  tax_percent: number;
  tax_method: "exclusive" | "inclusive";
  /** What it is on: the lines after all discounts. */
  base: number;
  tax_total: number;
}

/** What each line comes to with its share of the discount on the whole quote in `discount_total`, and of its rate's tax in `tax_total`. */
export function sharedTotals(lines: readonly Line[], whole: Discount): LineTotals[] {
  const totals = lines.map(lineTotals);
  const shares = sharesOf(wholeDiscount(totals, whole), totals.map(worth));
  const nets = totals.map((line, i) => worth(line) - shares[i]!);
  const taxes = lines.map(() => 0);
  for (const { places, tax_total } of taxedAlike(lines, nets)) {
    const parts = sharesOf(
      tax_total,
      places.map((i) => nets[i]!),
    );
    places.forEach((i, part) => {
      taxes[i] = parts[part]!;
    });
  }
  return totals.map(({ subtotal }, i) => {
    const [net, tax_total] = [nets[i]!, taxes[i]!];
    const total = lines[i]!.tax_method === "exclusive" ? net + tax_total : net;
    return { subtotal, discount_total: subtotal - net, tax_total, total };
  });
}

/** The taxes of a quote, one for each rate, in the order of the lines that have them. */
export function taxesOf({ line_items, ...whole }: { line_items: readonly Line[] } & Discount): Tax[] {
  const nets = sharedTotals(line_items, whole).map(worth);
  return taxedAlike(line_items, nets).map(({ places: _, ...tax }) => tax);
}

function taxedAlike(lines: readonly Line[], nets: readonly number[]): (Tax & { places: number[] })[] {
  const taxed = lines.flatMap((line, i) => (line.tax_method === "none" || line.tax_percent === 0 ? [] : [i]));
  const groups = Map.groupBy(taxed, (i) => `${lines[i]!.tax_method} ${lines[i]!.tax_percent}`);
  return [...groups.values()].map((places) => {
    const { tax_percent, ...first } = lines[places[0]!]!;
    const tax_method = first.tax_method as Tax["tax_method"];
    const base = places.reduce((sum, i) => sum + nets[i]!, 0);
    return { tax_percent, tax_method, base, tax_total: taxOn(base, { tax_percent, tax_method }), places };
  });
}

export function quoteTotals({ line_items, ...whole }: { line_items: readonly Line[] } & Discount): LineTotals {
  const totals = sharedTotals(line_items, whole);
  const sum = (key: keyof LineTotals) => totals.reduce((total, line) => total + line[key], 0);
  return { subtotal: sum("subtotal"), discount_total: sum("discount_total"), tax_total: sum("tax_total"), total: sum("total") };
}

/** What is to be paid once, each month and each year. */
export function totalByPeriod({
  line_items,
  ...whole
}: { line_items: readonly (Line & { billing_period: Period })[] } & Discount): ByPeriod {
  const sums = { ...nothingDue };
  sharedTotals(line_items, whole).forEach(({ total }, i) => {
    sums[line_items[i]!.billing_period] += total;
  });
  return sums;
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
