import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { event } from "./event.ts";
import { eventPage, listEvents } from "./list_events.ts";
import { webhook } from "./webhook.ts";
import { createWebhook, updateWebhook } from "./webhook_verbs.ts";

const readEvents = standard(event, { list: listEvents, get: true }, "member");

const cursorDoc =
  "`cursor_next` of a page goes back in time, `cursor_previous` follows what happens; with the same filters and order.";

/** The list as it pages both ways. */
const followed = (list: Operation): Operation => ({
  ...list,
  output: eventPage,
  get parameters() {
    return list.parameters.map((one) => (one.name === "_cursor" ? { ...one, doc: cursorDoc } : one));
  },
});

export const events: Operation[] = [
  ...readEvents.map((one) => (one.verb === "list" ? followed(one) : one)),
  ...standard(webhook, { ...crud, create: createWebhook, update: updateWebhook }, "member"),
];
