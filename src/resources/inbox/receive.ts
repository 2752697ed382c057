// Receives a message from somebody who is not a contact. Prospects are created only here. Code that fetches mail or handles a
// provider's call uses it when no contact has the sender's address.
import type { Ctx } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { beginningOf } from "../../values/beginning.ts";
import { domainOf, emailKey } from "../../values/email.ts";
import type { ArrivedEmail } from "../activities/arrived_email.ts";
import type { KeptPart } from "../activities/arrived_parts.ts";
import { mailPreview } from "../mail_class/written.ts";
import type { Incoming } from "./apply_rules.ts";
import { askRulesOfStranger, filedIn } from "./ask_rules.ts";
import { convertProspect } from "./convert_prospect.ts";
import { dismissProspect } from "./dismiss.ts";
import { inboxProspect } from "./inbox_prospect.ts";
import { keepMessage } from "./prospect_messages.ts";
import { carriedOut, failedRules, noteStranger } from "./receipt.ts";

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
  /** Further values of the message, such as `to`, `cc` and `attachments`. */
  message: Record<string, unknown>;
  /** Only for mail. */
  mail?: FromMailbox;
  /** The member whose own number received it: only they see the prospect until it becomes a lead. */
  user_id?: string | null;
}

/** For mail of a member's mailbox: only that member sees the prospect until it becomes a lead. */
export interface FromMailbox {
  user_id: string;
  account_id: string;
  identity: string;
  email: ArrivedEmail;
  parts: readonly KeptPart[];
}

function previewOf({ channel, body_text }: Received): string | null {
  if (body_text === null) return null;
  return channel === "email" ? mailPreview(body_text) : beginningOf(body_text);
}

/**
 * The prospect for the sender, after the rules have run. If the same sender already has an open prospect, the message is added to
 * it.
 */
export async function receiveFromStranger(ctx: Ctx, { mail, user_id = null, ...received }: Received): Promise<Prospect> {
  const values = {
    ...received,
    company: companyOf(received.email),
    subject: received.subject?.slice(0, 1000) ?? null,
    preview: previewOf(received),
    user_id: mail?.user_id ?? user_id,
    account_id: mail?.account_id ?? null,
  };
  const prospect = (await writesAgain(ctx, values)) ?? (await store.insertNew(ctx, inboxProspect, values));
  // When two messages of the same sender arrive at once, the second waits and finds the prospect of the first.
  if (prospect === null) return receiveFromStranger(ctx, { mail, user_id, ...received });
  const { identity = null, email = null, parts = [] } = mail ?? {};
  const body_text = email === null ? received.body_text : null;
  await keepMessage(ctx, prospect.id, { ...received, body_text, identity, email }, parts);

  noteStranger(ctx);
  const outcome = await askRulesOfStranger(ctx, incoming(received), values);
  const folder_id = filedIn(ctx, outcome) ?? prospect.folder_id;
  const failed = failedRules(ctx);
  const message = failed === null ? prospect.message : { ...prospect.message, rule_refused: { reason: failed } };
  const filed = store.update(ctx, inboxProspect, prospect, { folder_id, message }, undefined, null);
  if (outcome.dismiss || outcome.delete) return dismissProspect(ctx, filed);
  return outcome.create_lead ? leadByRule(ctx, filed, outcome.matched) : filed;
}

/** In the name of the member whose mailbox or number it is. Where that is refused, the message stays with the prospect. */
async function leadByRule(ctx: Ctx, filed: Prospect, matched: readonly string[]): Promise<Prospect> {
  const actor = { ...ctx.actor, user_id: ctx.actor.user_id || (filed.user_id ?? "") };
  const result = await carriedOut(ctx, matched, () => convertProspect({ ...ctx, actor }, filed, {}));
  if ("done" in result) return result.done.prospect;
  const message = { ...filed.message, rule_refused: { action: "create_lead", reason: result.refused } };
  return store.update(ctx, inboxProspect, filed, { message }, undefined, null);
}

/** The prospect shows its newest message. */
async function writesAgain(ctx: Ctx, values: Values<typeof inboxProspect>): Promise<Prospect | null> {
  const { email = null, phone = null, account_id = null, user_id = null } = values;
  if (email === null && phone === null) return null;
  const same =
    email === null
      ? sql`t.email is null and t.phone = ${phone} and coalesce(t.user_id, '') = ${user_id ?? ""}`
      : sql`lower(t.email) = ${emailKey(email)}`;
  const [open] = await findRecords(
    ctx,
    { ...inboxProspect, visible: undefined },
    [sql`t.status = 'new'`, sql`coalesce(t.account_id, '') = ${account_id ?? ""}`, same],
    sql`for update of t`,
  );
  if (open === undefined) return null;
  const newest = values.received_at! >= open.received_at ? values : {};
  return store.update(ctx, inboxProspect, open, { ...newest, message_count: open.message_count + 1 }, undefined, null);
}

/** As rules see it. */
export const incoming = ({
  channel,
  name,
  email,
  phone,
  subject,
  body_text,
  message,
}: Omit<Received, "mail" | "user_id" | "received_at">): Incoming => ({
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

/** Mail providers for everybody: such an address says nothing about a company. */
const forEverybody = new Set(
  "gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com icloud.com me.com aol.com gmx.de gmx.net web.de proton.me protonmail.com qq.com 163.com mail.ru".split(
    " ",
  ),
);

function companyOf(email: string | null): string | null {
  const domain = email === null ? null : domainOf(email);
  return domain === null || forEverybody.has(domain) ? null : domain;
}
