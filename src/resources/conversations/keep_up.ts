// Keeps a conversation up to date with its messages. A message is an activity with the conversation's id. Call these functions in
// the same transaction when one is written, changed or deleted.

import { type Ctx, query } from "../../core/context.ts";
import { kindOf, type Resource, type Row, type Values } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { changedFields, emit } from "../../records/event.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { lead } from "../leads/lead.ts";
import { isNews, notify } from "../notifications/notify.ts";
import { rungBy } from "../telephony/own_numbers.ts";
import { conversation } from "./conversation.ts";
import { settled, tellWhatFollows } from "./follow_ups.ts";
import { directionOf, isFromMachine, isInbound, type Message, previewOf } from "./message.ts";
import { withPeopleOf } from "./participants.ts";
import { ruled } from "./rules.ts";

type Conversation = Row<typeof conversation>;

/** A message, or any other activity, was created. */
export async function messageWritten(ctx: Ctx, of: Resource, row: Row<Resource>): Promise<void> {
  const message = row as unknown as Message;
  const [thread, at] = await Promise.all([
    message.conversation_id === null ? null : lockConversation(ctx, message.conversation_id),
    isInbound(message) ? leadOf(ctx, message) : null,
  ]);
  if (thread !== null) {
    emitMessage(ctx, of, "created", row);
    if (message.status === "sent") emitMessage(ctx, of, "sent", row);
  }
  const after = thread === null ? null : await addMessage(ctx, thread, message, at?.status_id ?? null);
  if (isInbound(message)) {
    emitMessage(ctx, of, "received", row);
    const answers = after?.assigned_to ?? at?.owner_id ?? message.user_id;
    tellOf(ctx, of, message, [answers, ...rungBy(ctx, message.local_phone ?? null)]);
  }
}

/** A message was changed. Only what the conversation shows of it is updated. */
export async function messageChanged(ctx: Ctx, of: Resource, before: Row<Resource>, after: Row<Resource>): Promise<void> {
  if (before === after || after.conversation_id === null) return;
  const changed = changedFields(of, before, after);
  if (changed.length > 0) emit(ctx, asMessage(of), { action: "updated", before, after, changed });
  const [was, is] = [before, after] as unknown as [Message, Message];
  if (previewOf(was) !== previewOf(is) || was.activity_at !== is.activity_at) await countAnew(ctx, is.conversation_id!);
}

/** A message was sent. */
export async function messageSent(ctx: Ctx, of: Resource, before: Row<Resource>, after: Row<Resource>): Promise<void> {
  await messageChanged(ctx, of, before, after);
  if (after.conversation_id !== null) emitMessage(ctx, of, "sent", after);
}

/** A message could not be sent. */
export async function messageFailed(ctx: Ctx, of: Resource, before: Row<Resource>, after: Row<Resource>): Promise<void> {
  await messageChanged(ctx, of, before, after);
  if (after.conversation_id !== null) emitMessage(ctx, of, "failed", after);
}

/** A message was deleted. */
export async function messageDeleted(ctx: Ctx, before: Row<Resource>): Promise<void> {
  if (before.conversation_id !== null) await countAnew(ctx, before.conversation_id as string);
}

/**
 * Messages arrive whoever may see the lead, and even for a deleted conversation. The message's own row already locks the
 * conversation's key. A stronger lock here would deadlock two messages.
 */
async function lockConversation(ctx: Ctx, id: string): Promise<Conversation | null> {
  const [found] = await lockToChange(ctx, conversation, sql`t.id = ${id}`, "conversation.lock_of_message");
  return found ?? null;
}

// --- what a conversation shows of its messages ---

async function addMessage(ctx: Ctx, stored: Conversation, message: Message, leadStatusId: string | null): Promise<Conversation> {
  const before = settled(ctx, stored);
  const newest = before.last_message_at === null || message.activity_at >= before.last_message_at;
  const after = store.update(ctx, conversation, before, {
    message_count: before.message_count + 1,
    people: await withPeopleOf(ctx, before, message),
    ...(newest && lastOf(message)),
    ...(isInbound(message) && { ...opened(before), ...(await ruled(ctx, before, message, leadStatusId)) }),
  });
  tellWhatFollows(ctx, before, after);
  return after;
}

const opened = (before: Conversation): Values<typeof conversation> => ({
  status: "open",
  snoozed_until: null,
  is_read: false,
  unread_count: before.unread_count + 1,
});

const lastOf = (message: Message): Values<typeof conversation> => ({
  last_message_at: message.activity_at,
  last_message_preview: previewOf(message),
  last_message_direction: directionOf(message),
});

const noneLast: Values<typeof conversation> = {
  last_message_at: null,
  last_message_preview: null,
  last_message_direction: null,
};

async function countAnew(ctx: Ctx, id: string): Promise<void> {
  const before = await lockConversation(ctx, id);
  if (before === null) return;
  const activity = ctx.registry.resource("activity")!;
  const ofThis = sql`t.conversation_id = ${id}`;
  const [counts] = await query(
    ctx,
    statement(sql`select count(*), count(*) filter (where t.status = 'inbox') from activity t
      where t.organization_id = ${ctx.organization_id} and ${ofThis}`),
  );
  const [last] = await findRecords(
    ctx,
    { ...activity, visible: undefined },
    [ofThis],
    sql`order by t.activity_at desc, t.id desc limit 1`,
  );
  const unread_count = Math.min(before.unread_count, Number(counts![1]));
  store.update(ctx, conversation, before, {
    message_count: Number(counts![0]),
    unread_count,
    is_read: before.is_read || unread_count === 0,
    ...(last ? lastOf(last as unknown as Message) : noneLast),
  });
}

// --- events and notifications ---

const messages = new WeakMap<Resource, Resource>();

/** The activity in the form of events about messages. */
function asMessage(of: Resource): Resource {
  let kept = messages.get(of);
  if (kept === undefined) messages.set(of, (kept = { ...of, event: () => "message" }));
  return kept;
}

const emitMessage = (ctx: Ctx, of: Resource, action: string, after: Row<Resource>): void =>
  emit(ctx, asMessage(kindOf(of, after)), { action, after });

/**
 * Notifies the person who should answer: the conversation's assignee, or else the lead's owner, or else the member who received
 * it. A group's number tells its participants too, as of calls.
 */
function tellOf(ctx: Ctx, of: Resource, message: Message, to: readonly (string | null)[]): void {
  if (!isNews(ctx, message.activity_at) || isFromMachine(message)) return;
  notify(ctx, to, {
    type: "message_received",
    title: `New ${titles[message._type] ?? "message"}${message.subject ? `: ${message.subject}` : ""}`.slice(0, 255),
    body: previewOf(message),
    object_type: of.name.replace("activity_", "activity."),
    object_id: message.id,
    lead_id: message.lead_id,
    data: { conversation_id: message.conversation_id },
  });
}

const titles: Record<string, string> = { Email: "e-mail", SMS: "text message" };

/** The code that receives a message may not be allowed to see whose it is. */
const leadOf = (ctx: Ctx, { lead_id }: Message): Promise<Row<typeof lead> | null> => findRecord(ctx, anyLead, lead_id);

const anyLead = { ...lead, visible: undefined };
