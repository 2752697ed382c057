import assert from "node:assert/strict";
import { test } from "node:test";
import { countriesIn } from "./countries_in.ts";

test("countries are found by name, by code as people write it, and each once", () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ["shops in Germany, the UK and US", ["DE", "GB", "US"]],
    ["the United States of America, or Canada.", ["US", "CA"]],
    ["it is in no country, at all", []],
    ["Côte d'Ivoire and South Korea and south korea", ["CI", "KR"]],
    ["teams in the U.S. and USA", ["US"]],
  ];

  for (const [text, codes] of table) assert.deepEqual(countriesIn(text), codes, text);
});
