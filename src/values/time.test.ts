import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isTimeZone, parseDate, parseTimestamp, pgTimestamp, todayIn, zoneAt } from "./time.ts";

const instants = fc.date({
  min: new Date("0001-01-01T00:00:00Z"),
  max: new Date("9999-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});

test("a moment in any ISO spelling comes out in one", () => {
  const spellings = [
    "2025-07-01T09:30:00.000Z",
    "2025-07-01T09:30:00Z",
    "2025-07-01T09:30Z",
    "2025-07-01t09:30:00z",
    "2025-07-01 09:30:00",
    "2025-07-01T09:30:00,000999Z",
    "2025-07-01T11:30:00+02:00",
    "2025-07-01T05:30:00.000000-0400",
    "2025-07-01T15:00:00+05:30",
    "2025-06-30T23:30:00-10",
    "20250701T093000Z",
    " 2025-07-01T09:30:00.000000+00:00 ",
  ];

  for (const raw of spellings) assert.equal(parseTimestamp(raw, "+02:00"), "2025-07-01T09:30:00.000Z", raw);
});

test("a day alone is its midnight where the caller is", () => {
  assert.equal(parseTimestamp("2025-07-01"), "2025-07-01T00:00:00.000Z");
  assert.equal(parseTimestamp("2025-07-01", "America/New_York"), "2025-07-01T04:00:00.000Z");
  assert.equal(parseTimestamp("2025-07-01", "+05:30"), "2025-06-30T18:30:00.000Z");
});

test("the end of a day is the beginning of the next", () => {
  assert.equal(parseTimestamp("2025-12-31T24:00:00Z"), "2026-01-01T00:00:00.000Z");
});

test("a moment that never was is refused", () => {
  const wrong = [
    "",
    "now",
    "1751362200",
    "2025",
    "2025-07",
    "2025-7-1",
    "2025-02-30",
    "2025-02-29T00:00:00Z",
    "2025-13-01",
    "2025-00-10",
    "2025-01-00",
    "2025-01-01T25:00:00Z",
    "2025-01-01T24:00:01Z",
    "2025-01-01T09:60:00Z",
    "2025-01-01T09:00:60Z",
    "2025-01-01T09:00:00+24:00",
    "2025-01-01T09:00:00+02:60",
    "2025-01-01T09:00:00 Europe/Berlin",
    "2025-01-01Z",
    "2025-0101",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "+012025-01-01T00:00:00Z",
    "Tue, 01 Jul 2025 09:30:00 GMT",
  ];

  for (const raw of wrong) assert.equal(parseTimestamp(raw), null, raw);
});

test("every moment of our calendar reads back as itself, at every offset", () => {
  fc.assert(
    fc.property(instants, fc.integer({ min: -1_439, max: 1_439 }), (date, offset) => {
      const local = new Date(date.getTime() + offset * 60_000);
      fc.pre(local.getUTCFullYear() >= 1 && local.getUTCFullYear() <= 9_999);
      const pad = (n: number) => String(Math.floor(Math.abs(n))).padStart(2, "0");
      const zone = `${offset < 0 ? "-" : "+"}${pad(Math.abs(offset) / 60)}:${pad(Math.abs(offset) % 60)}`;

      assert.equal(parseTimestamp(date.toISOString()), date.toISOString());
      assert.equal(parseTimestamp(local.toISOString().replace("Z", zone)), date.toISOString());
    }),
  );
});

test("a date is a day, and a date-time only where that is allowed", () => {
  assert.equal(parseDate(" 2024-02-29 "), "2024-02-29");
  assert.equal(parseDate("20240229"), "2024-02-29");
  assert.equal(parseDate("2025-07-01T23:30:00-04:00"), null);
  assert.equal(parseDate("2025-07-01T23:30:00-04:00", { cutTime: true }), "2025-07-01");
  for (const raw of ["", "2023-02-29", "0000-01-01", "2025-07-01T25:00:00Z", "07/01/2025"])
    assert.equal(parseDate(raw, { cutTime: true }), null, raw);
});

test("today is the day on the caller's calendar", () => {
  const now = new Date("2025-12-31T23:30:00Z");

  assert.deepEqual(
    ["UTC", "Europe/Berlin", zoneAt(60), zoneAt(-1_410), zoneAt(-1_411)].map((zone) => todayIn(now, zone)),
    ["2025-12-31", "2026-01-01", "2026-01-01", "2025-12-31", "2025-12-30"],
  );
});

test("time zones are names of places, not offsets", () => {
  for (const name of ["Europe/Berlin", "Asia/Kolkata", "America/Argentina/Buenos_Aires", "UTC", "Etc/GMT+5"])
    assert.ok(isTimeZone(name), name);
  for (const name of ["", "+02:00", "Mars/Olympus", "Europe/", "Europe/Berlin; drop", "x".repeat(200)])
    assert.ok(!isTimeZone(name), name);
});

test("a timestamp of the database reads as on the wire, whatever zeros it drops", () => {
  assert.equal(pgTimestamp("2026-01-02 03:04:05.678+00"), "2026-01-02T03:04:05.678Z");
  assert.equal(pgTimestamp("2026-01-02 03:04:05+00"), "2026-01-02T03:04:05.000Z");
  assert.equal(pgTimestamp("2026-01-02 03:04:05.6+00"), "2026-01-02T03:04:05.600Z");
  assert.equal(pgTimestamp("2026-01-02 03:04:05.67+00"), "2026-01-02T03:04:05.670Z");
  assert.equal(pgTimestamp("2026-01-02 03:04:05.678912+00"), "2026-01-02T03:04:05.678Z");
});

test("every moment of the database is the moment of the wire", () => {
  fc.assert(
    fc.property(instants, fc.constantFrom(1, 10, 100, 1_000), (date, step) => {
      const moment = new Date(Math.floor(date.getTime() / step) * step);
      const fraction = moment
        .toISOString()
        .slice(19, -1)
        .replace(/\.?0+$/, "");
      const written = `${moment.toISOString().slice(0, 19).replace("T", " ")}${fraction}+00`;

      assert.equal(pgTimestamp(written), moment.toISOString());
    }),
    { numRuns: 5_000 },
  );
});

test("a session that is not in UTC is found out", () => {
  for (const text of ["2026-01-02 03:04:05.678+01", "infinity", "0044-03-15 00:00:00+00 BC", "12026-01-02 03:04:05.67+00", ""])
    assert.throws(() => pgTimestamp(text), RangeError);
});
