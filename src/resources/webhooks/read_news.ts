// The next events of the log that a webhook wants, and that its creator may see at this moment. They are read in windows, so that
// a rare event among a million costs many short queries and not a long one.
import { type Ctx, query } from "../../core/context.ts";
import { from, scope } from "../../core/resource.ts";
import type { TextRow } from "../../db/database.ts";
import { and, raw, type Sql, sql, statement } from "../../db/sql.ts";
import { selectList } from "../../records/records.ts";
import { inTurns } from "../../records/turns.ts";
import { projectionOf } from "../../records/writer.ts";
import { pgTimestamp } from "../../values/time.ts";
import { event } from "../events/event.ts";
import { isSeen } from "../events/feed.ts";
import type { Place, Webhook } from "./turn.ts";
import { isWantedIn, passesFilters } from "./wanted.ts";

export interface News {
  id: string;
  event: string;
  object_id: string;
  action: string;
  date_created: Date;
  place: Place;
  json: string;
}

/** How many events are compared with filters in one turn. */
const filteredAtOnce = 5;

/** How many events one window reads, whatever their names. */
const window = 2_000;

const order = sql`t.epoch, t.position, t.seq`;
/** The columns read for each, in addition to its JSON. */
const facts = sql`t.id, t.event, t.object_id, t.action, t.date_created, ${order}`;
const factCount = 8;

/** At most this many events, how far it read to find them, and whether there may be more. */
export async function readNews(
  ctx: Ctx,
  webhook: Webhook,
  most: number,
  mayLook: () => boolean,
): Promise<{ news: News[]; place: Place; isMore: boolean }> {
  let place: Place = [String(webhook.cursor_epoch), String(webhook.cursor_position), String(webhook.cursor_seq)];
  for (;;) {
    const { found, reached, isEnd } = await readWindow(ctx, webhook, place, most);
    place = reached;
    const news = await wantedOf(webhook, found);
    if (news.length > 0 || isEnd || !mayLook()) return { news, place, isMore: !isEnd };
  }
}

/** Filters may take a while for long values, so others have their turn in between. */
async function wantedOf({ events, event_filters }: Webhook, found: readonly News[]): Promise<News[]> {
  const wanted: News[] = [];
  await inTurns(
    found,
    (piece) => void wanted.push(...piece.filter((one) => passesFilters(events, event_filters, one.event, one.json))),
    event_filters === null ? found.length : filteredAtOnce,
  );
  return wanted;
}

async function readWindow(
  ctx: Ctx,
  { events, include_bulk, begins_after }: Webhook,
  [epoch, position, seq]: Place,
  most: number,
) {
  const projection = eventProjection(ctx);
  const isWanted = isWantedIn(events, raw("t.event"));
  const after = (t: Sql) => sql`(${t}.epoch, ${t}.position, ${t}.seq) > (${epoch}::bigint, ${position}::bigint, ${seq}::bigint)`;
  const conditions = [
    ...scope(ctx, event),
    after(raw("t")),
    sql`(${order}) <= (coalesce(edge.epoch, head.epoch), coalesce(edge.position, head.position), coalesce(edge.seq, 0))`,
    ...(isWanted === null ? [] : [isWanted]),
    raw(notKeptFromWebhooks),
    ...(include_bulk ? [] : [raw(notFromBulk)]),
    ...(begins_after === null ? [] : [sql`not ${isSeen(begins_after)}`]),
  ];
  const rows = await query(
    ctx,
    statement(sql`
      select head.epoch, head.position, edge.epoch, edge.position, edge.seq, page.*
      from (select epoch, pg_snapshot_xmin(pg_current_snapshot())::text::bigint as position from event_epoch) head
      left join lateral (
        select e.epoch, e.position, e.seq from event e
        where e.organization_id = ${ctx.organization_id} and ${after(raw("e"))} and (e.epoch, e.position) < (head.epoch, head.position)
        order by e.epoch, e.position, e.seq offset ${window - 1} limit 1) edge on true
      left join lateral (
        select ${selectList(ctx, projection)}, ${facts} from ${from(event, "t")} where ${and(conditions)}
        order by ${order} limit ${most}) page on true`),
  );
  const [headEpoch, headPosition, edgeEpoch, edgePosition, edgeSeq] = rows[0]!;
  const found = rows
    .filter((row) => row.at(-1) !== null)
    .map((row) => newsOf(row, projection.write(row.slice(5), ctx.directory, ctx)));
  const isFull = found.length === most;
  const end: Place = edgeEpoch == null ? [headEpoch!, headPosition!, "0"] : [edgeEpoch, edgePosition!, edgeSeq!];
  return { found, reached: isFull ? found.at(-1)!.place : end, isEnd: !isFull && edgeEpoch == null };
}

/** It is not part of a bulk action or an import, or it is about that itself. */
const notFromBulk = "coalesce(t.meta->>'bulk_action_id', t.meta->>'import_id', t.object_id) = t.object_id";

/** It is not part of an import that webhooks are not to hear of, or it is about that itself. */
const notKeptFromWebhooks = "(t.meta->>'send_webhooks' is distinct from 'false' or t.meta->>'import_id' = t.object_id)";

function newsOf(row: TextRow, json: string): News {
  const [id, name, object_id, action, date_created, ...place] = row.slice(row.length - factCount);
  return {
    id: id!,
    event: name!,
    object_id: object_id!,
    action: action!,
    date_created: new Date(pgTimestamp(date_created!)),
    place: place as unknown as Place,
    json,
  };
}

/** These events by their ids, as the creator sees them. Those that are no longer kept, or not visible, are missing. */
export async function readEvents(ctx: Ctx, ids: readonly string[]): Promise<Map<string, { json: string; order: number }>> {
  if (ids.length === 0) return new Map();
  const projection = eventProjection(ctx);
  const rows = await query(
    ctx,
    statement(sql`select ${selectList(ctx, projection)}, t.id from ${from(event, "t")}
      where ${and([...scope(ctx, event), sql`t.id = any(${ids})`])} order by ${order}`),
  );
  return new Map(rows.map((row, i) => [row.at(-1)!, { json: projection.write(row, ctx.directory, ctx), order: i }]));
}

const eventProjection = (ctx: Ctx) => projectionOf(event, null, (name) => ctx.registry.resource(name));
