import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { event } from "./event.ts";
import { eventPage, listEvents } from "./list_events.ts";
import { webhook } from "./webhook.ts";
import { createWebhook, updateWebhook } from "./webhook_verbs.ts";

const readEvents = standard(event, { list: listEvents, get: true });

export const events: Operation[] = [
  ...readEvents.map((one) => (one.verb === "list" ? { ...one, output: eventPage } : one)),
  ...standard(webhook, { ...crud, create: createWebhook, update: updateWebhook }),
];
