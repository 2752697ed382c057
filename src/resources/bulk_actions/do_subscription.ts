// Subscribes the items of a bulk action to a sequence, or changes the subscriptions that they have.
import type { Ctx } from "../../core/context.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { createRecord, findRecords, updateRecord } from "../../records/records.ts";
import { sequenceSubscription } from "../sequences/sequence_subscription.ts";
import { checkSequence } from "./check_outreach.ts";
import { peopleOf } from "./do_email.ts";
import { type BulkAction, type Doing, type Done, each, gone, type Item, whyRefused } from "./doing.ts";

type Subscription = Row<typeof sequenceSubscription>;

export const subscribing: Doing = {
  permission: "bulk_sequence_subscriptions",
  of: (ctx, { contact_preference }) => ctx.registry.resource(contact_preference === "contact" ? "contact" : "lead")!,
  stopped: (ctx, { sequence_id }) => whyRefused(() => checkSequence(ctx, sequence_id)),
  take: (ctx, action, items) =>
    action.action_type === "subscribe" ? subscribeAll(ctx, action, items) : changeAll(ctx, action, items),
};

/** A lead's first contact with an address is subscribed, or else its first one. */
async function subscribeAll(ctx: Ctx, action: BulkAction, items: readonly Item[]): Promise<Done[]> {
  const people = await peopleOf(ctx, items);
  return each(ctx, items, async (own, { object_id }): Promise<Done> => {
    const them = people.get(object_id);
    if (them === undefined) return object_id.startsWith("lead_") ? { status: "skipped", error: "has no contact" } : gone;
    const person = them.find(({ emails }) => emails.length > 0) ?? them[0]!;
    const body = { sequence_id: action.sequence_id, contact_id: person.id, ...senderOf(action) };
    await createRecord(own, sequenceSubscription, body as Create<typeof sequenceSubscription>);
    return { status: "succeeded" };
  });
}

const senderFields = ["sender_account_id", "sender_name", "sender_email", "calls_assigned_to", "from_phone_number_id"] as const;

const senderOf = (action: BulkAction): Patch<typeof sequenceSubscription> =>
  Object.fromEntries(senderFields.flatMap((key) => (action[key] === null ? [] : [[key, action[key]]])));

/** Which subscriptions each change is for, and what it is. */
const changes: Readonly<
  Record<string, { states: readonly string[]; patch(action: BulkAction): Patch<typeof sequenceSubscription> }>
> = {
  pause: { states: ["active"], patch: () => ({ status: "paused" }) },
  resume: { states: ["paused"], patch: () => ({ status: "active" }) },
  resume_finished: { states: ["finished", "goal", "error"], patch: () => ({ status: "active" }) },
  reassign: { states: ["active", "paused"], patch: senderOf },
};

async function changeAll(ctx: Ctx, action: BulkAction, items: readonly Item[]): Promise<Done[]> {
  const { states, patch } = changes[action.action_type]!;
  const ids = items.map(({ object_id }) => object_id);
  const isTheirs = sql`(t.contact_id = any(${ids}) or t.lead_id = any(${ids})) and t.status = any(${states})`;
  const isOfIt = action.sequence_id === null ? [] : [sql`t.sequence_id = ${action.sequence_id}`];
  const found = await findRecords(ctx, sequenceSubscription, [isTheirs, ...isOfIt], sql`order by t.id`);
  const wanted = new Set(ids);
  const ofItem = Map.groupBy(found, (way: Subscription) => (wanted.has(way.contact_id) ? way.contact_id : way.lead_id));
  return each(ctx, items, async (own, { object_id }): Promise<Done> => {
    const ways = ofItem.get(object_id) ?? [];
    if (ways.length === 0) return { status: "skipped", error: `has no subscription that is ${states.join(" or ")}` };
    for (const { id } of ways) await updateRecord(own, sequenceSubscription, id, patch(action));
    return { status: "succeeded" };
  });
}
