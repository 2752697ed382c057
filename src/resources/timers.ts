// All timers of the service, one line each.
import { dropExpired } from "../auth/unscoped_expired.ts";
import { actOnDue, type Due } from "../jobs/due_rows.ts";
import { dropOld, type Kept } from "../jobs/retention.ts";
import type { Timer } from "../jobs/timer.ts";
import { endlessCalls, forgottenCalls } from "./activities/calls_by_clock.ts";
import { unansweredMail } from "./activities/followups_by_clock.ts";
import { begunMeetings } from "./activities/meetings_by_clock.ts";
import { lateMessages, waitingMessages } from "./activities/outbox_by_clock.ts";
import { calendarsTimer } from "./calendars/unfollowed.ts";
import { endedSnoozes } from "./conversations/snoozes_by_clock.ts";
import { answerDays } from "./enrichment/answers.ts";
import { waitingEnrichments } from "./enrichment/waiting_enrichments.ts";
import { expiredExports } from "./exports/expired.ts";
import { endedLinks } from "./files/links_by_clock.ts";
import { storedBytesTimer } from "./files/sweep.ts";
import { uncleared } from "./imports/clear_rows.ts";
import { mailboxesTimer } from "./mail_in/unread_mailboxes.ts";
import { hitsToFile } from "./mail_tracking/hits_by_clock.ts";
import { endingKeys } from "./organization/ending_keys.ts";
import { expiredOrganizationExports } from "./organization_exports/work.ts";
import { expiredQuotes } from "./quotes/expire.ts";
import { keepToRetention } from "./retention/keep_to_retention.ts";
import { matchingContacts } from "./sequences/matches_by_clock.ts";
import { endedAbsences } from "./sequences/resumes_by_clock.ts";
import { waitingSteps } from "./sequences/waiting_steps.ts";
import { digestTimer } from "./system_mail/digests.ts";
import { overdueTasks } from "./tasks/tasks_by_clock.ts";
import { pendingNumbers } from "./telephony/number_work.ts";
import { openPorts } from "./telephony/port_work.ts";
import { unansweredPorts } from "./telephony/ports_by_clock.ts";

const minute = 60;
const hour = 3600;
const day = 24 * hour;

const idempotencyKeys: Kept = { table: "idempotency_key", key: ["holder", "method", "path", "key"], seconds: day };
const notifications: Kept = { table: "notification", key: ["id"], seconds: 90 * day };
const oauthAnswers: Kept = { table: "oauth_answer", key: ["id"], seconds: hour };
const sequenceQuotas: Kept = { table: "sequence_quota", key: ["name", "day"], seconds: 30 * day };
const automationEvents: Kept = { table: "automation_event", key: ["id"], seconds: 30 * day };
const receivedHooks: Kept = { table: "received_hook", key: ["automation_id", "key"], seconds: 3 * day };
/** As long as a bulk action can be paused, and after that can be undone. */
const bulkItems: Kept = { table: "bulk_action_item", key: ["id"], seconds: 37 * day };
const mailingItems: Kept = { table: "mailing_export_item", key: ["mailing_export_id", "ord"], seconds: 37 * day };
const removals: Kept = { table: "kept_removal", key: ["request_id"], seconds: 30 * day };
const changeSets: Kept = { table: "change_set_request", key: ["name", "user_id", "request_id"], seconds: 30 * day };
const automationOccasions: Kept = {
  table: "automation_occasion",
  key: ["automation_id", "object_id", "occasion"],
  seconds: 30 * day,
};
const enrichmentAnswers: Kept = { table: "enrichment_answer", key: ["key"], seconds: answerDays * day };
const enrichmentDays: Kept = { table: "enrichment_day", key: ["day"], seconds: 90 * day };
const aiDays: Kept = { table: "ai_day", key: ["day"], seconds: 90 * day };
const mailboxDays: Kept = { table: "mailbox_day", key: ["mailbox", "day"], seconds: 90 * day };
const agentCalls: Kept = { table: "agent_call", key: ["id"], seconds: 90 * day };
const systemMail: Kept = { table: "system_mail", key: ["id"], seconds: 30 * day };

