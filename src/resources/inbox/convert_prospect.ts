// Turns a prospect into a lead, a contact, and a conversation with its messages. All of it or nothing.
import { type Ctx, userOf } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { readCreate } from "../../records/input.ts";
import { createRecord, findRecord, findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { emailKey, parseAddress } from "../../values/email.ts";
import { parsePhone, phoneDigits } from "../../values/phone.ts";
import { answeredBy } from "../activities/answered.ts";
import { type ArrivedEmail, alsoIn, writeArrived } from "../activities/arrived_email.ts";
import { call } from "../activities/call.ts";
import { channelMessage, channels } from "../activities/channel_message.ts";
import { email } from "../activities/email.ts";
import { fileStrangerCall } from "../activities/file_stranger_call.ts";
import { filedOf, noteIdentity } from "../activities/mail_identity.ts";
import { sms } from "../activities/sms.ts";
import { textMediaJobs } from "../activities/text_media.ts";
import { contact } from "../contacts/contact.ts";
import { conversation } from "../conversations/conversation.ts";
import { lead } from "../leads/lead.ts";
import { folderOf } from "./inbox_folder.ts";
import { inboxProspect } from "./inbox_prospect.ts";
import { messagesOf, type ProspectMessage, takeParts } from "./prospect_messages.ts";
import type { StrangerCall } from "./stranger_call.ts";

type Prospect = Row<typeof inboxProspect>;

export interface Conversion {
  lead_id?: string;
  lead_name?: string;
  contact_name?: string;
  status_id?: string;
  owner_id?: string | null;
}

export interface Converted {
  prospect: Prospect;
  lead: Row<typeof lead>;
  contact: Row<typeof contact>;
  conversation: Row<typeof conversation>;
  message: { of: Resource; row: Row<Resource> };
}

/** `before` must be locked. When two members convert it at once, the second gets an error. */
export async function convertProspect(ctx: Ctx, before: Prospect, wanted: Conversion): Promise<Converted> {
  if (before.status !== "new") throw invalid({ status: `is ${before.status} already` });
  const at = await leadFor(ctx, before, wanted);
  const person = await contactFor(ctx, before, at.id, wanted.contact_name);
  const thread = await createRecord(ctx, conversation, {
    lead_id: at.id,
    contact_id: person.id,
    subject: before.subject?.slice(0, 255) ?? null,
    channel: threadChannels[before.channel] ?? "chat",
    // Nobody may file in somebody else's folder. From there it moves to the Inbox, and the rules run again.
    ...(folderOf(ctx, before.folder_id) && { folder_id: before.folder_id }),
  });
  const message = await fileMessages(ctx, before, thread);

  const prospect = store.update(
    ctx,
    inboxProspect,
    before,
    {
      status: "converted",
      converted_at: ctx.now.toISOString(),
      converted_by: userOf(ctx),
      lead_id: at.id,
      contact_id: person.id,
      conversation_id: thread.id,
      activity_id: message.row.id as string,
    },
    undefined,
    "converted",
  );
  return { prospect, lead: at, contact: person, conversation: thread, message };
}

async function leadFor(ctx: Ctx, prospect: Prospect, wanted: Conversion): Promise<Row<typeof lead>> {
  const { lead_id, lead_name, status_id, owner_id } = wanted;
  if (lead_id === undefined) {
    const name = lead_name ?? prospect.company ?? prospect.name ?? prospect.email ?? prospect.phone;
    return createRecord(ctx, lead, { name, source: "inbox", ...(status_id && { status_id }), ...(owner_id && { owner_id }) });
  }
  for (const [field, value] of Object.entries({ lead_name, status_id, owner_id }))
    if (value !== undefined) throw invalid({ [field]: "cannot be given together with lead_id" });
  const found = await findRecord(ctx, lead, lead_id);
  if (found === null) throw invalid({ lead_id: "does not exist" });
  return found;
}

/** The lead that the prospect is attached to may already have the person as a contact. */
async function contactFor(ctx: Ctx, prospect: Prospect, lead_id: string, contact_name?: string): Promise<Row<typeof contact>> {
  const { email: address } = prospect;
  const phone = numberOf(prospect);
  const keys = address ? sql`t.email_keys @> ${[emailKey(address)]}` : sql`t.phone_keys @> ${[phoneDigits(phone ?? "")]}`;
  const [known] =
    address || phone ? await findRecords(ctx, contact, [sql`t.lead_id = ${lead_id}`, keys], sql`order by t.id limit 1`) : [];
  if (known !== undefined) return known;
  return create(ctx, contact, {
    lead_id,
    name: contact_name ?? prospect.name ?? (address || phone ? null : prospect.phone),
    emails: address ? [{ email: address }] : [],
    phones: phone ? [{ phone }] : [],
  });
}

/** Null for a name that texts were sent under, such as AMAZON: it is no number that a contact could have. */
const numberOf = ({ phone }: Pick<Prospect, "phone">): string | null =>
  phone !== null && parsePhone(phone, "US") !== null ? phone : null;

// --- messages ---

type Channel = Row<typeof conversation>["channel"];

const threadChannels: Partial<Record<string, Channel>> = {
  email: "email",
  sms: "sms",
  call: "call",
  whatsapp: "whatsapp",
  linkedin: "linkedin",
};

/**
 * Files all messages in the order of their arrival, and returns the newest. A prospect from before messages were stored has only
 * what it shows itself.
 */
async function fileMessages(ctx: Ctx, prospect: Prospect, thread: Row<typeof conversation>): Promise<Converted["message"]> {
  const kept = await messagesOf(ctx, prospect.id);
  let newest: Converted["message"] | null = null;
  for (const { email: mail, ...one } of kept)
    newest =
      mail === null
        ? await messageFrom(ctx, { ...prospect, ...one }, thread.id)
        : { of: email, row: await fileMail(ctx, one, mail, thread) };
  return newest ?? messageFrom(ctx, prospect, thread.id);
}

/** Mail that another member has already filed at this lead, from their own mailbox, belongs to both. */
async function fileMail(
  ctx: Ctx,
  { id, identity }: Pick<ProspectMessage, "id" | "identity">,
  mail: ArrivedEmail,
  { lead_id, contact_id, id: conversation_id }: Row<typeof conversation>,
): Promise<Row<typeof email>> {
  const known = identity === null ? undefined : (await filedOf(ctx, [identity])).get(identity)?.activity_id;
  const filed = known ? await alsoIn(ctx, known, mail.user_id!) : null;
  if (filed?.row.lead_id === lead_id) return filed.row;
  const parts = await takeParts(ctx, id);
  const continues = { in_reply_to: mail.envelope.in_reply_to, references: mail.references };
  const answered = (await answeredBy(ctx, continues)).find((one) => one.lead_id === lead_id) ?? null;
  const arrival = { lead_id, contact_id, conversation_id, answered, parts, areOurs: true };
  const row = await writeArrived(ctx, mail, arrival);
  if (identity !== null) noteIdentity(ctx, identity, row.id);
  return row;
}

type Shown = Pick<
  Prospect,
  "name" | "email" | "phone" | "channel" | "subject" | "preview" | "body_text" | "message" | "received_at"
>;

async function messageFrom(ctx: Ctx, prospect: Shown, conversation_id: string): Promise<Converted["message"]> {
  const { received_at, subject, body_text, preview, phone, channel, message } = prospect;
  const common = { conversation_id, status: "inbox", date_sent: received_at };
  const words = body_text ?? preview ?? subject ?? "(empty)";
  if (channel === "email") {
    const body = { ...common, sender: senderOf(prospect), ...addressees(message), subject: subject ?? "", body_text: words };
    return { of: email, row: await create(ctx, email, body) };
  }
  if (channel === "call")
    return { of: call, row: await fileStrangerCall(ctx, message as unknown as StrangerCall, { conversation_id, received_at }) };
  const carried = { ...common, ...cameWith(message), remote_phone: numberOf(prospect) };
  if (channel === "sms") return withMedia(ctx, sms, { ...carried, text: words.slice(0, 1600) });
  const known = (channels as readonly string[]).includes(channel) ? channel : "other";
  return withMedia(ctx, channelMessage, {
    ...carried,
    channel: known,
    remote_handle: prospect.name ?? (numberOf(prospect) === null ? phone : null),
    text: words.slice(0, 20_000),
  });
}

/** Further values of a text, from its provider. */
const cameWith = ({ local_phone, attachments }: Record<string, unknown>) => ({
  ...(typeof local_phone === "string" && { local_phone }),
  ...(Array.isArray(attachments) && { attachments }),
});

/** Media stay at the provider as long as the sender is only a prospect. Now they become files of the lead. */
async function withMedia(ctx: Ctx, of: Resource, body: Record<string, unknown>): Promise<Converted["message"]> {
  const row: Row<Resource> = await create(ctx, of, body);
  if (Array.isArray(row.attachments) && row.attachments.length > 0) wake(ctx, textMediaJobs, [row.id as string]);
  return { of, row };
}

const senderOf = ({ name, email: address }: Shown): string | null =>
  name && address ? `"${name.replace(/["\\]/g, "")}" <${address}>` : address;

/** Data from outside may contain anything. Only valid addresses are taken. */
function addressees(message: Record<string, unknown>): { to: string[]; cc: string[] } {
  const list = (given: unknown) =>
    [given]
      .flat()
      .filter((one): one is string => typeof one === "string" && parseAddress(one) !== null)
      .slice(0, 500);
  return { to: list(message.to), cc: list(message.cc) };
}

/** Creates a record from a body, with the checks of a request. */
const create = <R extends Resource>(ctx: Ctx, of: R, body: Record<string, unknown>): Promise<Row<R>> =>
  createRecord(ctx, of, readCreate(ctx, of, { params: {}, query: {}, body, strict: false }).input);
