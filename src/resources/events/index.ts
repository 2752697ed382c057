import { z } from "zod";
import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { event } from "./event.ts";
import { eventPage, listEvents } from "./list_events.ts";
import { webhook } from "./webhook.ts";
import { createWebhook, updateWebhook } from "./webhook_verbs.ts";

const cursorDoc =
  "`cursor_next` of a page goes back in time, `cursor_previous` follows what happens; with the same filters and order.";

/** The list pages both ways. */
const followed = {
  list: { output: () => eventPage, parameters: [{ name: "_cursor", doc: cursorDoc, schema: z.string() }] },
};

export const events: Operation[] = [
  ...standard(event, { list: listEvents, get: true }, "member", followed),
  ...standard(webhook, { ...crud, create: createWebhook, update: updateWebhook }, "member"),
];
