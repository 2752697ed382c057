// `GET /webhook/{webhook_id}/delivery/{delivery_id}/`: one delivery, with its attempts.
import { z } from "zod";
import { notFound } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { getRecord, showRecord } from "../../records/records.ts";
import { webhookDelivery } from "./webhook_delivery.ts";

export const getDelivery = operation({
  name: "webhook_delivery.get",
  method: "GET",
  path: "/webhook/{webhook_id}/delivery/{delivery_id}/",
  doc: "Returns one delivery, with its attempts.",
  permission: "member",
  mcp: false,
  input: { webhook_id: z.string(), delivery_id: z.string() },
  get output() {
    return outputSchema(webhookDelivery);
  },
  async run(ctx, { webhook_id, delivery_id }) {
    const found = await getRecord(ctx, webhookDelivery, delivery_id);
    if (found.webhook_id !== webhook_id) throw notFound();
    return showRecord(ctx, webhookDelivery, delivery_id, ["_all"]);
  },
});
