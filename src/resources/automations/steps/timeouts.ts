// How long steps wait at most.
import type { Ctx } from "../../../core/context.ts";
import { businessHolidays } from "../../organization/holidays.ts";
import { isTooFar } from "../check_waits.ts";
import { zoneOfRecord } from "../conditions/subject.ts";
import { momentAfter } from "../durations.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call } from "./step.ts";

/** The moment, which must come within a year. What was known before was refused when it was published. */
export function withinYear(ctx: Ctx, until: Date): Date {
  if (isTooFar(ctx, until))
    throw new StepFailure(
      "wait_too_long",
      "config",
      `${until.toISOString()} is more than a year away, and a run waits for at most 365 days`,
    );
  return until;
}

/** The zone that the step names, else the record's, else its owner's, else the organization's. */
export const zoneOfRun = ({ ctx, config, facts: { record } }: Call): string => config.timezone ?? zoneOfRecord(ctx, record);

/** The end of the step's `timeout`; without one, of a year. */
export function untilTimeout(call: Call): { until: Date; zone: string } {
  const { now } = call.ctx;
  const zone = zoneOfRun(call);
  const timeout = call.config.timeout ?? { amount: 365, unit: "days" };
  return { until: withinYear(call.ctx, momentAfter(now, timeout, zone, { holidays: businessHolidays(call.ctx) })), zone };
}
