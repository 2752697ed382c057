// Whom a dialer does not call, and whom not yet.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { todayOf, zoneOf } from "../../records/clock.ts";
import { todayIn } from "../../values/time.ts";
import { isHours, nextWithin, usualHours, type Whereabouts, zonesOf } from "./local_hours.ts";

export const skipRules = z.strictObject({
  min_hours_between: z
    .number()
    .min(0)
    .max(8760)
    .nullable()
    .default(null)
    .describe("Skips people who were called within so many hours."),
  max_attempts: z.int().min(1).max(1000).nullable().default(null).describe("Skips people who were called so often already."),
  local_hours: z
    .string()
    .refine(isHours, { error: "must be hours of the day such as 08:00-21:00" })
    .nullable()
    .default(usualHours)
    .describe("Leads are put off until it is within these hours where they are; null for at any hour."),
  exclude_dnc: z.boolean().default(true).describe("Skips contacts with `do_not_call`."),
  exclude_called_today: z.boolean().default(false).describe("Skips people who were called today."),
});

export type SkipRules = z.output<typeof skipRules>;

/** Nothing is skipped but whoever does not want calls. */
export const usualRules: SkipRules = skipRules.parse({});

/** Whether calls of the past matter. */
export const lookBack = ({ min_hours_between, max_attempts, exclude_called_today }: SkipRules): boolean =>
  min_hours_between !== null || max_attempts !== null || exclude_called_today;

/** Somebody who can be called. */
export interface Candidate extends Whereabouts {
  do_not_call: boolean;
  /** How often they were called, and when last. */
  attempts: number;
  latest: string | null;
}

/** `now`, a later moment, or null for not at all. */
export function whenToCall(ctx: Ctx, rules: SkipRules, who: Candidate): Date | null {
  if (rules.exclude_dnc && who.do_not_call) return null;
  if (rules.max_attempts !== null && who.attempts >= rules.max_attempts) return null;
  if (who.latest !== null && isTooSoon(ctx, rules, new Date(who.latest))) return null;
  return rules.local_hours === null ? ctx.now : nextWithin(rules.local_hours, zonesOf(ctx, who), ctx.now);
}

function isTooSoon(ctx: Ctx, { min_hours_between, exclude_called_today }: SkipRules, latest: Date): boolean {
  if (min_hours_between !== null && latest.getTime() + min_hours_between * 3_600_000 > ctx.now.getTime()) return true;
  return exclude_called_today && todayIn(latest, zoneOf(ctx.directory, ctx)) === todayOf(ctx.directory, ctx);
}
