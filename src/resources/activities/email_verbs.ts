// The verbs of e-mails: they set the sender and recipients, both forms of the body, the thread, and when it is sent.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { emit } from "../../records/event.ts";
import { findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { mailHtml, mailText } from "../../values/mail_html.ts";
import { fromText } from "../../values/rich_text.ts";
import { same } from "../../values/same.ts";
import { contact } from "../contacts/contact.ts";
import { textsWithoutOurLinks, withoutOurLinks } from "../mail_tracking/quoted.ts";
import { stepMoved } from "../sequences/step_jobs.ts";
import { emailFromTemplate } from "../templates/fill.ts";
import { referencesTo } from "./answered.ts";
import { type Attachment, attachedMax, isLink } from "./attachments.ts";
import { classOfLogged, followed, isReply, reclassified, saidClass } from "./classified.ts";
import { email, subjectMax } from "./email.ts";
import { senderOf } from "./email_sender.ts";
import { wakeSender } from "./leaving.ts";
import {
  checkContent,
  checkMove,
  checkNotSending,
  isLeaving,
  type MessageState,
  releasedBy,
  sendAfter,
  sendAfterChange,
  sentAt,
  sentBy,
} from "./message_states.ts";
import { type Contact, checkPlace, place } from "./placing.ts";
import { people, person } from "./recipients.ts";
import { joinThread, markAnswered, normalizedSubject, refreshThread } from "./threading.ts";

type Email = Row<typeof email>;

export async function createEmail(ctx: Ctx, { send_in, ...given }: Create<typeof email>): Promise<Email> {
  const status = given.status ?? "draft";
  const answered = given.in_reply_to_id ? await answeredEmail(ctx, given.in_reply_to_id) : null;
  const { placed, person } = await place(ctx, { lead_id: answered?.lead_id, ...given }, { emails: otherSide(given, status) });
  const filled = { ...given, ...(await emailFromTemplate(ctx, { ...given, ...placed }, person)) };
  const titled = { ...filled, subject: filled.subject ?? replySubject(answered) };
  const written = await textsWithoutOurLinks(ctx, titled, ["subject"], subjectMax);
  if (answered && answered.lead_id !== placed.lead_id) throw invalid({ in_reply_to_id: "belongs to another lead" });

  const date_sent = sentAt(ctx, status, given);
  const values = {
    ...written,
    ...placed,
    ...(await bodies(ctx, written)),
    ...addressed({ ...given, status }, person),
    status,
    direction: status === "inbox" ? ("incoming" as const) : ("outgoing" as const),
    cc: given.cc ?? [],
    date_sent,
    activity_at: given.activity_at ?? date_sent ?? placed.activity_at,
    send_after: sendAfter(ctx, status, { ...given, send_in }),
    released_by: releasedBy(ctx, status),
    references: answered === null ? [] : referencesTo(answered),
  };
  if (given.classification && status !== "inbox") throw invalid({ classification: "can only be set for a received e-mail" });
  Object.assign(values, await senderOf(ctx, values));
  checkSendable(ctx, values);
  if (status === "inbox" && given.classification == null)
    Object.assign(values, { classification: classOfLogged(values, { isAnswer: answered !== null, at: values.activity_at }) });
  const thread = await joinThread(ctx, values, answered?.thread_id ?? null);
  const row = store.insert(ctx, email, {
    ...values,
    thread_id: thread.id,
    envelope: envelopeOf(values, answered?.message_ids[0] ?? null),
  });
  if (status === "sent") emit(ctx, email, { action: "sent", after: row });
  if (status === "inbox") emit(ctx, email, { action: "received", after: row });
  if (status === "inbox" && !thread.isNew && isReply(row)) await markAnswered(ctx, row, row.in_reply_to_id);
  wakeSender(ctx, email, row);
  return followed(ctx, row);
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
  "tracking",
] as const;

export async function updateEmail(ctx: Ctx, before: Email, { send_in, ...patch }: Patch<typeof email>): Promise<Email> {
  const status = patch.status ?? before.status;
  checkMove(before.status, status);
  checkContent(before, patch, content);
  await checkPlace(ctx, before, patch);

  const answered = await newlyAnswered(ctx, before, patch);
  const classification = saidClass(before, patch.classification);
  const filled = { ...patch, ...(await fromNewTemplate(ctx, before, patch)) };
  const written = await textsWithoutOurLinks(ctx, filled, ["subject"], subjectMax, before);
  const values = {
    ...before,
    ...written,
    ...(await bodies(ctx, written, before)),
    ...addressed({ ...before, ...patch, status }),
    ...(answered && { thread_id: answered.thread_id, references: referencesTo(answered) }),
    subject: written.subject ?? (before.subject || replySubject(answered)),
    send_after: sendAfterChange(ctx, before, status, { ...patch, send_in }),
    released_by: releasedBy(ctx, status, before),
    ...sentBy(ctx, status, before, patch.user_id),
    receipts: status === before.status ? before.receipts : [],
    ...(patch.followup_date !== undefined && patch.followup_date !== before.followup_date && { followup_made_at: null }),
    classification: classification ?? before.classification,
  };
  if (patch.date_sent && patch.date_sent !== before.date_sent) sentAt(ctx, status, patch);
  Object.assign(values, await senderOf(ctx, values, before));
  if (status !== before.status) checkSendable(ctx, values);
  const in_reply_to = answered ? (answered.message_ids[0] ?? null) : (before.envelope?.in_reply_to ?? null);
  // An e-mail that was sent or received keeps its envelope.
  if (before.status === "draft" || status === "draft") values.envelope = envelopeOf(values, in_reply_to);

  const after = store.update(ctx, email, before, values);
  for (const thread_id of threadsTouched(before, after)) await refreshThread(ctx, thread_id);
  if (after.send_after !== before.send_after) wakeSender(ctx, email, after);
  return classification === undefined ? after : reclassified(ctx, before, after);
}

/** A thread is deleted with its last e-mail. */
export async function deleteEmail(ctx: Ctx, before: Email): Promise<void> {
  checkNotSending(before);
  await store.remove(ctx, email, [before]);
  stepMoved(ctx, [before]);
  await refreshThread(ctx, before.thread_id);
}

/** A draft that gets another template keeps the text it already has. */
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

/** An answer that says nothing else has the subject of what it answers. */
function replySubject(answered: Email | null): string {
  const root = normalizedSubject(answered?.subject ?? "");
  return root === "" ? "" : `Re: ${root}`.slice(0, subjectMax);
}

// --- addresses ---

interface Addresses {
  status: MessageState;
  sender?: string | null;
  to?: string[];
  cc?: string[];
  bcc?: string[];
}

interface Sendable extends Addresses {
  attachments?: readonly Attachment[];
}

/** The other side: the sender of a received e-mail, or the recipients. */
const otherSide = ({ sender, to, cc }: Omit<Addresses, "status">, status: MessageState): string[] =>
  people([(status === "inbox" ? sender : null) ?? [], to ?? [], cc ?? []].flat()).map((one) => one.email);

/** Fills in the recipients, and the sender of a received e-mail, when they are not given. */
function addressed({ status, sender, to }: Addresses, contact: Contact | null = null): { sender: string | null; to: string[] } {
  const first = contact?.emails[0]?.email;
  if (status === "inbox") return { sender: sender ?? first ?? null, to: to ?? [] };
  return { sender: sender ?? null, to: to ?? (first === undefined ? [] : [first]) };
}

function checkSendable(ctx: Ctx, { status, sender, to = [], cc = [], bcc = [], attachments = [] }: Sendable): void {
  if (status !== "draft" && !sender) throw invalid({ sender: "is required" });
  if (isLeaving(status) && to.length + cc.length + bcc.length === 0) throw invalid({ to: "is required to send it" });
  const size = attachments.reduce((sum, one) => sum + (one.size ?? 0), 0);
  if (isLeaving(status) && size > attachedMax)
    throw invalid({ attachments: "must be 25 MB or less in all to be sent: send a link to a file instead" });
  if (isLeaving(status)) checkFetchable(ctx, attachments);
}

/** A file elsewhere is fetched when the e-mail leaves. */
function checkFetchable({ request, settings }: Ctx, attachments: readonly Attachment[]): void {
  attachments.forEach((one, i) => {
    const field = `attachments.${i}.url`;
    if (!isLink(one)) return;
    if (!settings.addresses.allowsHost(one.url!)) throw invalid({ [field]: settings.addresses.words });
    // An address that an agent makes up may carry out what it has read.
    if (request.byTool === true) throw invalid({ [field]: "is not fetched for tools: store it as a file, and give its file_id" });
  });
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

/** Somebody may forward a mail with the links of whom it was sent to. */
async function bodies(ctx: Ctx, given: Bodies, before: Bodies = {}): Promise<Bodies> {
  const { body_text, body_html } = bothBodies(given, before);
  if (body_text === undefined && body_html === undefined) return {};
  const { text, html } = await withoutOurLinks(ctx, { text: body_text ?? null, html: body_html ?? null });
  return { body_text: text, body_html: html };
}

/** Each form of the body is made from the other when it is not given. An e-mail may have both. */
function bothBodies(given: Bodies, before: Bodies = {}): Bodies {
  const text = given.body_text === before.body_text ? undefined : given.body_text;
  const html = given.body_html === before.body_html ? undefined : given.body_html;
  if (typeof html === "string") {
    const clean = mailHtml(html);
    return { body_text: typeof text === "string" ? fromText(text).text : mailText(clean), body_html: clean };
  }
  if (typeof text === "string") {
    const plain = fromText(text);
    return { body_text: plain.text, body_html: plain.html };
  }
  return text === null || html === null ? { body_text: null, body_html: null } : {};
}
