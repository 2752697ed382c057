// Writes the deliveries of a turn: one statement for new ones, one for those that have rows.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import { pgTimestamp } from "../../values/time.ts";
import type { Delivery } from "./turn.ts";

const columns = `id text, event_id text, coalesced_ids text[], event text, object_id text, status text, attempt_count integer,
  attempts jsonb, http_status integer, error text, next_at timestamptz, tried_since timestamptz, tries integer`;
const names = columns.replaceAll(/ (text(\[\])?|integer|jsonb|timestamptz)(?=,|$)/g, "");

const rowOf = (one: Delivery) => ({
  id: one.id,
  event_id: one.event_id,
  coalesced_ids: one.coalesced_ids,
  event: one.event,
  object_id: one.object_id,
  status: one.status,
  attempt_count: one.attempt_count + (one.attempt === null ? 0 : 1),
  attempts: one.attempt === null ? [] : [one.attempt],
  http_status: one.http_status,
  error: one.error,
  next_at: one.next_at,
  tried_since: one.tried_since,
  tries: one.tries,
});

export function insertDeliveries(ctx: Ctx, webhookId: string, deliveries: readonly Delivery[]): void {
  if (deliveries.length === 0) return;
  write(ctx, {
    name: "webhook_delivery.insert_many",
    text: `insert into webhook_delivery (organization_id, webhook_id, date_created, date_updated, ${names})
           select $1, $2, $3, $3, ${names} from json_to_recordset($4::json) n(${columns})`,
    values: [ctx.organization_id, webhookId, ctx.now, JSON.stringify(deliveries.map(rowOf))],
  });
}

/** Deliveries that were given up in the meantime, with the backlog, stay so. */
export function updateDeliveries(ctx: Ctx, deliveries: readonly Delivery[]): void {
  if (deliveries.length === 0) return;
  write(ctx, {
    name: "webhook_delivery.update_many",
    text: `update webhook_delivery d set event_id = n.event_id, coalesced_ids = n.coalesced_ids, status = n.status,
             attempt_count = n.attempt_count, attempts = jsonb_path_query_array(d.attempts || n.attempts, '$[last - 24 to last]'),
             http_status = n.http_status, error = n.error, next_at = n.next_at, tried_since = n.tried_since, tries = n.tries,
             date_updated = $2
           from json_to_recordset($3::json) n(${columns}) where d.organization_id = $1 and d.id = n.id and d.next_at is not null`,
    values: [ctx.organization_id, ctx.now, JSON.stringify(deliveries.map(rowOf))],
  });
}

/** No event of a record is sent before its failed one, however many wait. */
export function holdBehind(ctx: Ctx, webhookId: string, failed: readonly Delivery[]): void {
  const until = failed.filter(({ next_at }) => next_at !== null).map(({ object_id, next_at }) => ({ object_id, next_at }));
  if (until.length === 0) return;
  write(ctx, {
    name: "webhook_delivery.hold_behind",
    text: `update webhook_delivery d set next_at = n.next_at from json_to_recordset($3::json) n(object_id text, next_at timestamptz)
           where d.organization_id = $1 and d.webhook_id = $2 and d.object_id = n.object_id and d.next_at < n.next_at`,
    values: [ctx.organization_id, webhookId, JSON.stringify(until)],
  });
}

/** What is to be sent, or retried. */
export interface Open {
  count: number;
  next_at: Date | null;
  oldest: string | null;
}

export async function openDeliveries(ctx: Ctx, webhookId: string): Promise<Open> {
  const [row] = await transactionOf(ctx).read({
    name: "webhook_delivery.open",
    text: `select count(*), min(next_at), min(date_created) from webhook_delivery
           where organization_id = $1 and webhook_id = $2 and next_at is not null`,
    values: [ctx.organization_id, webhookId],
  });
  const [count, next_at, oldest] = row!;
  return { count: Number(count), next_at: next_at === null ? null : new Date(pgTimestamp(next_at!)), oldest: oldest! };
}
