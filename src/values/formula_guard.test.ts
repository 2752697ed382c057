import assert from "node:assert/strict";
import { test } from "node:test";
import { withGuard, withoutGuard } from "./formula_guard.ts";

test("what a spreadsheet would run gets a mark, in full width and after line breaks too, and comes back as it was", () => {
  for (const text of [
    "=1+1",
    "+A1",
    "-1+A1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1+1",
    "＋1",
    "－1",
    "＠x",
    "'=1",
    "''=1",
    "+1 5",
  ]) {
    assert.equal(withGuard(text), `'${text}`);
    assert.equal(withoutGuard(withGuard(text)), text);
  }
});

test("numbers, phone numbers with their country and other text stay as they are", () => {
  for (const text of ["-5", "+4930901820", "-1.5", "a=b", "'quoted'", "", "O'Neill"]) {
    assert.equal(withGuard(text), text);
    assert.equal(withoutGuard(text), text);
  }
});
