// A subscription: one contact in one sequence, with the current step.
import { z } from "zod";
import { boolean, choice, formed, input, integer, json, label, naming, ref, text, texts, timestamp } from "../../core/field.ts";
import { type Row, resource } from "../../core/resource.ts";
import { searched } from "../../search/searched.ts";
import { parseEmail } from "../../values/email.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { authorNames } from "../shared/names.ts";
import { subscriptionStates } from "./sequence.ts";

const address = (raw: string) => parseEmail(raw);
/** Members write from the address they have here. Before a workspace has a domain, that is `admin@localhost`. */
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
  "out-of-office",
  "complained",
  "replaced",
  "no-address",
  "other-contact-replied",
] as const;

export const sequenceSubscription = resource({
  name: "sequence_subscription",
  prefix: "sub",
  doc: "A contact's subscription to a sequence.",
  visible: visibleAsLead,
  indexed: ["contact_id", "lead_id"],
  search: searched({ query: false }),
  sendsTo: ({ status, contact_id, contact_email }) =>
    status === "active" || status === "paused"
      ? [
          { at: "contact_id", is: "contact", value: contact_id },
          ...(contact_email === null ? [] : [{ at: "contact_email", is: "email", value: contact_email } as const]),
        ]
      : null,
  fields: {
    // Kept when the sequence is deleted, so that the subscription still shows its name.
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
      doc: "The recipient: one of the contact's addresses, by default the first. Nothing is sent to one that was taken off the contact.",
    }),
    sender_account_id: ref(
      "connected_account",
      { onDelete: "clear", onMove: "clear" },
      { doc: "The account that sends e-mails; by default the caller's." },
    ),
    sender_name: text({ doc: "The sender's name; by default that of the account, or the caller's." }),
    sender_email: formed(senderAddress, addressReason, {
      doc: "The sender's address; by default that of the account, or the caller's.",
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
      doc: "Can be set to `paused`, to `active` to resume, and to `finished` to end it. The other states follow from events.",
    }),
    status_reason: choice(statusReasons, { readOnly: true, doc: "The reason for this status." }),
    start_date: timestamp({ createOnly: true, filled: true, doc: "When it starts; by default now." }),
    steps_version: integer({
      readOnly: true,
      filled: true,
      doc: "The version of the sequence's steps that `current_step_id` belongs to.",
    }),
    current_step_id: text({ readOnly: true, doc: "The next step." }),
    next_step_at: timestamp({ doc: "When that step is due. A moment that is set moves into the hours of the sequence." }),
    skip_step: input(z.boolean(), {
      doc: "In a change: true leaves out the present step, and takes back its message or closes its task.",
    }),
    on_conflict: input(z.enum(["skip", "replace"]), {
      createOnly: true,
      doc: "Where the contact or the address is in the sequence already: `skip` answers that subscription, `replace` ends it for the new one. It is refused otherwise.",
    }),
    force: input(z.boolean(), { createOnly: true, doc: "True takes a contact again before the sequence's `resubscribe_after`." }),
    finished_at: timestamp({ readOnly: true, doc: "When it ended." }),
    paused_at: timestamp({ readOnly: true, doc: "When it was paused." }),
    resume_at: timestamp({ readOnly: true, doc: "For a contact who is away: when it resumes." }),
    initial_email_id: text({ readOnly: true, doc: "The first e-mail it sent." }),
    latest_email_id: text({ readOnly: true, doc: "The latest e-mail it sent." }),
    waiting_message_id: text({ readOnly: true, doc: "The message of the present step, until it was sent." }),
    waiting_task_id: text({ readOnly: true, doc: "The task of the present step, until somebody has done it." }),
    reply_awaited_until: timestamp({ readOnly: true, doc: "How long its step waits for a reply." }),
    error_message: text({ readOnly: true, max: 1000, doc: "Why its step cannot be taken, or not yet." }),
    vars: json(z.record(z.string().max(64), z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()])), {
      doc: "Values for this contact alone, which its steps name as `{{ vars.… }}`.",
    }),
    automation_run_id: text({ readOnly: true, doc: "The run of an automation that subscribed the contact." }),
    bulk_action_id: text({ readOnly: true, doc: "The bulk action that subscribed the contact." }),
    keeps_steps: boolean({ readOnly: true, hidden: true, default: false, doc: "It keeps to the steps of its `steps_version`." }),
    held_since: timestamp({ readOnly: true, hidden: true, doc: "Since when something holds its step up." }),
    slot_at: timestamp({ readOnly: true, hidden: true, doc: "The moment that was set aside for its step." }),
    was_due_at: timestamp({ readOnly: true, hidden: true, doc: "When its step was due as it ended." }),
    step_before_at: timestamp({ readOnly: true, hidden: true, doc: "When the step before its present one was over." }),
    throttled_since: timestamp({ readOnly: true, hidden: true, doc: "Since when it waits for a day with room." }),
    ...authorNames,
  },
});

/** The state of a subscription before it was stopped, to restore it if that was a mistake. */
export type Stopped = Pick<
  Row<typeof sequenceSubscription>,
  "id" | "status" | "status_reason" | "paused_at" | "resume_at" | "next_step_at" | "finished_at"
> & {
  /** The reason it has had since then. */
  became: Row<typeof sequenceSubscription>["status_reason"];
};

/** The values of a subscription that is over. Whoever resumes it does not hurry its step. */
export const nothingDue = ({ next_step_at }: Pick<Row<typeof sequenceSubscription>, "next_step_at">) =>
  ({ paused_at: null, resume_at: null, next_step_at: null, was_due_at: next_step_at, waiting_task_id: null }) as const;
