import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { zoneAt } from "../values/time.ts";
import { type Amount, type Moment, moment, type PeriodName, resolveMoment, spanOf } from "./moments.ts";

const clock = (now: string, hours = 0) => ({ now: new Date(now), zone: zoneAt(hours * 60) });
const resolved = (given: unknown, now: string, hours = 0) => resolveMoment(moment.parse(given), clock(now, hours)).toISOString();
const period = (range: string, now: string, hours = 0) =>
  ["start", "end"].map((which) => resolved({ type: "start_end_of_predefined_relative_period", range, which }, now, hours));
const away = (direction: string, offset: Partial<Amount>, rest: object = {}) => ({
  type: "offset",
  direction,
  moment: { type: "now" },
  offset,
  ...rest,
});
const days = (...given: string[]) => given.map((day) => `${day}T00:00:00.000Z`);

test("a local date begins and ends at the caller's midnight", () => {
  const date = (which: string) => ({ type: "fixed_local_date", value: "2026-03-01", which });

  assert.equal(resolved(date("start"), "2026-01-01", -4), "2026-03-01T04:00:00.000Z");
  assert.equal(resolved(date("end"), "2026-01-01", 5.5), "2026-03-01T18:30:00.000Z");
});

test("today is the caller's day, not the server's", () => {
  assert.deepEqual(period("today", "2026-07-01T23:30:00Z", 2), ["2026-07-01T22:00:00.000Z", "2026-07-02T22:00:00.000Z"]);
  assert.deepEqual(period("yesterday", "2026-07-01T23:30:00Z"), days("2026-06-30", "2026-07-01"));
  assert.deepEqual(period("tomorrow", "2026-07-01T23:30:00Z"), days("2026-07-02", "2026-07-03"));
});

test("weeks start on Monday", () => {
  for (const day of ["2026-06-29", "2026-07-01", "2026-07-05"])
    assert.deepEqual(period("this-week", `${day}T12:00:00Z`), days("2026-06-29", "2026-07-06"));
  assert.deepEqual(period("last-week", "2026-01-01T12:00:00Z"), days("2025-12-22", "2025-12-29"));
  assert.deepEqual(period("next-week", "2026-01-01T12:00:00Z"), days("2026-01-05", "2026-01-12"));
});

test("months, quarters and years are the calendar's", () => {
  const now = "2026-01-31T12:00:00Z";
  assert.deepEqual(period("next-month", now), days("2026-02-01", "2026-03-01"));
  assert.deepEqual(period("last-month", now), days("2025-12-01", "2026-01-01"));
  assert.deepEqual(period("last-quarter", now), days("2025-10-01", "2026-01-01"));
  assert.deepEqual(period("this-quarter", "2026-06-30T12:00:00Z"), days("2026-04-01", "2026-07-01"));
  assert.deepEqual(period("this-year", now), days("2026-01-01", "2027-01-01"));
});

test("a month after 31 January is the last day of February", () => {
  assert.equal(resolved(away("future", { months: 1 }), "2026-01-31T09:30:00Z"), "2026-02-28T09:30:00.000Z");
  assert.equal(resolved(away("future", { months: 1 }), "2028-01-31T09:30:00Z"), "2028-02-29T09:30:00.000Z");
  assert.equal(resolved(away("past", { years: 1 }), "2028-02-29T09:30:00Z"), "2027-02-28T09:30:00.000Z");
  assert.equal(resolved(away("past", { months: 1, days: 1 }), "2026-03-31T00:00:00Z"), "2026-02-27T00:00:00.000Z");
});

test("an offset can stretch to an edge of the day it reaches, and start from another", () => {
  const now = "2026-07-10T15:00:00Z";
  const dayStart = away("past", { days: 3 }, { which_day_end: "start" });

  assert.equal(resolved(dayStart, now, -4), "2026-07-07T04:00:00.000Z");
  assert.equal(resolved(away("past", { days: 3 }, { which_day_end: "end" }), now, -4), "2026-07-08T04:00:00.000Z");
  assert.equal(resolved(away("future", { hours: 9 }, { moment: dayStart }), now, -4), "2026-07-07T13:00:00.000Z");
});

test("times without an offset are UTC", () => {
  const utc = (value: string) => resolved({ type: "fixed_utc", value }, "2026-01-01", 3);
  assert.equal(utc("2020-01-01T00:00"), "2020-01-01T00:00:00.000Z");
  assert.equal(utc("2020-01-01 00:00:00.5-0330"), "2020-01-01T03:30:00.500Z");
  assert.equal(utc("2020-01-01"), "2020-01-01T00:00:00.000Z");
});

