// Whether it is within working hours, by the clock of a time zone: within a schedule as sequences have it, or within windows. A window that ends before it begins goes on past midnight, and
// belongs to the day on which it began.
import { Temporal } from "temporal-polyfill";
import { z } from "zod";
import { nextSlot, type Schedule } from "../../sequences/schedule.ts";
import { clockTime } from "../catalog.ts";
import type { Values } from "../facts.ts";
import { days } from "../settings.ts";
import type { Asked } from "./condition.ts";
import { zoneOfRecord } from "./subject.ts";

const oneWindow = z
  .strictObject({
    days: z.array(z.enum(days)).min(1).optional(),
    from: clockTime.optional(),
    to: clockTime.optional(),
    blocked_dates: z.array(z.iso.date()).max(366).optional(),
  })
  .refine(({ from = usual.from, to = usual.to }) => from !== to, { path: ["to"], error: "must differ from from" });

export const windows = z.union([oneWindow, z.array(oneWindow).min(1).max(20)]);

type Window = z.output<typeof oneWindow>;

const usual = { days: days.slice(0, 5), from: "09:00", to: "17:00" };

export function businessTimeMeets({ schedule, windows, timezone }: Values, { ctx, facts, now }: Asked): boolean {
  const zone = typeof timezone === "string" ? timezone : zoneOfRecord(ctx, facts.record);
  if (schedule != null && nextSlot(schedule as Schedule, zone, now).getTime() === now.getTime()) return true;
  if (schedule != null && windows == null) return false;
  const at = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone);
  return ([windows ?? {}].flat() as Window[]).some((one) => isWithin(one, at));
}

function isWithin(window: Window, at: Temporal.ZonedDateTime): boolean {
  const { from, to } = { ...usual, ...window };
  const time = at.toPlainTime().toString({ smallestUnit: "minute" });
  const today = at.toPlainDate();
  if (from < to) return from <= time && time < to && opensOn(window, today);
  return (from <= time && opensOn(window, today)) || (time < to && opensOn(window, today.subtract({ days: 1 })));
}

const opensOn = ({ days: open = usual.days, blocked_dates = [] }: Window, day: Temporal.PlainDate): boolean =>
  open.includes(days[day.dayOfWeek - 1]!) && !blocked_dates.includes(day.toString());
