import assert from "node:assert/strict";
import { test } from "node:test";
import { hasWebAddress } from "./web_address.ts";

test("an address is found in a name, in whatever letters it is written", () => {
  const all = [
    "Win at www.evil",
    "evil.test",
    "https://evil/0",
    "evil。test",
    "evil｡test",
    "evil．test",
    "evil․test",
    "ｅｖｉｌ．ｔｅｓｔ",
    "evil[.]test",
    "evil (.) test",
    "evil.\u200btest",
    "evi\u00adl\u200b.test",
    "h t t p s evil․test",
    "h：／／evil",
    "localhost/x",
    "localhost:8080",
    "ईविल.कॉम",
    "зло.рф",
  ];
  for (const name of all) assert.ok(hasWebAddress(name), name);
});

test("names of people and companies are none", () => {
  const all = [
    "Dr. Ana",
    "A.B. Müller GmbH",
    "J.R.R. Tolkien",
    "S.p.A.",
    "ए.पी.जे. अब्दुल कलाम",
    "モーニング娘。",
    "椅子。テーブル",
    "Dorothy (Dot) Smith",
    "Ann…Lee",
    "24/7 Støtte A/S",
    "Müller: Söhne",
    "דנה לוי",
    "Local Hosts Ltd.",
  ];
  for (const name of all) assert.ok(!hasWebAddress(name), name);
});
