// Writes notifications for members, in the transaction of the change they are about.
import { type Ctx, write } from "../../core/context.ts";
import type { Values } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { store } from "../../records/store.ts";
import { fromHtml } from "../../values/rich_text.ts";
import { group } from "../organization/group.ts";
import { isActiveMember, user } from "../organization/user.ts";
import { type NotificationType, notification } from "./notification.ts";

export interface Notice {
  type: NotificationType;
  /** One line, such as `Ada gave you the lead Acme`. */
  title: string;
  body?: string | null;
  object_type: string;
  object_id: string;
  lead_id?: string | null;
  data?: Record<string, unknown>;
  /** Who caused it: the caller where nothing is said, null for a stranger. */
  actor_id?: string | null;
}

/** Tells members, by their ids or by those of groups, and answers who was told. Nobody is told twice, or of what they did themselves. */
export function notify(ctx: Ctx, to: readonly (string | null | undefined)[], notice: Notice): Set<string> {
  const rows = noticesOf(ctx, to, notice);
  for (const row of rows) store.insert(ctx, notification, row);
  return new Set(rows.map((row) => row.user_id!));
}

/** Whom to tell of what. */
export type Told = [to: readonly (string | null | undefined)[], notice: Notice];

/** The same of many things at once. */
export const notifyAll = (ctx: Ctx, told: readonly Told[]): Promise<void> =>
  store.insertAll(
    ctx,
    notification,
    told.flatMap(([to, notice]) => noticesOf(ctx, to, notice)),
  );

function noticesOf(ctx: Ctx, to: Told[0], notice: Notice): Values<typeof notification>[] {
  const { actor_id = ctx.actor.user_id } = notice;
  const lead_id = notice.lead_id ?? null;
  return [...recipients(ctx, to, actor_id)].map((user_id) => ({
    body: null,
    data: {},
    ...notice,
    title: shortened(notice.title, 255),
    lead_id,
    url: lead_id === null ? null : `/lead/${lead_id}/`,
    user_id,
    actor_id,
  }));
}

/** What is not there to be read any more has not been told either. What is deleted as a row takes its notifications along by itself. */
export function withdrawNotices(ctx: Ctx, objectId: string): void {
  write(ctx, statement(sql`delete from notification where organization_id = ${ctx.organization_id} and object_id = ${objectId}`));
}

function recipients(ctx: Ctx, to: readonly (string | null | undefined)[], actorId: string | null): Set<string> {
  const ids = to.flatMap((id) => (typeof id === "string" ? (ctx.directory.get(group, id)?.user_ids ?? [id]) : []));
  return new Set(ids.filter((id) => id !== actorId && isActiveMember(ctx.directory, id)));
}

const newsForMs = 24 * 3600 * 1000;

/** Nobody is told of history that is brought in. */
export const isNews = (ctx: Ctx, moment: string): boolean => Date.parse(moment) >= ctx.now.getTime() - newsForMs;

// --- words ---

/** Who does what is told of. */
export const nameOfCaller = (ctx: Ctx): string => ctx.directory.get(user, ctx.actor.user_id)?.name ?? "Somebody";

/** The beginning of a rich or plain text. */
export const excerpt = (html: string | null): string | null => (html === null ? null : shortened(fromHtml(html).text, 200));

export const shortened = (text: string, max: number): string =>
  text.length <= max ? text : `${[...text].slice(0, max - 1).join("")}…`;
