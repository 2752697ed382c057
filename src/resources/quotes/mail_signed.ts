// Queues the mail that brings a customer the quote that they accepted. Whoever has the page writes the address, and a member writes what is
// in the quote, so a mail server of others must not be made to write to anybody as often as they like.
import { countMailsTo } from "../../auth/unscoped.ts";
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import { contact } from "../contacts/contact.ts";
import { notify } from "../notifications/notify.ts";
import { newMailId, queueMail, recipientOf } from "../system_mail/queue.ts";
import { quote } from "./quote.ts";
import { ownerOf } from "./quote_states.ts";

type Quote = Row<typeof quote>;

const hourMs = 3600 * 1000;
/** The most accepted quotes that an organization mails in an hour, and the most that all of them mail to one person. */
const mailsMost = 100;
const toOneMost = 3;

export async function mailSigned(ctx: Ctx, signed: Quote): Promise<void> {
  // A member who writes down an answer given elsewhere sends nothing by that.
  if (signed.accepted_by_name === null || ctx.settings.mail === null) return;
  const to = await customerOf(ctx, signed);
  if (to === null) return;
  const recipient = recipientOf(to);
  const refusal = await limitReached(ctx, recipient);
  if (refusal !== null) return tellUnsent(ctx, signed, to, refusal);
  queueMail(ctx, newMailId(ctx), { kind: "signed_quote", quote_id: signed.id, recipient });
}

/** The address that the customer wrote on the page, or that of the contact whom the quote is for. */
export async function customerOf(ctx: Ctx, { accepted_by_email, contact_id }: Quote): Promise<string | null> {
  if (accepted_by_email !== null) return accepted_by_email;
  const person = contact_id === null ? null : await findRecord(ctx, contact, contact_id);
  return person?.emails[0]?.email ?? null;
}

/** Notifies who looks after the deal that the customer has no mail with the quote. The customer still has its page. */
export async function tellUnsent(ctx: Ctx, signed: Quote, to: string, reason: string): Promise<void> {
  notify(ctx, [await ownerOf(ctx, signed)], {
    type: "message_failed",
    title: `The signed quote ${signed.number} could not be sent to ${to}`.slice(0, 255),
    body: reason.slice(0, 1000),
    object_type: quote.name,
    object_id: signed.id,
    lead_id: signed.lead_id,
    actor_id: null,
  });
}

async function limitReached(ctx: Ctx, recipient: string): Promise<string | null> {
  const since = new Date(ctx.now.getTime() - hourMs);
  if ((await countMailsTo(ctx, "signed_quote", recipient, since)) >= toOneMost)
    return `${toOneMost} signed quotes were mailed to this address within an hour. They can read it on the page of the quote.`;
  const [row] = await query(ctx, {
    name: "signed_quote.sent",
    text: `select count(*) from system_mail
           where organization_id = $1 and kind = 'signed_quote' and recipient is not null and date_created > $2`,
    values: [ctx.organization_id, since],
  });
  return Number(row![0]) >= mailsMost ? `${mailsMost} signed quotes were mailed within an hour.` : null;
}
