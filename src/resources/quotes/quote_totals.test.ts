import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Line, lineTotals, taxOn } from "../opportunities/line_totals.ts";
import { discountable, quoteTotals, sharedTotals, taxesOf, totalByPeriod } from "./quote_totals.ts";

const plain: Line = {
  quantity: 1,
  unit_price: 0,
  discount: 0,
  discount_type: "percentage",
  tax_percent: 0,
  tax_method: "exclusive",
};
const percent = fc.oneof(
  fc.constantFrom(5, 7.5, 19),
  fc.integer({ min: 0, max: 10_000 }).map((value) => value / 100),
);
const line = fc.record({
  unit_price: fc.integer({ min: 0, max: 10_000_000 }),
  quantity: fc.integer({ min: 1, max: 100_000 }).map((value) => value / 1000),
  discount: percent,
  discount_type: fc.constant("percentage" as const),
  tax_percent: percent,
  tax_method: fc.constantFrom("exclusive" as const, "inclusive" as const, "none" as const),
  billing_period: fc.constantFrom("one_time" as const, "monthly" as const, "annual" as const),
});

test("the discount on the whole comes off before tax, shared by what the lines are worth", () => {
  const line_items = [
    { ...plain, unit_price: 10_000, tax_percent: 20 },
    { ...plain, unit_price: 5_000, tax_percent: 10, tax_method: "inclusive" as const },
  ];

  const totals = quoteTotals({ line_items, discount: 1_500, discount_type: "amount" });

  assert.deepEqual(totals, { subtotal: 15_000, discount_total: 1_500, tax_total: 1_800 + 409, total: 9_000 + 1_800 + 4_500 });
});

test("the tax of a rate is rounded once, not for each line", () => {
  const line_items = Array.from({ length: 3 }, () => ({ ...plain, unit_price: 10, tax_percent: 5 }));

  const totals = quoteTotals({ line_items, discount: 0, discount_type: "percentage" });

  assert.deepEqual([totals.tax_total, totals.total], [2, 32]);
});

test("without a discount on the whole, a quote comes to what its lines come to before tax", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (line_items) => {
      const totals = quoteTotals({ line_items, discount: 0, discount_type: "percentage" });

      for (const key of ["subtotal", "discount_total"] as const)
        assert.equal(
          totals[key],
          line_items.map(lineTotals).reduce((sum, one) => sum + one[key], 0),
        );
    }),
  );
});

test("whatever the lines and the discount are, every sum is whole, adds up, and no line goes below nothing", () => {
  const part = fc.integer({ min: 0, max: 1_000_000 }).map((value) => value / 1_000_000);

  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), part, fc.boolean(), (line_items, share, asAmount) => {
      const most = discountable(line_items);
      const discount = asAmount ? Math.floor(most * share) : Math.round(share * 10_000) / 100;
      const whole = { discount, discount_type: asAmount ? ("amount" as const) : ("percentage" as const) };

      const totals = quoteTotals({ line_items, ...whole });
      const lines = sharedTotals(line_items, whole);

      assert.ok(Object.values(totals).every((one) => Number.isSafeInteger(one) && one >= 0));
      for (const one of lines) assert.ok(one.discount_total >= 0 && one.discount_total <= one.subtotal);
      const onTop = lines.reduce((sum, one, i) => sum + (line_items[i]!.tax_method === "exclusive" ? one.tax_total : 0), 0);
      assert.equal(totals.total, totals.subtotal - totals.discount_total + onTop);
      const taxes = taxesOf({ line_items, ...whole });
      for (const { base, tax_total, ...rate } of taxes) assert.equal(tax_total, taxOn(base, rate));
      assert.equal(
        totals.tax_total,
        taxes.reduce((sum, one) => sum + one.tax_total, 0),
      );
      const due = totalByPeriod({ line_items, ...whole });
      assert.equal(totals.total, due.one_time + due.monthly + due.annual);
      if (asAmount) assert.equal(totals.discount_total, totals.subtotal - most + discount);
    }),
  );
});

test("what is taxed of each rate is within a cent of the exact amount, and the nearest one wherever these add up", () => {
  const rates = fc.constantFrom(0, 7, 19, 25.5);
  const priced = fc.record({
    unit_price: fc.integer({ min: 0, max: 5_000 }),
    tax_percent: rates,
    tax_method: fc.constantFrom("exclusive" as const, "inclusive" as const),
  });
  const inTenths = fc.integer({ min: 0, max: 1000 });

  fc.assert(
    fc.property(fc.array(priced, { minLength: 1, maxLength: 12 }), inTenths, fc.boolean(), (lines, tenths, asAmount) => {
      const line_items = lines.map((one) => ({ ...plain, ...one }));
      const sum = lines.reduce((all, { unit_price }) => all + BigInt(unit_price), 0n);
      // The remaining part of the whole, as a fraction: of 1000 tenths of a percent, or of all cents.
      const amount = (sum * BigInt(tenths)) / 1000n;
      const [left, of] = asAmount ? [sum - amount, sum || 1n] : [1000n - BigInt(tenths), 1000n];
      const discount = asAmount ? Number(amount) : tenths / 10;
      const whole = { line_items, discount, discount_type: asAmount ? ("amount" as const) : ("percentage" as const) };

      const totals = quoteTotals(whole);
      const taxes = taxesOf(whole);

      const exactly = ({ tax_percent, tax_method }: Pick<Line, "tax_percent" | "tax_method">) =>
        lines
          .filter((one) => one.tax_percent === tax_percent && (one.tax_method === tax_method || tax_percent === 0))
          .reduce((all, { unit_price }) => all + BigInt(unit_price) * left, 0n);
      const bases = [...taxes, { tax_percent: 0, tax_method: "exclusive" as const, base: untaxedOf(whole) }];
      for (const { base, ...rate } of bases) {
        const off = BigInt(base) * of - exactly(rate);
        assert.ok(off > -of && off < of, `${base} of ${exactly(rate)} / ${of}`);
      }
      const nearest = bases.map((rate) => Number((2n * exactly(rate) + of - 1n) / (2n * of)));
      const net = totals.subtotal - totals.discount_total;
      const alike = bases.every((rate) => 2n * (exactly(rate) % of) !== of);
      if (alike && nearest.reduce((all, one) => all + one, 0) === net)
        assert.deepEqual(
          bases.map(({ base }) => base),
          nearest,
        );
      assert.equal(
        net,
        bases.reduce((all, { base }) => all + base, 0),
      );
      for (const { base, tax_percent, tax_method, tax_total } of taxes) {
        const percent = BigInt(tax_percent * 10);
        const under = tax_method === "exclusive" ? 1000n : 1000n + percent;
        assert.equal(BigInt(tax_total), (2n * BigInt(base) * percent + under) / (2n * under));
      }
    }),
    { numRuns: 1000 },
  );
});

/** The rest of the lines without tax. */
const untaxedOf = (whole: { line_items: Line[]; discount: number; discount_type: "amount" | "percentage" }): number =>
  sharedTotals(whole.line_items, whole).reduce(
    (sum, one, i) => sum + (whole.line_items[i]!.tax_percent === 0 ? one.subtotal - one.discount_total : 0),
    0,
  );
