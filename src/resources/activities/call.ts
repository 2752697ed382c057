// A call, made through the service or logged afterwards.
import { z } from "zod";
import { boolean, choice, computed, formed, integer, json, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { searched } from "../../search/searched.ts";
import { parseUrl } from "../../values/url.ts";
import { act, kind, leftBehind, textMax } from "./act.ts";
import { countryOf, formatted, number } from "./numbers.ts";
import { outcomeElsewhere } from "./outcomes.ts";

export const callStates = ["created", "in-progress", "completed", "cancel", "no-answer", "busy", "failed", "timeout"] as const;

const secure = (raw: string) => parseUrl(raw, { secure: true });
const secureReason = "must be a web address that begins with https://";

const transcript = z.object({
  utterances: z.array(
    z.object({
      speaker_label: z.string().nullish(),
      speaker_side: z.enum(["contact", "close-user"]),
      start: z.number(),
      end: z.number(),
      text: z.string(),
    }),
  ),
  summary_text: z.string().nullish(),
  summary_html: z.string().nullish(),
});

const said = (of: string) => json(transcript, { readOnly: true, onDemand: true, doc: `What was said, word for word, ${of}.` });
const carried = text({ readOnly: true });

export const dispositions = ["answered", "no-answer", "vm-answer", "vm-left", "busy", "blocked", "error", "abandoned"] as const;

export const call = resource({
  ...kind("Call", "call"),
  moved: ({ outcome_id }, here, there) => ({
    ...leftBehind,
    outcome_id: outcomeElsewhere("call_outcomes", outcome_id, here, there),
  }),
  doc: "A phone call with someone at a lead.",
  search: searched({
    words: (row: { note: string | null; phone: string | null }) => [{ text: row.note }, { phone: row.phone }],
  }),
  fields: {
    ...act("Call"),
    direction: choice(["inbound", "outbound"], { default: "outbound" }),
    status: choice(callStates, { default: "completed", doc: "The status. A logged call is `completed`." }),
    disposition: choice(dispositions, {
      doc: "How it ended; follows from the status where it is not given.",
    }),
    duration: integer({ min: 0, max: 2_147_483_647, default: 0, doc: "In seconds." }),
    phone: number("The number of the other side; by default the contact's first."),
    phone_formatted: formatted("phone"),
    remote_phone: computed(["phone"], z.string().nullable(), (phone: string | null) => phone, "The same as `phone`."),
    remote_phone_formatted: computed(["phone_formatted"], z.string().nullable(), (phone: string | null) => phone),
    remote_country_iso: countryOf("phone"),
    local_phone: number("Our number."),
    local_phone_formatted: formatted("local_phone"),
    local_country_iso: countryOf("local_phone"),
    note: text({ max: textMax, doc: "The note about the call." }),
    note_html: text({ max: textMax, doc: "The same as rich text; wins over `note`." }),
    outcome_id: text({ max: 64, doc: "One of `settings.call_outcomes` of the organization." }),
    outcome: text({ doc: "The outcome's name. In a body it selects the outcome; other text is stored as it is." }),
    recording_url: formed(secure, secureReason),
    has_recording: computed(
      ["recording_url"],
      z.boolean(),
      (url: string | null) => url !== null,
      "Whether there is a recording.",
    ),
    recording_expires_at: timestamp({ readOnly: true, doc: "Only for clients that expect it: always empty here." }),
    recording_transcript: said("in the call"),
    voicemail_url: formed(secure, secureReason),
    voicemail_duration: integer({ readOnly: true, doc: "In seconds." }),
    voicemail_transcript: said("on the voicemail"),
    call_method: choice(["regular", "power", "predictive", "external"], {
      readOnly: true,
      default: "external",
      doc: "How the call was made.",
    }),
    source: choice(["External", "Internal"], {
      createOnly: true,
      default: "External",
      doc: "`Internal` for calls made through the service: their status, duration and direction cannot be edited.",
    }),
    dialer_id: carried,
    cost: text({ readOnly: true, doc: "In decimal cents." }),
    transferred_from: carried,
    transferred_to: carried,
    forwarded_to: carried,
    is_forwarded: boolean({ readOnly: true, default: false, doc: "Only for clients that expect it: always false here." }),
    is_joinable: boolean({ readOnly: true, default: false, doc: "Only for clients that expect it: always false here." }),
    is_to_group_number: boolean({
      readOnly: true,
      default: false,
      doc: "Whether the number that was called belongs to a group.",
    }),
    coach_legs: json(z.array(z.looseObject({})), {
      readOnly: true,
      default: [] as object[],
      doc: "Only for clients that expect it: always empty here.",
    }),
    date_answered: timestamp({ readOnly: true }),
    quality_info: json(z.looseObject({}), { readOnly: true, doc: "Only for clients that expect it: always empty here." }),
    playbook_id: carried,
    error_message: text({ readOnly: true, max: 1000, doc: "Why it could not be made, or its recording could not be stored." }),
    answered_by: choice(["machine", "mailbox"], {
      readOnly: true,
      hidden: true,
      doc: "The machine that answered; a mailbox takes a message.",
    }),
    machine_leg: text({
      readOnly: true,
      hidden: true,
      doc: "The provider's id of its phone, until that is taken off the member.",
    }),
    other_leg: text({
      readOnly: true,
      hidden: true,
      doc: "The provider's id of the phone that was called, once it has answered.",
    }),
    voicemail_drop_file_id: text({ readOnly: true, hidden: true, doc: "The message that its member leaves in a mailbox." }),
    provider_id: text({ readOnly: true, hidden: true, doc: "The provider's id of the message." }),
    sending_at: timestamp({ readOnly: true, hidden: true, doc: "Since when the provider is being asked for it." }),
    sending_account: text({ readOnly: true, hidden: true, doc: "The account at the provider that is asked for it." }),
  },
});
