// All event names, by the kind of record. Webhooks subscribe to these names and to patterns of them.
import { hint } from "../../values/reasons.ts";
import { ownTypes, systemTypes } from "../tasks/task.ts";

/** What happens to records of every kind. */
const changes = ["created", "updated", "deleted"];
/** What else happens to tasks of every type. */
const taskActions = ["completed", "overdue"];

const each = (types: readonly string[], actions: readonly string[] = []): [string, readonly string[]][] =>
  types.map((type) => [type, [...changes, ...actions]]);

/** The actions of each object type. */
export const eventCatalog: ReadonlyMap<string, readonly string[]> = new Map([
  ...each(["lead"], ["merged", "moved", "status_updated"]),
  ...each(["contact"], ["merged", "shared", "unshared", "enriched", "unsubscribed"]),
  ...each(["opportunity"], ["status_updated", "won", "lost"]),
  ...each(
    [...ownTypes, ...systemTypes].map((type) => `task.${type}`),
    taskActions,
  ),
  ...each(["activity.note", "activity.email_thread", "activity.custom_activity", "activity.form_submission"]),
  ...each(["activity.created", "activity.lead_status_change", "activity.opportunity_status_change"]),
  ...each(["activity.task_completed", "activity.lead_merge"]),
  ...each(["activity.call"], ["answered", "completed"]),
  ...each(["activity.email"], ["sent", "received", "replied", "opened", "clicked", "bounced", "failed"]),
  ...each(["activity.sms", "activity.channel_message"], ["sent", "received", "failed"]),
  ...each(["activity.whatsapp_message"], ["sent"]),
  ...each(["activity.meeting"], ["scheduled", "started", "completed", "canceled"]),
  ...each(["comment", "comment_thread"]),
  ...each(["lead", "contact", "opportunity", "activity", "custom_object", "shared"].map((type) => `custom_fields.${type}`)),
  ...each(["task", "product", "project", "quote"].map((type) => `custom_fields.${type}`)),
  ...each(["custom_activity_type", "custom_object_type", "custom_object"]),
  ...each(["status.lead", "status.opportunity", "pipeline"]),
  ...each(["email_template", "sms_template", "sequence"]),
  ...each(["sequence_subscription"], ["paused", "resumed", "finished", "step_done", "goal", "failed"]),
  ...each(["membership"], ["activated", "deactivated"]),
  ...each(["organization", "role", "group", "phone_number", "unsubscribed_email", "saved_search"]),
  ...each(["import"], ["completed", "reverting", "reverted"]),
  ...each(["export.lead", "export.opportunity"], ["completed"]),
  ...each(
    ["edit", "delete", "email", "sequence_subscription", "enrich", "automation", "undo"].map((kind) => `bulk_action.${kind}`),
    ["completed", "paused"],
  ),
  ...each(["conversation"], ["restored", "closed", "reopened", "assigned"]),
  ...each(["message"], ["sent", "received", "failed"]),
  ...each(["quote"], ["sent", "accepted", "declined", "expired", "canceled"]),
  ...each(["file", "product", "line_item", "project", "goal"]),
  ...each(["project_task", "dialer", "port"], ["completed"]),
  ...each(["contact_list", "lead_list"], ["member_added", "member_removed"]),
  ...each(["contact_tag", "lead_tag"]),
  ...each(["inbox_prospect"], ["converted", "dismissed"]),
  ...each(["enrichment", "mailing_export"], ["completed", "failed"]),
  ...each(["automation", "automations"], ["published", "paused"]),
  ...each(["automation_run"], ["completed", "failed", "cancelled", "retried"]),
  // Another service called the address of an automation.
  ["webhook", ["received"]],
  // What an organization's own automations emit, by names of their own.
  ["custom", []],
]);

const types = [...eventCatalog.keys()];

export interface EventName {
  type: string;
  action: string;
  name: string;
}

/** All names, in their parts. */
export const eventNames: readonly EventName[] = [...eventCatalog].flatMap(([type, actions]) =>
  actions.map((action) => ({ type, action, name: `${type}.${action}` })),
);

const names = new Set(eventNames.map((one) => one.name));
/** `task.completed` matches tasks of any type. */
const ofAnyTask = new Set([...changes, ...taskActions].map((action) => `task.${action}`));
/** What may be before `.*`: object types, and common prefixes of several. */
const beginnings = new Set(types.flatMap((type) => type.split(".").map((_, i, parts) => parts.slice(0, i + 1).join("."))));

/**
 * The full form of a subscriber's pattern, or null when no event could match: a name, `*`, `lead.*`, `task.completed`, or an
 * activity without its prefix (`note.created` is `activity.note.created`).
 */
export function eventPattern(given: string): string | null {
  if (given === "*") return given;
  return [given, `activity.${given}`].find(isPattern) ?? null;
}

/** The names that automations emit: `custom.order_ready`. */
export const customEvent = /^custom\.[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$/;

const isPattern = (name: string): boolean =>
  names.has(name) || customEvent.test(name) || ofAnyTask.has(name) || (name.endsWith(".*") && beginnings.has(name.slice(0, -2)));

/** Whether an event of this name matches `pattern`. */
export function matchesEvent(pattern: string, event: string): boolean {
  if (pattern === "*") return true;
  if (pattern.endsWith(".*")) return event.startsWith(pattern.slice(0, -1));
  if (ofAnyTask.has(pattern)) return event.startsWith("task.") && event.endsWith(pattern.slice("task".length));
  return event === pattern;
}

/** Why a name is refused. */
export function unknownEvent(given: string): string {
  const sought = given.slice(0, 100);
  return `knows no event ${JSON.stringify(sought)}${hint(sought, [...names, ...ofAnyTask])}`;
}

/** Why a name that somebody waits for is refused. */
export const noEvent = (given: string): string =>
  `is no event that there is${hint(given, [...names, ...ofAnyTask])}; what webhook.emit emits is called custom. and its event_name`;
