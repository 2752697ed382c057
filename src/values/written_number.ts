// Numbers as people write them.

const units: ReadonlyMap<string, number> = new Map([
  ["k", 1e3],
  ["thousand", 1e3],
  ["m", 1e6],
  ["million", 1e6],
]);

/**
 * `"12,000"`, `"12.000"`, `"12'000"` → 12000, `"12.5"`, `"12,50"` → 12.5: a sign before exactly three digits groups them. With a unit
 * (`k`, `thousand`, `m`, `million`, in any case) as many of those. NaN where it is no number.
 */
export const writtenNumber = (digits: string, unit = ""): number =>
  Number(
    digits
      .replace(/[.,'](?=\d{3}(?!\d))/g, "")
      .replace(/[.,']$/, "")
      .replace(/[,']/g, "."),
  ) * (units.get(unit.toLowerCase()) ?? 1);
