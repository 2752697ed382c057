import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { includedPercentOf, partOf, percentOf, shared, times } from "./decimal.ts";

test("halves are rounded up where floats would lose them", () => {
  assert.equal(times(100, 1.005), 101);
  assert.equal(1.005 * 100, 100.49999999999999);
  assert.equal(percentOf(110, 0.5), 1);
  assert.equal(percentOf(335, 30), 101);
});

test("an included percentage is what was on top of the rest", () => {
  assert.equal(includedPercentOf(119, 19), 19);
  assert.equal(includedPercentOf(100, 0), 0);
  assert.equal(includedPercentOf(10_000, 7.5), 698);
});

test("very small and very large numbers are read as they are written", () => {
  assert.equal(times(10_000_000, 5e-7), 5);
  assert.equal(times(0, 1e300), 0);
  assert.equal(times(1, 1e15), 1e15);
  assert.equal(percentOf(1e14, 1e-12), 1);
});

test("for any amount and any number of up to six places the result is the nearest whole number", () => {
  const amount = fc.integer({ min: 0, max: 1e9 });
  const millionths = fc.integer({ min: 0, max: 1e9 });
  const nearest = (numerator: bigint, denominator: bigint) => {
    const rest = numerator % denominator;
    return Number(numerator / denominator + (2n * rest >= denominator ? 1n : 0n));
  };

  fc.assert(
    fc.property(amount, millionths, (a, m) => {
      const product = BigInt(a) * BigInt(m);
      assert.equal(times(a, m / 1e6), nearest(product, 1_000_000n));
      assert.equal(percentOf(a, m / 1e6), nearest(product, 100_000_000n));
      assert.equal(includedPercentOf(a, m / 1e6), nearest(product, 100_000_000n + BigInt(m)));
    }),
  );
});

test("shares add up, and each is its exact share rounded down or up", () => {
  assert.deepEqual(shared(16, [58, 259], partOf(5, 100)), [3, 13]);
  assert.deepEqual(shared(100, [1, 1, 1], partOf(100, 3)), [34, 33, 33]);
  assert.deepEqual(shared(0, [0, 0], partOf(0, 0)), [0, 0]);
});
