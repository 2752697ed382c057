// All open deliveries of a webhook at once: those that are to be sent, or retried.
import { type Ctx, write } from "../../core/context.ts";

/** Makes them due now, with a new schedule. */
export function beginOpenAnew(ctx: Ctx, webhookId: string): void {
  write(ctx, {
    name: "webhook_delivery.begin_anew",
    text: `update webhook_delivery set next_at = $3, tried_since = $3, tries = 0, date_updated = $3
           where organization_id = $1 and webhook_id = $2 and next_at is not null`,
    values: [ctx.organization_id, webhookId, ctx.now],
  });
}

/** Makes them due now, because the receiver is back. */
export function hastenOpen(ctx: Ctx, webhookId: string): void {
  write(ctx, {
    name: "webhook_delivery.hasten",
    text: `update webhook_delivery set next_at = $3 where organization_id = $1 and webhook_id = $2 and next_at > $3`,
    values: [ctx.organization_id, webhookId, ctx.now],
  });
}

/** Ends them, because nobody wants them any more. */
export function giveUpOpen(ctx: Ctx, webhookId: string): void {
  write(ctx, {
    name: "webhook_delivery.give_up",
    text: `update webhook_delivery set status = 'failed', next_at = null, error = 'skipped with the backlog', date_updated = $3
           where organization_id = $1 and webhook_id = $2 and next_at is not null`,
    values: [ctx.organization_id, webhookId, ctx.now],
  });
  write(ctx, {
    name: "webhook.nothing_open",
    text: `update webhook set pending = 0, oldest_pending_at = null where organization_id = $1 and id = $2`,
    values: [ctx.organization_id, webhookId],
  });
}
