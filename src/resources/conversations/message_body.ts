// The body of a request that writes a message. All but its type and its state is checked by the kind of activity it becomes.
import { z } from "zod";

export const messageTypes = ["note", "email", "sms", "channel_message"] as const;
export const messageStatuses = ["draft", "scheduled", "outbox", "sent", "inbox"] as const;

const checkedLater = (doc: string) => z.unknown().optional().describe(doc);

export const messageBody = {
  type: z.enum(messageTypes).describe("The kind of activity that it becomes."),
  status: z.enum(messageStatuses).optional().describe("`draft` where nothing is said; notes are `sent`. `outbox` sends it."),
  state: z.enum(messageStatuses).optional().describe("The same as `status`."),
  body: z.string().optional().describe("The text: `note`, `body_text` or `text` of the activity."),
  body_text: checkedLater("For an e-mail: the plain text."),
  body_html: checkedLater("For an e-mail or a note: the rich text."),
  note: checkedLater("For a note: its text."),
  note_html: checkedLater("For a note: the rich text."),
  text: checkedLater("For a text message or a channel message: its text."),
  message_markdown: checkedLater("For a channel message: its text with emphasis, links and lists."),
  title: checkedLater("For a note: its title."),
  subject: checkedLater("For an e-mail: the subject; by default `Re: ` and that of the conversation."),
  sender: checkedLater("For an e-mail: the sender; by default the caller."),
  to: checkedLater("The recipients: addresses, or numbers for a text message; by default the conversation's contact."),
  cc: checkedLater("For an e-mail: recipients of copies."),
  bcc: checkedLater("For an e-mail: recipients of blind copies."),
  template_id: checkedLater("For an e-mail or a text message: its template."),
  attachments: checkedLater("What is attached."),
  file_ids: z.array(z.string().max(64)).max(100).optional().describe("Stored files to attach."),
  channel: checkedLater("For a channel message: the channel."),
  local_phone: checkedLater("Our number."),
  remote_phone: checkedLater("The other side's number."),
  external_message_id: checkedLater("For a channel message: its id on the channel."),
  date_scheduled: checkedLater("When a scheduled message is to be sent."),
  date_sent: checkedLater("When it was sent or received."),
  send_in: checkedLater("With `outbox`: seconds to wait before sending. Until then it can be taken back."),
  in_reply_to_id: checkedLater("For an e-mail: the one it answers."),
  contact_id: checkedLater("The contact of the lead; by default the conversation's contact."),
} as const;

export type MessageBody = z.output<z.ZodObject<typeof messageBody>>;
