import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { notification } from "./notification.ts";
import { listNotifications, markAllRead, updateNotification, withUnreadCount } from "./notification_verbs.ts";

export const notifications: Operation[] = [
  ...standard(notification, { list: listNotifications, update: updateNotification }, "member", {
    list: { output: withUnreadCount },
  }),
  markAllRead,
];
