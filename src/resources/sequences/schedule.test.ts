import assert from "node:assert/strict";
import { test } from "node:test";
import { afterDelay, nextSlot } from "./schedule.ts";

const officeHours = { ranges: [1, 2, 3, 4, 5].map((weekday) => ({ weekday, start: "09:00", end: "17:00" })) };
const next = (hours: Parameters<typeof nextSlot>[0], timezone: string, at: string) =>
  nextSlot(hours, timezone, new Date(at)).toISOString();

test("any time is good where no hours are said", () => {
  assert.equal(next(null, "Europe/Berlin", "2026-01-03T03:04:05.678Z"), "2026-01-03T03:04:05.678Z");
});

test("within the hours it is now, before them when they open, after them on the next day that has some", () => {
  assert.equal(next(officeHours, "Europe/Berlin", "2026-01-02T10:00:00.000Z"), "2026-01-02T10:00:00.000Z");
  assert.equal(next(officeHours, "Europe/Berlin", "2026-01-02T05:00:00.000Z"), "2026-01-02T08:00:00.000Z");
  assert.equal(next(officeHours, "Europe/Berlin", "2026-01-02T16:00:00.000Z"), "2026-01-05T08:00:00.000Z");
});

test("hours are those of the clock there, also after it was changed", () => {
  assert.equal(next(officeHours, "Europe/Berlin", "2026-03-27T20:00:00.000Z"), "2026-03-30T07:00:00.000Z");
  assert.equal(next(officeHours, "America/New_York", "2026-03-30T04:00:00.000Z"), "2026-03-30T13:00:00.000Z");
});

test("an hour that the clocks leave out is waited for until the week after", () => {
  const night = { ranges: [{ weekday: 7, start: "02:00", end: "03:00" }] };

  assert.equal(next(night, "Europe/Berlin", "2026-03-28T12:00:00.000Z"), "2026-04-05T00:00:00.000Z");
});

test("a day may last until midnight, and have a break", () => {
  const hours = {
    ranges: [
      { weekday: 1, start: "14:00", end: "24:00" },
      { weekday: 1, start: "09:00", end: "12:00" },
    ],
  };

  assert.equal(next(hours, "UTC", "2026-01-05T12:30:00.000Z"), "2026-01-05T14:00:00.000Z");
  assert.equal(next(hours, "UTC", "2026-01-05T23:59:59.999Z"), "2026-01-05T23:59:59.999Z");
  assert.equal(next(hours, "UTC", "2026-01-06T00:00:00.000Z"), "2026-01-12T09:00:00.000Z");
});

test("a delay in days is one of the calendar there, and business days leave out the weekend", () => {
  const after = (at: string, amount: number, unit: "hours" | "days" | "weeks" | "business_days") =>
    afterDelay(new Date(at), { amount, unit }, "Europe/Berlin").toISOString();

  assert.equal(after("2026-03-28T09:00:00.000Z", 24, "hours"), "2026-03-29T09:00:00.000Z");
  assert.equal(after("2026-03-28T09:00:00.000Z", 1, "days"), "2026-03-29T08:00:00.000Z");
  assert.equal(after("2026-01-02T09:00:00.000Z", 1, "weeks"), "2026-01-09T09:00:00.000Z");
  assert.equal(after("2026-01-02T09:00:00.000Z", 1, "business_days"), "2026-01-05T09:00:00.000Z");
  assert.equal(after("2026-01-03T09:00:00.000Z", 6, "business_days"), "2026-01-12T09:00:00.000Z");
  assert.equal(afterDelay(new Date("2026-01-03T09:00:00.000Z"), 90, "UTC").toISOString(), "2026-01-03T09:01:30.000Z");
});
