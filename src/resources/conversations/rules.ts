// Applies the inbox rules to an incoming message of a conversation.
import type { Ctx } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { asPerson } from "../activities/recipients.ts";
import type { Incoming, Outcome } from "../inbox/apply_rules.ts";
import { askRules, filedIn } from "../inbox/ask_rules.ts";
import { canBeAssigned } from "../tasks/assignee.ts";
import type { conversation } from "./conversation.ts";
import { forwardByRules } from "./forwarding.ts";
import type { Message } from "./message.ts";

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
  await forwardByRules(ctx, outcome, message);
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
