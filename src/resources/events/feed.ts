// The feed: the events of an organization in the order of their commits, up to the horizon, because transactions above it may
// still commit. The list shows it in pages, and streams follow it.
import { type Ctx, query, read } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { from, scope } from "../../core/resource.ts";
import type { TextRow } from "../../db/database.ts";
import { monthOf } from "../../db/partitions.ts";
import { and, join, raw, type Sql, sql, statement } from "../../db/sql.ts";
import type { ListInput } from "../../records/list_input.ts";
import { selectList } from "../../records/records.ts";
import type { Projection } from "../../records/writer.ts";
import { pgTimestamp } from "../../values/time.ts";
import { organizationOf } from "../organization/organization.ts";
import { retentionOf } from "../organization/retention.ts";
import { event } from "./event.ts";
import { type FeedPlace, feedFrom, type Seen, stillSeen } from "./event_cursor.ts";

/** An event of the feed: a row of the list, and its place. */
export interface Entry {
  row: TextRow;
  id: string;
  /** Its dotted name. */
  event: string;
  place: FeedPlace;
}

export interface FeedPage {
  /** In the order of the feed. */
  entries: Entry[];
  /** The place where the next page starts. */
  goesOn: FeedPlace;
  /** There is nothing more for now. */
  isAll: boolean;
  now: Seen;
}

const feedOrder = sql`t.epoch, t.position, t.seq`;
/** The columns after those of the list, before the keys of its order. */
const feedColumns = sql`t.id, t.event, t.date_created, ${feedOrder}`;
const feedWidth = 6;

/** A page of events after a place. */
export async function readFeed(ctx: Ctx, input: ListInput, projection: Projection, place: FeedPlace): Promise<FeedPage> {
  await refuseForgotten(ctx, place.at);
  const [epoch, position, seq] = place.after;
  const { found, now } = await readRows(ctx, input, {
    select: sql`${selectList(ctx, projection)}, ${feedColumns}`,
    conditions: [
      sql`(${feedOrder}) > (${epoch}::bigint, ${position}::bigint, ${seq}::bigint)`,
      sql`(t.epoch, t.position) < (head.epoch, pg_snapshot_xmin(pg_current_snapshot())::text::bigint)`,
      ...(place.seen === null ? [] : [sql`not ${isSeen(place.seen)}`]),
    ],
    order: feedOrder,
  });

  const entries = found.slice(0, input.limit).map((row) => entryOf(row, input, place.seen));
  const last = entries.at(-1);
  const isAll = found.length <= input.limit;
  const { after, at } = isAll || last === undefined ? feedFrom(now, ctx.now) : last.place;
  return { entries, goesOn: { after, at, seen: stillSeen(place.seen, after) }, isAll, now };
}

/** The events among these that the caller sees and asked for, in the order of the feed. */
export async function readThese(ctx: Ctx, input: ListInput, projection: Projection, ids: readonly string[]): Promise<Entry[]> {
  const { found } = await readRows(
    ctx,
    { ...input, skip: 0, limit: ids.length },
    {
      select: sql`${selectList(ctx, projection)}, ${feedColumns}`,
      conditions: [sql`t.id = any(${ids}::text[])`],
      order: feedOrder,
    },
  );
  return found.map((row) => entryOf(row, input, null));
}

/** The present end of the feed. Everything that is visible now is before it. */
export async function presentPlace(ctx: Ctx): Promise<FeedPlace> {
  const [row] = await read(ctx, {
    name: "event.present",
    text: "select epoch, pg_current_snapshot()::text from event_epoch",
    values: [],
  });
  const place = feedFrom({ epoch: row![0]!, snapshot: row![1]! }, ctx.now);
  return { ...place, seen: stillSeen(place.seen, place.after) };
}

function entryOf(row: TextRow, input: ListInput, seen: Seen | null): Entry {
  const end = row.length - input.order.length;
  const [id, name, date, ...after] = row.slice(end - feedWidth, end) as string[];
  return { row, id: id!, event: name!, place: { after, seen: stillSeen(seen, after), at: pgTimestamp(date!) } };
}

export const isSeen = ({ epoch, snapshot }: Seen): Sql =>
  sql`(t.epoch < ${epoch}::bigint or (t.epoch = ${epoch}::bigint and pg_visible_in_snapshot(t.xid, ${snapshot}::pg_snapshot)))`;

/** Every event is kept this long, so the age of a younger cursor is not checked. */
const keptDays = 30;

/**
 * Events are deleted in whole months, the oldest first, or by the day where an organization has its own retention. A transaction may take
 * a minute, so its events may be older than the place before them.
 */
async function refuseForgotten(ctx: Ctx, at: string): Promise<void> {
  const since = new Date(Date.parse(at) - 60_000);
  const days = (ctx.now.getTime() - since.getTime()) / 86_400_000;
  if (days < keptDays) return;
  if (days >= (retentionOf(organizationOf(ctx.directory).settings).event_days ?? Number.POSITIVE_INFINITY)) throw forgotten();
  const month = monthOf(since);
  const later = await query(
    ctx,
    statement(sql`select 1 from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'event'::regclass and c.relname <> 'event_default'
        and not exists (select from event e where e.organization_id = ${ctx.organization_id} and e.id < ${month.to})
      having min(c.relname) > ${month.name}`),
  );
  if (later.length > 0) throw forgotten();
}

const forgotten = (): Error =>
  invalid({ _cursor: "is older than the events that are kept: read the records again and start from a new cursor" });

interface Asked {
  select: Sql;
  conditions: readonly Sql[];
  order: Sql;
}

/** One row more than the page, each with the list's order after the selected columns, and the server's present snapshot. */
export async function readRows(
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
  // Without events there is one row, with the head alone.
  const found = rows.map((row) => row.slice(2)).filter((row) => row.at(-1) !== null);
  return { found, now: { epoch: epoch!, snapshot: snapshot! } };
}