export const timers: readonly Timer[] = [
  onDue("meetings", 1, "Meetings start and end.", begunMeetings),
  onDue("snoozes", 1, "Snoozed conversations reopen at their time.", endedSnoozes),
  onDue("tasks", 1, "Assignees are notified when the day of their task is over.", overdueTasks),
  onDue("mail_hits", 5, "Opens and clicks are stored with their mails.", hitsToFile),
  onDue("absences", minute, "Sequences resume for contacts who are back from an absence.", endedAbsences),
  onDue("quotes", minute, "Open quotes expire when their last day is over.", expiredQuotes),
  onDue(
    "calls",
    minute,
    "Calls that were not made within an hour count as failed, and calls without an end after a day as over.",
    forgottenCalls,
    endlessCalls,
  ),
  onDue("outbox", minute, "Messages that should have been sent 72 hours ago are no longer sent, and say so.", ...lateMessages),
  onDue("waiting_messages", minute, "Messages that wait in the outbox without a job get one.", ...waitingMessages),
  onDue("waiting_steps", hour, "Due steps of sequences without a job get one.", waitingSteps),
  onDue("waiting_enrichments", 300, "Enrichments that wait without a job get one.", waitingEnrichments),
  onDue("matching_contacts", 300, "Contacts that match a sequence's query are subscribed.", matchingContacts),
  onDue("followups", minute, "Sent e-mails without an answer by their follow-up date get a task.", unansweredMail),
  onDue("exports", hour, "The files of exports are deleted after seven days.", expiredExports),
  onDue("organization_exports", hour, "The archives of workspaces are deleted after seven days.", expiredOrganizationExports),
  onDue(
    "imports",
    hour,
    "What a revert of an import needs is deleted after 48 hours, and the rows of an import after 37 days.",
    uncleared,
  ),
  onDue("api_keys", hour, "The owner of an API key is told two weeks before it ends.", endingKeys),
  onDue("share_links", minute, "The secrets of expired links to files are deleted.", endedLinks),
  onDue(
    "pending_numbers",
    hour,
    "Orders of numbers that the telephony provider has not confirmed are sent again.",
    pendingNumbers,
  ),
  onDue("open_ports", hour, "It is checked whether the numbers of open ports have arrived at the telephony provider.", openPorts),
  onDue("ports", hour, "Ports without an answer from the carrier for 30 days say so.", unansweredPorts),
  dropped("idempotency_keys", hour, "Responses stored for an `Idempotency-Key` are deleted after a day.", idempotencyKeys),
  dropped("notifications", hour, "Notifications are deleted after 90 days.", notifications),
  dropped("system_mail", hour, "System mail is deleted after 30 days.", systemMail),
  dropped("automation_events", hour, "What automations made of events is deleted after 30 days.", automationEvents),
  dropped(
    "received_hooks",
    hour,
    "Calls to the addresses of automations are recognized as repeated for 72 hours.",
    receivedHooks,
  ),
  dropped(
    "bulk_items",
    hour,
    "The items of bulk actions are deleted after 37 days, and what undoing them needs with them.",
    bulkItems,
  ),
  dropped("removals", hour, "What a request deleted can be brought back for 30 days.", removals),
  dropped("change_sets", hour, "The requests of a change set can be undone for 30 days.", changeSets),
  dropped("mailing_items", hour, "What became of each contact of a mailing export is deleted after 37 days.", mailingItems),
  dropped("automation_occasions", day, "What the clock started automations for is forgotten after 30 days.", automationOccasions),
  dropped("enrichment_answers", day, "What enrichment was answered is forgotten after 90 days.", enrichmentAnswers),
  dropped("ai_days", day, "Daily counts of tokens of models are deleted after 90 days.", aiDays),
  dropped("enrichment_days", day, "Daily counts of credits for enrichment are deleted after 90 days.", enrichmentDays),
  dropped("mailbox_days", day, "Daily counts of sent mail are deleted after 90 days.", mailboxDays),
  dropped("agent_calls", hour, "What agents did by their tools is deleted after 90 days.", agentCalls),
  dropped("sequence_quotas", day, "Daily counts of what sequences sent are deleted after 30 days.", sequenceQuotas),
  dropped("oauth_answers", hour, "Members' answers from Google and Microsoft are deleted after an hour.", oauthAnswers),
  {
    name: "retention",
    doc: "Mail, recordings and events that are older than their organization keeps them are deleted.",
    everySeconds: 300,
    run: keepToRetention,
  },
  {
    name: "sign_in",
    doc: "Tokens, sessions and links are deleted when they are over, and registered OAuth clients that were not used within a week.",
    everySeconds: hour,
    run: (core) => dropExpired(core.db, core.clock()),
  },
  calendarsTimer,
  mailboxesTimer,
  storedBytesTimer,
  digestTimer,
];

function onDue(name: string, everySeconds: number, doc: string, ...dues: readonly Due[]): Timer {
  return {
    name,
    doc,
    everySeconds,
    async run(core) {
      for (const due of dues) await actOnDue(core, due);
    },
  };
}

function dropped(name: string, everySeconds: number, doc: string, kept: Kept): Timer {
  return { name, doc, everySeconds, run: (core) => dropOld(core, kept) };
}
