import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { notification } from "./notification.ts";
import { listNotifications, markAllRead, updateNotification, withUnreadCount } from "./notification_verbs.ts";

const [list, ...rest] = standard(notification, { list: listNotifications, update: updateNotification }, "member");

export const notifications: Operation[] = [withUnreadCount(list!), ...rest, markAllRead];
