// Triggers that the clock starts.
import { z } from "zod";
import { problemOfCron } from "../../../values/cron.ts";
import { activityKinds, clockTime, defining, fieldName, may, need, objectType, oneOf, units, values, zone } from "../catalog.ts";
import { cronClock } from "../clock/cron.ts";
import { dateClock } from "../clock/dates.ts";
import { inactiveClock, withSilence } from "../clock/inactive.ts";
import type { TriggerType } from "./trigger_type.ts";

const define = defining<TriggerType>();
const time = "time";

export const timeTriggers: readonly TriggerType[] = [
  define(
    time,
    "schedule.cron",
    "At certain times, once or for each of some records.",
    {
      cron: need(
        z
          .string()
          .regex(/^(\S+\s+){4}\S+$/, { error: 'must have five parts, such as "0 9 * * 1"' })
          .max(100)
          .superRefine((cron, check) => {
            const problem = problemOfCron(cron);
            if (problem !== null) check.addIssue({ code: "custom", message: problem });
          }),
      ),
      timezone: need(zone),
      for_each: may(
        z.strictObject({ object_type: objectType, condition: values.optional(), limit: z.int().min(1).max(50_000).optional() }),
      ),
    },
    { clock: cronClock },
  ),
  define(
    time,
    "schedule.date",
    "Some time before or after a date of a record.",
    {
      object_type: need(objectType),
      date_field: need(fieldName),
      offset: need(
        z.strictObject({ amount: z.int().min(0).max(10_000), unit: z.enum(units), direction: z.enum(["before", "after"]) }),
      ),
      at: may(clockTime),
      timezone: may(zone),
      recurrence: may(oneOf("yearly")),
      condition: may(values),
    },
    { clock: dateClock },
  ),
  define(
    time,
    "record.inactive",
    "Nothing has happened at a record for some days.",
    {
      object_type: need(objectType),
      days: need(z.int().min(1).max(3650)),
      activity_kinds: may(activityKinds),
    },
    {
      object_types: withSilence,
      clock: inactiveClock,
      lacks: ({ object_type }) =>
        withSilence.includes(object_type) ? null : `is about ${object_type}: activities belong to ${withSilence.join(", ")}`,
    },
  ),
];
