import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { currencyDigits, currencySymbol, formatMoney, isCurrency } from "./money.ts";

test("a price reads as people write it, with its currency's own decimals", () => {
  const shown = [
    [1_200_000, "USD", "$12,000.00"],
    [0, "USD", "$0.00"],
    [7, "EUR", "€0.07"],
    [-123_456, "GBP", "-£1,234.56"],
    [1_500, "JPY", "¥1,500"],
    [1_234_567, "KWD", "KWD\u00A01,234.567"],
    [1_250, "HUF", "HUF\u00A012.50"],
    [-0, "USD", "$0.00"],
  ] as const;

  for (const [minor, currency, text] of shown) assert.equal(formatMoney(minor, currency), text);
});

test("no value has no price", () => {
  assert.equal(formatMoney(null, "USD"), null);
});

test("the largest amount is shown to the cent", () => {
  assert.equal(formatMoney(Number.MAX_SAFE_INTEGER, "USD"), "$90,071,992,547,409.91");
});

test("every amount in every currency reads as Intl would write it with ISO 4217's decimals", () => {
  const currency = fc.constantFrom(...Intl.supportedValuesOf("currency"));

  fc.assert(
    fc.property(fc.integer(), currency, (minor, code) => {
      const digits = currencyDigits(code);
      const intl = new Intl.NumberFormat("en-US", {
        style: "currency",
        currency: code,
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      });
      assert.equal(formatMoney(minor, code), intl.format(minor / 10 ** digits));
    }),
  );
});

test("currencies are known by their upper-case ISO code and shown by their symbol", () => {
  assert.deepEqual(["USD", "KWD", "usd", "XYZ", ""].map(isCurrency), [true, true, false, false, false]);
  assert.deepEqual(["USD", "CAD", "CHF"].map(currencySymbol), ["$", "CA$", "CHF"]);
  assert.throws(() => formatMoney(1, "dollars"), RangeError);
});
