// Turns new events into deliveries, and decides which of them wait: coalesced updates, and events behind a waiting delivery of
// the same record.
import type { Ctx } from "../../core/context.ts";
import { newId } from "../../values/id.ts";
import type { News } from "./read_news.ts";
import type { Delivery, Webhook } from "./turn.ts";
import { webhookDelivery } from "./webhook_delivery.ts";

/**
 * What a turn sends or stores, in the order of the log: retries (`again`) first, then new events. Deliveries in `waiting` have
 * rows and are not due.
 */
export function arrange(
  ctx: Ctx,
  { ordering, coalesce_ms }: Pick<Webhook, "ordering" | "coalesce_ms">,
  again: readonly Delivery[],
  waiting: readonly Delivery[],
  news: readonly News[],
): Delivery[] {
  const arranged = new Set(again);
  const gathering = new Map(waiting.filter(isGathering).map((one) => [keyOf(one), one]));
  const waitingUntil = new Map<string, Date>();
  const holdBehind = (one: Delivery) => waitingUntil.set(one.object_id, latest(one.next_at!, waitingUntil.get(one.object_id)));
  if (ordering === "object") waiting.forEach(holdBehind);

  for (const one of news) {
    const isUpdate = coalesce_ms > 0 && one.action === "updated";
    const earlier = isUpdate ? gathering.get(keyOf(one)) : undefined;
    if (earlier !== undefined && one.date_created <= earlier.next_at!) {
      arranged.add(gather(ctx, earlier, one));
      continue;
    }
    const made = newDelivery(ctx, one);
    arranged.add(made);
    if (isUpdate) made.next_at = new Date(one.date_created.getTime() + coalesce_ms);
    if (ordering === "object") {
      made.next_at = latest(made.next_at!, waitingUntil.get(one.object_id));
      // It is behind another event of the record and must not be sent before it.
      for (const [key, other] of gathering) if (other.object_id === one.object_id) gathering.delete(key);
    }
    made.waits = made.next_at! > ctx.now;
    if (made.waits && ordering === "object") holdBehind(made);
    if (isUpdate) gathering.set(keyOf(one), made);
  }
  return [...arranged];
}

const isGathering = ({ status }: Delivery): boolean => status === "pending";

const keyOf = ({ object_id, event }: Pick<Delivery, "object_id" | "event">) => `${object_id} ${event}`;

const latest = (one: Date, other: Date | undefined): Date => (other !== undefined && other > one ? other : one);

/** It includes one more update, and keeps its time. */
function gather(ctx: Ctx, earlier: Delivery, { id, json }: News): Delivery {
  if (earlier.event_id !== id) {
    earlier.coalesced_ids.push(earlier.event_id);
    earlier.event_id = id;
    if (earlier.json !== null) earlier.json = coalesced([earlier.json, json]);
  }
  earlier.waits = earlier.next_at! > ctx.now;
  return earlier;
}

/** Several updates of a record as one: the latest, with all changed fields, and their values before the first. */
export function coalesced(updates: readonly string[]): string {
  if (updates.length === 1) return updates[0]!;
  const events = updates.map((text) => JSON.parse(text));
  const changed_fields = [...new Set(events.flatMap((one) => one.changed_fields))];
  const previous_data = Object.assign({}, ...events.map((one) => one.previous_data).reverse());
  return JSON.stringify({ ...events.at(-1), changed_fields, previous_data });
}

const newDelivery = (ctx: Ctx, { id, event, object_id, place, json }: News): Delivery => ({
  id: newId(webhookDelivery.prefix, ctx.now.getTime()),
  event_id: id,
  coalesced_ids: [],
  event,
  object_id,
  status: "pending",
  attempt_count: 0,
  tried_since: ctx.now,
  tries: 0,
  next_at: ctx.now,
  http_status: null,
  error: null,
  place,
  json,
  waits: false,
  isGone: false,
  attempt: null,
  wait_until: null,
});
