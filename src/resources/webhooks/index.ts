import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { getDelivery } from "./get_delivery.ts";
import { testWebhook } from "./ping.ts";
import { redeliver } from "./redeliver.ts";
import { rotateSecret } from "./rotate_secret.ts";
import { webhook } from "./webhook.ts";
import { webhookDelivery } from "./webhook_delivery.ts";
import { createWebhook, updateWebhook } from "./webhook_verbs.ts";

export const webhooks: Operation[] = [
  ...standard(webhook, { ...crud, create: createWebhook, update: updateWebhook }, "member", {
    create: { outlasts: true },
    update: { outlasts: true },
  }),
  ...standard(webhookDelivery, { list: true }, "member"),
  getDelivery,
  redeliver,
  testWebhook,
  rotateSecret,
];
