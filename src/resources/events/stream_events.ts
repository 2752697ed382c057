// `GET /event/stream/`: the feed by server-sent events, from now on or from a cursor.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { Content, type Operation, refuseUnknownParameters } from "../../core/operation.ts";
import { filterNames } from "../../records/filters.ts";
import { readList } from "../../records/list_input.ts";
import { listParameters } from "../../records/read_operations.ts";
import { projectionOf } from "../../records/writer.ts";
import { event } from "./event.ts";
import { type FeedPlace, readPlace } from "./event_cursor.ts";
import { presentPlace, readFeed } from "./feed.ts";
import { askedOf, Follower, patient } from "./follower.ts";
import { followingOf } from "./following.ts";

/** Parameters of pages, which a stream does not take. */
const ofPages = ["_limit", "_skip", "_order_by", "_count", "_expand"];
/** The most events that a stream reads at once while it catches up. */
const pageMost = 200;

export const eventStream: Operation<{ query: Record<string, string> }> = {
  name: "event.stream",
  method: "GET",
  path: "/event/stream/",
  doc: "Sends events as they happen, by server-sent events: `id` is a cursor, `event` the name, `data` the event as the list shows it.",
  permission: "member",
  group: "read",
  scope: "read",
  pastDue: true,
  transaction: false,
  lasts: true,
  mcp: false,
  status: 200,
  get parameters() {
    const cursorDoc =
      "Continues after this `cursor_previous` of the list, or `id` of a stream. `Last-Event-ID` takes precedence.";
    return listParameters(event)
      .filter(({ name }) => !ofPages.includes(name))
      .map((one) => (one.name === "_cursor" ? { ...one, doc: cursorDoc } : one));
  },
  body: null,
  output: z.string().describe("`id`, `event` and `data` of each event, with comments between them, for at most 15 minutes."),
  resource: event,
  verb: null,
  parse: (_ctx, given) => ({ input: { query: given.query }, ignored: [] }),
  run: (ctx, { query }) => streamEvents(ctx, query),
};

async function streamEvents(ctx: Ctx, { _cursor, ...given }: Record<string, string>): Promise<Content> {
  refuseUnknownParameters(paging(given), ["_cursor", "_fields", ...filterNames(event).map(({ name }) => name)]);
  const input = { ...(await readList(ctx, event, given)), limit: pageMost };
  const projection = projectionOf(event, input.fields, (name) => ctx.registry.resource(name));
  const cursor = ctx.request.lastEventId || _cursor;
  // After a restart many clients reconnect at once, and clients of the standard give up after a refusal.
  const waiting = { ...ctx, asker: patient(null, ctx.asker) };
  const place = cursor ? feedPlace(readPlace(cursor, input)) : await presentPlace(waiting);
  const follower = new Follower(ctx, askedOf(input, projection), place);

  const following = followingOf(ctx);
  following.admit(follower);
  try {
    const first = cursor ? await readFeed(waiting, input, projection, place) : null;
    void following.begin(follower, first);
  } catch (error) {
    follower.body.destroy();
    throw error;
  }
  // Proxies must not buffer the events.
  return new Content("text/event-stream; charset=utf-8", follower.body, { "x-accel-buffering": "no" });
}

const paging = (given: Record<string, string>) =>
  Object.fromEntries(Object.entries(given).filter(([name]) => ofPages.includes(name)));

function feedPlace(place: ReturnType<typeof readPlace>): FeedPlace {
  if ("feed" in place) return place.feed;
  throw invalid({ _cursor: "is that of an older page: a stream continues from `cursor_previous` of the first page" });
}
