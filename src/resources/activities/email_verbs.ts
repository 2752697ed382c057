// What writing an e-mail does besides writing the row: who it is from and to, both forms of its body, its thread, when it leaves.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { emit } from "../../records/event.ts";
import { findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { fromHtml, fromText } from "../../values/rich_text.ts";
import { same } from "../../values/same.ts";
import { checkAddress, checkSendAs, mailboxOf } from "../accounts/senders.ts";
import { contact } from "../contacts/contact.ts";
import { user } from "../organization/organization.ts";
import { emailFromTemplate } from "../templates/fill.ts";
import { email } from "./email.ts";
import { checkContent, checkMove, isLeaving, type MessageState, sendAfter, sendAfterChange, sentAt } from "./message_states.ts";
import { type Contact, checkPlace, place } from "./placing.ts";
import { people, person } from "./recipients.ts";
import { joinThread, markAnswered, refreshThread } from "./threading.ts";

type Email = Row<typeof email>;

export async function createEmail(ctx: Ctx, { send_in, ...given }: Create<typeof email>): Promise<Email> {
  const status = given.status ?? "draft";
  const answered = given.in_reply_to_id ? await answeredEmail(ctx, given.in_reply_to_id) : null;
  const { placed, person } = await place(ctx, { lead_id: answered?.lead_id, ...given }, { emails: otherSide(given, status) });
  const written = { ...given, ...(await emailFromTemplate(ctx, { ...given, ...placed }, person)) };
  if (answered && answered.lead_id !== placed.lead_id) throw invalid({ in_reply_to_id: "belongs to another lead" });

  const date_sent = sentAt(ctx, status, given);
  const values = {
    ...written,
    ...placed,
    ...bodies(written),
    ...addressed(ctx, { ...given, status }, person),
    status,
    direction: status === "inbox" ? ("incoming" as const) : ("outgoing" as const),
    subject: written.subject ?? "",
    cc: given.cc ?? [],
    date_sent,
    activity_at: given.activity_at ?? date_sent ?? placed.activity_at,
    send_after: sendAfter(ctx, status, { ...given, send_in }),
    references: answered === null ? [] : referencesTo(answered),
  };
  checkSendable(values);
  await checkSender(ctx, values);
  const thread_id = await joinThread(ctx, values, answered?.thread_id ?? null);
  const row = store.insert(ctx, email, { ...values, thread_id, envelope: envelopeOf(values, answered?.message_ids[0] ?? null) });
  if (status === "sent") emit(ctx, email, { action: "sent", after: row });
  if (status === "inbox") await markAnswered(ctx, thread_id);
  return row;
}

const content = [
  "subject",
  "body_text",
  "body_html",
  "to",
  "cc",
  "bcc",
  "sender",
  "attachments",
  "in_reply_to_id",
  "date_sent",
  "email_account_id",
  "send_as_id",
  "template_id",
] as const;

export async function updateEmail(ctx: Ctx, before: Email, { send_in, ...patch }: Patch<typeof email>): Promise<Email> {
  const status = patch.status ?? before.status;
  checkMove(before.status, status);
  checkContent(before, patch, content);
  await checkPlace(ctx, before, patch);

  const answered = await newlyAnswered(ctx, before, patch);
  const written = { ...patch, ...(await fromNewTemplate(ctx, before, patch)) };
  const values = {
    ...before,
    ...written,
    ...bodies(written, before),
    ...addressed(ctx, { ...before, ...patch, status }),
    ...(answered && { thread_id: answered.thread_id, references: referencesTo(answered) }),
    send_after: sendAfterChange(ctx, before, status, { ...patch, send_in }),
  };
  if (patch.date_sent && patch.date_sent !== before.date_sent) sentAt(ctx, status, patch);
  if (status !== before.status) checkSendable(values);
  await checkSender(ctx, values, before);
  const in_reply_to = answered ? (answered.message_ids[0] ?? null) : (before.envelope?.in_reply_to ?? null);
  // What was sent or received keeps the envelope it came in.
  if (before.status === "draft" || status === "draft") values.envelope = envelopeOf(values, in_reply_to);

  const after = store.update(ctx, email, before, values);
  for (const thread_id of threadsTouched(before, after)) await refreshThread(ctx, thread_id);
  return after;
}

/** A thread goes with its last e-mail. */
export async function deleteEmail(ctx: Ctx, before: Email): Promise<void> {
  await store.remove(ctx, email, [before]);
  await refreshThread(ctx, before.thread_id);
}

/** A draft that is given another template keeps what is written in it already. */
async function fromNewTemplate(ctx: Ctx, before: Email, patch: Patch<typeof email>) {
  if (patch.template_id === undefined || patch.template_id === before.template_id) return {};
  const contact_id = patch.contact_id === undefined ? before.contact_id : patch.contact_id;
  const person = contact_id === null ? null : await findRecord(ctx, contact, contact_id);
  return emailFromTemplate(ctx, { ...before, ...patch }, person);
}

// --- threads ---

async function answeredEmail(ctx: Ctx, id: string): Promise<Email> {
  const found = await findRecord(ctx, email, id);
  if (found === null) throw invalid({ in_reply_to_id: "does not exist" });
  return found;
}

async function newlyAnswered(ctx: Ctx, before: Email, patch: Patch<typeof email>): Promise<Email | null> {
  if (!patch.in_reply_to_id || patch.in_reply_to_id === before.in_reply_to_id) return null;
  if (patch.in_reply_to_id === before.id) throw invalid({ in_reply_to_id: "must be another e-mail" });
  const found = await answeredEmail(ctx, patch.in_reply_to_id);
  if (found.lead_id !== before.lead_id) throw invalid({ in_reply_to_id: "belongs to another lead" });
  return found;
}

function threadsTouched(before: Email, after: Email): Set<string> {
  const shown = ["thread_id", "subject", "sender", "to", "cc", "activity_at"] as const;
  return shown.some((field) => !same(before[field], after[field])) ? new Set([before.thread_id, after.thread_id]) : new Set();
}

/** The header's line of messages that this one continues. */
const referencesTo = (answered: Email): string[] => [...answered.references, ...answered.message_ids.slice(0, 1)].slice(-100);

// --- addresses ---

interface Addresses {
  status: MessageState;
  sender?: string | null;
  to?: string[];
  cc?: string[];
  bcc?: string[];
}

/** Whom it is exchanged with: who wrote it, or whom it is written to. */
const otherSide = ({ sender, to, cc }: Omit<Addresses, "status">, status: MessageState): string[] =>
  people([(status === "inbox" ? sender : null) ?? [], to ?? [], cc ?? []].flat()).map((one) => one.email);

/** The sender and the recipients, where they go without saying. */
function addressed(
  ctx: Ctx,
  { status, sender, to }: Addresses,
  contact: Contact | null = null,
): { sender: string | null; to: string[] } {
  const first = contact?.emails[0]?.email;
  if (status === "inbox") return { sender: sender ?? first ?? null, to: to ?? [] };
  return {
    sender: sender ?? (status === "draft" ? null : callersAddress(ctx)),
    to: to ?? (first === undefined ? [] : [first]),
  };
}

function callersAddress(ctx: Ctx): string | null {
  const me = ctx.directory.get(user, ctx.actor.user_id);
  if (me === undefined) return null;
  return me.name === me.email ? me.email : `"${me.name.replace(/["\\]/g, "")}" <${me.email}>`;
}

type Sender = Partial<Pick<Email, "status" | "sender" | "email_account_id" | "send_as_id">>;

/** What is logged may be anybody's. What is to leave is in the name of whoever writes it, and asked again when it is sent off. */
async function checkSender(ctx: Ctx, mail: Sender, before: Sender = {}): Promise<void> {
  if (mail.status === "sent" || mail.status === "inbox") return;
  const known = mail.status !== "draft" && mail.status !== before.status ? {} : before;
  const { sender, email_account_id, send_as_id } = mail;
  const me = ctx.actor.user_id;
  if (email_account_id && email_account_id !== known.email_account_id)
    await mailboxOf(ctx, me, email_account_id, "email_account_id");
  if (send_as_id && send_as_id !== known.send_as_id) await checkSendAs(ctx, me, send_as_id, "send_as_id");
  if (sender && sender !== known.sender) await checkAddress(ctx, me, person(sender).email, "sender");
}

function checkSendable({ status, sender, to = [], cc = [], bcc = [] }: Addresses): void {
  if (status !== "draft" && !sender) throw invalid({ sender: "is required" });
  if (isLeaving(status) && to.length + cc.length + bcc.length === 0) throw invalid({ to: "is required to send it" });
}

function envelopeOf(
  mail: { sender: string | null; to: string[]; cc?: string[]; bcc?: string[]; subject: string; date_sent: string | null },
  in_reply_to: string | null,
): Email["envelope"] {
  const from = mail.sender === null ? [] : [person(mail.sender)];
  return {
    from,
    sender: from,
    to: people(mail.to),
    cc: people(mail.cc ?? []),
    bcc: people(mail.bcc ?? []),
    reply_to: [],
    date: mail.date_sent,
    subject: mail.subject,
    in_reply_to,
    message_id: null,
    is_autoreply: false,
  };
}

// --- bodies ---

type Bodies = Partial<Pick<Email, "body_text" | "body_html">>;

/** Each form follows from the other where it is not given; an e-mail may well bring both. */
function bodies(given: Bodies, before: Bodies = {}): Bodies {
  const text = given.body_text === before.body_text ? undefined : given.body_text;
  const html = given.body_html === before.body_html ? undefined : given.body_html;
  if (typeof html === "string") {
    const rich = fromHtml(html);
    return { body_text: typeof text === "string" ? fromText(text).text : rich.text, body_html: rich.html };
  }
  if (typeof text === "string") {
    const plain = fromText(text);
    return { body_text: plain.text, body_html: plain.html };
  }
  return text === null || html === null ? { body_text: null, body_html: null } : {};
}
