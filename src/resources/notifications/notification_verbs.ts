// Members list their own notifications and mark them as read.
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { JsonText } from "../../core/operation.ts";
import { operation } from "../../core/operation.ts";
import { from, type Patch, type Row, scope } from "../../core/resource.ts";
import { and, type Sql, sql, statement } from "../../db/sql.ts";
import { showList } from "../../records/list.ts";
import { readList } from "../../records/list_input.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { listSchema } from "../../records/read_operations.ts";
import { store } from "../../records/store.ts";
import { parseTimestamp } from "../../values/time.ts";
import { notification, notificationTypes } from "./notification.ts";

const unread = (ctx: Ctx): Sql[] => [...scope(ctx, notification), sql`not t.is_read`];

// --- list ---

export async function listNotifications(ctx: Ctx, given: Record<string, string>): Promise<JsonText> {
  const input = await readList(ctx, notification, given);
  const [row] = await query(ctx, statement(sql`select count(*) from ${from(notification, "t")} where ${and(unread(ctx))}`));
  return showList(ctx, notification, input, { unread_count: row![0]! });
}

/** What the list returns beyond a page. */
export const withUnreadCount = () => listSchema(outputSchema(notification)).extend({ unread_count: z.int() });

// --- one ---

type Notification = Row<typeof notification>;

export async function updateNotification(
  ctx: Ctx,
  before: Notification,
  { is_read, read, status }: Patch<typeof notification>,
): Promise<Notification> {
  const said = [is_read, read, status === undefined ? undefined : status === "read"].filter((one) => one !== undefined);
  if (said.length === 0) return before;
  if (said.includes(null as never)) throw invalid({ is_read: "must not be null" });
  if (new Set(said).size > 1) throw invalid({ is_read: "differs from read or status" });

  const isRead = said[0]!;
  const read_at = isRead ? ctx.now.toISOString() : null;
  if (isRead === before.is_read) return before;
  return store.update(ctx, notification, before, { is_read: isRead, read_at, group_key: null });
}

// --- all ---

const moment = z.string().transform((raw, check) => {
  const value = parseTimestamp(raw);
  if (value === null) check.addIssue({ code: "custom", message: "must be a time such as 2026-01-02T03:04:05.678Z" });
  return value;
});

export const markAllRead = operation({
  name: "notification.mark_all_read",
  method: "POST",
  path: "/notification/mark_all_read/",
  narrows: true,
  doc: "Marks the caller's unread notifications as read: all of them, those of a type, or those before a moment.",
  permission: "member",
  input: {
    type: z
      .union([z.enum(notificationTypes), z.array(z.enum(notificationTypes)).min(1)])
      .optional()
      .describe("Only those of this type, or of one of these types."),
    before: moment.optional().describe("Only those created before."),
  },
  output: z.strictObject({ updated: z.int(), count: z.int().describe("The same as `updated`.") }),
  async run(ctx, { type, before }) {
    const conditions = unread(ctx);
    if (type !== undefined) conditions.push(sql`t.type = any(${[type].flat()}::text[])`);
    if (before) conditions.push(sql`t.date_created < ${before}::timestamptz`);
    const [row] = await query(
      ctx,
      statement(sql`with marked as (
          update notification t set is_read = true, read_at = ${ctx.now}::timestamptz, group_key = null, date_updated = ${ctx.now}::timestamptz,
            updated_by = ${ctx.actor.user_id}, version = t.version + 1 where ${and(conditions)} returning 1)
        select count(*) from marked`),
    );
    const updated = Number(row![0]);
    return { updated, count: updated };
  },
});
