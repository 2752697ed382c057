// When a sequence may send: hours of the week in its own time zone.
import { Temporal } from "temporal-polyfill";
import { z } from "zod";
import { addBusinessDays } from "../../values/business_days.ts";
import { isTimeZone } from "../../values/time.ts";
import type { Delay } from "./steps.ts";

/** In place of a zone: the recipient's zone, or the sender's. */
export const people = ["recipient", "sender"];

export const isSequenceZone = (name: string): boolean => people.includes(name) || isTimeZone(name);

const clock = (latest: RegExp, reason: string) => z.string().regex(latest, { error: reason });

const range = z
  .object({
    weekday: z.int().min(1).max(7),
    start: clock(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day such as 09:00"),
    end: clock(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "must be a time of day such as 17:00"),
  })
  .refine(({ start, end }) => start < end, { path: ["end"], error: "must be later than start" });

/** `{ranges: [{weekday: 1, start: "09:00", end: "17:00"}]}`. Monday is 1. */
export const schedule = z.object({ ranges: z.array(range).min(1).max(100) });

export type Schedule = z.output<typeof schedule>;

/** Long enough to reach every weekday again after one that a change to summer time has shortened. */
const daysAhead = 14;

/** The first moment at or after `at` in the schedule. Without a schedule, `at` itself. */
export function nextSlot(hours: Schedule | null, timezone: string, at: Date): Date {
  if (hours === null) return at;
  const slot = firstSlot(hours, timezone, at);
  if (slot === null) throw new Error("a schedule that never opens");
  return slot.at;
}

/** The same with the end of those hours, on days that are not blocked. Null where none come. */
export function firstSlot(
  hours: Schedule,
  timezone: string,
  at: Date,
  { blocked = [], ahead = daysAhead }: { blocked?: readonly string[]; ahead?: number } = {},
): { at: Date; closes: Date } | null {
  const today = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone).toPlainDate();
  for (let days = 0; days <= ahead; days++) {
    const day = today.add({ days });
    if (blocked.includes(day.toString())) continue;
    for (const { start, end } of rangesOn(hours, day.dayOfWeek)) {
      const [opens, closes] = [instantOf(day, start, timezone), instantOf(day, end, timezone)];
      if (at < closes && opens < closes) return { at: at > opens ? at : opens, closes };
    }
  }
  return null;
}

/** `delay` after a moment. Days are calendar days in the zone. Business days leave out weekends and the holidays. */
export function afterDelay(at: Date, delay: Delay, timezone: string, holidays: readonly string[] = []): Date {
  if (typeof delay === "number") return new Date(at.getTime() + delay * 1000);
  const { amount, unit } = delay;
  const from = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone);
  const to = unit === "business_days" ? addBusinessDays(from, amount, holidays) : from.add({ [unit]: amount });
  return new Date(to.epochMilliseconds);
}

/** The next time that it is so late on a day, at or after `from`. */
export function atTimeOfDay(from: Date, time: string | null, timezone: string): Date {
  if (time === null) return from;
  const day = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(timezone).toPlainDate();
  const today = instantOf(day, time, timezone);
  return today >= from ? today : instantOf(day.add({ days: 1 }), time, timezone);
}

const rangesOn = ({ ranges }: Schedule, weekday: number) =>
  ranges.filter((one) => one.weekday === weekday).sort((a, b) => (a.start < b.start ? -1 : 1));

/** A local time that is skipped moves to the hour after it. For one that occurs twice, the first is taken. */
function instantOf(day: Temporal.PlainDate, time: string, timezone: string): Date {
  const [at, clockTime] = time === "24:00" ? [day.add({ days: 1 }), "00:00"] : [day, time];
  const zoned = at.toZonedDateTime({ timeZone: timezone, plainTime: Temporal.PlainTime.from(clockTime) });
  return new Date(zoned.epochMilliseconds);
}
