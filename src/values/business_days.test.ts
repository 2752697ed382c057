// Business days leave out weekends and holidays, in both directions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Temporal } from "temporal-polyfill";
import { addBusinessDays } from "./business_days.ts";

const after = (from: string, amount: number, holidays: string[] = []) =>
  addBusinessDays(Temporal.PlainDate.from(from), amount, holidays).toString();

test("five of them are a week, and from a weekend they count from the weekday beside it", () => {
  assert.equal(after("2026-01-02", 1), "2026-01-05");
  assert.equal(after("2026-01-02", 5), "2026-01-09");
  assert.equal(after("2026-01-03", 1), "2026-01-05");
  assert.equal(after("2026-01-03", -1), "2026-01-02");
  assert.equal(after("2026-01-05", -6), "2025-12-26");
  assert.equal(after("2026-01-03", 0), "2026-01-03");
});

test("a holiday is none, also when it is reached only because of another one", () => {
  const christmas = ["2026-12-25", "2026-12-26", "2026-12-28"];
  assert.equal(after("2026-12-24", 1, christmas), "2026-12-29");
  assert.equal(after("2026-12-29", -1, christmas), "2026-12-24");
  assert.equal(after("2026-12-24", 1, ["2026-12-24", "2026-12-25", "2026-12-25"]), "2026-12-28");
  const zoned = Temporal.ZonedDateTime.from("2026-12-24T09:30[Europe/Berlin]");
  assert.equal(addBusinessDays(zoned, 2, christmas).toString(), "2026-12-30T09:30:00+01:00[Europe/Berlin]");
});
