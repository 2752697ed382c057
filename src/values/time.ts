/**
 * Moments and days. On the wire a moment is always `2025-07-01T09:30:00.000Z` and a day `2025-07-01`. Offsets are minutes east of
 * UTC: New York in winter is -300.
 */
import { LRUCache } from "lru-cache";
import { Temporal } from "temporal-polyfill";

/**
 * ISO 8601, extended or basic, with `Z`, an offset or neither (then UTC) → `"2025-07-01T09:30:00.000Z"`. A day alone is its first
 * instant in the time zone. Decimals beyond three are cut off. Null for anything else: impossible dates and hours, leap seconds,
 * years outside 1 to 9999.
 */
export function parseTimestamp(raw: string, zone = "UTC"): string | null {
  const match = ISO.exec(raw.trim());
  if (!match) return null;
  const [, year, , month, day, hour, minute = "0", second = "0", fraction = "", written] = match;
  const midnight = dayOf(Number(year), Number(month), Number(day));
  if (midnight === null) return null;

  if (hour === undefined) return withinYears(Date.parse(startOfDay(`${year}-${month}-${day}`, zone)));
  const time = timeOf(Number(hour), Number(minute), Number(second), fraction);
  const offset = offsetOf(written);
  return time === null || offset === null ? null : withinYears(midnight + time - offset * MINUTE);
}

/** The same, where a time without `Z` and without an offset is local time in the zone. */
export function parseLocalTime(raw: string, zone: string): string | null {
  const moment = parseTimestamp(raw, zone);
  const [, , , , , hour, , , , written] = ISO.exec(raw.trim()) ?? [];
  return moment === null || hour === undefined || written !== undefined ? moment : instantIn(moment.slice(0, -1), zone);
}

function withinYears(moment: number): string | null {
  return moment >= FIRST && moment <= LAST ? new Date(moment).toISOString() : null;
}

/**
 * `"2025-07-01"` (or basic `20250701`) → `"2025-07-01"`. Null when there is no such day. With `cutTime`, a date-time gives the
 * day written in it, whatever its offset.
 */
export function parseDate(raw: string, { cutTime = false } = {}): string | null {
  const match = ISO.exec(raw.trim());
  if (!match) return null;
  const [, year, , month, day, hour] = match;
  if (hour !== undefined && !(cutTime && parseTimestamp(raw))) return null;
  if (dayOf(Number(year), Number(month), Number(day)) === null) return null;
  return `${year}-${month}-${day}`;
}

/** Today in a time zone: in Berlin it is already tomorrow at 23:30Z. Cached, because a page needs it for each of its rows. */
export function todayIn(now: Date, zone: string): string {
  const time = now.getTime();
  if (last.time !== time || last.zone !== zone) last = { time, zone, day: dayIn(now.toISOString(), zone).toString() };
  return last.day;
}

let last = { time: Number.NaN, zone: "", day: "" };

/** The day on which an instant lies in a time zone. */
export const dayIn = (instant: string, zone: string): Temporal.PlainDate =>
  Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDate();

/** The first instant of a day in a time zone, which is not always midnight. */
export const startOfDay = (day: string | Temporal.PlainDate, zone: string): string =>
  new Date(Temporal.PlainDate.from(day).toZonedDateTime({ timeZone: zone }).epochMilliseconds).toISOString();

/**
 * Turns local time in a time zone, `2026-01-02T10:00:00.0000000`, into an instant. A time that is skipped moves to the next hour;
 * a time that occurs twice is the first one. Null for a text that is not such a time.
 */
export function instantIn(local: string, zone: string): string | null {
  try {
    return withinYears(Temporal.PlainDateTime.from(local).toZonedDateTime(zone).epochMilliseconds);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * The first instant after a day in a time zone. After the last possible day it is `infinity`, which is later than any instant.
 */
export function endOfDay(day: string, zone: string): string {
  const next = Temporal.PlainDate.from(day).add({ days: 1 });
  return next.year > 9999 ? "infinity" : startOfDay(next, zone);
}

/**
 * The first day that begins at this instant or later. After the last possible day it is `infinity`, which is later than any day.
 */
export function firstDayFrom(instant: string, zone: string): string {
  const day = dayIn(instant, zone);
  const first = startOfDay(day, zone) === instant ? day : day.add({ days: 1 });
  return first.year > 9999 ? "infinity" : first.toString();
}

/** The time zone of an offset, as calendars write it: `330` → `"+05:30"`. */
export function zoneAt(offsetMinutes: number): string {
  const minutes = Math.abs(offsetMinutes);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${offsetMinutes < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** An instant as local time in a time zone: `2026-01-02T04:04:05.678+01:00`. */
export const timeIn = (now: Date, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(now.getTime()).toString({ timeZone, fractionalSecondDigits: 3 });

/** `"2026-02-27", 2` → `"2026-03-01"`. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 1_440 * MINUTE).toISOString().slice(0, 10);
}

/** True for a name of the IANA database, such as `"Europe/Berlin"` or `"UTC"`. False for bare offsets such as `+02:00`. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(name)) return false;
  const known = zones.get(name);
  if (known !== undefined) return known;

  const valid = isKnownToIntl(name);
  zones.set(name, valid);
  return valid;
}

/**
 * PostgreSQL's text for a timestamptz in a UTC session, `2026-01-02 03:04:05.67+00`, in the wire form. Sliced by length, without
 * a Date: 50 ns instead of 1,000, for every timestamp of every row. RangeError for another offset, `infinity` and BC, which our
 * columns never hold.
 */
export function pgTimestamp(text: string): string {
  const length = text.length;
  if (length >= 22 && length <= 29 && text[10] === " " && text.endsWith("+00")) {
    const start = `${text.slice(0, 10)}T`;
    if (length === 26) return `${start}${text.slice(11, 23)}Z`;
    if (length === 25) return `${start}${text.slice(11, 22)}0Z`;
    if (length === 22) return `${start}${text.slice(11, 19)}.000Z`;
    if (length === 24) return `${start}${text.slice(11, 21)}00Z`;
    if (length >= 27) return `${start}${text.slice(11, 23)}Z`;
  }
  throw new RangeError(`not a timestamp in UTC: ${text}`);
}

const MINUTE = 60_000;
const FIRST = Date.parse("0001-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");
const ISO = /^(\d{4})(-?)(\d\d)\2(\d\d)(?:[Tt ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,12}))?)?)?(Z|z|[+-]\d\d(?::?\d\d)?)?)?$/;
const zones = new LRUCache<string, boolean>({ max: 1_000 });

/** Midnight UTC of the day in milliseconds. Null for days such as the 30th of February, and for the year 0. */
function dayOf(year: number, month: number, day: number): number | null {
  if (year < 1) return null;
  // setUTCFullYear, because Date.UTC reads the year 50 as 1950.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}

/** Milliseconds since midnight. 24:00:00 is the end of the day. */
function timeOf(hour: number, minute: number, second: number, fraction: string): number | null {
  if (minute > 59 || second > 59) return null;
  const time = (hour * 60 + minute) * MINUTE + second * 1_000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
  return time <= 1_440 * MINUTE ? time : null;
}

/** `"+05:30"` → 330. */
function offsetOf(zone: string | undefined): number | null {
  if (zone === undefined || zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", ""));
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === "-" ? -1 : 1) * (hours * 60 + minutes);
}

function isKnownToIntl(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Whether so long has passed; also when the clock was set back meanwhile, and nobody can tell. */
export const hasPassed = (since: number, now: number, ms: number): boolean => now - since >= ms || now < since;
