// The totals of a quote, in whole minor units. A discount on the whole quote is divided among its tax rates, to the unit, and
// within each rate among its lines. The tax of each rate is then rounded once and divided among its lines. So all shares add up
// to the totals of the quote.
import { partOf, percentOf, shared, times } from "../../values/decimal.ts";
import { type ByPeriod, type Line, type LineTotals, lineTotals, nothingDue, taxOn, worth } from "../opportunities/line_totals.ts";
import type { Period } from "../shared/money.ts";

export interface Discount {
  discount: number;
  discount_type: "percentage" | "amount";
}

/** Lines with the same tax. The tax is computed and rounded once for all of them, as a reader of the quote would do. */
export interface Tax {
  tax_percent: number;
  tax_method: "exclusive" | "inclusive";
  /** The base of the tax: the lines after all discounts. */
  base: number;
  tax_total: number;
}

/** Each line with its share of the whole quote's discount in `discount_total`, and its share of the rate's tax in `tax_total`. */
export function sharedTotals(lines: readonly Line[], whole: Discount): LineTotals[] {
  const totals = lines.map(lineTotals);
  const nets = discounted(lines, totals.map(worth), whole);
  const taxes = lines.map(() => 0);
  for (const { places, base, tax_total } of taxedAlike(lines, nets)) {
    const parts = places.map((i) => nets[i]!);
    shared(tax_total, parts, partOf(tax_total, base)).forEach((share, part) => {
      taxes[places[part]!] = share;
    });
  }
  return totals.map(({ subtotal }, i) => {
    const [net, tax_total] = [nets[i]!, taxes[i]!];
    const total = lines[i]!.tax_method === "exclusive" ? net + tax_total : net;
    return { subtotal, discount_total: subtotal - net, tax_total, total };
  });
}

/** The taxes of a quote, one for each rate, in the order of the lines. */
export function taxesOf({ line_items, ...whole }: { line_items: readonly Line[] } & Discount): Tax[] {
  const nets = sharedTotals(line_items, whole).map(worth);
  return taxedAlike(line_items, nets).map(({ places: _, ...tax }) => tax);
}

/**
 * The rest of the lines after the discount on the whole quote. Each rate has its exact share, to the unit, however many lines it
 * has. So the tax base is the same as when somebody computes it rate by rate.
 */
function discounted(lines: readonly Line[], nets: readonly number[], whole: Discount): number[] {
  const sum = nets.reduce((left, right) => left + right, 0);
  const discount = wholeDiscount(sum, whole);
  const exact = whole.discount_type === "percentage" ? partOf(whole.discount, 100) : partOf(discount, sum);
  const left = [...nets];
  const rates = [...byRate(lines).values()].map((places) => ({ places, parts: places.map((i) => nets[i]!) }));
  const ofRates = shared(
    discount,
    rates.map(({ parts }) => parts.reduce((left, right) => left + right, 0)),
    exact,
  );
  rates.forEach(({ places, parts }, rate) => {
    shared(ofRates[rate]!, parts, exact).forEach((share, part) => {
      left[places[part]!]! -= share;
    });
  });
  return left;
}

const untaxed = "none";

/** The positions of the lines with the same tax. Untaxed lines are one group, whatever rate they name. */
const byRate = (lines: readonly Line[]): Map<string, number[]> =>
  Map.groupBy(lines.keys(), (i) => {
    const { tax_method, tax_percent } = lines[i]!;
    return tax_method === "none" || tax_percent === 0 ? untaxed : `${tax_method} ${tax_percent}`;
  });

function taxedAlike(lines: readonly Line[], nets: readonly number[]): (Tax & { places: number[] })[] {
  const rates = byRate(lines);
  rates.delete(untaxed);
  return [...rates.values()].map((places) => {
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

/** What is due once, each month and each year. */
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

/** The total of the lines before the discount on the whole quote, which is the largest possible discount. */
export const discountable = (lines: readonly Line[]): number =>
  lines.map(lineTotals).reduce((total, line) => total + worth(line), 0);

const wholeDiscount = (net: number, { discount, discount_type }: Discount): number =>
  discount_type === "percentage" ? percentOf(net, discount) : Math.min(times(1, discount), net);
