// When the steps of a sequence are due: after their delay, within its hours, and not on its holidays.
import type { Ctx } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { businessHolidays, holidaysOf } from "../organization/holidays.ts";
import { afterDelay, atTimeOfDay, firstSlot } from "./schedule.ts";
import type { sequence } from "./sequence.ts";
import type { sequenceSubscription } from "./sequence_subscription.ts";
import type { Step } from "./steps.ts";

type Sequence = Row<typeof sequence>;

/** The first step and when it is due. Without steps, nothing is due. */
export function atFirstStep(ctx: Ctx, taken: Sequence, start_date: string, zone: string): Values<typeof sequenceSubscription> {
  const [first] = taken.steps;
  const { steps_version } = taken;
  if (first === undefined) return { steps_version, current_step_id: null, next_step_at: null };
  return { steps_version, current_step_id: first.id, next_step_at: dueAfter(ctx, taken, first, new Date(start_date), zone) };
}

/** When a step is due, counted from a moment. */
export function dueAfter(
  ctx: Ctx,
  taken: Sequence,
  { delay, at }: Pick<Step, "delay" | "at">,
  since: Date,
  zone: string,
): string {
  const skipped = taken.schedule?.skip_holidays ?? null;
  const holidays = skipped === null ? businessHolidays(ctx) : holidaysOf(ctx, skipped);
  return openAt(ctx, taken, zone, atTimeOfDay(afterDelay(since, delay, zone, holidays), at ?? null, zone)).toISOString();
}

/** The first moment at or after `at` in the hours of the sequence. */
export function openAt(ctx: Ctx, { schedule }: Pick<Sequence, "schedule">, zone: string, at: Date): Date {
  if (schedule === null) return at;
  const blocked = holidaysOf(ctx, schedule.skip_holidays ?? null);
  // So far that a sequence of one weekday finds a day, though each holiday is on it.
  const slot = firstSlot(schedule, zone, at, { blocked, ahead: 7 * (blocked.length + 2) });
  if (slot === null) throw new Error("a schedule that never opens");
  return slot.at;
}
