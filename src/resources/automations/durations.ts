// How long a wait lasts. Minutes and hours are absolute. Days and weeks are by the clock on the wall of a time zone, business days are
// Monday to Friday without the organization's holidays.
import { Temporal } from "temporal-polyfill";
import { addBusinessDays } from "../../values/business_days.ts";

const unitMs: Record<string, number> = {
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000,
  business_days: 86_400_000,
};

/** A year, and an hour for the end of summer time. */
export const waitMostMs = 365 * 86_400_000 + 3_600_000;

/** For comparisons, where a day is a day of 24 hours, and for what must be roughly right. */
export const milliseconds = (amount: number, unit: string): number => amount * (unitMs[unit] ?? Number.NaN);

export interface Span {
  amount: number;
  unit: string;
}

interface More {
  /** A time of that day, such as 09:00. */
  at?: string | null;
  holidays?: readonly string[];
}

/** The moment after (or with a negative amount before) another. */
export function momentAfter(from: Date, { amount, unit }: Span, zone: string, { at, holidays }: More = {}): Date {
  const start = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(zone);
  const moved = unit === "minutes" || unit === "hours" ? start.add({ [unit]: amount }) : onDay(start, amount, unit, holidays);
  if (at == null) return new Date(moved.epochMilliseconds);
  const timed = moved.withPlainTime(Temporal.PlainTime.from(at));
  return new Date((timed.epochMilliseconds < from.getTime() ? timed.add({ days: 1 }) : timed).epochMilliseconds);
}

const onDay = (start: Temporal.ZonedDateTime, amount: number, unit: string, holidays?: readonly string[]) =>
  unit === "business_days" ? addBusinessDays(start, amount, holidays) : start.add({ [unit]: amount });

/** What business days depend on. */
export interface Calendar {
  zone: string;
  holidays: readonly string[];
}

/** More of them than anybody means, and fewer than a calendar has. */
const businessMost = 1_000_000;

/** For comparisons: so long before or after a moment. Business days are those of the calendar, other days have 24 hours. */
export function msAway(from: Date, { amount, unit }: Span, sign: 1 | -1, calendar: () => Calendar): number {
  if (unit !== "business_days" || !Number.isFinite(amount)) return from.getTime() + sign * milliseconds(amount, unit);
  const { zone, holidays } = calendar();
  const days = sign * Math.min(Math.trunc(amount), businessMost);
  return Math.max(0, momentAfter(from, { amount: days, unit }, zone, { holidays }).getTime());
}
