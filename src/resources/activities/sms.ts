// A text message to or from a phone.
import { z } from "zod";
import { choice, input, ref, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { searched } from "../../search/searched.ts";
import { act, kind } from "./act.ts";
import { attachments } from "./attachments.ts";
import { messageStates, statusDoc } from "./message_states.ts";
import { countryOf, formatted, number } from "./numbers.ts";

export const smsMax = 1600;

/** What carriers take along with a message. */
const carried = /^(?:image|audio|video)\/[\w.+-]+$|^(?:application\/pdf|text\/(?:x-)?vcard|text\/csv|text\/calendar)$/i;

export const sms = resource({
  ...kind("SMS", "sms"),
  doc: "A text message exchanged with someone at a lead.",
  search: searched({
    words: (row: { text: string | null; remote_phone: string | null }) => [{ text: row.text }, { phone: row.remote_phone }],
  }),
  fields: {
    ...act("SMS"),
    attachments: attachments((type) => carried.test(type)),
    status: choice(messageStates, { default: "draft", doc: statusDoc }),
    direction: choice(["inbound", "outbound"], {
      createOnly: true,
      filled: true,
      doc: "`inbound` exactly when the status is `inbox`.",
    }),
    local_phone: number("Our number."),
    local_phone_formatted: formatted("local_phone"),
    local_country_iso: countryOf("local_phone"),
    remote_phone: number("The other side's number; by default the contact's first mobile."),
    remote_phone_formatted: formatted("remote_phone"),
    remote_country_iso: countryOf("remote_phone"),
    text: text({ max: smsMax }),
    template_id: ref(
      "sms_template",
      { onDelete: "keep", onMove: "clear" },
      { doc: "The template it was made from; without a text of its own the message gets the template's, filled in." },
    ),
    date_scheduled: timestamp({ doc: "When a scheduled message is to be sent." }),
    date_sent: timestamp({ doc: "When it was sent or received." }),
    send_in: input(z.int().min(0).max(59), {
      doc: "With the status `outbox`: seconds to wait before sending, in which it can be taken back.",
    }),
    send_to_inbox: input(z.boolean(), { createOnly: true, doc: "With the status `inbox`: also makes a task to answer it." }),
    send_after: timestamp({ readOnly: true, hidden: true }),
    source: choice(["External", "Internal"], {
      createOnly: true,
      filled: true,
      doc: "`External` for messages that are only logged here; the default for those sent or received already.",
    }),
    cost: text({ readOnly: true, doc: "In decimal cents." }),
    error_message: text({ readOnly: true, max: 1000, doc: "Why it could not be sent." }),
  },
});
