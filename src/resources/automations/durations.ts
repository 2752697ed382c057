// How long a wait lasts. Minutes and hours are absolute. Days and weeks are by the clock on the wall of a time zone, business days are
// Monday to Friday.
import { Temporal } from "temporal-polyfill";

const unitMs: Record<string, number> = {
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000,
  business_days: 86_400_000,
};

/** A year, and an hour for the end of summer time. */
export const waitMostMs = 365 * 86_400_000 + 3_600_000;

/** For comparisons, where a day is a day of 24 hours. */
export const milliseconds = (amount: number, unit: string): number => amount * (unitMs[unit] ?? Number.NaN);

export interface Span {
  amount: number;
  unit: string;
}

/** The moment after (or with a negative amount before) another. `at` is a time of that day, such as 09:00. */
export function momentAfter(from: Date, { amount, unit }: Span, zone: string, at?: string | null): Date {
  const start = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(zone);
  const moved = unit === "minutes" || unit === "hours" ? start.add({ [unit]: amount }) : onDay(start, amount, unit);
  if (at == null) return new Date(moved.epochMilliseconds);
  const timed = moved.withPlainTime(Temporal.PlainTime.from(at));
  return new Date((timed.epochMilliseconds < from.getTime() ? timed.add({ days: 1 }) : timed).epochMilliseconds);
}

function onDay(start: Temporal.ZonedDateTime, amount: number, unit: string): Temporal.ZonedDateTime {
  if (unit !== "business_days") return start.add({ [unit]: amount });
  if (amount === 0) return start;
  const sign = Math.sign(amount);
  // Five business days are a week. From a weekend they count from the last business day before it.
  let day = start;
  while (day.dayOfWeek > 5) day = day.subtract({ days: sign });
  day = day.add({ weeks: Math.trunc(amount / 5) });
  for (let left = Math.abs(amount % 5); left > 0; ) {
    day = day.add({ days: sign });
    if (day.dayOfWeek <= 5) left--;
  }
  return day;
}
