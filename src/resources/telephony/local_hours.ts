// The hours in which people are called, and get texts from machines, by the clock where they are.
import type { Ctx } from "../../core/context.ts";
import { timeZonesOfNumber } from "../../values/area_codes.ts";
import { parsePhone } from "../../values/phone.ts";
import { organizationOf } from "../organization/organization.ts";
import { nextSlot, type Schedule } from "../sequences/schedule.ts";
import type { Address } from "../shared/contact_points.ts";

/** When people may be disturbed, unless somebody decides otherwise. */
export const usualHours = "08:00-21:00";

/** `08:00-21:00`, up to `24:00`. */
export const isHours = (text: string): boolean => {
  const [, start, end] = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:(?:[01]\d|2[0-3]):[0-5]\d)|24:00)$/.exec(text) ?? [];
  return start !== undefined && start < end!;
};

/** What tells where somebody is. */
export interface Whereabouts {
  /** The contact's own. */
  timezone: string | null;
  /** Those of the lead. */
  addresses: readonly Pick<Address, "tz_ids">[];
  phone: string;
}

/** The zones in which they may be, best known first: the contact's, or else the lead's by its address, or else the number's. */
export function zonesOf(ctx: Ctx, { timezone, addresses, phone }: Whereabouts): readonly string[] {
  if (timezone !== null) return [timezone];
  const address = addresses.find(({ tz_ids }) => tz_ids.length > 0);
  if (address !== undefined) return address.tz_ids;
  const byNumber = timeZonesOfNumber(phone, parsePhone(phone, "US")?.country ?? null);
  return byNumber.length > 0 ? byNumber : [organizationOf(ctx.directory).timezone];
}

/**
 * The first moment at or after `at` that is within these hours in all of the zones. Where there is none, because the zones lie too far
 * apart, the first zone counts.
 */
export function nextWithin(hours: string, zones: readonly string[], at: Date): Date {
  const schedule = everyDay(hours);
  let moment = at;
  for (let tries = 0; tries < zones.length * 4; tries++) {
    const latest = zones.map((zone) => nextSlot(schedule, zone, moment)).reduce((a, b) => (a > b ? a : b));
    if (latest <= moment) return moment;
    moment = latest;
  }
  return nextSlot(schedule, zones[0]!, at);
}

const schedules = new Map<string, Schedule>();

/** One for each text of `HH:MM-HH:MM`, of which few are in use. */
function everyDay(hours: string): Schedule {
  const known = schedules.get(hours);
  if (known !== undefined) return known;
  const [start = "", end = ""] = hours.split("-");
  const schedule = { ranges: [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, start, end })) };
  if (schedules.size < 1000) schedules.set(hours, schedule);
  return schedule;
}