test("the words of a text query name spans of time", () => {
  const span = (text: string) => {
    const { start, end } = spanOf(text)!;
    return [start, end].map((edge) => resolveMoment(edge, clock("2026-07-10T15:00:00Z")).toISOString());
  };

  assert.deepEqual(span("Today"), days("2026-07-10", "2026-07-11"));
  assert.deepEqual(span("last week"), span("last-week"));
  assert.deepEqual(span("7 days ago"), days("2026-07-03", "2026-07-04"));
  assert.deepEqual(span("a month ago"), days("2026-06-10", "2026-06-11"));
  assert.deepEqual(span("in 2 weeks"), span("2 weeks from now"));
  assert.deepEqual(span("2 hours ago"), ["2026-07-10T13:00:00.000Z", "2026-07-10T13:00:00.000Z"]);
  assert.deepEqual(span("2026-02-28"), days("2026-02-28", "2026-03-01"));
  assert.deepEqual(span("2020-01-01T00:00"), ["2020-01-01T00:00:00.000Z", "2020-01-01T00:00:00.001Z"]);
  assert.deepEqual(span("last 7 days"), days("2026-07-03", "2026-07-11"));
  assert.deepEqual(span("next 2 weeks"), days("2026-07-10", "2026-07-25"));
  assert.deepEqual(span("-7d"), span("7 days ago"));
  assert.deepEqual(span("+2h"), span("in 2 hours"));
  assert.deepEqual(span("first day of this month"), days("2026-07-01", "2026-07-02"));
  assert.deepEqual(span("last day of last quarter"), days("2026-06-30", "2026-07-01"));
  assert.deepEqual(span("beginning of this year"), days("2026-01-01", "2026-01-01"));
  assert.deepEqual(span("end of next month"), days("2026-09-01", "2026-09-01"));
  assert.deepEqual(span("2026"), days("2026-01-01", "2027-01-01"));
  assert.deepEqual(span("2026-02"), days("2026-02-01", "2026-03-01"));
  assert.deepEqual(span("Feb 2026"), span("february 2026"));
  for (const text of ["2026-13", "Smarch 2026", "last 5 fridays", "first of may", "7d"]) assert.equal(spanOf(text), null, text);
  for (const text of ["soon", "", "in", "days ago", "2026-02-30", "7 days"]) assert.equal(spanOf(text), null, text);
});

const anyClock = fc.record({
  now: fc.date({ min: new Date("1900-01-01"), max: new Date("2200-01-01"), noInvalidDate: true }),
  zone: fc.oneof(
    fc.integer({ min: -56, max: 56 }).map((quarters) => zoneAt(quarters * 15)),
    fc.constantFrom("Europe/Berlin", "America/New_York", "Pacific/Auckland", "Asia/Kathmandu"),
  ),
});

test("every period begins before it ends, where the one before it ended", () => {
  const edge = (range: PeriodName, which: "start" | "end"): Moment => ({
    type: "start_end_of_predefined_relative_period",
    range,
    which,
  });
  const unit = fc.constantFrom("week" as const, "month" as const, "quarter" as const, "year" as const);

  fc.assert(
    fc.property(anyClock, unit, (at, unit) => {
      const edges = [
        edge(`last-${unit}`, "start"),
        edge(`last-${unit}`, "end"),
        edge(`this-${unit}`, "start"),
        { type: "now" } as const,
        edge(`this-${unit}`, "end"),
        edge(`next-${unit}`, "start"),
        edge(`next-${unit}`, "end"),
      ].map((given) => resolveMoment(given, at).getTime());
      const [lastStart, lastEnd, start, now, end, nextStart, nextEnd] = edges as [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
      ];

      assert.ok(
        lastStart < lastEnd && lastEnd === start && start <= now && now < end && end === nextStart && nextStart < nextEnd,
      );
    }),
  );
});

test("months away keep the day of the month, or its last", () => {
  fc.assert(
    fc.property(anyClock, fc.integer({ min: 0, max: 600 }), (at, months) => {
      const there = resolveMoment(moment.parse(away("future", { months })), { ...at, zone: "UTC" });

      const first = new Date(Date.UTC(at.now.getUTCFullYear(), at.now.getUTCMonth() + months, 1));
      const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
      assert.equal(there.getUTCMonth(), first.getUTCMonth());
      assert.equal(there.getUTCDate(), Math.min(at.now.getUTCDate(), last));
    }),
  );
});

test("no sum of offsets leaves the years that PostgreSQL and JSON agree on", () => {
  const most = { years: 1_000, months: 12_000, weeks: 60_000, days: 400_000, hours: 9_000_000 };
  for (const direction of ["past", "future"]) {
    const twice = away(direction, most, { moment: away(direction, most) });
    assert.match(resolved(twice, "2026-01-01"), /^(0001-01-01T00:00:00.000Z|9999-12-31T23:59:59.999Z)$/);
  }
});
