// The range of a report: a half-open range of instants, divided into days, weeks and months in a time zone. Every boundary is
// computed here, and passed to SQL as an instant or a day. So a day in spring has 23 hours, and the database needs no time zones.
import { Temporal } from "temporal-polyfill";
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { below, collect, type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import { and, type Sql, sql } from "../../db/sql.ts";
import { zoneOf } from "../../records/clock.ts";
import { dayIn, firstDayFrom, parseDate, parseTimestamp, startOfDay } from "../../values/time.ts";

/** From `start` until just before `end`. Null on either side means no limit. */
export interface Range {
  start: string | null;
  end: string | null;
  /** The time zone of the days: a name such as `Europe/Berlin`, or an offset such as `-04:00`. */
  zone: string;
}

export const relativeRanges = [
  ...(["today", "this-week", "this-month", "this-quarter", "this-year"] as const),
  ...(["yesterday", "last-week", "last-month", "last-quarter", "last-year"] as const),
  "all-time",
] as const;
export type RelativeRange = (typeof relativeRanges)[number];

const edge = z.string().nullable();
const between = z.strictObject({ start: edge, end: edge });

export const relativeRange = z.enum(relativeRanges);
export const datetimeRange = between.describe(
  "From `start` until just before `end`: times, or days, which begin at midnight where the caller is; null for no bound.",
);

/** The members of a body for a range. */
export const rangeInput = {
  datetime_range: datetimeRange.optional(),
  relative_range: relativeRange.optional().describe("A range by its name, instead of `datetime_range`."),
  date_start: z.string().optional().describe("Another name of `datetime_range.start`."),
  date_end: z.string().optional().describe("Another name of `datetime_range.end`."),
};

export type GivenRange = { [K in keyof typeof rangeInput]?: z.output<(typeof rangeInput)[K]> };

/** How a response names its range. */
export const shownRange = z.strictObject({ start: z.iso.datetime().nullable(), end: z.iso.datetime().nullable() });
export const showRange = ({ start, end }: Range): z.output<typeof shownRange> => ({ start, end });

/** The range a body asks for, or null when it asks for none. `prefix` names further ranges: `cohort_relative_range`. */
export function readRange(ctx: Ctx, given: GivenRange, prefix = ""): Range | null {
  const { datetime_range, relative_range, date_start, date_end } = given;
  const absolute = `${prefix}datetime_range`;
  const older = date_start !== undefined || date_end !== undefined;
  if (relative_range !== undefined && (datetime_range !== undefined || older))
    throw invalid({
      [`${prefix}relative_range`]: `cannot be used together with ${older ? "date_start and date_end" : absolute}`,
    });
  if (datetime_range !== undefined && older) throw invalid({ date_start: "cannot be used together with datetime_range" });

  const zone = zoneOf(ctx.directory, ctx);
  if (relative_range !== undefined) return relative(ctx.now, relative_range, zone);
  if (datetime_range !== undefined) return fixed(datetime_range, zone, absolute, [`${absolute}.start`, `${absolute}.end`]);
  if (!older) return null;
  return fixed({ start: date_start ?? null, end: date_end ?? null }, zone, "date_end", ["date_start", "date_end"]);
}

function fixed(
  { start, end }: z.output<typeof between>,
  zone: string,
  place: string,
  [startPlace, endPlace]: [string, string],
): Range {
  const errors: FieldErrors = {};
  const from = collect(errors, () => below(startPlace, () => instantOf(start, zone))) ?? null;
  const to = collect(errors, () => below(endPlace, () => instantOf(end, zone))) ?? null;
  refuse(errors);
  if (from !== null && to !== null && from >= to) throw invalid({ [place]: "must end after it starts" });
  return { start: from, end: to, zone };
}

function instantOf(text: string | null, zone: string): string | null {
  if (text === null) return null;
  const day = parseDate(text);
  const instant = day === null ? parseTimestamp(text) : startOfDay(day, zone);
  if (instant === null || !/^(?!0000)\d{4}-/.test(instant))
    throw invalid({ "": "must be a time such as 2026-01-02T03:04:05.678Z or a day such as 2026-01-02" });
  return instant;
}

/** The relative range of this name, as seen from `now`. Weeks start on Monday. */
export function relative(now: Date, name: RelativeRange, zone: string): Range {
  if (name === "all-time") return { start: null, end: null, zone };
  const today = dayIn(now.toISOString(), zone);
  const [when, unit] = (name.includes("-") ? name.split("-") : [name, "day"]) as [string, Unit];
  const present = beginning(today, unit);
  const start = when === "last" || when === "yesterday" ? present.subtract(lengths[unit]) : present;
  return { start: startOfDay(start, zone), end: startOfDay(start.add(lengths[unit]), zone), zone };
}

// --- calendar ---

export type Unit = "day" | "week" | "month" | "quarter" | "year";

const lengths: Record<Unit, Temporal.DurationLike> = {
  day: { days: 1 },
  week: { days: 7 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { years: 1 },
};

function beginning(day: Temporal.PlainDate, unit: Unit): Temporal.PlainDate {
  switch (unit) {
    case "day":
      return day;
    case "week":
      return day.subtract({ days: day.dayOfWeek - 1 });
    case "month":
      return day.with({ day: 1 });
    case "quarter":
      return day.with({ day: 1, month: day.month - ((day.month - 1) % 3) });
    case "year":
      return day.with({ day: 1, month: 1 });
  }
}

// --- conditions ---

/** The condition that a point in time is in the range. */
export function within({ start, end }: Omit<Range, "zone">, instant: Sql): Sql {
  return and([
    ...(start === null ? [] : [sql`${instant} >= ${start}::timestamptz`]),
    ...(end === null ? [] : [sql`${instant} < ${end}::timestamptz`]),
  ]);
}

/** The condition that a day starts in the range. */
export function daysWithin({ start, end, zone }: Range, day: Sql): Sql {
  return and([
    sql`${day} is not null`,
    ...(start === null ? [] : [sql`${day} >= ${firstDayFrom(start, zone)}::date`]),
    ...(end === null ? [] : [sql`${day} < ${firstDayFrom(end, zone)}::date`]),
  ]);
}

/**
 * A day as an instant on the correct side of both limits of the range. This is midnight in UTC if possible, so that the database
 * needs no time zones, or else the nearest instant on that side.
 */
export function instantOfDay({ start, end, zone }: Range, day: Sql): Sql {
  const afterStart =
    start === null
      ? day
      : sql`case when ${day} < ${firstDayFrom(start, zone)}::date
    then least(${day}::timestamptz, ${start}::timestamptz - interval '1 ms') else greatest(${day}::timestamptz, ${start}::timestamptz) end`;
  if (end === null) return sql`(${afterStart})::timestamptz`;
  return sql`case when ${day} < ${firstDayFrom(end, zone)}::date
    then least((${afterStart})::timestamptz, ${end}::timestamptz - interval '1 ms') else greatest(${day}::timestamptz, ${end}::timestamptz) end`;
}

// --- periods ---

/** The days, weeks or months of the range. The first and the last may be partial. */
export interface Periods {
  /** The first day of each. */
  days: string[];
  /** The first instant of each. */
  starts: string[];
}

const periodsMax = 5_000;

/** A range without a limit is divided from the first to the last of `found`, which are instants or days. */
export function periodsOf(range: Range, unit: Unit, found: readonly (string | null)[] = [], place = "datetime_range"): Periods {
  const known = found.flatMap((one) => (one === null ? [] : [dayOf(one, range.zone)])).sort(Temporal.PlainDate.compare);
  const first = range.start === null ? known[0] : dayIn(range.start, range.zone);
  const last = range.end === null ? known.at(-1) : dayIn(beforeOf(range.end), range.zone);
  const days: string[] = [];
  if (first === undefined || last === undefined) return { days, starts: [] };
  for (let day = beginning(first, unit); Temporal.PlainDate.compare(day, last) <= 0; day = day.add(lengths[unit])) {
    if (days.length === periodsMax) throw invalid({ [place]: `must have ${periodsMax} of each ${unit} or fewer` });
    days.push(day.toString());
  }
  return { days, starts: days.map((day) => startOfDay(day, range.zone)) };
}

const beforeOf = (instant: string): string => new Date(Date.parse(instant) - 1).toISOString();
const dayOf = (text: string, zone: string): Temporal.PlainDate =>
  text.length === 10 ? Temporal.PlainDate.from(text) : dayIn(new Date(text).toISOString(), zone);

/** Which of the periods a point in time is in, counted from 1. */
export const periodOf = ({ starts }: Periods, instant: Sql): Sql => sql`width_bucket(${instant}, ${starts}::timestamptz[])`;

/** Which of the periods a day is in, counted from 1. */
export const periodOfDay = ({ days }: Periods, day: Sql): Sql => sql`width_bucket(${day}, ${days}::date[])`;
