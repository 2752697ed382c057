// A message as a conversation shows it: an activity, whatever its kind, with the words that all messages have in common.
import { type Ctx } from "../../core/context.ts";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";
import { renderRow } from "../../records/render.ts";

/** As much of an activity as makes it a message. What its kind does not have is missing. */
export interface Message {
  id: string;
  _type: string;
  lead_id: string;
  contact_id: string | null;
  conversation_id: string | null;
  user_id: string | null;
  activity_at: string;
  status?: string | null;
  direction?: string | null;
  subject?: string | null;
  title?: string | null;
  note?: string | null;
  text?: string | null;
  body_text?: string | null;
  sender?: string | null;
  to?: string[] | null;
  cc?: string[] | null;
  phone?: string | null;
  remote_phone?: string | null;
  local_phone?: string | null;
  remote_handle?: string | null;
  channel?: string | null;
  attachments?: object[] | null;
  in_reply_to_id?: string | null;
  date_sent?: string | null;
  error_message?: string | null;
  send_attempts?: { error_message?: string | null }[] | null;
}

export const isInbound = (message: Message): boolean => message.status === "inbox";

export function directionOf({ direction }: Message): "incoming" | "outgoing" | null {
  if (direction === null || direction === undefined) return null;
  return direction === "incoming" || direction === "inbound" ? "incoming" : "outgoing";
}

const previewMax = 255;

/** How the message begins; without words, what it is about. */
export function previewOf(message: Message): string | null {
  const words = bodyOf(message) || message.subject || message.title || "";
  const line = words.slice(0, 2000).replace(/\s+/g, " ").trim();
  return line === "" ? null : line.slice(0, previewMax).toWellFormed();
}

const bodyOf = ({ body_text, text, note }: Message): string | null => body_text ?? text ?? note ?? null;

const types: Record<string, string> = { SMS: "sms", ChannelMessage: "channel_message" };

/** The JSON of a message: the activity, and what is the same for all kinds under one name. */
export function renderMessage(ctx: Ctx, of: Resource, row: Row<Resource>): string {
  const kind = kindOf(of, row);
  const message = row as unknown as Message;
  const text = renderRow(kind, row, ctx.directory, ctx, (name) => ctx.registry.resource(name));
  const status = message.status ?? "sent";
  const common = {
    type: types[message._type] ?? message._type.toLowerCase(),
    status,
    state: status,
    body: bodyOf(message),
    direction: message.direction ?? null,
    date_sent: message._type === "Note" ? message.activity_at : (message.date_sent ?? null),
    error_message: message.error_message ?? message.send_attempts?.at(-1)?.error_message ?? null,
  };
  const missing = Object.entries(common).filter(([key]) => kind.fields[key] === undefined);
  return `${text.slice(0, -1)},${JSON.stringify(Object.fromEntries(missing)).slice(1)}`;
}
