/**
 * Money: integer minor units on the wire, "$12,000.00" for readers.
 *
 * Digits and grouping are written here, not by Intl: Node's ICU gives HUF, COP, IDR and PKR no decimals. That follows cash in
 * shops and not ISO 4217: 1250 HUF minor units would read "HUF 1,250".
 */

/**
 * `1200000, "USD"` → `"$12,000.00"`; `-1500, "JPY"` → `"-¥1,500"`; null → null. Always en-US.
 * RangeError for a code that is not three letters.
 */
export function formatMoney(minorUnits: number | null, currency: string): string | null {
  if (minorUnits === null) return null;
  const symbol = currencySymbol(currency);
  const digits = currencyDigits(currency);
  const prefix = /[\w.]$/.test(symbol) ? `${symbol}\u00A0` : symbol;
  const rounded = Math.round(minorUnits);

  const amount = String(Math.abs(rounded)).padStart(digits + 1, "0");
  const cut = amount.length - digits;
  let whole = amount.slice(0, cut);
  for (let i = cut - 3; i > 0; i -= 3) whole = `${whole.slice(0, i)},${whole.slice(i)}`;
  return `${rounded < 0 ? "-" : ""}${prefix}${whole}${digits ? `.${amount.slice(cut)}` : ""}`;
}

/** `"USD"` → `"$"`, `"CAD"` → `"CA$"`, `"CHF"` → `"CHF"`. RangeError for a code that is not three letters. */
export function currencySymbol(code: string): string {
  if (!/^[a-z]{3}$/i.test(code)) throw new RangeError(`${code} is no code of a currency`);
  return SYMBOLS.get(code.toUpperCase()) ?? code.toUpperCase();
}

/** How many decimals the currency has: USD 2, JPY 0, KWD 3 (ISO 4217). */
export function currencyDigits(code: string): number {
  return DIGITS.get(code) ?? 2;
}

/** True for an upper-case ISO 4217 code, `"EUR"`. False for `"eur"` and `"XYZ"`. */
export function isCurrency(code: string): boolean {
  codes ??= new Set(Intl.supportedValuesOf("currency"));
  return codes.has(code);
}

const DIGITS = new Map<string, number>([
  ...each("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF", 0),
  ...each("BHD IQD JOD KWD LYD OMR TND", 3),
  ...each("CLF UYW", 4),
]);
/** As en-US writes those that it does not write by their code. To ask Intl for all of them would take a tenth of a start. */
const SYMBOLS = new Map<string, string>(
  Object.entries({
    AUD: "A$",
    BRL: "R$",
    CAD: "CA$",
    CNY: "CN¥",
    EUR: "€",
    GBP: "£",
    HKD: "HK$",
    ILS: "₪",
    INR: "₹",
    JPY: "¥",
    KRW: "₩",
    MXN: "MX$",
    NZD: "NZ$",
    PHP: "₱",
    TWD: "NT$",
    USD: "$",
    VND: "₫",
    XAF: "FCFA",
    XCD: "EC$",
    XCG: "Cg.",
    XOF: "F\u202FCFA",
    XPF: "CFPF",
  }),
);
let codes: Set<string> | undefined;

function each(list: string, digits: number): [string, number][] {
  return list.split(" ").map((code) => [code, digits]);
}
