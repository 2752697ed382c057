// Whether a person can be contacted, by the rules that sending goes by: of their addresses, it looks at the one that messages go to.
import { sql } from "../../../db/sql.ts";
import { findRecords } from "../../../records/records.ts";
import { emailKey } from "../../../values/email.ts";
import { canGetTexts, mobileOf } from "../../activities/own_side.ts";
import { contact } from "../../contacts/contact.ts";
import { type SuppressedChannel, suppressedAmong } from "../../contacts/unsubscribed_email.ts";
import { lead } from "../../leads/lead.ts";
import type { Values } from "../facts.ts";
import type { Asked } from "./condition.ts";
import { idOf } from "./subject.ts";

/** The most people of a lead who are looked at. */
const peopleMost = 200;

/** The contact; for a lead, anybody there. */
export async function contactableMeets({ channel }: Values, { ctx, facts: { record } }: Asked): Promise<boolean> {
  const own = idOf(contact, record);
  const of = idOf(lead, record);
  if (own === null && of === null) return false;
  const whose = own === null ? sql`t.lead_id = ${of}` : sql`t.id = ${own}`;
  const people = await findRecords(ctx, contact, [whose], sql`order by t.date_created, t.id limit ${peopleMost}`);
  if (channel === "call") return people.some(({ do_not_call, phones }) => !do_not_call && phones.length > 0);

  const addresses =
    channel === "sms"
      ? people.flatMap((one) => mobileOf(one) ?? []).filter(canGetTexts)
      : people.flatMap(({ emails }) => emails[0]?.email ?? []);
  const suppressed = await suppressedAmong(ctx, addresses, { channel: channel as SuppressedChannel, scope: "marketing" });
  return addresses.some((one) => !suppressed.has(emailKey(one)));
}
