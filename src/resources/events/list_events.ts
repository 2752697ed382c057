// The list of events. Newest first, it pages back in time by date; `cursor_previous` leads up again and on into the feed: every event
// that has happened since, once, in the order it was committed.
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { JsonText } from "../../core/operation.ts";
import { from, scope } from "../../core/resource.ts";
import type { TextRow } from "../../db/database.ts";
import { monthOf } from "../../db/partitions.ts";
import { and, join, raw, type Sql, sql, statement } from "../../db/sql.ts";
import { afterCursor } from "../../records/cursor.ts";
import { countRows } from "../../records/list.ts";
import { type ListInput, readList } from "../../records/list_input.ts";
import { orderBy } from "../../records/order.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { listSchema } from "../../records/read_operations.ts";
import { selectList } from "../../records/records.ts";
import { type Projection, projectionOf } from "../../records/writer.ts";
import { pgTimestamp } from "../../values/time.ts";
import { event } from "./event.ts";
import {
  type DatePlace,
  dateCursor,
  type FeedPlace,
  feedCursor,
  feedFrom,
  readPlace,
  type Seen,
  stillSeen,
} from "./event_cursor.ts";

const cursor = z.string().nullable();

export const eventPage = (listSchema(outputSchema(event)) as z.ZodObject).extend({
  cursor_next: cursor,
  cursor_previous: cursor,
});

/** The rows as they are shown, and where it goes on either way. */
interface Page {
  rows: readonly TextRow[];
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
    "feed" in place ? readFeed(ctx, input, projection, place.feed) : readDates(ctx, input, projection, place.date),
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

/** Who reads nothing goes on from where they were: what they store is what they are answered. */
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
  // Upwards, what was paged from follows; downwards, what did not fit does.
  const has_more = upwards ? rows.length > 0 : isMore;
  const seen = place?.seen ?? now;
  const at = (row: TextRow | undefined, upwards: boolean) =>
    row === undefined ? null : dateCursor(input, { values: keysOf(row, input), upwards, seen });
  const isTop = upwards ? !isMore : place === null && input.skip === 0;
  return {
    rows,
    has_more,
    next: has_more ? at(rows.at(-1), false) : null,
    previous: (isTop ? null : at(rows[0], true)) ?? feedCursor(input, feedFrom(seen, ctx.now)),
  };
}

const isSeen = ({ epoch, snapshot }: Seen): Sql =>
  sql`(t.epoch < ${epoch}::bigint or (t.epoch = ${epoch}::bigint and pg_visible_in_snapshot(t.xid, ${snapshot}::pg_snapshot)))`;

const keysOf = (row: TextRow, input: ListInput) => row.slice(row.length - input.order.length);

// --- the feed ---

const feedOrder = sql`t.epoch, t.position, t.seq`;
const feedKeys = 3;

async function readFeed(ctx: Ctx, input: ListInput, projection: Projection, { after, seen, at }: FeedPlace): Promise<Page> {
  await refuseForgotten(ctx, at);
  const [epoch, position, seq] = after;
  const { found, now } = await readRows(ctx, input, {
    select: sql`${selectList(ctx, projection)}, t.date_created, ${feedOrder}`,
    conditions: [
      sql`(${feedOrder}) > (${epoch}::bigint, ${position}::bigint, ${seq}::bigint)`,
      sql`(t.epoch, t.position) < (head.epoch, pg_snapshot_xmin(pg_current_snapshot())::text::bigint)`,
      ...(seen === null ? [] : [sql`not ${isSeen(seen)}`]),
    ],
    order: feedOrder,
  });

  const rows = found.slice(0, input.limit);
  const last = rows.at(-1);
  const goesOn = found.length > input.limit && last !== undefined ? placeOf(last, input) : feedFrom(now, ctx.now);
  rows.reverse();
  return {
    rows,
    has_more: last !== undefined,
    next: last === undefined ? null : dateCursor(input, { values: keysOf(rows.at(-1)!, input), upwards: false, seen: now }),
    previous: feedCursor(input, { ...goesOn, seen: stillSeen(seen, goesOn.after) }),
  };
}

function placeOf(row: TextRow, input: ListInput): Omit<FeedPlace, "seen"> {
  const [date, ...after] = row.slice(row.length - input.order.length - feedKeys - 1, row.length - input.order.length);
  return { after: after as string[], at: pgTimestamp(date!) };
}

/** So long every event is kept, so a younger cursor is not asked for its age. */
const keptDays = 30;

/** Months are dropped whole, the oldest first. A transaction may take a minute, so its events may be older than the place before them. */
async function refuseForgotten(ctx: Ctx, at: string): Promise<void> {
  const since = new Date(Date.parse(at) - 60_000);
  if (ctx.now.getTime() - since.getTime() < keptDays * 24 * 60 * 60 * 1000) return;
  const month = monthOf(since);
  const forgotten = await query(
    ctx,
    statement(sql`select 1 from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'event'::regclass and c.relname <> 'event_default'
        and not exists (select from event e where e.organization_id = ${ctx.organization_id} and e.id < ${month.to})
      having min(c.relname) > ${month.name}`),
  );
  if (forgotten.length > 0)
    throw invalid({ _cursor: "is older than the events that are kept: read the records again and start from a new cursor" });
}

// --- both ---

interface Asked {
  select: Sql;
  conditions: readonly Sql[];
  order: Sql;
}

/** One row more than fits, each with the list's order behind what is selected; and what the server sees at this moment. */
async function readRows(
  ctx: Ctx,
  input: ListInput,
  { select, conditions, order }: Asked,
): Promise<{ found: TextRow[]; now: Seen }> {
  const keys = join(
    input.order.map((key) => key.sql),
    ", ",
  );
  const rows = await query(
    ctx,
    statement(sql`select head.*, page.*
      from (select epoch, pg_current_snapshot()::text as snapshot from event_epoch) head left join lateral (
        select ${select}, ${keys} from ${from(event, "t")} where ${and([...scope(ctx, event), ...input.conditions, ...conditions])}
        order by ${order} limit ${raw(String(input.limit + 1))} offset ${input.skip}) page on true`),
  );
  const [epoch, snapshot] = rows[0]!;
  // Where nothing was found there is one row, of the head alone.
  const found = rows.map((row) => row.slice(2)).filter((row) => row.at(-1) !== null);
  return { found, now: { epoch: epoch!, snapshot: snapshot! } };
}
