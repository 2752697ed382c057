import { z } from "zod";
import type { Operation } from "../../core/operation.ts";
import { showRecord } from "../../records/records.ts";
import { standard } from "../../records/standard.ts";
import { event } from "./event.ts";
import { eventPage, listEvents } from "./list_events.ts";
import { eventStream } from "./stream_events.ts";

const cursorDoc =
  "`cursor_next` of a page goes back in time, `cursor_previous` follows new events. Filters and order must be the same.";

/** The list pages in both directions. */
const followed = {
  list: { output: () => eventPage, parameters: [{ name: "_cursor", doc: cursorDoc, schema: z.string() }] },
};

export const events: Operation[] = [
  ...standard(
    event,
    { list: listEvents, get: (ctx, id, fields) => showRecord(ctx, event, id, fields ?? ["_all"]) },
    "member",
    followed,
  ),
  eventStream,
];
