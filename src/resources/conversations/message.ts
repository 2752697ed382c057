// A message as a conversation shows it: an activity of any kind, with the members that all messages have in common.
import { type Ctx } from "../../core/context.ts";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";
import { renderRow } from "../../records/render.ts";
import { beginningOf } from "../../values/beginning.ts";
import type { Attachment } from "../activities/attachments.ts";
import { mailPreview } from "../mail_class/written.ts";

/** The parts of an activity that make it a message. Parts that its kind does not have are missing. */
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
  attachments?: Attachment[] | null;
  /** Only for an e-mail. */
  envelope?: { returned?: boolean | undefined } | null;
  references?: string[] | null;
  in_reply_to_id?: string | null;
  date_sent?: string | null;
  error_message?: string | null;
  send_attempts?: { error_message?: string | null }[] | null;
  /** Only for an e-mail that arrived. */
  classification?: { class: string } | null;
}

/** An automatic reply or a bulk message: nobody waits for an answer. */
export const isFromMachine = ({ classification }: Message): boolean =>
  classification != null && classification.class !== "human" && classification.class !== "opt_out";

export const isInbound = (message: Message): boolean => message.status === "inbox";

export function directionOf({ direction }: Message): "incoming" | "outgoing" | null {
  if (direction === null || direction === undefined) return null;
  return direction === "incoming" || direction === "inbound" ? "incoming" : "outgoing";
}

/** The beginning of the message, or its subject when there is no text. */
export function previewOf(message: Message): string | null {
  const words = bodyOf(message) || message.subject || message.title || "";
  return (message._type === "Email" ? mailPreview(words) : beginningOf(words)) || null;
}

const bodyOf = ({ body_text, text, note }: Message): string | null => body_text ?? text ?? note ?? null;

const types: Record<string, string> = { SMS: "sms", ChannelMessage: "channel_message" };

/** The JSON of a message: the activity, and the members that all kinds share. */
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
