// How long steps wait at most.
import { zoneOfRecord } from "../conditions/subject.ts";
import { momentAfter } from "../durations.ts";
import type { Call } from "./step.ts";

const waitMostMs = 365 * 86_400_000;

/** No wait lasts longer than a year. */
export const atMost = (now: Date, until: Date): Date => new Date(Math.min(until.getTime(), now.getTime() + waitMostMs));

/** The zone that the step names, else the record's, else its owner's, else the organization's. */
export const zoneOfRun = ({ ctx, config, facts: { record } }: Call): string => config.timezone ?? zoneOfRecord(ctx, record);

/** The end of the step's `timeout`; without one, of a year. */
export function untilTimeout(call: Call): { until: Date; zone: string } {
  const { now } = call.ctx;
  const zone = zoneOfRun(call);
  const timeout = call.config.timeout ?? { amount: 365, unit: "days" };
  return { until: atMost(now, momentAfter(now, timeout, zone)), zone };
}
