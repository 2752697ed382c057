// What a prospect becomes: a lead, a contact, a conversation and the message in it. All of it or nothing.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { readCreate } from "../../records/input.ts";
import { createRecord, findRecord, findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { emailKey, parseAddress } from "../../values/email.ts";
import { phoneDigits } from "../../values/phone.ts";
import { channelMessage, channels } from "../activities/channel_message.ts";
import { email } from "../activities/email.ts";
import { sms } from "../activities/sms.ts";
import { contact } from "../contacts/contact.ts";
import { conversation } from "../conversations/conversation.ts";
import { lead } from "../leads/lead.ts";
import { folderOf } from "./inbox_folder.ts";
import { inboxProspect } from "./inbox_prospect.ts";

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

/** `before` must be locked: of two who convert it at once, one is told that it is done. */
export async function convertProspect(ctx: Ctx, before: Prospect, wanted: Conversion): Promise<Converted> {
  if (before.status !== "new") throw invalid({ status: `is ${before.status} already` });
  const at = await leadFor(ctx, before, wanted);
  const person = await contactFor(ctx, before, at.id, wanted.contact_name);
  const thread = await createRecord(ctx, conversation, {
    lead_id: at.id,
    contact_id: person.id,
    subject: before.subject?.slice(0, 255) ?? null,
    channel: threadChannels[before.channel] ?? "chat",
    // Nobody files in somebody else's own folder: from there it comes to the Inbox, and the rules are asked anew.
    ...(folderOf(ctx, before.folder_id) && { folder_id: before.folder_id }),
  });
  const message = await messageFrom(ctx, before, thread.id);

  const prospect = store.update(
    ctx,
    inboxProspect,
    before,
    {
      status: "converted",
      converted_at: ctx.now.toISOString(),
      converted_by: ctx.actor.user_id,
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

/** A lead that the prospect is attached to may know the person by now. */
async function contactFor(ctx: Ctx, prospect: Prospect, lead_id: string, contact_name?: string): Promise<Row<typeof contact>> {
  const { email: address, phone } = prospect;
  const keys = address ? sql`t.email_keys @> ${[emailKey(address)]}` : sql`t.phone_keys @> ${[phoneDigits(phone ?? "")]}`;
  const [known] =
    address || phone ? await findRecords(ctx, contact, [sql`t.lead_id = ${lead_id}`, keys], sql`order by t.id limit 1`) : [];
  if (known !== undefined) return known;
  return create(ctx, contact, {
    lead_id,
    name: contact_name ?? prospect.name,
    emails: address ? [{ email: address }] : [],
    phones: phone ? [{ phone }] : [],
  });
}

// --- the message ---

type Channel = Row<typeof conversation>["channel"];

const threadChannels: Partial<Record<string, Channel>> = {
  email: "email",
  sms: "sms",
  whatsapp: "whatsapp",
  linkedin: "linkedin",
};

async function messageFrom(ctx: Ctx, prospect: Prospect, conversation_id: string): Promise<Converted["message"]> {
  const { received_at, subject, body_text, preview, phone, channel, message } = prospect;
  const common = { conversation_id, status: "inbox", date_sent: received_at };
  const words = body_text ?? preview ?? subject ?? "(empty)";
  if (channel === "email") {
    const body = { ...common, sender: senderOf(prospect), ...addressees(message), subject: subject ?? "", body_text: words };
    return { of: email, row: await create(ctx, email, body) };
  }
  if (channel === "sms")
    return { of: sms, row: await create(ctx, sms, { ...common, remote_phone: phone, text: words.slice(0, 1600) }) };
  const known = (channels as readonly string[]).includes(channel) ? channel : "other";
  const body = { ...common, channel: known, remote_phone: phone, remote_handle: prospect.name, text: words.slice(0, 20_000) };
  return { of: channelMessage, row: await create(ctx, channelMessage, body) };
}

const senderOf = ({ name, email: address }: Prospect): string | null =>
  name && address ? `"${name.replace(/["\\]/g, "")}" <${address}>` : address;

/** What came from outside may name anything: only what is an address is taken. */
function addressees(message: Record<string, unknown>): { to: string[]; cc: string[] } {
  const list = (given: unknown) =>
    [given]
      .flat()
      .filter((one): one is string => typeof one === "string" && parseAddress(one) !== null)
      .slice(0, 500);
  return { to: list(message.to), cc: list(message.cc) };
}

/** Creates a record from a body, checked as one that was sent. */
const create = <R extends Resource>(ctx: Ctx, of: R, body: Record<string, unknown>): Promise<Row<R>> =>
  createRecord(ctx, of, readCreate(ctx, of, { params: {}, query: {}, body, strict: false }).input);
