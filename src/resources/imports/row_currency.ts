// The currency of the amounts in a row: the one that the row says, or else that of the record which exists, or else the
// organization's. An amount becomes minor units only when it is known.
import { invalid } from "../../core/errors.ts";
import { isCurrency } from "../../values/money.ts";
import type { Body } from "./bodies.ts";
import { fits, markIn, meantBy } from "./currency_marks.ts";

/** The fields with amounts, and the one with their currency. */
export const moneyFields: Readonly<Record<"opportunity" | "product", { amounts: readonly string[]; currency: string }>> = {
  opportunity: { amounts: ["value"], currency: "value_currency" },
  product: { amounts: ["unit_price", "cost"], currency: "currency" },
};

export const partsWithCurrency = ["opportunity", "product"] as const;
export type PartWithCurrency = (typeof partsWithCurrency)[number];

/** What a row says about the currency of a kind of record. */
export interface Saying {
  /** The text of its own column. */
  column: string | undefined;
  /** The amounts as they are written. */
  amounts: readonly string[];
}

/** The currency that a row says; null where it says none. `otherwise` is what its amounts have then. */
export function saidIn({ column, amounts }: Saying, asked: string | null, otherwise: string): string | null {
  if (column !== undefined) return column.toUpperCase();
  const expected = asked ?? otherwise;
  const marks = amounts.map(markIn).filter((mark) => mark !== null && isKnownMark(mark));
  const other = marks.find((mark) => !fits(mark!, expected));
  return (other ? meantBy(other) : null) ?? asked;
}

const isKnownMark = (mark: string): boolean => isCurrency(mark) || meantBy(mark) !== null;

/** Amounts keep their currency: what a row changes of a record that exists are both, or neither. */
export function keepAmounts(part: PartWithCurrency, before: Body, body: Body, settled: Body): Body {
  const { amounts, currency } = moneyFields[part];
  const [said, present] = [body[currency], before[currency]];
  if (said === undefined || said === present) return settled;
  const staying = amounts.filter((one) => settled[one] === undefined && before[one]);
  if (amounts.every((one) => settled[one] === undefined)) {
    const { [currency]: _, ...rest } = settled;
    return staying.length > 0 ? rest : settled;
  }
  if (settled[currency] === undefined) throw invalid({ [currency]: `is ${said}, but the record stays in ${present}` });
  if (staying.length > 0)
    throw invalid({ [currency]: `is ${said}, but ${staying.join(" and ")} would stay an amount in ${present}: give it too` });
  return settled;
}
