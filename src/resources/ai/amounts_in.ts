// The amounts of money that a text names.
import { currencyDigits, currencySymbol } from "../../values/money.ts";

const units: ReadonlyMap<string, number> = new Map([
  ["k", 1e3],
  ["thousand", 1e3],
  ["m", 1e6],
  ["million", 1e6],
]);

/** In minor units of the currency, in the order of the text: `"$12k or 9,500 USD"` → `[1200000, 950000]`. */
export function amountsIn(text: string, currency: string): number[] {
  const sign = `(?:${currencySymbol(currency).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}|${currency})`;
  // A long row of digits is no amount, and would be read again from each of its digits.
  const number = "(?<![\\d.,])(\\d[\\d.,]{0,20})\\s?(k|m|thousand|million)?(?![\\p{L}\\d])";
  const found = text.slice(0, 100_000).matchAll(new RegExp(`${sign}\\s?${number}|${number}\\s?${sign}(?!\\p{L})`, "giu"));
  return [...found]
    .map(
      ([, before, beforeUnit, after, afterUnit]) =>
        major(before ?? after!) * (units.get((beforeUnit ?? afterUnit ?? "").toLowerCase()) ?? 1),
    )
    .map((amount) => Math.round(amount * 10 ** currencyDigits(currency)))
    .filter((amount) => amount > 0 && Number.isSafeInteger(amount));
}

/** `12,000`, `12.000`, `12.5` and `12,50`: a sign before exactly three digits groups them. */
function major(digits: string): number {
  return Number(
    digits
      .replace(/[.,](?=\d{3}(?!\d))/g, "")
      .replace(/[.,]$/, "")
      .replace(",", "."),
  );
}
