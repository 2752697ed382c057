// What the body of a message says. Everything but its type and its state is checked by the kind of activity it becomes.
import { z } from "zod";

export const messageTypes = ["note", "email", "sms", "channel_message"] as const;
export const messageStatuses = ["draft", "scheduled", "outbox", "sent", "inbox"] as const;

const checkedLater = (doc: string) => z.unknown().optional().describe(doc);

export const messageBody = {
  type: z.enum(messageTypes).describe("What becomes of it: the activity of this kind."),
  status: z.enum(messageStatuses).optional().describe("`draft` where nothing is said; notes are `sent`. `outbox` sends it."),
  state: z.enum(messageStatuses).optional().describe("The same as `status`."),
  body: z.string().optional().describe("The text: `note`, `body_text` or `text` of the activity."),
  body_text: checkedLater("Of an e-mail: the plain text."),
  body_html: checkedLater("Of an e-mail or a note: the rich text."),
  note: checkedLater("Of a note: its text."),
  note_html: checkedLater("Of a note: the rich text."),
  text: checkedLater("Of a text message or a channel message: its text."),
  message_markdown: checkedLater("Of a channel message: its text with emphasis, links and lists."),
  title: checkedLater("Of a note."),
  subject: checkedLater("Of an e-mail; `Re: ` and the conversation's where nothing is said."),
  sender: checkedLater("Of an e-mail: who it is from; by default the caller."),
  to: checkedLater("Whom it goes to: addresses, or numbers of a text message; by default the conversation's contact."),
  cc: checkedLater("Of an e-mail: who gets a copy."),
  bcc: checkedLater("Of an e-mail: who gets a copy that the others do not see."),
  template_id: checkedLater("Of an e-mail or a text message: the template it is written from."),
  attachments: checkedLater("What is attached."),
  file_ids: z.array(z.string().max(64)).max(100).optional().describe("Stored files to attach."),
  channel: checkedLater("Of a channel message: the channel."),
  local_phone: checkedLater("Our number."),
  remote_phone: checkedLater("The other side's number."),
  external_message_id: checkedLater("Of a channel message: its id on the channel."),
  date_scheduled: checkedLater("When a scheduled message is to be sent."),
  date_sent: checkedLater("When it was sent or received."),
  send_in: checkedLater("With `outbox`: seconds in which it can be taken back."),
  in_reply_to_id: checkedLater("Of an e-mail: the one it answers."),
  contact_id: checkedLater("The person at the lead; by default the conversation's contact."),
} as const;

export type MessageBody = z.output<z.ZodObject<typeof messageBody>>;
