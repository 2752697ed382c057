// The steps of a sequence, in requests and as stored.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { newId } from "../../values/id.ts";
import { type Attachment, emailAttachment } from "../activities/attachments.ts";
import { units } from "../automations/catalog.ts";

export const stepTypes = ["email", "call", "sms", "task", "linkedin_task", "wait_reply", "channel_message"] as const;

/** A year, which is longer than anyone waits. */
const delayMax = 366 * 86_400;
const seconds = z.int().min(0).max(delayMax);
/** Days and weeks are calendar ones. Business days leave out Saturday and Sunday. */
const secondsIn = { minutes: 60, hours: 3_600, days: 86_400, weeks: 604_800, business_days: 86_400 } as const;
const amountOfTime = z
  .strictObject({ amount: z.int().min(0), unit: z.enum(units) })
  .refine(({ amount, unit }) => amount * secondsIn[unit] <= delayMax, { path: ["amount"], error: "must be a year or less" });
/** How long something takes. */
export const duration = z.union([seconds, amountOfTime], {
  error: 'must be seconds, or an amount such as {"amount": 2, "unit": "days"}, and a year or less',
});
const words = z.string().max(100_000).nullable().default(null);
const templateId = z.string().min(1).max(64).nullable().default(null);

/** What an e-mail says: a template, or words with tags of their own. */
const wording = {
  email_template_id: templateId,
  subject: z.string().max(1000).nullable().default(null),
  body: words,
};
const variant = z
  .strictObject({ id: z.string().min(1).max(64), weight: z.int().min(1).max(100).default(1), ...wording })
  .refine(({ email_template_id, body }) => email_template_id !== null || body, {
    path: ["email_template_id"],
    error: "is required, or body",
  });
const variants = z
  .array(variant)
  .max(10)
  .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, "must each have an id of its own");

/** For each outcome of a call, by its id, or for each disposition: what becomes of the subscription. */
const outcomeRule = z.strictObject({
  action: z.enum(["next", "repeat", "pause", "finish", "goal"]),
  delay: duration.nullable().default(null),
});
const outcomeMap = z.record(z.string().max(64), outcomeRule);

export type OutcomeRule = z.output<typeof outcomeRule>;

/** Whether opens and clicks of a mail are recorded. */
export const tracking = z.strictObject({ opens: z.boolean().optional(), clicks: z.boolean().optional() });

export type Wording = Pick<z.output<typeof variant>, keyof typeof wording>;

const given = z
  .object({
    id: z.string().max(64).nullish(),
    step_type: z.enum(stepTypes),
    delay: duration.default(0),
    required: z.boolean().default(false),
    at: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of day such as 09:00" })
      .nullable()
      .default(null),
    condition: z.looseObject({}).nullable().default(null),
    assigned_to: z.string().max(64).nullable().default(null),
    ...wording,
    variants: variants.nullable().default(null),
    sms_template_id: templateId,
    threading: z.enum(["new_thread", "old_thread"]).nullable().default(null),
    step_allowed_delay: seconds.nullable().default(null),
    outcome_map: outcomeMap.nullable().default(null),
    tracking: tracking.nullable().default(null),
    note: words,
    text: words,
    attachments: z.array(emailAttachment).max(20).optional(),
    from_phone_number_id: templateId.optional(),
    priority: z.enum(["high", "medium", "low"]).nullable().optional(),
  })
  .superRefine((step, check) => {
    const refuse = (field: string, message: string) => check.addIssue({ code: "custom", path: [field], message });
    if (step.step_type === "email" && step.email_template_id === null && !step.body && !step.variants?.length)
      refuse("email_template_id", "is required for an e-mail, or body, or variants");
    if (step.step_type === "sms" && step.sms_template_id === null && !step.text)
      refuse("sms_template_id", "is required for a text message, or text");
    if (step.step_type === "channel_message" && !step.text) refuse("text", "is required for a message");
    if (step.step_type === "wait_reply" && step.step_allowed_delay === null)
      refuse("step_allowed_delay", "is required: how many seconds to wait for a reply");
    if (step.attachments?.length && step.step_type !== "email") refuse("attachments", "is for e-mails");
    if (step.from_phone_number_id && step.step_type !== "sms") refuse("from_phone_number_id", "is for text messages");
    if (step.priority && (isMessage(step) || step.step_type === "wait_reply")) refuse("priority", "is for calls and tasks");
    if (step.outcome_map !== null && step.step_type !== "call") refuse("outcome_map", "is for calls");
    if (step.outcome_map !== null && !step.required && step.step_allowed_delay === null)
      refuse("required", "must be true, or step_allowed_delay be given: the sequence does not wait for this call otherwise");
  });

export const givenSteps = z.array(given).max(50);

const shown = z.object({ ...given.shape, id: z.string(), position: z.int() });

export const shownSteps = z.array(shown);

export type GivenStep = Omit<z.output<typeof given>, "attachments"> & { attachments?: Attachment[] };

/** A stored step. Subscriptions refer to its id, so that they find it again when steps are inserted before it. */
export type Step = Omit<GivenStep, "id"> & { id: string; position: number };

export type Delay = Step["delay"];

/** Steps with an id of `before` keep it. Those without are new. */
export function numbered(steps: readonly GivenStep[], before: readonly Step[], now: Date): Step[] {
  const free = new Set(before.map((step) => step.id));
  return steps.map((step, position) => {
    const id = step.id || newId("seqstep", now.getTime());
    if (step.id && !free.delete(step.id)) throw invalid({ [`steps.${position}.id`]: foreign(step.id, before) });
    return { ...step, id, position };
  });
}

const foreign = (id: string, before: readonly Step[]): string =>
  before.some((step) => step.id === id) ? "is there already" : "is not a step of this sequence";

/**
 * Where a subscription continues when its step is deleted: at what stands behind the steps before it now, which may be a new step, or
 * else at the first later step that still exists. Null when there is neither.
 */
export function survivorOf(stepId: string, before: readonly Step[], after: readonly Step[]): Step | null {
  const place = before.findIndex((step) => step.id === stepId);
  const passed = new Set(before.slice(0, place).map((step) => step.id));
  const next = after[after.findLastIndex((step) => passed.has(step.id)) + 1];
  const kept = new Map(after.map((step) => [step.id, step]));
  return next ?? before.slice(place).flatMap((step) => kept.get(step.id) ?? [])[0] ?? null;
}

/** As `assigned_to` of a step: whoever owns the lead when it is due. */
export const ownerOfLead = "owner";

/** It leaves by itself. */
export const isMessage = ({ step_type }: Pick<Step, "step_type">): boolean =>
  step_type === "email" || step_type === "sms" || step_type === "channel_message";

/** All that an e-mail of the step may say. */
export const wordingsOf = (step: Step): Wording[] => (step.variants?.length ? step.variants : [step]);
