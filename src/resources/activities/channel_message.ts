// A message on a channel of another system: a messenger, or a chat on a web site.
import { choice, formed, ref, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { searched } from "../../search/searched.ts";
import { parseUrl } from "../../values/url.ts";
import { act, kind } from "./act.ts";
import { carriedFields } from "./carried.ts";
import { leavingFields, messageStates, sendsTo, statusDoc } from "./message_states.ts";
import { formatted, number } from "./numbers.ts";

export const channels = ["whatsapp", "linkedin", "messenger", "instagram", "telegram", "slack", "webchat", "other"] as const;
export const messageMax = 20_000;

export const channelMessage = resource({
  ...kind("ChannelMessage", "channel_message"),
  doc: "A message exchanged with someone at a lead on a messenger or a chat.",
  sendsTo,
  search: searched({
    words: (row: { text: string | null; remote_phone: string | null; remote_handle: string | null }) => [
      { text: row.text },
      { phone: row.remote_phone },
      { text: row.remote_handle },
    ],
  }),
  fields: {
    ...act("ChannelMessage"),
    channel: choice(channels, { required: true, createOnly: true }),
    direction: choice(["incoming", "outgoing"], {
      createOnly: true,
      filled: true,
      doc: "`incoming` exactly when the status is `inbox`.",
    }),
    status: choice(messageStates, { filled: true, doc: `${statusDoc} By default \`sent\`, or \`inbox\` when it is incoming.` }),
    text: text({
      max: messageMax,
      doc: "The plain text; it or `message_markdown` is needed, and follows from that where both are given.",
    }),
    message_markdown: text({ max: messageMax, doc: "The text with emphasis, links and lists." }),
    message_html: text({ readOnly: true, max: 100_000, doc: "The message with its formatting." }),
    date_scheduled: timestamp({ doc: "When a scheduled message is to be sent." }),
    date_sent: timestamp({ doc: "When it was sent or received." }),
    ...leavingFields,
    external_message_id: text({ createOnly: true, doc: "Its id on the channel; no two messages of a channel have the same." }),
    local_phone: number("Our number, where the channel goes by numbers."),
    local_phone_formatted: formatted("local_phone"),
    remote_phone: number("The other side's number."),
    remote_phone_formatted: formatted("remote_phone"),
    local_handle: text({ doc: "Our name, where the channel goes by names." }),
    remote_handle: text({ doc: "The other side's name." }),
    response_to_id: ref("activity", { onDelete: "clear", onMove: "follow" }, { doc: "The activity it answers." }),
    integration_link: formed((raw) => parseUrl(raw), "is not a web address", { doc: "Where the other system shows it." }),
    integration_name: text({ doc: "The name of the other system." }),
    ...carriedFields,
    error_message: text({ readOnly: true, max: 1000, doc: "Why it could not be sent." }),
  },
});
