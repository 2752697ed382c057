// When a sequence may act: hours of the week in its own time zone.
import { Temporal } from "temporal-polyfill";
import { z } from "zod";

const clock = (latest: RegExp, reason: string) => z.string().regex(latest, { error: reason });

const range = z
  .object({
    weekday: z.int().min(1).max(7),
    start: clock(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day such as 09:00"),
    end: clock(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "must be a time of day such as 17:00"),
  })
  .refine(({ start, end }) => start < end, { path: ["end"], error: "must be later than start" });

/** `{ranges: [{weekday: 1, start: "09:00", end: "17:00"}]}`; Monday is 1. */
export const schedule = z.object({ ranges: z.array(range).min(1).max(100) });

export type Schedule = z.output<typeof schedule>;

/** Long enough to meet every weekday again after one that a change of the clocks has cut. */
const daysAhead = 14;

/** The first moment from `at` on that lies in the schedule; without one, `at` itself. */
export function nextSlot(hours: Schedule | null, timezone: string, at: Date): Date {
  if (hours === null) return at;
  const today = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone).toPlainDate();
  for (let days = 0; days <= daysAhead; days++) {
    const day = today.add({ days });
    for (const { start, end } of rangesOn(hours, day.dayOfWeek)) {
      const [opens, closes] = [instantOf(day, start, timezone), instantOf(day, end, timezone)];
      if (at < closes && opens < closes) return at > opens ? at : opens;
    }
  }
  throw new Error("a schedule that never opens");
}

const rangesOn = ({ ranges }: Schedule, weekday: number) =>
  ranges.filter((one) => one.weekday === weekday).sort((a, b) => (a.start < b.start ? -1 : 1));

/** A time that the clocks leave out is the hour after; of one that comes twice, the first is meant. */
function instantOf(day: Temporal.PlainDate, time: string, timezone: string): Date {
  const [at, clockTime] = time === "24:00" ? [day.add({ days: 1 }), "00:00"] : [day, time];
  const zoned = at.toZonedDateTime({ timeZone: timezone, plainTime: Temporal.PlainTime.from(clockTime) });
  return new Date(zoned.epochMilliseconds);
}
