import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toLatin } from "./latin.ts";

test("what the letters of western Europe say stays as it is", () => {
  assert.equal(toLatin("Größe: 12 € – “très bien”"), "Größe: 12 € – “très bien”");
});

test("other letters are written in Latin ones where there is a way", () => {
  assert.equal(toLatin("Łódź"), "Lódz");
  assert.equal(toLatin("Москва, Щука"), "Moskva, Shchuka");
  assert.equal(toLatin("Ελλάδα"), "Ellada");
  assert.equal(toLatin("₹100 ﬁne Ａ"), "INR100 fine A");
  assert.equal(toLatin("東京 🎉"), "?? ?");
});

test("whatever the text is, only letters that can be shown and line breaks are left", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.match(toLatin(text), /^[\n\u0020-\u007e\u00a0-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/);
    }),
  );
  assert.equal(toLatin("a\r\nb\tc\u0000\ud800"), "a\nb c?");
});
