import type { Operation } from "../../core/operation.ts";
import { standard } from "../../core/standard.ts";
import { event } from "./event.ts";
import { eventPage, listEvents } from "./list_events.ts";

export const events: Operation[] = standard(event, { list: listEvents, get: true }).map((one) =>
  one.verb === "list" ? { ...one, output: eventPage } : one,
);
