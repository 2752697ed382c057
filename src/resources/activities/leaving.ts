// What sending a message has in common for all kinds. A message to be sent wakes the job of its kind. In the end it was sent, or
// stays and says why not. The sender of each kind calls these functions with the message locked.
import type { Ctx } from "../../core/context.ts";
import type { Resource, Row, Values } from "../../core/resource.ts";
import { wake } from "../../jobs/job.ts";
import { changedFields, emit } from "../../records/event.ts";
import { findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { messageChanged, messageFailed, messageSent } from "../conversations/keep_up.ts";
import { type Message, previewOf } from "../conversations/message.ts";
import { isHiddenFrom } from "../leads/hidden_from.ts";
import { lead } from "../leads/lead.ts";
import { notify } from "../notifications/notify.ts";
import { stepMoved } from "../sequences/step_jobs.ts";
import { email } from "./email.ts";
import { refreshThread } from "./threading.ts";

/** What the three kinds have in common. */
export type Leaving = Row<Resource> &
  Message & {
    send_after: string | null;
    sending_at: string | null;
    released_by: string | null;
    sequence_subscription_id: string | null;
    created_by: string | null;
    /** Only for e-mails. */
    thread_id?: string;
    email_account_id?: string | null;
    send_attempts?: object[];
  };

/** The kind of the jobs that send such messages: `email`, `sms`, `channel_message`. */
export const jobsOf = (of: Resource): { kind: string } => ({ kind: of.name.replace("activity_", "") });

type Waiting = Pick<Leaving, "id" | "send_after" | "email_account_id" | "released_by" | "user_id" | "created_by">;

/** Wakes the job of a waiting message at its earliest time. */
export function wakeSender(ctx: Ctx, of: Resource, message: Waiting): void {
  if (message.send_after !== null) wake(ctx, jobsOf(of), [message.id], new Date(message.send_after), laneOf(message));
}

/** The lane of its job. An e-mail that does not say yet which mailbox sends it is in the lane of the member who released it. */
export const laneOf = (message: Waiting): string =>
  message.email_account_id === undefined ? "" : (message.email_account_id ?? releaserOf(message));

/** The member in whose name it is sent. */
export const releaserOf = ({
  released_by,
  user_id,
  created_by,
}: Pick<Waiting, "released_by" | "user_id" | "created_by">): string => released_by ?? user_id ?? created_by ?? "";

/** Sending is about to start. A message with this mark and no result may or may not have been sent. There is no event. */
export const noteSending = (ctx: Ctx, of: Resource, before: Leaving, values: Values<Resource> = {}): Leaving =>
  store.update(ctx, of, before, { sending_at: ctx.now.toISOString(), ...values }, undefined, null) as Leaving;

/** It was sent: its thread and its conversation show when. */
export async function hasLeft(ctx: Ctx, of: Resource, before: Leaving, values: Values<Resource> = {}): Promise<void> {
  const date_sent = ctx.now.toISOString();
  const gone = { status: "sent", date_sent, activity_at: date_sent, send_after: null, sending_at: null };
  const after = store.update(ctx, of, before, { ...gone, ...values }) as Leaving;
  emit(ctx, of, { action: "sent", after });
  if (of === email) await refreshThread(ctx, after.thread_id!);
  stepMoved(ctx, [after]);
  await messageSent(ctx, of, before, after);
}

/** Why a message was not sent. */
export interface Reason {
  /** One word for software. */
  error_class: string;
  /** A sentence for its author: what happened, and what to do. */
  error_message: string;
}

export const pastDue: Reason = {
  error_class: "past_due",
  error_message: "The account of this organization is past due: its messages wait until that is settled",
};

/** It will not be sent as it is: it becomes an error with the reason, and its sender is notified. */
export async function hasFailed(
  ctx: Ctx,
  of: Resource,
  before: Leaving,
  reason: Reason,
  { values = {}, quietly = false }: { values?: Values<Resource>; quietly?: boolean } = {},
): Promise<void> {
  const failed = { status: "error", send_after: null, sending_at: null, ...withReason(ctx, before, reason) };
  const after = store.update(ctx, of, before, { ...failed, ...values }) as Leaving;
  emit(ctx, of, { action: "failed", before, after, changed: changedFields(of, before, after) });
  stepMoved(ctx, [after]);
  await messageFailed(ctx, of, before, after);
  if (!quietly) await tellSender(ctx, of, before, reason);
}

/** It still waits, with the reason. Or some recipients have their result, which is stored. */
export async function hasToWait(
  ctx: Ctx,
  of: Resource,
  before: Leaving,
  reason: Reason | null,
  values: Values<Resource> = {},
): Promise<void> {
  const said = reason === null ? {} : withReason(ctx, before, reason);
  const after = store.update(ctx, of, before, { sending_at: null, ...said, ...values }) as Leaving;
  await messageChanged(ctx, of, before, after);
}

/** An e-mail stores each attempt with its result. */
const withReason = (ctx: Ctx, { send_attempts }: Leaving, reason: Reason): Values<Resource> =>
  send_attempts === undefined
    ? { error_message: reason.error_message }
    : { send_attempts: attemptsWith(ctx, send_attempts, [reason]) };

const attemptsKept = 50;

export const attemptsWith = (ctx: Ctx, attempts: readonly object[], reasons: readonly Reason[]): object[] =>
  [...attempts, ...reasons.map((one) => ({ date: ctx.now.toISOString(), ...one }))].slice(-attemptsKept);

/** Of one that may have been sent, the title does not invite sending it again. */
function titleOf(subject: string | null | undefined, error_class: string): string {
  if (error_class === "unknown")
    return subject ? `It may have been sent or not: ${subject}` : "One of your messages may have been sent or not";
  return subject ? `Not sent: ${subject}` : "One of your messages was not sent";
}

/**
 * Notifies the member who released it that it was not sent, or not to everybody. One who does not see the lead any more is told only
 * that, and the lead's owner of the message.
 */
export async function tellSender(
  ctx: Ctx,
  of: Resource,
  message: Leaving,
  { error_class, error_message }: Reason,
): Promise<void> {
  const { subject, lead_id } = message;
  const sender = releaserOf(message);
  const isHidden = await isHiddenFrom(ctx, sender, lead_id);
  if (isHidden)
    notify(ctx, [sender], {
      type: "message_failed",
      title: "One of your messages was not sent",
      body: "It is at a lead that you do not see any more. Ask its owner to send it, or to show you the lead.",
      object_type: "user",
      object_id: sender,
      actor_id: null,
    });
  const owner = isHidden ? (await findRecord(ctx, { ...lead, visible: undefined }, lead_id))?.owner_id : sender;
  notify(ctx, [owner], {
    type: "message_failed",
    title: titleOf(subject, error_class),
    body: [error_message, previewOf(message)]
      .filter((one) => one !== null)
      .join("\n")
      .slice(0, 1000),
    object_type: of.event!(message)!,
    object_id: message.id,
    lead_id: message.lead_id,
    actor_id: null,
  });
}
