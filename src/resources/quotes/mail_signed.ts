// Queues the mail that brings a customer the quote that they accepted. Whoever has the page writes the address, and a member writes what is
// in the quote.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import { contact } from "../contacts/contact.ts";
import { notify } from "../notifications/notify.ts";
import { limitReached, mailsMost, toOneMost } from "../system_mail/limits.ts";
import { newMailId, queueMail, recipientOf } from "../system_mail/queue.ts";
import { quote } from "./quote.ts";
import { ownerOf } from "./quote_states.ts";

type Quote = Row<typeof quote>;

export async function mailSigned(ctx: Ctx, signed: Quote): Promise<void> {
  // A member who writes down an answer given elsewhere sends nothing by that.
  if (signed.accepted_by_name === null || ctx.settings.mail === null) return;
  const to = await customerOf(ctx, signed);
  if (to === null) return;
  const recipient = recipientOf(to);
  const limit = await limitReached(ctx, "signed_quote", recipient);
  if (limit !== null) return tellUnsent(ctx, signed, to, refusals[limit]);
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

const refusals = {
  "to one": `${toOneMost} signed quotes were mailed to this address within an hour. They can read it on the page of the quote.`,
  "in all": `${mailsMost} signed quotes were mailed within an hour.`,
};
