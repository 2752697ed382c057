/**
 * Exact arithmetic of whole amounts and decimal numbers. Only results are rounded, halves up, and binary fractions never
 * take part: 1.005 × 100 is 101 here and 100 in floats. Numbers are not negative, and results have to be safe integers.
 */

/** `times(100, 1.005)` → `101`. */
export function times(amount: number, factor: number): number {
  const { digits, scale } = decimal(factor);
  return rounded(BigInt(amount) * digits, scale);
}

/** `percentOf(199, 7.5)` → `15`. */
export function percentOf(amount: number, percent: number): number {
  const { digits, scale } = decimal(percent);
  return rounded(BigInt(amount) * digits, 100n * scale);
}

/** How much of an amount is a percentage that it includes already: `includedPercentOf(119, 19)` → `19`. */
export function includedPercentOf(amount: number, percent: number): number {
  const { digits, scale } = decimal(percent);
  return rounded(BigInt(amount) * digits, 100n * scale + digits);
}

/** A number as it is written: 1.005 is 1005 / 1000, 5e-7 is 5 / 10000000. */
function decimal(value: number): { digits: bigint; scale: bigint } {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return places >= 0 ? { digits, scale: 10n ** BigInt(places) } : { digits: digits * 10n ** BigInt(-places), scale: 1n };
}

const rounded = (numerator: bigint, denominator: bigint): number => Number((2n * numerator + denominator) / (2n * denominator));
