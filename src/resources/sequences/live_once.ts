// Allows only one live subscription of a contact, or an address, to the same sequence, or to any sequence if the organization
// wants that.
import { type Ctx, write } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { and, sql } from "../../db/sql.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { emailKey } from "../../values/email.ts";
import { organizationOf } from "../organization/organization.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";

type Subscription = Row<typeof sequenceSubscription>;

/** The contact, the address and the sequence of a subscription, and its id where it exists. */
type Way = Pick<Subscription, "sequence_id" | "contact_id" | "contact_email"> & { id?: string };

export const isLive = sql`t.status in ('active', 'paused')`;

/** Existing subscriptions count even if the caller cannot see their lead. */
const ofAnybody: typeof sequenceSubscription = { ...sequenceSubscription, visible: undefined };

export const oneAtATime = (ctx: Ctx): boolean =>
  (organizationOf(ctx.directory).settings.sequences as { one_at_a_time?: boolean } | undefined)?.one_at_a_time === true;

/** Refuses a second subscription. Concurrent requests wait until the first is written, and are then refused. */
export async function refuseSecond(ctx: Ctx, way: Way, field?: string): Promise<void> {
  const other = await otherWay(ctx, way);
  if (other === undefined) return;

  const isThem = other.contact_id === way.contact_id;
  const isSeen = isThem || (await findRecord(ctx, sequenceSubscription, other.id)) !== null;
  throw invalid({
    [field ?? (isThem ? "contact_id" : "contact_email")]: isSeen
      ? reasonOf(other.sequence_id === way.sequence_id, isThem)
      : takesNothing,
  });
}

/** What the caller does not see is not told: no contact, and no subscription. */
export const takesNothing = "takes nothing from this sequence at present: name another address, or ask an admin";

/** A live subscription of the same person that excludes this one. */
export async function otherWay(ctx: Ctx, way: Way): Promise<Subscription | undefined> {
  lockPerson(ctx, way);
  const [other] = await findRecords(
    ctx,
    ofAnybody,
    [
      isLive,
      isOf(way),
      ...(way.id === undefined ? [] : [sql`t.id <> ${way.id}`]),
      ...(oneAtATime(ctx) ? [] : [sql`t.sequence_id = ${way.sequence_id}`]),
    ],
    sql`order by t.sequence_id = ${way.sequence_id} desc, t.contact_id = ${way.contact_id} desc, t.id limit 1`,
  );
  return other;
}

const isOf = ({ contact_id, contact_email }: Way) =>
  contact_email === null
    ? sql`t.contact_id = ${contact_id}`
    : sql`(t.contact_id = ${contact_id} or lower(t.contact_email) = lower(${contact_email}))`;

function reasonOf(isSameSequence: boolean, isThem: boolean): string {
  const cure = isThem
    ? "wait until it has ended, or delete that subscription"
    : "merge the two contacts, or name another address";
  if (isSameSequence) return `is in this sequence already${isThem ? "" : " as another contact's"}: ${cure}`;
  return `is in another sequence${isThem ? "" : " as another contact's"}, and settings.sequences.one_at_a_time allows one at a time: ${cure}`;
}

/** Locks until the end of the transaction, in a fixed order, so that two requests for the same person cannot deadlock. */
function lockPerson(ctx: Ctx, { contact_id, contact_email }: Way): void {
  const names = [contact_id, ...(contact_email === null ? [] : [emailKey(contact_email)])];
  write(ctx, {
    name: "sequence_subscription.lock_person",
    text: `select pg_advisory_xact_lock(s.key) from (select distinct hashtextextended(one, 0) as key from unnest($1::text[]) one
             order by key) s`,
    values: [names.map((one) => `${ctx.organization_id} sequence_subscription ${one}`)],
  });
}

/** The subscriptions of `gone` that end when it is merged into `kept`, because `kept` already has a live one. */
export async function doubleWays(ctx: Ctx, gone: string, kept: string): Promise<Subscription[]> {
  const live = await findRecords(
    ctx,
    sequenceSubscription,
    [and([isLive, sql`t.contact_id = any(${[gone, kept]})`])],
    sql`order by t.id for update of t`,
  );
  const staying = new Set(live.filter((one) => one.contact_id === kept).map((one) => one.sequence_id));
  const endsAll = staying.size > 0 && oneAtATime(ctx);
  return live.filter((one) => one.contact_id === gone && (endsAll || staying.has(one.sequence_id)));
}
