// A notification for one member.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { boolean, choice, input, integer, json, ref, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { visibleAsObject } from "../events/as_object.ts";
import { andVisible } from "../leads/visibility.ts";

export const notificationTypes = [
  "lead_assigned",
  "opportunity_assigned",
  "opportunity_won",
  "task_assigned",
  "task_due",
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
  "email_bounced",
  "quote_accepted",
  "approval_request",
  "automation",
  "automation_failed",
  "automation_paused",
  "webhook_paused",
  "account_error",
  "contact_shared",
  "invited",
] as const;

export type NotificationType = (typeof notificationTypes)[number];

export const notification = resource({
  name: "notification",
  prefix: "noti",
  doc: "A notification for one member. Members see only their own.",
  event: null,
  about: "object_id",
  visible: (ctx, alias) => isOwn(ctx, alias),
  fields: {
    user_id: ref("user", { onDelete: "keep", onMove: "keep" }, { readOnly: true, required: true, doc: "Who is told." }),
    type: choice(notificationTypes, { readOnly: true, required: true, doc: "What happened." }),
    title: text({ readOnly: true, required: true, doc: "What happened, in one line." }),
    body: text({ readOnly: true, max: 1000, doc: "Some more text, such as the beginning of a comment." }),
    count: integer({
      readOnly: true,
      default: 1,
      doc: "How often it occurred within five minutes while it was unread. The text is that of the newest.",
    }),
    is_read: boolean({ default: false }),
    read: input(z.boolean(), { doc: "The same as `is_read`." }),
    status: input(z.enum(["read", "unread"]), { doc: "The same as `is_read`, in a word." }),
    read_at: timestamp({ readOnly: true }),
    object_type: text({ readOnly: true, doc: "With `object_id`: the record it is about." }),
    object_id: text({ readOnly: true, max: 64 }),
    lead_id: ref("lead", { onDelete: "cascade", onMove: "clear" }, { readOnly: true, doc: "The related lead." }),
    actor_id: text({ readOnly: true, max: 64, doc: "Who caused it." }),
    url: text({ readOnly: true, max: 2048 }),
    data: json(z.record(z.string(), z.unknown()), { readOnly: true, default: {}, doc: "Further values, by type." }),
    group_key: text({ readOnly: true, hidden: true }),
    system_mail_id: text({ readOnly: true, hidden: true }),
  },
});

/** Members see their own, unless it is about a record that they can no longer see. */
const isOwn = (ctx: Ctx, alias: string): Sql =>
  sql`(${name(alias)}.user_id = ${ctx.actor.user_id} ${andVisible(visibleAsObject(ctx, alias))})`;
