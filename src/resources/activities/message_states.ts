// The states of outgoing messages, shared by e-mails, SMS and channel messages. Nothing is sent here: a message in `outbox` waits
// for its `send_after`, and the sender then takes it.
import { type Ctx, userOf } from "../../core/context.ts";
import { type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import { text, timestamp } from "../../core/field.ts";
import type { Recipient, Resource } from "../../core/resource.ts";
import { same } from "../../values/same.ts";

export const messageStates = ["draft", "scheduled", "outbox", "sent", "inbox", "error"] as const;
export type MessageState = (typeof messageStates)[number];

export const statusDoc =
  "`draft` can be edited; `scheduled` and `outbox` wait to be sent; `sent` and `inbox` (received) are final; `error` could not be sent.";

/** For the sender only. It is never shown. */
export const leavingFields = {
  send_after: timestamp({ readOnly: true, hidden: true, doc: "The earliest time to send it." }),
  sending_at: timestamp({ readOnly: true, hidden: true, doc: "When sending started." }),
  released_by: text({ readOnly: true, hidden: true, doc: "The user who put it into the outbox." }),
};

/** States that a caller may set. Only the sender sets `sent` and `error`. */
const next: Record<MessageState, readonly MessageState[]> = {
  draft: ["scheduled", "outbox"],
  scheduled: ["draft", "outbox"],
  outbox: ["draft"],
  error: ["draft", "outbox"],
  sent: [],
  inbox: [],
};

/** The message is to be sent, now or later. */
export const isLeaving = (status: MessageState): boolean => status === "outbox" || status === "scheduled";

export function checkMove(from: MessageState, to: MessageState): void {
  if (from !== to && !next[from].includes(to)) throw invalid({ status: `cannot become ${to} once it is ${from}` });
}

const recipients = [
  ["to", "email"],
  ["cc", "email"],
  ["bcc", "email"],
  ["remote_phone", "phone"],
  ["contact_id", "contact"],
] as const;

/** Whom a message goes to, as soon as it is to be sent. */
export function sendsTo(row: { status: MessageState } & Record<string, any>): readonly Recipient[] | null {
  if (!isLeaving(row.status)) return null;
  return recipients.flatMap(([field, is]) => {
    const given: unknown[] = [row[field] ?? []].flat();
    return given.map((value, i) => ({ at: Array.isArray(row[field]) ? `${field}.${i}` : field, is, value: String(value) }));
  });
}

/** Its records are messages that a customer may have or get. */
export const isMessage = (kind: Pick<Resource, "sendsTo">): boolean => kind.sendsTo === sendsTo;

/** Only a draft may be edited. A request that takes a message back to draft may edit it as well. */
export function checkContent<T extends { status: MessageState }>(
  before: T,
  patch: Partial<T>,
  content: readonly (keyof T & string)[],
): void {
  if (before.status === "draft" || patch.status === "draft") return;
  const errors: FieldErrors = {};
  for (const field of content)
    if (patch[field] !== undefined && !same(patch[field], before[field])) errors[field] = "can only be changed in a draft";
  refuse(errors);
}

interface Times {
  date_scheduled?: string | null;
  date_sent?: string | null;
  activity_at?: string;
  date_created?: string;
  send_in?: number;
}

/** In whose name it is sent: the member who last put it into the outbox. */
export const releasedBy = (ctx: Ctx, status: MessageState, before?: { status: MessageState; released_by: string | null }) =>
  !isLeaving(status) ? null : status === before?.status ? before.released_by : userOf(ctx);

/**
 * Whose message it is, in reports and for what follows from it: whoever puts it into the outbox, unless the request says otherwise.
 * Nothing where it stays as it is.
 */
export function sentBy(
  ctx: Ctx,
  status: MessageState,
  before: { status: MessageState; user_id: string | null },
  given: string | null | undefined,
): { user_id?: string } {
  const isSaid = given !== undefined && given !== before.user_id;
  const by = userOf(ctx);
  return isSaid || by === null || status === before.status || !isLeaving(status) ? {} : { user_id: by };
}

/** A message that is being sent cannot be taken back. */
export function checkNotSending({ sending_at }: { sending_at: string | null }): void {
  if (sending_at !== null)
    throw invalid({
      status: "cannot be changed while it is being sent: try again in a minute, when it was sent or shows an error",
    });
}

/** The earliest time to send a message: its scheduled date, or some seconds after it is put into the outbox. */
export function sendAfter(ctx: Ctx, status: MessageState, { date_scheduled, send_in }: Times): string | null {
  if (send_in !== undefined && status !== "outbox") throw invalid({ send_in: "can only be given with the status outbox" });
  if (status === "outbox") return new Date(ctx.now.getTime() + (send_in ?? 0) * 1000).toISOString();
  if (status !== "scheduled") return null;
  if (!date_scheduled) throw invalid({ date_scheduled: "is required for the status scheduled" });
  if (Date.parse(date_scheduled) <= ctx.now.getTime()) throw invalid({ date_scheduled: "must be in the future" });
  return date_scheduled;
}

/** The same for a change: a message that already waits keeps its time, unless another is given. */
export function sendAfterChange(
  ctx: Ctx,
  before: { status: MessageState; date_scheduled: string | null; send_after: string | null; sending_at: string | null },
  status: MessageState,
  { date_scheduled = before.date_scheduled, send_in }: Times,
): string | null {
  const waits = status === before.status && date_scheduled === before.date_scheduled && send_in === undefined;
  if (waits) return before.send_after;
  checkNotSending(before);
  return sendAfter(ctx, status, { date_scheduled, send_in });
}

/** When a logged message was sent or received. Null for a message that has not been sent. */
export function sentAt(ctx: Ctx, status: MessageState, given: Times): string | null {
  if (status === "sent" || status === "inbox")
    return given.date_sent ?? given.activity_at ?? given.date_created ?? ctx.now.toISOString();
  if (given.date_sent) throw invalid({ date_sent: `must not be given while it is ${status}` });
  return null;
}
