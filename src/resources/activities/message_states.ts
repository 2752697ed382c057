// How a message goes out: the states that e-mails, SMS and channel messages share. Nothing is sent here: a message in `outbox`
// waits for the sender, which takes it when its `send_after` has come.
import type { Ctx } from "../../core/context.ts";
import { type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import { same } from "../../values/same.ts";

export const messageStates = ["draft", "scheduled", "outbox", "sent", "inbox", "error"] as const;
export type MessageState = (typeof messageStates)[number];

export const statusDoc =
  "`draft` may be edited; `scheduled` and `outbox` are to be sent; `sent` and `inbox` (received) are final; `error` could not be sent.";

/** What a caller may ask for; `sent` and `error` are the sender's to say. */
const next: Record<MessageState, readonly MessageState[]> = {
  draft: ["scheduled", "outbox"],
  scheduled: ["draft", "outbox"],
  outbox: ["draft"],
  error: ["draft", "outbox"],
  sent: [],
  inbox: [],
};

/** The message is to leave, now or later. */
export const isLeaving = (status: MessageState): boolean => status === "outbox" || status === "scheduled";

export function checkMove(from: MessageState, to: MessageState): void {
  if (from !== to && !next[from].includes(to)) throw invalid({ status: `cannot become ${to} once it is ${from}` });
}

/** Only a draft may be edited; what is taken back to a draft may be edited on the way. */
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

/** When a message may leave: at the date it is scheduled for, or some seconds after it is put into the outbox. */
export function sendAfter(ctx: Ctx, status: MessageState, { date_scheduled, send_in }: Times): string | null {
  if (send_in !== undefined && status !== "outbox") throw invalid({ send_in: "can only be given with the status outbox" });
  if (status === "outbox") return new Date(ctx.now.getTime() + (send_in ?? 0) * 1000).toISOString();
  if (status !== "scheduled") return null;
  if (!date_scheduled) throw invalid({ date_scheduled: "is required for the status scheduled" });
  if (Date.parse(date_scheduled) <= ctx.now.getTime()) throw invalid({ date_scheduled: "must be in the future" });
  return date_scheduled;
}

/** The same for a change: what already waits keeps its time, unless another is given. */
export function sendAfterChange(
  ctx: Ctx,
  before: { status: MessageState; date_scheduled: string | null; send_after: string | null },
  status: MessageState,
  { date_scheduled = before.date_scheduled, send_in }: Times,
): string | null {
  const waits = status === before.status && date_scheduled === before.date_scheduled && send_in === undefined;
  return waits ? before.send_after : sendAfter(ctx, status, { date_scheduled, send_in });
}

/** When a logged message was sent or received; null for what has not left. */
export function sentAt(ctx: Ctx, status: MessageState, given: Times): string | null {
  if (status === "sent" || status === "inbox")
    return given.date_sent ?? given.activity_at ?? given.date_created ?? ctx.now.toISOString();
  if (given.date_sent) throw invalid({ date_sent: `must not be given while it is ${status}` });
  return null;
}
