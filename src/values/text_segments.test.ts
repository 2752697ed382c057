import assert from "node:assert/strict";
import { test } from "node:test";
import { SegmentedMessage } from "sms-segments-calculator";
import { textSegments } from "./text_segments.ts";

test("a text has as many segments as networks count", () => {
  const counts = [
    ["", 0],
    ["Hello", 1],
    ["a".repeat(160), 1],
    ["a".repeat(161), 2],
    ["a".repeat(306), 2],
    ["a".repeat(307), 3],
    ["€".repeat(80), 1],
    [`${"a".repeat(152)}€${"a".repeat(10)}`, 2],
    ["é".repeat(160), 1],
    ["ê".repeat(70), 1],
    ["ê".repeat(71), 2],
    ["😀".repeat(35), 1],
    ["😀".repeat(36), 2],
    [`${"ж".repeat(66)}😀жжж`, 2],
    ["“quoted”", 1],
    [`“${"a".repeat(70)}`, 2],
  ] as const;

  for (const [text, count] of counts) assert.equal(textSegments(text), count, text);
});

test("it is counted as Twilio's own calculator counts it", () => {
  const alphabets = ["abc XYZ 123\n", "a€{[", "aжé", "a😀", "日本語 ", "ß~ü^", "e\u0301x", "👨‍👩‍👧a"];
  for (const alphabet of alphabets)
    for (const length of [1, 60, 67, 68, 70, 71, 134, 135, 153, 154, 160, 161, 306, 307, 500]) {
      const letters = [...alphabet];
      const text = Array.from({ length }, (_, i) => letters[(i * 7 + length) % letters.length]).join("");
      assert.equal(textSegments(text), new SegmentedMessage(text).segmentsCount, JSON.stringify([alphabet, length]));
    }
});
