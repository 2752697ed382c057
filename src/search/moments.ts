/**
 * Points in time as a search names them: "now", "the end of last month", "the start of the day 7 days ago".
 *
 * A moment becomes an instant only when the search runs, where the caller is. Every `end` is the
 * first instant after: the end of Monday is the start of Tuesday, so that `on_or_after start, before end` is a whole day.
 */
import { Temporal } from "temporal-polyfill";
import { z } from "zod";

export type Edge = "start" | "end";
export type Moment =
  | { type: "now" }
  | { type: "fixed_utc"; value: string }
  | { type: "fixed_local_date"; value: string; which: Edge }
  | { type: "start_end_of_predefined_relative_period"; range: PeriodName; which: Edge }
  | {
      type: "offset";
      direction: "past" | "future";
      moment: Moment;
      offset: Amount;
      which_day_end: Edge | null;
    };

/** The instant and the time zone of the caller, `Europe/Berlin` or `-04:00`, for days. */
export interface Clock {
  now: Date;
  zone: string;
}

/** The range of a text such as `2026-01-31` or `yesterday`: from its start until just before its end. */
export interface Span {
  start: Moment;
  end: Moment;
}

/** The instant that a moment means for this caller. */
export function resolveMoment(given: Moment, clock: Clock): Date {
  const instant = localTime(given, clock).epochMilliseconds;
  return new Date(Math.min(Math.max(instant, EARLIEST), LATEST));
}

/** An ISO date is a whole day in the caller's zone. An ISO date and time is one millisecond, in UTC unless it says otherwise. */
export function isoSpan(text: string): Span | null {
  if (isDate(text)) return edges((which) => ({ type: "fixed_local_date", value: text, which }));
  const instant = isoInstant(text);
  if (instant === null) return null;

  const at = (date: Date): Moment => ({ type: "fixed_utc", value: date.toISOString() });
  return { start: at(instant), end: at(new Date(instant.getTime() + 1)) };
}

/**
 * ISO, or the words people use: `today`, `now`, `last week`, `7 days ago`, `in 2 hours`, `last 30 days`, `-7d`, `end of this month`,
 * `2026-01`, `January 2026`. Null when it is none of these.
 */
export function spanOf(text: string): Span | null {
  const words = text.trim().toLowerCase().replace(/\s+/g, " ");
  if (words === "now") return { start: { type: "now" }, end: { type: "now" } };
  return (
    periodSpan(words) ?? edgeSpan(words) ?? daysSpan(words) ?? calendarSpan(words) ?? awaySpan(words) ?? isoSpan(text.trim())
  );
}

const isPeriod = (name: string): name is PeriodName => PERIODS.includes(name as PeriodName);
const periodEdges = (range: PeriodName) => edges((which) => ({ type: PREDEFINED, range, which }));

function periodSpan(words: string): Span | null {
  const period = words.replace(" ", "-");
  return isPeriod(period) ? periodEdges(period) : null;
}

/** `first day of this month` is that day, `start of this month` the moment. */
function edgeSpan(words: string): Span | null {
  const [, edge = "", isDay, period = ""] =
    /^(first|last|start|beginning|end)( day)? of ((?:this|last|next) \w+)$/.exec(words) ?? [];
  const range = period.replace(" ", "-");
  if (!isPeriod(range)) return null;
  const { start, end } = periodEdges(range);
  const aDay = (moment: Moment, direction: "past" | "future"): Moment => ({
    type: "offset",
    direction,
    moment,
    offset: { ...NOTHING, days: isDay ? 1 : 0 },
    which_day_end: null,
  });
  return edge === "last" || edge === "end" ? { start: aDay(end, "past"), end } : { start, end: aDay(start, "future") };
}

/** `last 7 days` are those before today and today, `next 7 days` today and those after. */
function daysSpan(words: string): Span | null {
  const [, which, amount, unit] = /^(last|past|previous|next) (\d{1,4}) (day|week|month|year)s?$/.exec(words) ?? [];
  if (!unit) return null;
  const today = periodEdges("today");
  return which === "next"
    ? { start: today.start, end: away(amount!, unit, "future").end }
    : { start: away(amount!, unit, "past").start, end: today.end };
}

