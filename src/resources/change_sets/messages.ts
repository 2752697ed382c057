// Which records are messages, that a customer may have or get.
import type { Resource } from "../../core/resource.ts";

const messages = new Set(["activity_email", "activity_sms", "activity_channel_message", "message"]);

export const isMessage = (kind: Resource): boolean => messages.has(kind.name);
