// Writes notifications for members, in the transaction of the change they are about. The same notification within five minutes
// increases the count of the existing one, as long as it is unread.
import { type Ctx, userOf, write } from "../../core/context.ts";
import type { Values } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { store } from "../../records/store.ts";
import { inTurns } from "../../records/turns.ts";
import { fromHtml } from "../../values/rich_text.ts";
import { group } from "../organization/group.ts";
import { isActiveMember, user } from "../organization/user.ts";
import { type NotificationType, notification } from "./notification.ts";

export interface Notice {
  type: NotificationType;
  /** One line, such as `Ada assigned you the lead Acme`. */
  title: string;
  body?: string | null;
  object_type: string;
  object_id: string;
  lead_id?: string | null;
  data?: Record<string, unknown>;
  /** The member who caused it. The caller by default, null for a stranger. */
  actor_id?: string | null;
}

/**
 * Notifies members, by their ids or by those of groups, and returns who was notified. Nobody is notified twice, or of their own
 * actions.
 */
export function notify(ctx: Ctx, to: readonly (string | null | undefined)[], notice: Notice): Set<string> {
  const rows = noticesOf(ctx, to, notice);
  store.insertOr(ctx, notification, rows, countUp);
  return new Set(rows.map((row) => row.user_id!));
}

/** A notification and its recipients. */
export type Told = [to: readonly (string | null | undefined)[], notice: Notice];

/** The same for many notifications at once. */
export const notifyAll = (ctx: Ctx, told: readonly Told[]): Promise<void> =>
  inTurns(grouped(told.flatMap(([to, notice]) => noticesOf(ctx, to, notice))), (piece) =>
    store.insertOr(ctx, notification, piece, countUp),
  );

/**
 * The newest text counts. Nothing has to be read first. A notification that was read in the meantime has lost its `group_key`, so
 * a new one is written.
 */
const countUp = `on conflict (organization_id, user_id, group_key) where group_key is not null do update set
  count = notification.count + excluded.count, title = excluded.title, body = excluded.body, url = excluded.url, data = excluded.data,
  object_type = excluded.object_type, lead_id = excluded.lead_id, actor_id = excluded.actor_id, updated_by = excluded.updated_by,
  date_updated = excluded.date_updated, version = notification.version + 1`;

const groupMs = 5 * 60_000;

/**
 * The five minutes are those of the clock. Two notifications on both sides of a boundary are not combined, so there may be one
 * too many but never too few.
 */
const groupKey = (ctx: Ctx, { type, object_id }: Notice): string =>
  `${type}/${object_id}/${Math.floor(ctx.now.getTime() / groupMs)}`;

type Written = Values<typeof notification>;

/** In a fixed order, so that transactions that notify the same members cannot deadlock. Each group only once. */
function grouped(rows: readonly Written[]): Written[] {
  const groups = Map.groupBy(rows, ({ user_id, group_key }) => `${user_id}/${group_key}`);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, same]) => ({ ...same.at(-1)!, count: same.length }));
}

function noticesOf(ctx: Ctx, to: Told[0], notice: Notice): Written[] {
  const { actor_id = userOf(ctx) } = notice;
  const lead_id = notice.lead_id ?? null;
  return [...recipients(ctx, to, actor_id)].sort().map((user_id) => ({
    body: null,
    data: {},
    ...notice,
    group_key: groupKey(ctx, notice),
    title: shortened(notice.title, 255),
    lead_id,
    url: lead_id === null ? null : `/lead/${lead_id}/`,
    user_id,
    actor_id,
  }));
}

/** Call it when a record is no longer available, to remove its notifications. Deleting a row removes them by itself. */
export function withdrawNotices(ctx: Ctx, objectId: string): void {
  write(ctx, statement(sql`delete from notification where organization_id = ${ctx.organization_id} and object_id = ${objectId}`));
}

function recipients(ctx: Ctx, to: readonly (string | null | undefined)[], actorId: string | null): Set<string> {
  const ids = to.flatMap((id) => (typeof id === "string" ? (ctx.directory.get(group, id)?.user_ids ?? [id]) : []));
  return new Set(ids.filter((id) => id !== actorId && isActiveMember(ctx.directory, id)));
}

const newsForMs = 24 * 3600 * 1000;

/** Imported history notifies nobody. */
export const isNews = (ctx: Ctx, moment: string): boolean => Date.parse(moment) >= ctx.now.getTime() - newsForMs;

// --- text ---

/** The name of the person who caused it. */
export const nameOfCaller = (ctx: Ctx): string => ctx.directory.get(user, ctx.actor.user_id)?.name ?? "Somebody";

/** The beginning of a rich or plain text. */
export const excerpt = (html: string | null): string | null => (html === null ? null : shortened(fromHtml(html).text, 200));

export const shortened = (text: string, max: number): string =>
  text.length <= max ? text : `${[...text].slice(0, max - 1).join("")}…`;
