/**
 * Exact arithmetic with whole amounts and decimal numbers. Only results are rounded, and halves are rounded up. There are no
 * binary fractions: 1.005 × 100 is 101 here and 100 in floats. Numbers are not negative, and results must be safe integers.
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

/** How much of an amount is a percentage that it already includes: `includedPercentOf(119, 19)` → `19`. */
export function includedPercentOf(amount: number, percent: number): number {
  const { digits, scale } = decimal(percent);
  return rounded(BigInt(amount) * digits, 100n * scale + digits);
}

/** A fraction that is not rounded. */
export interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

/** `part` of `whole`, exactly. Zero when the whole is zero. */
export function partOf(part: number, whole: number): Fraction {
  if (whole === 0) return { numerator: 0n, denominator: 1n };
  const [over, under] = [decimal(part), decimal(whole)];
  return { numerator: over.digits * under.scale, denominator: over.scale * under.digits };
}

/**
 * Splits `total` into whole shares, one for each part. The exact share is the part times the fraction. Units lost by rounding
 * down go, one each, to the shares that lost most: `shared(16, [58, 259], 5 %)` → `[3, 13]`, from exactly 2.9 and 12.95.
 */
export function shared(total: number, parts: readonly number[], { numerator, denominator }: Fraction): number[] {
  const exact = parts.map((part) => BigInt(part) * numerator);
  const shares = exact.map((one) => Number(one / denominator));
  const lost = exact.map((one, i) => ({ i, rest: one % denominator }));
  const left = total - shares.reduce((sum, one) => sum + one, 0);
  lost.sort((a, b) => (a.rest === b.rest ? a.i - b.i : a.rest > b.rest ? -1 : 1));
  for (const { i } of lost.slice(0, left)) shares[i]!++;
  return shares;
}

/** A number as a fraction of its written digits: 1.005 is 1005 / 1000, 5e-7 is 5 / 10000000. */
function decimal(value: number): { digits: bigint; scale: bigint } {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return places >= 0 ? { digits, scale: 10n ** BigInt(places) } : { digits: digits * 10n ** BigInt(-places), scale: 1n };
}

const rounded = (numerator: bigint, denominator: bigint): number => Number((2n * numerator + denominator) / (2n * denominator));
