// The settings of an automation: how often it runs for the same record, how many runs are allowed at once, at what hours, and
// with whose rights.
import { z } from "zod";
import { isTimeZone } from "../../values/time.ts";
import { clockTime, duration, label } from "./catalog.ts";

export const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const recipient = ["recipient", "sender", "owner"];
const zone = z.string().refine((name) => recipient.includes(name) || isTimeZone(name), {
  error: "must be recipient, sender, owner or a time zone such as Europe/Berlin",
});
const count = z.int().min(1).max(1_000_000);

/** What runs have in common that take turns: one of these, or a template. */
export const namedKeys = ["record", "lead", "contact", "owner"] as const;
const concurrencyKey = label.refine((key) => (namedKeys as readonly string[]).includes(key) || key.includes("{{"), {
  error: "must be record, lead, contact, owner or a template such as {{ record.lead_id }}",
});

const written = z.strictObject({
  re_enroll: z.enum(["never", "always", "after_exit"]).default("after_exit"),
  cooldown: duration.nullable().optional(),
  max_per_record: count.nullable().optional(),
  max_concurrent_per_record: count.nullable().optional(),
  concurrency: z
    .strictObject({
      key: concurrencyKey.optional(),
      mode: z.enum(["skip", "queue", "cancel_previous", "allow"]).optional(),
      max_active_runs: count.optional(),
    })
    .optional(),
  time_window: z
    .strictObject({
      timezone: zone.optional(),
      days: z.array(z.enum(days)).min(1).optional(),
      from: clockTime.optional(),
      to: clockTime.optional(),
      blocked_dates: z.array(z.iso.date()).max(366).optional(),
      spread_minutes: z.int().min(0).max(1440).optional(),
    })
    .nullable()
    .optional(),
  allow_self_trigger: z.boolean().optional(),
  stop_on: z.record(z.string(), z.unknown()).optional(),
  limits: z
    .strictObject({ max_steps_per_run: z.int().min(1).max(10_000).optional(), max_run_days: z.int().min(1).max(365).optional() })
    .optional(),
  run_as_user_id: z.string().min(1).max(64).nullable().default(null),
});

/** What would not do what it says. */
const agreeing = written.refine(({ re_enroll, max_concurrent_per_record: most }) => re_enroll === "always" || (most ?? 1) === 1, {
  path: ["max_concurrent_per_record"],
  error: "must be 1, or re_enroll always: a record otherwise runs once at a time",
});

/** Where it is not said, one run at a time: or any number, for an automation that always starts. */
export const settings = agreeing.transform(({ max_concurrent_per_record: most, ...given }) => ({
  ...given,
  max_concurrent_per_record: most ?? (given.re_enroll === "always" ? null : 1),
}));

export type Settings = z.output<typeof settings>;
