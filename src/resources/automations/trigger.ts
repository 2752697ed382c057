// The trigger of an automation: a type from the catalog with its config, or the name of an event instead.
import { eventPattern } from "../events/event_names.ts";
import { recordTypes } from "./catalog.ts";
import { checkCondition } from "./conditions.ts";
import { type Check, checkConfig, isObject, typeNamed, unknownKey } from "./config.ts";
import { triggerTypes } from "./trigger_types.ts";

export interface Trigger {
  type: string;
  config: Record<string, unknown>;
}

const catalog = new Map(triggerTypes.map((one) => [one.type, one]));

/** The trigger with defaults filled in. Errors are in `check`. */
export function readTrigger(check: Check, given: unknown, at = "trigger"): Trigger {
  const said = typeof given === "string" ? ofEvent(given) : given;
  if (!isObject(said)) {
    check.errors[at] = typeof given === "string" ? "is not an event that can start an automation" : "must be an object";
    return { type: "", config: {} };
  }
  for (const key of Object.keys(said))
    if (!["type", "type_version", "config"].includes(key)) check.errors[`${at}.${key}`] = unknownKey(key, ["type", "config"]);
  const of = typeNamed(check, catalog, said.type, at);
  const config = said.config ?? {};
  if (of !== undefined) {
    checkConfig(check, of, config, `${at}.config`, { literal: true });
    checkConditions(check, config, `${at}.config`);
  }
  return { type: String(said.type), config: config as Record<string, unknown> };
}

/** The kind of the record itself, or of the records it starts for. */
function checkConditions(check: Check, config: unknown, at: string): void {
  if (!isObject(config)) return;
  if (isObject(config.condition)) checkCondition(check, config.condition, `${at}.condition`);
  if (isObject(config.for_each) && isObject(config.for_each.condition))
    checkCondition(check, config.for_each.condition, `${at}.for_each.condition`);
}

/** What happens to every kind of record: `lead.created` becomes "a record is created". */
const happenings = new Map([
  ["created", "record.created"],
  ["updated", "record.updated"],
  ["deleted", "record.deleted"],
  ["status_updated", "status.changed"],
]);

const withEvent = (type: string, object: string, ...events: string[]): [string, Trigger][] =>
  events.map((event) => [`${object}.${event}`, { type, config: { event } }]);

/** Events that have a trigger type of their own. */
const ofTheirOwn = new Map<string, Trigger>([
  ...withEvent("task.event", "task", "completed", "overdue"),
  ...withEvent("email.engagement", "activity.email", "sent", "received", "replied", "opened", "clicked", "bounced"),
  ...withEvent("meeting.event", "activity.meeting", "scheduled", "completed", "canceled"),
  ...withEvent("quote.event", "quote", "sent", "accepted", "declined", "expired", "canceled"),
  ...withEvent("inbox.prospect", "inbox_prospect", "created", "converted", "dismissed"),
  ...withEvent("file.event", "file", "created", "updated", "deleted"),
  ...withEvent("sequence.event", "sequence_subscription", "step_done", "finished", "failed", "paused"),
  ["sequence_subscription.created", { type: "sequence.event", config: { event: "subscribed" } }],
  ...["won", "lost"].map((to_type): [string, Trigger] => [
    `opportunity.${to_type}`,
    { type: "status.changed", config: { object_type: "opportunity", to_type } },
  ]),
  ...["note", "call", "email", "sms", "meeting", "channel_message"].map((kind): [string, Trigger] => [
    `activity.${kind}.created`,
    { type: "activity.logged", config: { kinds: [kind] } },
  ]),
  ["activity.custom_activity.created", { type: "activity.logged", config: { kinds: ["custom"] } }],
  ["activity.call.completed", { type: "call.completed", config: {} }],
  ["activity.sms.received", { type: "sms.received", config: {} }],
  ["message.received", { type: "conversation.message", config: { direction: "incoming" } }],
  ["enrichment.completed", { type: "enrichment.done", config: { result: "completed" } }],
  ["enrichment.failed", { type: "enrichment.done", config: { result: "failed" } }],
  ["import.completed", { type: "import.done", config: {} }],
  ["dialer.completed", { type: "dialer.done", config: {} }],
]);

/** The trigger for an event name, or null. An activity may be named without its prefix: `email.replied`. */
function ofEvent(given: string): Trigger | null {
  const event = eventPattern(given);
  const own = ofTheirOwn.get(event ?? given);
  if (own !== undefined) return own;
  const [object_type, action, ...rest] = given.split(".");
  const type = happenings.get(action ?? "");
  const isOfRecord = type !== undefined && rest.length === 0 && (recordTypes as readonly string[]).includes(object_type!);
  return isOfRecord && event !== null ? { type, config: { object_type } } : null;
}
