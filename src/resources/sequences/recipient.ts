// The address that a subscription writes to, and whether a sequence may write to it.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import { emailKey } from "../../values/email.ts";
import { contact } from "../contacts/contact.ts";
import { type SuppressionReason, suppressedAmong } from "../contacts/unsubscribed_email.ts";
import { refuseSecond } from "./live_once.ts";
import type { sequence } from "./sequence.ts";
import type { sequenceSubscription } from "./sequence_subscription.ts";

type Subscription = Row<typeof sequenceSubscription>;

export const isAddressOf = ({ emails }: Pick<Row<typeof contact>, "emails">, address: string): boolean =>
  emails.some(({ email }) => emailKey(email) === emailKey(address));

export async function addressOf(
  ctx: Ctx,
  person: Row<typeof contact>,
  taken: Row<typeof sequence>,
  asked: string | null | undefined,
): Promise<string | null> {
  const writes = taken.steps.some((step) => step.step_type === "email");
  const own = asked ? person.emails.find((one) => emailKey(one.email) === emailKey(asked)) : person.emails[0];
  if (asked && own === undefined) throw invalid({ contact_email: "is not an address of this contact" });
  if (own === undefined && writes)
    throw invalid({ contact_email: "is required: the sequence writes e-mails and the contact has no address" });
  if (own === undefined) return null;
  const reason = await whyNot(ctx, own.email, taken.id);
  if ((writes || asked) && reason !== null) throw invalid({ contact_email: refusals[reason] });
  return own.email;
}

/** A member names another address of the contact. */
export async function checkOtherAddress(ctx: Ctx, way: Subscription, asked: string | null | undefined): Promise<void> {
  if (asked === undefined || asked === way.contact_email) return;
  const refuseAs = (reason: string) => invalid({ contact_email: reason });
  if (asked === null) throw refuseAs("is required: it can be another address, and not none");
  if (way.waiting_message_id !== null) throw refuseAs("cannot be changed while a message waits to be sent to it");
  const person = await findRecord(ctx, contact, way.contact_id);
  if (person === null || !isAddressOf(person, asked)) throw refuseAs("is not an address of this contact");
  const reason = await whyNot(ctx, asked, way.sequence_id);
  if (reason !== null) throw refuseAs(refusals[reason]);
  if (way.status === "active" || way.status === "paused") await refuseSecond(ctx, { ...way, contact_email: asked });
}

/** Why a sequence may not write to an address. Null when it may. */
export async function whyNot(ctx: Ctx, address: string, sequence_id: string): Promise<SuppressionReason | null> {
  const [reason] = (await suppressedAmong(ctx, [address], { channel: "email", scope: sequence_id })).values();
  return reason ?? null;
}

/** In words. */
export const refusals = {
  unsubscribed: "has unsubscribed",
  bounced: "cannot be reached: mail to it bounced",
  complained: "has reported mail as spam",
};
