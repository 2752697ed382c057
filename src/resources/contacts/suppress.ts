// Suppresses an address so that nobody writes to it any more, and undoes a mistake. Every contact with the address shows it.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { emit } from "../../records/event.ts";
import { lockToChange, lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { emailKey } from "../../values/email.ts";
import { same } from "../../values/same.ts";
import { contact } from "./contact.ts";
import { marksOf, type SuppressedChannel, type SuppressionReason, unsubscribedEmail } from "./unsubscribed_email.ts";

export interface Suppression {
  channel?: SuppressedChannel;
  address: string;
  /** `all` by default. */
  scope?: string;
  reason: SuppressionReason;
  source: "link" | "one_click" | "reply" | "bounce" | "feedback_report" | "stop_word";
  /** The message that said it. */
  source_id: string | null;
}

/** A second suppression for the same reason is not stored. Returns whether this was the first. */
export async function suppress(ctx: Ctx, given: Suppression): Promise<boolean> {
  const { channel = "email", scope = "all", reason, source, source_id } = given;
  const address = emailKey(given.address);
  if ((await store.insertNew(ctx, unsubscribedEmail, { channel, address, scope, reason, source, source_id })) === null)
    return false;

  const people = channel === "email" ? await showMarks(ctx, address) : [];
  if (reason === "unsubscribed")
    for (const after of people) emit(ctx, contact, { action: "unsubscribed", after, meta: { address, scope, source } });
  return true;
}

/** A message about an address was misread: its suppression is undone, unless another reason remains. */
export async function liftSuppressionsBy(ctx: Ctx, sourceId: string): Promise<void> {
  await lift(ctx, await lockWhere(ctx, unsubscribedEmail, sql`t.source_id = ${sourceId}`));
}

/** Mail came from an address that had bounced, so somebody reads it. */
export async function liftBounces(ctx: Ctx, address: string): Promise<void> {
  const bounced = sql`t.channel = 'email' and t.address = ${emailKey(address)} and t.reason = 'bounced'`;
  await lift(ctx, await lockWhere(ctx, unsubscribedEmail, bounced, undefined, "unsubscribed_email.bounced"));
}

/** Somebody who opted out of texts opts in again. */
export async function liftStops(ctx: Ctx, address: string): Promise<void> {
  const stopped = sql`t.channel = 'sms' and t.address = ${emailKey(address)} and t.source = 'stop_word'`;
  await lift(ctx, await lockWhere(ctx, unsubscribedEmail, stopped));
}

async function lift(ctx: Ctx, rows: Row<typeof unsubscribedEmail>[]): Promise<void> {
  if (rows.length === 0) return;
  await store.remove(ctx, unsubscribedEmail, rows);
  for (const { channel, address } of rows) if (channel === "email") await showMarks(ctx, address);
}

/** Updates the contacts that have the address. */
async function showMarks(ctx: Ctx, address: string): Promise<Row<typeof contact>[]> {
  const marks = (await marksOf(ctx, [address])).get(address) ?? { is_unsubscribed: false, is_invalid: false };
  const people = await lockToChange(ctx, contact, sql`t.email_keys @> ${[address]}`);
  return people.map((one) => {
    const emails = one.emails.map((entry) => (emailKey(entry.email) === address ? { ...entry, ...marks } : entry));
    return same(emails, one.emails) ? one : store.update(ctx, contact, one, { emails });
  });
}
