// The time zone of a subscription, for its hours and days.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import { contact } from "../contacts/contact.ts";
import { organizationOf } from "../organization/organization.ts";
import { user } from "../organization/user.ts";
import { people } from "./schedule.ts";
import type { sequenceSubscription } from "./sequence_subscription.ts";

type Way = Pick<Row<typeof sequenceSubscription>, "contact_id" | "sender_account_id" | "created_by">;

/** The zone of a sequence for one subscription. The organization's zone if the contact's is unknown. */
export async function zoneFor(ctx: Ctx, { timezone }: { timezone: string }, way: Way): Promise<string> {
  if (!people.includes(timezone)) return timezone;
  const of = timezone === "recipient" ? await recipientZone(ctx, way) : await senderZone(ctx, way);
  return of ?? organizationOf(ctx.directory).timezone;
}

/** The same for several that have one sender and were made by one member, by their ids. */
export async function zonesFor(
  ctx: Ctx,
  of: { timezone: string },
  ways: readonly (Way & { id: string })[],
): Promise<Map<string, string>> {
  if (of.timezone !== "recipient") {
    const zone = await zoneFor(ctx, of, ways[0]!);
    return new Map(ways.map(({ id }) => [id, zone]));
  }
  const found = await findRecords(ctx, anyContact, [sql`t.id = any(${ways.map(({ contact_id }) => contact_id)})`]);
  const zones = new Map(found.map(({ id, timezone }) => [id, timezone]));
  return new Map(ways.map(({ id, contact_id }) => [id, zones.get(contact_id) ?? organizationOf(ctx.directory).timezone]));
}

/** The days of a sequence are those of its own zone, or of the organization's when its hours are those of a person. */
export const dayZone = ({ directory }: Ctx, { timezone }: { timezone: string }): string =>
  people.includes(timezone) ? organizationOf(directory).timezone : timezone;

const anyContact = { ...contact, visible: undefined } as typeof contact;

const recipientZone = async (ctx: Ctx, { contact_id }: Way) => (await findRecord(ctx, anyContact, contact_id))?.timezone;

/** The owner of the account, or else the member who subscribed them. */
async function senderZone(ctx: Ctx, { sender_account_id: id, created_by }: Way): Promise<string | null | undefined> {
  const anyAccount = { ...connectedAccount, visible: undefined } as typeof connectedAccount;
  const account = id === null ? null : await findRecord(ctx, anyAccount, id);
  const sender = account?.user_id ?? created_by;
  return sender === null ? null : ctx.directory.get(user, sender)?.timezone;
}
