// The list of events. Newest first, it pages back in time by date. `cursor_previous` leads upwards again and on into the feed: it
// returns every event since then, once, in the order of commits.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { JsonText } from "../../core/operation.ts";
import type { TextRow } from "../../db/database.ts";
import { afterCursor } from "../../records/cursor.ts";
import { countRows } from "../../records/list.ts";
import { type ListInput, readList } from "../../records/list_input.ts";
import { orderBy } from "../../records/order.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { listSchema } from "../../records/read_operations.ts";
import { selectList } from "../../records/records.ts";
import { type Projection, projectionOf } from "../../records/writer.ts";
import { event } from "./event.ts";
import { type DatePlace, dateCursor, type FeedPlace, feedCursor, feedFrom, readPlace } from "./event_cursor.ts";
import { isSeen, readFeed, readRows } from "./feed.ts";

const cursor = z.string().nullable();

export const eventPage = (listSchema(outputSchema(event)) as z.ZodObject).extend({
  cursor_next: cursor,
  cursor_previous: cursor,
});

/** The rows to show, and the cursors in both directions. */
interface Page {
  rows: readonly TextRow[];
  /** In the direction of reading, at this moment. */
  has_more: boolean;
  next: string | null;
  previous: string | null;
}

export async function listEvents(ctx: Ctx, { _cursor, ...given }: Record<string, string>): Promise<JsonText> {
  const input = await readList(ctx, event, given);
  const place = _cursor ? readPlace(_cursor, input) : { date: null };
  if (_cursor && input.skip > 0) throw invalid({ _skip: "cannot be used together with _cursor" });
  const projection = projectionOf(event, input.fields, (name) => ctx.registry.resource(name));
  const [page, total] = await Promise.all([
    "feed" in place ? readNews(ctx, input, projection, place.feed) : readDates(ctx, input, projection, place.date),
    input.count ? countRows(ctx, event, input) : null,
  ]);

  const data = page.rows.map((row) => projection.write(row, ctx.directory, ctx)).join(",");
  const cursors = input.limit === 0 ? whereItStood("date" in place ? place.date : null, _cursor) : [page.next, page.previous];
  const [next, previous] = cursors.map((text) => JSON.stringify(text));
  const count = total === null ? "" : `,"total_results":${total}`;
  return new JsonText(
    `{"data":[${data}],"has_more":${page.has_more},"cursor_next":${next},"cursor_previous":${previous}${count}}`,
  );
}

/** An empty page returns the caller's own place as the next cursor, so that it can be stored. */
function whereItStood(place: DatePlace | null, cursor: string | undefined): (string | null)[] {
  if (!cursor) return [null, null];
  return place?.upwards === false ? [cursor, null] : [null, cursor];
}

// --- by date ---

async function readDates(ctx: Ctx, input: ListInput, projection: Projection, place: DatePlace | null): Promise<Page> {
  const upwards = place?.upwards === true;
  const order = upwards ? input.order.map((key) => ({ ...key, descending: !key.descending })) : input.order;
  const { found, now } = await readRows(ctx, input, {
    select: selectList(ctx, projection),
    conditions: place ? [afterCursor(order, place.values), isSeen(place.seen)] : [],
    order: orderBy(order),
  });

  const isMore = found.length > input.limit;
  const rows = found.slice(0, input.limit);
  if (upwards) rows.reverse();
  const seen = place?.seen ?? now;
  const at = (row: TextRow | undefined, upwards: boolean) =>
    row === undefined ? null : dateCursor(input, { values: keysOf(row, input), upwards, seen });
  const isTop = upwards ? !isMore : place === null && input.skip === 0;
  return {
    rows,
    has_more: isMore,
    // Upwards, the event that the page started from comes next. Downwards, the one that did not fit.
    next: upwards || isMore ? at(rows.at(-1), false) : null,
    previous: (isTop ? null : at(rows[0], true)) ?? feedCursor(input, feedFrom(seen, ctx.now)),
  };
}

const keysOf = (row: TextRow, input: ListInput) => row.slice(row.length - input.order.length);

// --- the feed ---

/** Shown in the list's order, newest first. */
async function readNews(ctx: Ctx, input: ListInput, projection: Projection, place: FeedPlace): Promise<Page> {
  const { entries, goesOn, isAll, now } = await readFeed(ctx, input, projection, place);
  const rows = entries.map(({ row }) => row).reverse();
  const last = rows.at(-1);
  return {
    rows,
    has_more: !isAll,
    next: last === undefined ? null : dateCursor(input, { values: keysOf(last, input), upwards: false, seen: now }),
    previous: feedCursor(input, goesOn),
  };
}
