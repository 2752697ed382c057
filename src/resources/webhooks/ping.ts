// `POST /webhook/{id}/test/`: sends a test delivery at once. Its event is not in the log.
import { z } from "zod";
import { type Ctx, write } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { wake } from "../../jobs/job.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { lockRecord, showRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { newId } from "../../values/id.ts";
import { webhookJobs } from "./names.ts";
import type { Delivery, Webhook } from "./turn.ts";
import { webhook } from "./webhook.ts";
import { webhookDelivery } from "./webhook_delivery.ts";

export const pingName = "webhook.ping";

export const testWebhook = operation({
  name: "webhook.test",
  method: "POST",
  path: "/webhook/{id}/test/",
  doc: `Sends the webhook an event \`${pingName}\` at once, whatever its \`events\` are. The answer is the delivery, still \`pending\`. Refused while the webhook is paused.`,
  permission: "member",
  mcp: false,
  status: 201,
  input: { id: z.string() },
  get output() {
    return outputSchema(webhookDelivery);
  },
  async run(ctx, { id }) {
    const found = await lockRecord(ctx, webhook, id);
    refuseWhilePaused(found);

    const made = store.insert(ctx, webhookDelivery, {
      webhook_id: id,
      event_id: newId("ev", ctx.now.getTime()),
      event: pingName,
      object_id: id,
      status: "pending",
      next_at: ctx.now.toISOString(),
      tried_since: ctx.now.toISOString(),
    });
    lookNow(ctx, found);
    return showRecord(ctx, webhookDelivery, made.id, ["_all"]);
  },
});

export function refuseWhilePaused({ status }: Webhook): void {
  if (status === "paused") throw invalid({}, "The webhook is paused: set its status active first.");
}

/** Makes the worker send what is due, even if it would have waited for a probe. */
export function lookNow(ctx: Ctx, { id, probe_at }: Webhook): void {
  if (probe_at !== null)
    write(ctx, {
      name: "webhook.probe_now",
      text: "update webhook set probe_at = $3 where organization_id = $1 and id = $2",
      values: [ctx.organization_id, id, ctx.now],
    });
  wake(ctx, webhookJobs, [id]);
}

/** The event that is sent. It has the fields of every event. */
export const pingJson = ({ organization_id, id }: Webhook, { event_id, tried_since }: Delivery): string =>
  JSON.stringify({
    id: event_id,
    organization_id,
    object_type: "webhook",
    object_id: id,
    action: "ping",
    event: pingName,
    lead_id: null,
    user_id: null,
    api_key_id: null,
    oauth_client_id: null,
    oauth_scope: null,
    request_id: null,
    changed_fields: [],
    previous_data: {},
    data: {},
    date_created: tried_since,
    date_updated: tried_since,
    meta: {},
  });
