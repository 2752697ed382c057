// A subscription: one contact in one sequence, with the step it has reached.
import { choice, formed, integer, label, naming, ref, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { searched } from "../../search/searched.ts";
import { parseEmail } from "../../values/email.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { authorNames } from "../shared/names.ts";
import { subscriptionStates } from "./sequence.ts";

const address = (raw: string) => parseEmail(raw);
/** Members write from the address they have here, and before a workspace has a domain that is `admin@localhost`. */
const senderAddress = (raw: string) => parseEmail(raw, { allowLocalhost: true });
const addressReason = "must be an e-mail address";

export const statusReasons = [
  "manual",
  "pending-call-timed-out",
  "bulk-action",
  "rate-limited",
  "sequence-deleted",
  "workflow-paused",
  "filter-not-matched",
  "reply-received",
  "call-answered",
  "meeting-booked",
  "lead-status-changed",
  "outcome-met",
  "account-invalid",
  "account-failures",
  "sending-throttled-too-long",
  "membership-inactive",
  "send-as-error",
  "email-bounced",
  "call-failed",
  "sms-failed",
  "no-user-phone",
  "billing-error",
  "assignment-field-invalid",
  "lead-status-field-invalid",
  "assignees-missing",
  "run-as-disabled",
  "lead-not-visible",
  "internal-error",
  "field-mapping-error",
  "filter-config-invalid",
  "email-ai-generation-failed",
  "unsubscribed",
] as const;

export const sequenceSubscription = resource({
  name: "sequence_subscription",
  prefix: "sub",
  doc: "A contact's way through a sequence.",
  visible: visibleAsLead,
  indexed: ["contact_id", "lead_id"],
  search: searched({ query: false }),
  fields: {
    // Kept when the sequence is gone: the subscription still says what it was.
    sequence_id: ref(
      "sequence",
      { onDelete: "keep", onMove: "clear" },
      { required: true, createOnly: true, doc: "The sequence." },
    ),
    contact_id: ref(
      "contact",
      { onDelete: "cascade", onMove: "follow" },
      { required: true, createOnly: true, doc: "The contact." },
    ),
    contact_name: label("contact_id", "contact", "display_name"),
    lead_id: ref("lead", { onDelete: "cascade", onMove: "follow" }, { filled: true, readOnly: true, doc: "The contact's lead." }),
    contact_email: formed(address, addressReason, {
      createOnly: true,
      doc: "The address that is written to: one of the contact's, the first by default.",
    }),
    sender_account_id: ref(
      "connected_account",
      { onDelete: "clear", onMove: "clear" },
      { doc: "The account that e-mails leave through; the caller's usual one by default." },
    ),
    sender_name: text({ doc: "The name that is written under; by default that of the account, or the caller's." }),
    sender_email: formed(senderAddress, addressReason, {
      doc: "The address that is written from; by default that of the account, or the caller's.",
    }),
    calls_assigned_to: texts({
      default: [] as string[],
      max: 100,
      names: naming("user"),
      doc: "Members who make the calls; the caller by default.",
    }),
    from_phone_number_id: ref(
      "phone_number",
      { onDelete: "clear", onMove: "clear" },
      { doc: "The number that calls and text messages come from." },
    ),
    status: choice(subscriptionStates, {
      default: "active",
      doc: "May be set to `paused`, and to `active` to go on; the other states are reached by what happens.",
    }),
    status_reason: choice(statusReasons, { readOnly: true, doc: "Why it is in this state." }),
    start_date: timestamp({ createOnly: true, filled: true, doc: "When it begins; now by default." }),
    steps_version: integer({
      readOnly: true,
      filled: true,
      doc: "The version of the sequence's steps by which its own was found.",
    }),
    current_step_id: text({ readOnly: true, doc: "The step that comes next." }),
    next_step_at: timestamp({ readOnly: true, doc: "When that step is taken." }),
    finished_at: timestamp({ readOnly: true, doc: "When it came to its end." }),
    paused_at: timestamp({ readOnly: true, doc: "Since when it is paused." }),
    initial_email_id: text({ readOnly: true, doc: "The first e-mail it sent." }),
    ...authorNames,
  },
});
