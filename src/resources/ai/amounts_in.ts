// The amounts of money that a text names.
import { escapePattern } from "../../values/escape_pattern.ts";
import { currencyDigits, currencySymbol } from "../../values/money.ts";
import { writtenNumber } from "../../values/written_number.ts";

/** In minor units of the currency, in the order of the text: `"$12k or 9,500 USD"` → `[1200000, 950000]`. */
export function amountsIn(text: string, currency: string): number[] {
  const sign = `(?:${escapePattern(currencySymbol(currency))}|${currency})`;
  // A long row of digits is no amount, and would be read again from each of its digits.
  const number = "(?<![\\d.,])(\\d[\\d.,]{0,20})\\s?(k|m|thousand|million)?(?![\\p{L}\\d])";
  const found = text.slice(0, 100_000).matchAll(new RegExp(`${sign}\\s?${number}|${number}\\s?${sign}(?!\\p{L})`, "giu"));
  return [...found]
    .map(([, before, beforeUnit, after, afterUnit]) => writtenNumber(before ?? after!, beforeUnit ?? afterUnit))
    .map((amount) => Math.round(amount * 10 ** currencyDigits(currency)))
    .filter((amount) => amount > 0 && Number.isSafeInteger(amount));
}
