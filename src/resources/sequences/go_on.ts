// A step is over, and the next one gets its time; or what a step waits for is not there yet.
import type { Ctx } from "../../core/context.ts";
import type { Resource, Row, Values } from "../../core/resource.ts";
import { wake } from "../../jobs/job.ts";
import { changedFields, emit } from "../../records/event.ts";
import { findRecord, updateRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { channelMessage } from "../activities/channel_message.ts";
import { email } from "../activities/email.ts";
import { sms } from "../activities/sms.ts";
import { contact } from "../contacts/contact.ts";
import { task } from "../tasks/task.ts";
import { dueAfter } from "./due.ts";
import { failWay, finish } from "./endings.ts";
import { asFollowed } from "./former_steps.ts";
import { otherAddress } from "./other_address.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import type { Step } from "./steps.ts";
import { noteStep, type Outcome } from "./steps_taken.ts";
import { zoneFor } from "./zone.ts";

type Subscription = Row<typeof sequenceSubscription>;

/** What a step leaves behind on its subscription. */
type Trace = Values<typeof sequenceSubscription>;

export const nothingWaits = {
  waiting_message_id: null,
  waiting_task_id: null,
  reply_awaited_until: null,
  error_message: null,
  held_since: null,
  slot_at: null,
  throttled_since: null,
} as const;

const ofAnybody: typeof sequence = { ...sequence, visible: undefined };

/** The present step is over, if there was one. Returns when the next one is due. */
export async function goOn(ctx: Ctx, way: Subscription, outcome: Outcome | null, trace: Trace = {}): Promise<Date | null> {
  const of = await asFollowed(ctx, (await findRecord(ctx, ofAnybody, way.sequence_id))!, way);
  const place = of.steps.findIndex(({ id }) => id === way.current_step_id);
  const next = of.steps[place + 1];
  if (outcome !== null) noteStep(ctx, way, { step_id: way.current_step_id!, outcome });
  const values = { ...nothingWaits, ...trace, ...(await timeOf(ctx, of, way, place < 0 ? undefined : next)) };
  const after = store.update(ctx, sequenceSubscription, way, values);
  if (outcome !== null) {
    const changed = changedFields(sequenceSubscription, way, after);
    emit(ctx, sequenceSubscription, {
      action: "step_done",
      before: way,
      after,
      changed,
      meta: { step_id: way.current_step_id, outcome },
    });
  }
  if (after.next_step_at !== null) return new Date(after.next_step_at);
  finish(ctx, after);
  return null;
}

async function timeOf(ctx: Ctx, of: Row<typeof sequence>, way: Subscription, next: Step | undefined) {
  const { steps_version } = of;
  if (next === undefined) return { steps_version, current_step_id: null, next_step_at: null };
  const next_step_at = dueAfter(ctx, of, next, ctx.now, await zoneFor(ctx, of, way));
  return { steps_version, current_step_id: next.id, next_step_at, step_before_at: ctx.now.toISOString() };
}

// --- messages ---

interface Message {
  id: string;
  status: string;
  sending_at?: string | null;
  error_message?: string | null;
  send_attempts?: { error_class?: string; error_message?: string }[];
}

const kinds = [email, sms, channelMessage] as const;

export async function messageOf(ctx: Ctx, id: string): Promise<{ of: Resource; message: Message; job: string } | null> {
  for (const of of kinds) {
    const found = (await findRecord(ctx, of as typeof email, id)) as unknown as Message | null;
    if (found !== null) return { of: of as Resource, message: found, job: of.name.replace("activity_", "") };
  }
  return null;
}

/** The message of the present step has left, failed, or was deleted by a member; or it still waits. */
export async function settleMessage(ctx: Ctx, way: Subscription): Promise<Date | null> {
  const found = await messageOf(ctx, way.waiting_message_id!);
  if (found === null) return goOn(ctx, way, "skipped");
  const { message, job } = found;
  const isMail = job === "email";
  const sent = { initial_email_id: way.initial_email_id ?? message.id, latest_email_id: message.id };
  if (message.status === "sent") return goOn(ctx, way, "done", isMail ? sent : {});
  if (message.status === "error") return fail(ctx, way, message, isMail ? sent : {});
  // It may be waiting for the subscription, which was paused.
  if (message.status === "outbox") wake(ctx, { kind: job }, [message.id]);
  if (way.next_step_at !== null) store.update(ctx, sequenceSubscription, way, { next_step_at: null });
  return null;
}

async function fail(ctx: Ctx, way: Subscription, message: Message, sent: Trace): Promise<Date | null> {
  const { error_class, error_message } = message.send_attempts?.at(-1) ?? { error_message: message.error_message };
  noteStep(ctx, way, { step_id: way.current_step_id!, outcome: "failed" });
  const contact_email = error_class === "recipients" ? await addressInstead(ctx, way) : null;
  if (contact_email !== null) {
    const next_step_at = ctx.now.toISOString();
    store.update(ctx, sequenceSubscription, way, { waiting_message_id: null, contact_email, next_step_at });
    return ctx.now;
  }
  // It may have been sent: whoever resumes the subscription must not send it again.
  const behind = error_class === "unknown" ? { ...(await stepBehind(ctx, way)), ...sent } : {};
  const before = store.update(ctx, sequenceSubscription, way, { waiting_message_id: null, ...behind });
  if (error_class === "suppressed")
    finish(ctx, before, { status_reason: "unsubscribed", current_step_id: before.current_step_id });
  else failWay(ctx, before, reasonOf(error_class, sent), error_message ?? "The message of its step was not sent");
  return null;
}

async function addressInstead(ctx: Ctx, way: Subscription): Promise<string | null> {
  const person = await findRecord(ctx, { ...contact, visible: undefined } as typeof contact, way.contact_id);
  return person && otherAddress(ctx, way, person);
}

const reasons = new Map<string | undefined, NonNullable<Subscription["status_reason"]>>([
  ["no_mailbox", "account-invalid"],
  ["not_allowed", "account-invalid"],
  ["no_member", "membership-inactive"],
  ["recipients", "email-bounced"],
]);

const reasonOf = (error_class: string | undefined, sent: Trace): NonNullable<Subscription["status_reason"]> =>
  reasons.get(error_class) ?? (sent.latest_email_id === undefined ? "sms-failed" : "account-failures");

async function stepBehind(ctx: Ctx, way: Subscription) {
  const found = await findRecord(ctx, ofAnybody, way.sequence_id);
  if (found === null) return { current_step_id: null, next_step_at: null };
  const of = await asFollowed(ctx, found, way);
  return timeOf(ctx, of, way, of.steps[of.steps.findIndex(({ id }) => id === way.current_step_id) + 1]);
}

// --- tasks ---

const anyTask: typeof task = { ...task, visible: undefined };

/** Somebody has done the task, or deleted it; or it waits, as long as its step allows. */
export async function settleTask(ctx: Ctx, way: Subscription): Promise<Date | null> {
  const found = await findRecord(ctx, anyTask, way.waiting_task_id!);
  if (found === null) return goOn(ctx, way, "skipped");
  if (found.is_complete) return goOn(ctx, way, found.resolution === null ? "done" : "skipped");
  const of = await findRecord(ctx, ofAnybody, way.sequence_id);
  const steps = of === null ? [] : (await asFollowed(ctx, of, way)).steps;
  const allowed = steps.find(({ id }) => id === way.current_step_id)?.step_allowed_delay ?? null;
  if (way.next_step_at !== null) store.update(ctx, sequenceSubscription, way, { next_step_at: null });
  if (allowed === null || of?.status !== "active") return null;
  const ends = new Date(Date.parse(found.date_created) + allowed * 1000);
  if (ends > ctx.now) return ends;
  await updateRecord(ctx, task, found.id, { is_complete: true, resolution: "skipped" });
  return goOn(ctx, way, "skipped");
}
