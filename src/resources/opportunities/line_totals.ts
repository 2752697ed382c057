// The totals of a line, in whole minor units. Every step is exact and rounded once, halves up.
import { includedPercentOf, percentOf, times } from "../../values/decimal.ts";
import { type Period, periods } from "../shared/money.ts";

export interface Line {
  quantity: number;
  unit_price: number;
  discount: number;
  discount_type: "percentage" | "amount";
  tax_percent: number;
  tax_method: "exclusive" | "inclusive" | "none";
}

export interface LineTotals {
  subtotal: number;
  discount_total: number;
  tax_total: number;
  total: number;
}

export function lineTotals(line: Line): LineTotals {
  const subtotal = times(line.unit_price, line.quantity);
  const discount_total = line.discount_type === "percentage" ? percentOf(subtotal, line.discount) : times(1, line.discount);
  const net = subtotal - discount_total;
  const tax_total = taxOn(net, line);
  return { subtotal, discount_total, tax_total, total: line.tax_method === "exclusive" ? net + tax_total : net };
}

/** What the line adds to the deal's value. This is before tax when tax is added on top. */
export const worth = ({ subtotal, discount_total }: Pick<LineTotals, "subtotal" | "discount_total">): number =>
  subtotal - discount_total;

/** The total of the lines that are due in the same period. */
export type ByPeriod = Record<Period, number>;

export const nothingDue: ByPeriod = { one_time: 0, monthly: 0, annual: 0 };

export const inAYear = ({ one_time, monthly, annual }: ByPeriod): number => one_time + 12 * monthly + annual;

/** A deal with lines is worth their sum. Its period is that of its lines. When they differ, the value is due once. */
export function worthOfDeal(lines: ByPeriod) {
  const sum = lines.one_time + lines.monthly + lines.annual;
  const due = periods.filter((period) => lines[period] > 0);
  return {
    value: sum,
    value_period: due.length === 1 ? due[0]! : ("one_time" as const),
    line_items_total: sum,
    line_items_by_period: lines,
  };
}

/** The tax on the rest of a line after discounts. */
export function taxOn(net: number, { tax_percent, tax_method }: Pick<Line, "tax_percent" | "tax_method">): number {
  if (tax_method === "none") return 0;
  return tax_method === "inclusive" ? includedPercentOf(net, tax_percent) : percentOf(net, tax_percent);
}
