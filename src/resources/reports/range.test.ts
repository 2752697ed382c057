// Ranges of time: where they start and end, in any time zone and on any day.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { periodsOf, relative } from "./range.ts";

const at = (now: string, name: Parameters<typeof relative>[1], zone: string) => {
  const { start, end } = relative(new Date(now), name, zone);
  return [start, end];
};

describe("a relative range", () => {
  test("is that of the caller's calendar, which may be on another day than UTC", () => {
    const now = "2026-01-01T02:00:00.000Z";

    assert.deepEqual(at(now, "today", "UTC"), ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"]);
    assert.deepEqual(at(now, "today", "-04:00"), ["2025-12-31T04:00:00.000Z", "2026-01-01T04:00:00.000Z"]);
    assert.deepEqual(at(now, "this-year", "-04:00"), ["2025-01-01T04:00:00.000Z", "2026-01-01T04:00:00.000Z"]);
    assert.deepEqual(at(now, "today", "+05:30"), ["2025-12-31T18:30:00.000Z", "2026-01-01T18:30:00.000Z"]);
  });

  test("has 23 hours on the day clocks go forward, and 25 on the day they go back", () => {
    assert.deepEqual(at("2026-03-29T12:00:00.000Z", "today", "Europe/Berlin"), [
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T22:00:00.000Z",
    ]);
    assert.deepEqual(at("2026-10-25T12:00:00.000Z", "today", "Europe/Berlin"), [
      "2026-10-24T22:00:00.000Z",
      "2026-10-25T23:00:00.000Z",
    ]);
    assert.deepEqual(at("2026-03-30T12:00:00.000Z", "last-week", "Europe/Berlin"), [
      "2026-03-22T23:00:00.000Z",
      "2026-03-29T22:00:00.000Z",
    ]);
    assert.deepEqual(at("2026-03-31T12:00:00.000Z", "this-month", "America/New_York"), [
      "2026-03-01T05:00:00.000Z",
      "2026-04-01T04:00:00.000Z",
    ]);
  });

  test("begins at one o'clock where the hour after midnight does not exist", () => {
    assert.deepEqual(at("2026-04-24T12:00:00.000Z", "today", "Africa/Cairo"), [
      "2026-04-23T22:00:00.000Z",
      "2026-04-24T21:00:00.000Z",
    ]);
  });

  test("holds at the ends of months and in leap years", () => {
    assert.deepEqual(at("2024-03-31T12:00:00.000Z", "last-month", "UTC"), [
      "2024-02-01T00:00:00.000Z",
      "2024-03-01T00:00:00.000Z",
    ]);
    assert.deepEqual(at("2024-02-29T23:59:59.999Z", "today", "UTC"), ["2024-02-29T00:00:00.000Z", "2024-03-01T00:00:00.000Z"]);
    assert.deepEqual(at("2024-02-29T12:00:00.000Z", "last-year", "UTC"), [
      "2023-01-01T00:00:00.000Z",
      "2024-01-01T00:00:00.000Z",
    ]);
    assert.deepEqual(at("2026-12-31T23:00:00.000Z", "this-quarter", "UTC"), [
      "2026-10-01T00:00:00.000Z",
      "2027-01-01T00:00:00.000Z",
    ]);
    assert.deepEqual(at("2026-05-31T12:00:00.000Z", "last-quarter", "UTC"), [
      "2026-01-01T00:00:00.000Z",
      "2026-04-01T00:00:00.000Z",
    ]);
  });

  test("has weeks that begin on Monday, across the year's end too", () => {
    assert.deepEqual(at("2027-01-03T12:00:00.000Z", "this-week", "UTC"), [
      "2026-12-28T00:00:00.000Z",
      "2027-01-04T00:00:00.000Z",
    ]);
    assert.deepEqual(at("2027-01-04T00:00:00.000Z", "last-week", "UTC"), [
      "2026-12-28T00:00:00.000Z",
      "2027-01-04T00:00:00.000Z",
    ]);
  });

  test("and the one before it meet without a gap", () => {
    for (const unit of ["week", "month", "quarter", "year"] as const)
      for (const zone of ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "-03:30"])
        assert.equal(
          at("2026-04-01T00:30:00.000Z", `last-${unit}`, zone)[1],
          at("2026-04-01T00:30:00.000Z", `this-${unit}`, zone)[0],
        );
  });
});

describe("the periods of a range", () => {
  test("are days of their own length", () => {
    const range = { start: "2026-03-27T23:00:00.000Z", end: "2026-03-30T22:00:00.000Z", zone: "Europe/Berlin" };

    const { days, starts } = periodsOf(range, "day");

    assert.deepEqual(days, ["2026-03-28", "2026-03-29", "2026-03-30"]);
    assert.deepEqual(starts, ["2026-03-27T23:00:00.000Z", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"]);
  });

  test("are the months it touches, the last one not when it ends where that begins", () => {
    const range = { start: "2024-01-31T00:00:00.000Z", end: "2024-03-01T00:00:00.000Z", zone: "UTC" };

    assert.deepEqual(periodsOf(range, "month").days, ["2024-01-01", "2024-02-01"]);
  });

  test("reach over all that is found where the range has no bounds", () => {
    const range = { start: null, end: null, zone: "UTC" };

    assert.deepEqual(periodsOf(range, "month", ["2024-02-29", null, "2024-04-01T00:00:00+00:00"]).days, [
      "2024-02-01",
      "2024-03-01",
      "2024-04-01",
    ]);
    assert.deepEqual(periodsOf(range, "day").days, []);
  });
});
