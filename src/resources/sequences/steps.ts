// The steps of a sequence, as they are given and as they are kept.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { newId } from "../../values/id.ts";

export const stepTypes = ["email", "call", "sms", "task", "channel_message"] as const;

/** A year: longer than anyone waits. */
const delayMax = 366 * 86_400;
const seconds = z.int().min(0).max(delayMax);
const words = z.string().max(100_000).nullable().default(null);
const templateId = z.string().min(1).max(64).nullable().default(null);

const given = z
  .object({
    id: z.string().max(64).nullish(),
    step_type: z.enum(stepTypes),
    delay: seconds.default(0),
    required: z.boolean().default(false),
    email_template_id: templateId,
    sms_template_id: templateId,
    threading: z.enum(["new_thread", "old_thread"]).nullable().default(null),
    step_allowed_delay: seconds.nullable().default(null),
    note: words,
    text: words,
  })
  .superRefine((step, check) => {
    const refuse = (field: string, message: string) => check.addIssue({ code: "custom", path: [field], message });
    if (step.step_type === "email" && step.email_template_id === null) refuse("email_template_id", "is required for an e-mail");
    if (step.step_type === "sms" && step.sms_template_id === null && !step.text)
      refuse("sms_template_id", "is required for a text message, or text");
    if (step.step_type === "channel_message" && !step.text) refuse("text", "is required for a message");
  });

export const givenSteps = z.array(given).max(50);

const shown = z.object({ ...given.shape, id: z.string(), position: z.int() });

export const shownSteps = z.array(shown);

export type GivenStep = z.output<typeof given>;

/** A step as it is kept: it goes by its id, so that subscriptions find it again when others come before it. */
export type Step = Omit<GivenStep, "id"> & { id: string; position: number };

/** Steps that name one of `before` stay that step; those that name none are new. */
export function numbered(steps: readonly GivenStep[], before: readonly Step[], now: Date): Step[] {
  const free = new Set(before.map((step) => step.id));
  return steps.map((step, position) => {
    const id = step.id || newId("seqstep", now.getTime());
    if (step.id && !free.delete(step.id)) throw invalid({ [`steps.${position}.id`]: foreign(step.id, before) });
    return { ...step, id, position, threading: step.threading ?? (step.step_type === "email" ? "new_thread" : null) };
  });
}

const foreign = (id: string, before: readonly Step[]): string =>
  before.some((step) => step.id === id) ? "is there already" : "is not a step of this sequence";

/** Where a subscription goes on whose step is gone: at the first step behind it that is still there; null when there is none. */
export function survivorOf(stepId: string, before: readonly Step[], after: readonly Step[]): Step | null {
  const kept = new Map(after.map((step) => [step.id, step]));
  const behind = before.slice(before.findIndex((step) => step.id === stepId));
  return behind.map((step) => kept.get(step.id)).find((step) => step !== undefined) ?? null;
}
