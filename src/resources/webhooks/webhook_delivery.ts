// A delivery: one event that is sent to one webhook, until it succeeds or is given up.
import { z } from "zod";
import { choice, integer, json, ref, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { ownOrAdmin } from "./webhook.ts";

export const deliveryStates = ["pending", "retrying", "succeeded", "failed"] as const;

export const attempt = z.strictObject({
  started_at: z.iso.datetime(),
  duration_ms: z.int(),
  http_status: z.int().nullable().describe("Null where nothing was answered."),
  error_class: z
    .enum(["address", "connect", "tls", "timeout", "reset", "status"])
    .nullable()
    .describe(
      "The error: no public address, no connection, no valid certificate, no response in time, a broken connection, or a status that is not 2xx.",
    ),
  error: z.string().nullable(),
  response_body: z.string().describe("The first 4 KB of the response."),
});

export type Attempt = z.infer<typeof attempt>;

export const webhookDelivery = resource({
  name: "webhook_delivery",
  prefix: "dlv",
  path: "/webhook/{webhook_id}/delivery",
  parent: "webhook_id",
  doc: "An event that is sent to a webhook. Kept for 30 days.",
  event: null,
  mcp: false,
  visible: (ctx, alias) => {
    const rule = ownOrAdmin(ctx, "w");
    return rule === null
      ? null
      : sql`exists (select from webhook w where w.organization_id = ${ctx.organization_id} and w.id = ${name(alias)}.webhook_id and ${rule})`;
  },
  fields: {
    webhook_id: ref("webhook", { onDelete: "keep", onMove: "keep" }, { readOnly: true, required: true, doc: "The webhook." }),
    event_id: text({
      readOnly: true,
      required: true,
      doc: "The event. With the webhook's id it is the `webhook-id` that is sent.",
    }),
    coalesced_ids: texts({
      readOnly: true,
      default: [] as string[],
      doc: "Earlier updates that it includes, oldest first.",
    }),
    event: text({ readOnly: true, required: true, doc: "The event's name." }),
    object_id: text({ readOnly: true, required: true, doc: "The record that changed." }),
    status: choice(deliveryStates, {
      readOnly: true,
      required: true,
      doc: "`retrying` failed and will be retried; `failed` was given up.",
    }),
    attempt_count: integer({ readOnly: true, default: 0, doc: "The number of attempts." }),
    http_status: integer({ readOnly: true, doc: "The latest response status." }),
    error: text({ readOnly: true, max: 1000, doc: "The latest error." }),
    next_at: timestamp({ readOnly: true, doc: "When the next attempt is." }),
    attempts: json(z.array(attempt), {
      readOnly: true,
      onDemand: true,
      default: [],
      doc: "The latest 25 attempts, oldest first. Shown where one delivery is read, and in lists when it is named.",
    }),
    tried_since: timestamp({ readOnly: true, hidden: true, required: true }),
    tries: integer({ readOnly: true, hidden: true, default: 0 }),
    created_by: text({ readOnly: true, hidden: true }),
    updated_by: text({ readOnly: true, hidden: true }),
  },
});
