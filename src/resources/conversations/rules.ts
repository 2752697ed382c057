// Applies the inbox rules to an incoming message of a conversation.
import type { Ctx } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { createRecord } from "../../records/records.ts";
import { emailKey } from "../../values/email.ts";
import { email } from "../activities/email.ts";
import { asPerson } from "../activities/recipients.ts";
import type { Incoming, Outcome } from "../inbox/apply_rules.ts";
import { askRules, filedIn } from "../inbox/ask_rules.ts";
import { carriedOut } from "../inbox/receipt.ts";
import { canBeAssigned } from "../tasks/assignee.ts";
import type { conversation } from "./conversation.ts";
import { isFromMachine, type Message } from "./message.ts";

type Conversation = Row<typeof conversation>;

/** The changes that the rules make to the conversation. Forwarded messages are already in the outbox. */
export async function ruled(
  ctx: Ctx,
  thread: Conversation,
  message: Message,
  leadStatusId: string | null,
): Promise<Values<typeof conversation>> {
  const outcome = await askRules(ctx, incoming(message, thread.message_count > 0, leadStatusId), [
    message.user_id,
    thread.assigned_to,
  ]);
  if (outcome.matched.length === 0) return {};
  const to = forwardedTo(message, outcome.forward_to);
  const sender = ctx.actor.user_id || message.user_id;
  if (to.length > 0 && sender) await carriedOut(ctx, outcome.matched, () => forward(inNameOf(ctx, sender), message, to));
  const folder_id = filedIn(ctx, outcome);
  return { ...(folder_id && { folder_id }), ...marking(ctx, thread, outcome) };
}

const dayMs = 86_400_000;

function marking(ctx: Ctx, thread: Conversation, outcome: Outcome): Values<typeof conversation> {
  const values: Values<typeof conversation> = {};
  const { assigned_to, priority, status, tags } = outcome;
  if (outcome.mark_as_read || outcome.delete) Object.assign(values, { is_read: true, unread_count: 0 });
  if (assigned_to !== null && canBeAssigned(ctx.directory, assigned_to)) values.assigned_to = assigned_to;
  if (priority !== null) values.priority = priority;
  if (tags.length > 0) values.tags = [...new Set([...thread.tags, ...tags])].slice(0, 100);
  if (status === "closed") values.status = "closed";
  // A rule names no time, so the snooze lasts for a day.
  if (status === "snoozed") Object.assign(values, { status, snoozed_until: new Date(ctx.now.getTime() + dayMs).toISOString() });
  return values;
}

/** As rules see it. `follows` when its conversation has had messages before. */
export function incoming(message: Message, follows: boolean, lead_status_id: string | null): Incoming {
  const { email: address, name } = (message.sender && asPerson(message.sender)) || { email: null, name: null };
  const known = (one: string | null | undefined): one is string => typeof one === "string";
  const addresses = [message.to ?? [], message.cc ?? []].flat();
  return {
    channel: message.channel ?? (message._type === "SMS" ? "sms" : "email"),
    sender: [address, name, message.remote_phone, message.remote_handle].filter(known),
    recipients: [...addresses.map((one) => asPerson(one)?.email ?? one), message.local_phone].filter(known),
    subject: message.subject ?? "",
    body: message.body_text ?? message.text ?? "",
    has_attachments: (message.attachments ?? []).length > 0,
    is_reply: Boolean(message.in_reply_to_id) || follows || /^re:/i.test(message.subject ?? ""),
    unknown_sender: message.contact_id === null,
    lead_status_id,
  };
}

/**
 * Two programs must not answer each other forever: automatic replies are not forwarded, and no message goes back to its sender. A
 * bulk message answers nothing, so it may be forwarded.
 */
function forwardedTo(message: Message, addresses: readonly string[]): string[] {
  if (isFromMachine(message) && message.classification?.class !== "list") return [];
  const sender = message.sender ? asPerson(message.sender) : null;
  return addresses.filter((one) => sender === null || emailKey(one) !== emailKey(sender.email));
}

/** A message that the service itself files is forwarded in the name of the member whose mail it is. */
const inNameOf = (ctx: Ctx, user_id: string): Ctx => ({ ...ctx, actor: { ...ctx.actor, user_id } });

/** A forwarded message is a new e-mail of the same lead, in the outbox like any other. */
async function forward(ctx: Ctx, message: Message, to: string[]): Promise<void> {
  const from = message.sender ?? message.remote_phone ?? "";
  await createRecord(ctx, email, {
    lead_id: message.lead_id,
    contact_id: null,
    status: "outbox",
    to,
    subject: `Fwd: ${message.subject ?? ""}`.trim().slice(0, 1000),
    body_text: `From: ${from}\n\n${message.body_text ?? message.text ?? ""}`,
  });
}
