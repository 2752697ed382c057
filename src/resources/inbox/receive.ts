// Receives a message from somebody who is no contact: the only way a prospect is made. Code that fetches mail or answers a
// provider calls it when no contact has the sender's address.
import type { Ctx } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { emailKey } from "../../values/email.ts";
import { askRules, filedIn } from "./ask_rules.ts";
import { convertProspect } from "./convert_prospect.ts";
import { dismissProspect } from "./dismiss.ts";
import { inboxProspect } from "./inbox_prospect.ts";

type Prospect = Row<typeof inboxProspect>;

export interface Received {
  /** `email`, `sms`, or the name of a channel. */
  channel: string;
  name: string | null;
  email: string | null;
  /** As E.164. */
  phone: string | null;
  subject: string | null;
  body_text: string | null;
  received_at: string;
  /** What else came with it, such as `to`, `cc` and `attachments`. */
  message: Record<string, unknown>;
}

/**
 * The prospect that the sender is, as the rules leave it. Somebody who writes again before anybody has looked is the same prospect.
 *
 * @public for what fetches mail
 */
export async function receiveFromStranger(ctx: Ctx, received: Received): Promise<Prospect> {
  const values = {
    ...received,
    company: companyOf(received.email),
    subject: received.subject?.slice(0, 1000) ?? null,
    preview: received.body_text?.slice(0, 2000).replace(/\s+/g, " ").trim().slice(0, 255).toWellFormed() ?? null,
  };
  const prospect = (await writesAgain(ctx, received, values)) ?? (await store.insertNew(ctx, inboxProspect, values));
  // Of two messages at once from the same stranger the second waits for the first, and then finds its prospect.
  if (prospect === null) return receiveFromStranger(ctx, received);

  const outcome = await askRules(ctx, incoming(received), []);
  const folder_id = filedIn(ctx, outcome) ?? prospect.folder_id;
  const filed = store.update(ctx, inboxProspect, prospect, { folder_id }, undefined, null);
  if (outcome.dismiss || outcome.delete) return dismissProspect(ctx, filed);
  return outcome.create_lead ? (await convertProspect(ctx, filed, {})).prospect : filed;
}

async function writesAgain(ctx: Ctx, { email, phone }: Received, values: Values<typeof inboxProspect>): Promise<Prospect | null> {
  if (email === null && phone === null) return null;
  const same = email === null ? sql`t.email is null and t.phone = ${phone}` : sql`lower(t.email) = ${emailKey(email)}`;
  const [open] = await findRecords(ctx, inboxProspect, [sql`t.status = 'new'`, same], sql`for update of t`);
  return open === undefined ? null : store.update(ctx, inboxProspect, open, values, undefined, null);
}

const incoming = ({ channel, name, email, phone, subject, body_text, message }: Received) => ({
  channel,
  sender: [email, phone, name].filter((one) => one !== null),
  recipients: [message.to ?? [], message.cc ?? []].flat().filter((one): one is string => typeof one === "string"),
  subject: subject ?? "",
  body: body_text ?? "",
  has_attachments: Array.isArray(message.attachments) && message.attachments.length > 0,
  is_reply: /^re:/i.test(subject ?? ""),
  unknown_sender: true,
  lead_status_id: null,
});

/** Where everybody has an address, an address says nothing of a company. */
const forEverybody = new Set(
  "gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com icloud.com me.com aol.com gmx.de gmx.net web.de proton.me protonmail.com qq.com 163.com mail.ru".split(
    " ",
  ),
);

function companyOf(email: string | null): string | null {
  const domain = email?.split("@").at(-1)?.toLowerCase();
  return domain === undefined || forEverybody.has(domain) ? null : domain;
}
