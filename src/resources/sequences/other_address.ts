// Another address of a contact, for a sequence that wants it (`other_address`), when mail to the present one bounced or it was taken off
// the contact.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { and, or, sql } from "../../db/sql.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { emailKey } from "../../values/email.ts";
import { contact } from "../contacts/contact.ts";
import { failWay } from "./endings.ts";
import { isLive, otherWay } from "./live_once.ts";
import { whyNot } from "./recipient.ts";
import { sendAgain } from "./send_again.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";

type Subscription = Row<typeof sequenceSubscription>;

const anyContact: typeof contact = { ...contact, visible: undefined };
const anySequence: typeof sequence = { ...sequence, visible: undefined };

/** The first that may be written to, and that nobody else is written to in this sequence. Null when there is none. */
export async function otherAddress(ctx: Ctx, way: Subscription, person: Row<typeof contact>): Promise<string | null> {
  const [of] = await findRecords(ctx, anySequence, [sql`t.id = ${way.sequence_id}`]);
  if (of?.other_address !== true || way.contact_email === null) return null;
  const present = emailKey(way.contact_email);
  for (const { email } of person.emails) {
    if (emailKey(email) === present || (await whyNot(ctx, email, way.sequence_id)) !== null) continue;
    if ((await otherWay(ctx, { ...way, contact_email: email })) === undefined) return email;
  }
  return null;
}

/** Its address was taken off the contact: nobody writes to that any more. Returns when its step is taken again, if ever. */
export async function writeElsewhere(ctx: Ctx, way: Subscription, person: Row<typeof contact>): Promise<Date | null> {
  const contact_email = await otherAddress(ctx, way, person);
  if (contact_email !== null) {
    store.update(ctx, sequenceSubscription, way, { contact_email });
    return ctx.now;
  }
  const cure = "give the subscription another contact_email, and resume it";
  failWay(ctx, way, "no-address", `${way.contact_email} is no address of the contact any more: ${cure}`);
  return null;
}

interface Mail {
  id: string;
  sequence_subscription_id: string | null;
}

/** Mail to these addresses came back for good: what goes on with another one sends the step again to it. */
export async function toOtherAddresses(ctx: Ctx, sent: Mail, addresses: readonly string[]): Promise<void> {
  const isOver = sql`t.status = 'finished' and t.status_reason is null and t.id = ${sent.sequence_subscription_id}::text`;
  const theirs = sql`lower(t.contact_email) = any(${addresses.map(emailKey)})`;
  for (const way of await lockWhere(ctx, sequenceSubscription, and([theirs, or([isLive, isOver])]))) {
    const person = await findRecord(ctx, anyContact, way.contact_id);
    const contact_email = person && (await otherAddress(ctx, way, person));
    if (contact_email === null) continue;
    store.update(ctx, sequenceSubscription, way, { contact_email });
    if (way.id === sent.sequence_subscription_id) await sendAgain(ctx, sent, "now");
  }
}
