// How long an organization keeps what it has: `settings.retention`. Null is for ever, and for events as long as the service keeps them.
import { z } from "zod";

export const daysOf = { mail_days: [30, 36_500], recording_days: [1, 36_500], event_days: [30, 60] } as const;
export type Kept = keyof typeof daysOf;
export type Retention = Record<Kept, number | null>;

const why: Record<Kept, { least: string; most: string }> = {
  mail_days: { least: "answers are told by the mail that they answer", most: "leave it out to keep mail for ever" },
  recording_days: { least: "recordings are fetched and heard first", most: "leave it out to keep recordings for ever" },
  event_days: {
    least: "webhooks, the feed, automations and undoing need the events of 30 days",
    most: "the service itself deletes all events when they are between 30 and 61 days old",
  },
};

const days = (kept: Kept) =>
  z.int().superRefine((given, check) => {
    const [least, most] = daysOf[kept];
    if (given < least)
      check.addIssue({ code: "custom", message: `must be ${least} or more, because ${why[kept].least}`, input: given });
    if (given > most) check.addIssue({ code: "custom", message: `must be ${most} or less: ${why[kept].most}`, input: given });
  });

const one = { mail_days: days("mail_days"), recording_days: days("recording_days"), event_days: days("event_days") };

/** Null takes a member away before this sees it. */
export const retention = z.looseObject({
  mail_days: one.mail_days.optional(),
  recording_days: one.recording_days.optional(),
  event_days: one.event_days.optional(),
});

/** What holds of the stored settings. Others may have stood under this name before the service used it: nothing is deleted by them. */
export function retentionOf({ retention: stored }: Record<string, unknown>): Retention {
  const { success, data } = retention.safeParse(stored ?? {});
  const given: z.output<typeof retention> = success ? data : {};
  return {
    mail_days: given.mail_days ?? null,
    recording_days: given.recording_days ?? null,
    event_days: given.event_days ?? null,
  };
}
