// Writes an e-mail found in a mailbox: one that arrived there, or one that its owner sent with another program. Everything about
// the e-mail is known by then. These functions find its thread and its conversation, and run what follows from an e-mail.

import { type Ctx, query, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { emit } from "../../records/event.ts";
import { createRecord } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { conversation } from "../conversations/conversation.ts";
import { messageWritten } from "../conversations/keep_up.ts";
import { attachParts, type KeptPart, withPictures } from "./arrived_parts.ts";
import { followed, isReply } from "./classified.ts";
import { email } from "./email.ts";
import { type Joined, joinThread, markAnswered } from "./threading.ts";

type Email = Row<typeof email>;

/** An e-mail before it is filed anywhere. */
export interface ArrivedEmail {
  status: "inbox" | "sent";
  /** The member whose mail it is. */
  user_id: string | null;
  /** The account in which it was found. */
  email_account_id: string;
  sender: string | null;
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  body_text: string | null;
  /** Cleaned, with the included pictures in their places. */
  body_html: string | null;
  date_sent: string;
  message_ids: string[];
  references: string[];
  envelope: NonNullable<Email["envelope"]>;
  /** The class of the message. Null for what a member sent. */
  classification: Email["classification"];
}

/** The e-mail of the same lead that this one answers, if known. */
export type Answered = Pick<Email, "id" | "lead_id" | "thread_id" | "contact_id" | "direction">;

export interface Arrival {
  lead_id: string;
  contact_id: string | null;
  /** The conversation that it opens. Without one, it finds its own. */
  conversation_id?: string;
  answered: Answered | null;
  parts: readonly KeptPart[];
  /** Nothing follows from its class: it says that it is from a member, so it is no answer of somebody else. */
  isNoAnswer?: boolean;
  /** The bytes of its parts already belong to a record. */
  areOurs?: boolean;
}

export async function writeArrived(ctx: Ctx, { status, ...mail }: ArrivedEmail, arrival: Arrival): Promise<Email> {
  const { lead_id, contact_id, answered } = arrival;
  lockArrivals(ctx, lead_id);
  const attachments = await attachParts(ctx, arrival, arrival.parts, arrival.areOurs ?? false);
  const body_html = mail.body_html && withPictures(mail.body_html, attachments);
  const mailbox_user_ids = mail.user_id === null ? [] : [mail.user_id];
  const placed = { ...mail, lead_id, contact_id, attachments, body_html, activity_at: mail.date_sent, mailbox_user_ids };
  const thread = await joinThread(ctx, placed, answered?.thread_id ?? null);
  const row = store.insert(ctx, email, {
    ...placed,
    status,
    direction: status === "inbox" ? "incoming" : "outgoing",
    thread_id: thread.id,
    conversation_id: arrival.conversation_id ?? (await conversationOf(ctx, { ...placed, status, thread })),
    in_reply_to_id: answered?.id ?? null,
  });
  emit(ctx, email, { action: status === "inbox" ? "received" : "sent", after: row });
  if (status === "inbox" && !arrival.isNoAnswer && !thread.isNew && isReply(row))
    await markAnswered(ctx, row, row.in_reply_to_id);
  const after = arrival.isNoAnswer ? row : await followed(ctx, row);
  await messageWritten(ctx, email, after);
  return after;
}

/** The same e-mail is in another member's mailbox too. Null when it was deleted. `isNews`: it was not known to be there. */
export async function alsoIn(ctx: Ctx, id: string, userId: string): Promise<{ row: Email; isNews: boolean } | null> {
  const [found] = await lockToChange(ctx, email, sql`t.id = ${id}`);
  if (found === undefined) return null;
  if (found.users?.includes(userId)) return { row: found, isNews: false };
  const mailbox_user_ids = [...(found.mailbox_user_ids ?? []), userId];
  return { row: store.update(ctx, email, found, { mailbox_user_ids }), isNews: true };
}

/** An e-mail that seemed to have arrived was sent by a member. */
export async function takeAsSent(ctx: Ctx, found: Email, user_id: string): Promise<void> {
  const values = { status: "sent", direction: "outgoing", user_id, classification: null } as const;
  emit(ctx, email, { action: "sent", after: store.update(ctx, email, found, values) });
}

/** When two e-mails come to a lead at once, the second finds the thread and the conversation of the first. */
function lockArrivals(ctx: Ctx, lead_id: string): void {
  write(ctx, {
    text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    values: [`${ctx.organization_id} ${lead_id} arrivals`],
    name: "email.lock_arrivals",
  });
}

// --- conversations ---

interface InThread extends Pick<Arrival, "lead_id" | "contact_id">, Pick<ArrivedEmail, "subject" | "status"> {
  thread: Joined;
}

/**
 * The conversation of its thread, or else the contact's newest open one, or else a new one. An e-mail that a member sent never
 * starts one.
 */
async function conversationOf(ctx: Ctx, mail: InThread): Promise<string | null> {
  const [found] = await query(ctx, conversationFor(ctx, mail));
  if (found !== undefined) return found[0]!;
  if (mail.status === "sent") return null;
  const { lead_id, contact_id, subject } = mail;
  const made = await createRecord(ctx, conversation, {
    lead_id,
    contact_id,
    subject: subject.slice(0, 255) || null,
    channel: "email",
  });
  return made.id;
}

const conversationFor = (ctx: Ctx, { thread, contact_id }: InThread) =>
  statement(
    sql`select found.id from (
      (select c.id, 1 as place from activity a join conversation c on c.organization_id = ${ctx.organization_id} and c.id = a.conversation_id
        where a.organization_id = ${ctx.organization_id} and a.thread_id = ${thread.isNew ? null : thread.id} and c.deleted_at is null
        order by a.date_created desc, a.id desc limit 1)
      union all
      (select c.id, 2 from conversation c
        where c.organization_id = ${ctx.organization_id} and c.contact_id = ${contact_id} and c.channel in ('email', 'mixed')
          and c.status <> 'closed' and c.deleted_at is null
        order by c.last_message_at desc nulls last, c.id desc limit 1)) found order by found.place limit 1`,
    "email.conversation",
  );
