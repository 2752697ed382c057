// A text message to or from a phone.
import { z } from "zod";
import { choice, computed, input, ref, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { searched } from "../../search/searched.ts";
import { textSegments } from "../../values/text_segments.ts";
import { act, kind } from "./act.ts";
import { attachments } from "./attachments.ts";
import { carriedFields } from "./carried.ts";
import { leavingFields, messageStates, sendsTo, statusDoc } from "./message_states.ts";
import { countryOf, formatted, number } from "./numbers.ts";

export const smsMax = 1600;

const carried = /^(?:image|audio|video)\/[\w.+-]+$|^(?:application\/pdf|text\/(?:x-)?vcard|text\/csv|text\/calendar)$/i;

/** How much carriers transport with a message. */
export const smsCarries = (type: string): boolean => carried.test(type);

const segmentsOf = (text: string | null, attachments: readonly object[]): number | null =>
  attachments.length > 0 ? null : textSegments(text ?? "");

export const sms = resource({
  ...kind("SMS", "sms"),
  doc: "A text message exchanged with someone at a lead.",
  sendsTo,
  search: searched({
    words: (row: { text: string | null; remote_phone: string | null }) => [{ text: row.text }, { phone: row.remote_phone }],
  }),
  fields: {
    ...act("SMS"),
    attachments: attachments(smsCarries),
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
    segments: computed(
      ["text", "attachments"],
      z.int().nullable(),
      segmentsOf,
      "The number of segments that are sent and charged; null for a message with attachments, which is sent as a whole.",
    ),
    template_id: ref(
      "sms_template",
      { onDelete: "keep", onMove: "clear" },
      { doc: "The template of the message. Without a text, the message gets the template's text, filled in." },
    ),
    date_scheduled: timestamp({ doc: "When a scheduled message is to be sent." }),
    date_sent: timestamp({ doc: "When it was sent or received." }),
    send_in: input(z.int().min(0).max(59), {
      doc: "With the status `outbox`: seconds to wait before sending. Until then it can be taken back.",
    }),
    send_to_inbox: input(z.boolean(), { createOnly: true, doc: "With the status `inbox`: also creates a task to answer it." }),
    ...leavingFields,
    source: choice(["External", "Internal"], {
      createOnly: true,
      filled: true,
      doc: "`External` for messages that are only logged here; the default for those sent or received already.",
    }),
    ...carriedFields,
    cost: text({ readOnly: true, doc: "In decimal cents." }),
    error_message: text({ readOnly: true, max: 1000, doc: "Why it could not be sent, or not yet." }),
  },
});
