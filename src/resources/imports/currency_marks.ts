// What stands beside an amount and says its currency: a code such as EUR, or a sign such as €.
import { isCurrency } from "../../values/money.ts";

/** An amount with its mark on either side. */
const marked = /^[+-]?\s*([A-Z]{3}|[A-Z]{0,2}\p{Sc})|([A-Z]{3}|[A-Z]{0,2}\p{Sc})$/u;

/** The mark of an amount; null where there is none. */
export function markIn(text: string): string | null {
  const [, before, after] = marked.exec(text.trim()) ?? [];
  return before ?? after ?? null;
}

export const withoutMark = (text: string): string =>
  text.replace(/^([+-]?)\s*(?:[A-Z]{3}|[A-Z]{0,2}\p{Sc})|(?:[A-Z]{3}|[A-Z]{0,2}\p{Sc})$/gu, "$1").trim();

/** Whether an amount with this mark may be one in this currency: `$` fits every dollar. */
export const fits = (mark: string, currency: string): boolean => mark === currency || bySign().get(mark)?.has(currency) === true;

/** The currency that a mark says; null for one that several large currencies share. */
export function meantBy(mark: string): string | null {
  if (isCurrency(mark)) return mark;
  if (mark === "$" || mark === "¥" || mark === "￥") return null;
  return [...(bySign().get(mark) ?? [])][0] ?? null;
}

/** Signs that people write, and Intl does not. */
const others: readonly (readonly [string, string])[] = [
  ["US$", "USD"],
  ["C$", "CAD"],
  ["AU$", "AUD"],
  ["S$", "SGD"],
  ["￥", "JPY"],
  ["￥", "CNY"],
];

let signs: Map<string, Set<string>> | undefined;

/** The currencies of each sign. The one that has it for itself comes first: `£` is GBP before it is EGP. */
function bySign(): Map<string, Set<string>> {
  if (signs !== undefined) return signs;
  const found = new Map<string, Set<string>>();
  const add = (sign: string, code: string) => found.set(sign, (found.get(sign) ?? new Set()).add(code));
  for (const currencyDisplay of ["symbol", "narrowSymbol"] as const)
    for (const currency of Intl.supportedValuesOf("currency")) {
      const format = new Intl.NumberFormat("en-US", { style: "currency", currency, currencyDisplay });
      add(format.formatToParts(0).find(({ type }) => type === "currency")!.value, currency);
    }
  for (const [sign, code] of others) add(sign, code);
  return (signs = found);
}