/** A year or a month. */
function calendarSpan(words: string): Span | null {
  const [, name, year] = /^(?:([a-z]+) )?(\d{4})$/.exec(words) ?? [];
  const [, isoYear, isoMonth] = /^(\d{4})-(\d\d)$/.exec(words) ?? [];
  const month = name ? MONTHS.findIndex((one) => one === name || one.slice(0, 3) === name) + 1 : Number(isoMonth ?? 1);
  const first = `${year ?? isoYear}-${String(month).padStart(2, "0")}-01`;
  if (!isDate(first)) return null;
  const after = Temporal.PlainDate.from(first).add(name || isoMonth ? { months: 1 } : { years: 1 });
  const dayAt = (value: string): Moment => ({ type: "fixed_local_date", value, which: "start" });
  return { start: dayAt(first), end: dayAt(after.toString()) };
}

const MONTHS = "january february march april may june july august september october november december".split(" ");

function awaySpan(words: string): Span | null {
  const [, sign, short, letter] = /^([+-])(\d{1,4})([hdwmy])$/.exec(words) ?? [];
  if (sign) return away(short!, SHORT_UNITS.get(letter!)!, sign === "-" ? "past" : "future");
  const [, amount, unit, direction] =
    /^(\d{1,4}|an?) (second|minute|hour|day|week|month|year)s? (ago|from now)$/.exec(words.replace(/^in (.+)$/, "$1 from now")) ??
    [];
  return amount && unit ? away(amount.replace(/^an?$/, "1"), unit, direction === "ago" ? "past" : "future") : null;
}

const SHORT_UNITS = new Map(Object.entries({ h: "hour", d: "day", w: "week", m: "month", y: "year" }));

/** "3 days ago" is that whole day, "3 hours ago" that very instant. */
const away = (amount: string, unit: string, direction: "past" | "future"): Span =>
  edges((which) => ({
    type: "offset",
    direction,
    moment: { type: "now" },
    offset: { ...NOTHING, [`${unit}s`]: Number(amount) },
    which_day_end: /second|minute|hour/.test(unit) ? null : which,
  }));

const PERIODS = [
  ...(["today", "yesterday", "tomorrow"] as const),
  ...(["this-week", "last-week", "next-week", "this-month", "last-month", "next-month"] as const),
  ...(["this-quarter", "last-quarter", "next-quarter", "this-year", "last-year", "next-year"] as const),
];
export type PeriodName = (typeof PERIODS)[number];
const PREDEFINED = "start_end_of_predefined_relative_period";

// Each unit reaches about a thousand years, so that sums stay far inside what calendars can count.
const upTo = (most: number) =>
  z
    .int()
    .min(0)
    .max(most)
    .nullish()
    .transform((n) => n ?? 0);
const amount = z.strictObject({
  years: upTo(1_000),
  months: upTo(12_000),
  weeks: upTo(60_000),
  days: upTo(400_000),
  hours: upTo(9_000_000),
  minutes: upTo(500_000_000),
  seconds: upTo(30_000_000_000),
});
export type Amount = z.output<typeof amount>;
const NOTHING: Amount = amount.parse({});

const edge = z.enum(["start", "end"]);
const date = z.string().refine(isDate, "must be a date such as 2026-01-31");
const utc = z.string().transform((text, problems) => {
  const instant = isoInstant(text);
  if (instant === null) problems.addIssue("must be a time such as 2026-01-31T09:30:00Z");
  return instant?.toISOString() ?? z.NEVER;
});
const fixed = [
  z.strictObject({ type: z.literal("now") }),
  z.strictObject({ type: z.literal("fixed_utc"), value: utc }),
  z.strictObject({ type: z.literal("fixed_local_date"), value: date, which: edge }),
  z.strictObject({ type: z.literal(PREDEFINED), range: z.enum(PERIODS), which: edge }),
] as const;
const offsetOf = <Base extends z.ZodType<Moment>>(base: Base) =>
  z.strictObject({
    type: z.literal("offset"),
    direction: z.enum(["past", "future"]),
    moment: base,
    offset: amount,
    which_day_end: edge.nullable().default(null),
  });

