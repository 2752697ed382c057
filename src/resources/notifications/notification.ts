// A notification: what one member is told about.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { boolean, choice, input, json, ref, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { visibleAsObject } from "../events/as_object.ts";
import { andVisible } from "../leads/visibility.ts";

export const notificationTypes = [
  "lead_assigned",
  "opportunity_assigned",
  "opportunity_won",
  "task_assigned",
  "task_completed",
  "mention",
  "comment",
  "message_failed",
  "message_received",
  "missed_call",
  "meeting_scheduled",
  "import_done",
  "export_done",
  "bulk_action_done",
  "sequence_reply",
  "sequence_error",
  "quote_accepted",
  "automation_failed",
  "contact_shared",
  "invited",
] as const;

export type NotificationType = (typeof notificationTypes)[number];

export const notification = resource({
  name: "notification",
  prefix: "noti",
  doc: "What one member is told about. Everyone sees only their own.",
  event: null,
  about: "object_id",
  visible: (ctx, alias) => isOwn(ctx, alias),
  fields: {
    user_id: ref("user", { onDelete: "keep", onMove: "keep" }, { readOnly: true, required: true, doc: "Who is told." }),
    type: choice(notificationTypes, { readOnly: true, required: true, doc: "What it is about." }),
    title: text({ readOnly: true, required: true, doc: "One line." }),
    body: text({ readOnly: true, max: 1000, doc: "A few more words, such as the beginning of a comment." }),
    is_read: boolean({ default: false }),
    read: input(z.boolean(), { doc: "The same as `is_read`." }),
    status: input(z.enum(["read", "unread"]), { doc: "The same as `is_read`, in a word." }),
    read_at: timestamp({ readOnly: true }),
    object_type: text({ readOnly: true, doc: "With `object_id`: the record it is about." }),
    object_id: text({ readOnly: true, max: 64 }),
    lead_id: ref("lead", { onDelete: "cascade", onMove: "clear" }, { readOnly: true, doc: "The lead it has to do with." }),
    actor_id: text({ readOnly: true, max: 64, doc: "Who caused it." }),
    url: text({ readOnly: true, max: 2048 }),
    data: json(z.record(z.string(), z.unknown()), { readOnly: true, default: {}, doc: "Further facts, by type." }),
  },
});

/** One's own, unless it tells of a record that one does not see any more. */
const isOwn = (ctx: Ctx, alias: string): Sql =>
  sql`(${name(alias)}.user_id = ${ctx.actor.user_id} ${andVisible(visibleAsObject(ctx, alias))})`;
