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