/** An offset may start from another ("9 hours into the day 3 days ago"), and that one from a fixed moment. */
export const moment: z.ZodType<Moment> = z.discriminatedUnion("type", [
  ...fixed,
  offsetOf(z.discriminatedUnion("type", [...fixed, offsetOf(z.discriminatedUnion("type", fixed))])),
]);

// PostgreSQL and JSON write years before 1 and after 9999 differently. No record has such a date.
const EARLIEST = Date.parse("0001-01-01T00:00:00.000Z");
const LATEST = Date.parse("9999-12-31T23:59:59.999Z");

function localTime(given: Moment, clock: Clock): Temporal.ZonedDateTime {
  switch (given.type) {
    case "now":
      return toLocal(clock.now, clock);
    case "fixed_utc":
      return toLocal(new Date(given.value), clock);
    case "fixed_local_date":
      return dayEdge(Temporal.PlainDate.from(given.value), given.which, clock);
    case PREDEFINED:
      return startOf(periodEdge(given.range, toLocal(clock.now, clock).toPlainDate(), given.which), clock);
    case "offset": {
      const base = localTime(given.moment, clock);
      const there = given.direction === "past" ? base.subtract(given.offset) : base.add(given.offset);
      return given.which_day_end === null ? there : dayEdge(there.toPlainDate(), given.which_day_end, clock);
    }
  }
}

const toLocal = (instant: Date, { zone }: Clock): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);

const startOf = (day: Temporal.PlainDate, { zone }: Clock): Temporal.ZonedDateTime => day.toZonedDateTime({ timeZone: zone });

const dayEdge = (day: Temporal.PlainDate, which: Edge, clock: Clock): Temporal.ZonedDateTime =>
  startOf(which === "start" ? day : day.add({ days: 1 }), clock);

function periodEdge(name: PeriodName, today: Temporal.PlainDate, which: Edge): Temporal.PlainDate {
  const [when, unit] = (name.includes("-") ? name.split("-") : [name, "day"]) as [string, keyof typeof UNITS];
  const { start, length } = UNITS[unit];
  const away = (SHIFTS[when] ?? 0) + (which === "start" ? 0 : 1);
  return start(today).add({ days: length.days * away, months: length.months * away });
}

const SHIFTS: Record<string, number> = { yesterday: -1, last: -1, tomorrow: 1, next: 1 };
const UNITS = {
  day: { length: { days: 1, months: 0 }, start: (day: Temporal.PlainDate) => day },
  // Monday is day 1.
  week: {
    length: { days: 7, months: 0 },
    start: (day: Temporal.PlainDate) => day.subtract({ days: day.dayOfWeek - 1 }),
  },
  month: { length: { days: 0, months: 1 }, start: (day: Temporal.PlainDate) => day.with({ day: 1 }) },
  quarter: {
    length: { days: 0, months: 3 },
    start: (day: Temporal.PlainDate) => day.with({ day: 1, month: day.month - ((day.month - 1) % 3) }),
  },
  year: {
    length: { days: 0, months: 12 },
    start: (day: Temporal.PlainDate) => day.with({ day: 1, month: 1 }),
  },
};

function edges(moment: (which: Edge) => Moment): Span {
  return { start: moment("start"), end: moment("end") };
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isoInstant(text) !== null;
}

const ISO = /^(?!0000)(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** No offset means UTC, and a date alone means midnight UTC. `2026-02-30` and 25 o'clock are invalid. */
export function isoInstant(text: string): Date | null {
  const [, day, time = "00:00", offset = "Z"] = ISO.exec(text) ?? [];
  if (!day) return null;
  try {
    const { epochMilliseconds: instant } = Temporal.Instant.from(`${day}T${time}${offset}`);
    // In the zone of the text, the last hour of 9999 may be in the year 10000.
    return instant < EARLIEST || instant > LATEST ? null : new Date(instant);
  } catch {
    return null;
  }
}
