// How the triggers recognize their events: by name first, which an index does, and then by what the event says.

import { chainOf } from "../../services/chain.ts";
import { same } from "../../values/same.ts";
import { eventNames } from "../events/event_names.ts";
import type { Occurrence } from "./occurrence.ts";

type Config = Record<string, any>;

/** The names of events that happen to a kind of record: tasks and activities have several. */
export function namesFor(objectType: unknown, ...actions: string[]): string[] {
  const isOfType = (type: string) => type === objectType || type.startsWith(`${String(objectType)}.`);
  return eventNames.filter(({ type, action }) => isOfType(type) && actions.includes(action)).map(({ name }) => name);
}

/**
 * What an import changes starts automations only where the import says so, and what an undo takes back starts none. Runs that wait
 * for an event go on either way, and the import itself is no record that it changes.
 */
export const isSilent = ({ object_type, meta }: Occurrence): boolean =>
  meta.undoes !== undefined || (meta.import_id !== undefined && meta.trigger_automations !== true && object_type !== "import");

const sourceOf = ({ meta, user_id, api_key_id }: Occurrence): string => {
  if (meta.automation_run_id !== undefined) return "automation";
  if (meta.import_id !== undefined) return "import";
  return api_key_id !== null ? "api" : user_id !== null ? "user" : "share";
};

export const isFrom = ({ sources }: Config, event: Occurrence): boolean =>
  sources == null || sources.includes(sourceOf(event)) || (sourceOf(event) === "api" && sources.includes("user"));

/** Any of the fields. Without fields, every change counts. */
export const changedAny = ({ fields, ignore_actors }: Config, { changed_fields, user_id }: Occurrence): boolean =>
  (fields == null || changed_fields.some((one) => fields.includes(one))) &&
  !(user_id !== null && ignore_actors?.includes(user_id));

const among = (list: unknown, value: unknown): boolean =>
  !Array.isArray(list) || list.length === 0 || list.some((one) => same(one, value ?? null));

/** One field, from one of some values to one of others. */
export function changedFrom({ field, from, to }: Config, { changed_fields, previous, record }: Occurrence): boolean {
  return changed_fields.includes(field) && among(from, previous[field]) && among(to, record[field]);
}

export function changedStatus(config: Config, event: Occurrence): boolean {
  const { from, to, to_type, pipeline_id } = config;
  return (
    changedFrom({ field: "status_id", from, to }, event) &&
    (to_type == null || event.record.status_type === to_type) &&
    (pipeline_id == null || event.record.pipeline_id === pipeline_id)
  );
}

/** It was created so, or became so. `created` is any creation. */
export function becameStatus({ event: wanted }: Config, { event, record, changed_fields }: Occurrence): boolean {
  const isNew = event.endsWith(".created");
  return wanted === "created" ? isNew : record.status === wanted && (isNew || changed_fields.includes("status"));
}

const hasTag = (tags: unknown, tag: string): boolean =>
  Array.isArray(tags) && tags.some((one) => String(one).toLowerCase() === tag.toLowerCase());

export function changedTag({ tag, change }: Config, { event, previous, record, changed_fields }: Occurrence): boolean {
  const isNew = event.endsWith(".created");
  if (!isNew && !changed_fields.includes("tags")) return false;
  const [was, is] = [!isNew && hasTag(previous.tags, tag), hasTag(record.tags, tag)];
  return change === "added" ? is && !was : was && !is;
}

const logged: Record<string, string> = { custom: "activity.custom_activity" };

export const namesOfKinds = ({ kinds }: Config): string[] =>
  Array.isArray(kinds) ? kinds.map((kind) => `${logged[kind] ?? `activity.${kind}`}.created`) : [];

export function isLogged({ direction, custom_activity_id }: Config, { record }: Occurrence): boolean {
  return (
    isDirection(direction, record.direction) &&
    (custom_activity_id == null || record.custom_activity_type_id === custom_activity_id)
  );
}

// --- messages ---

const isDirection = (wanted: unknown, direction: unknown): boolean =>
  wanted == null || direction == null || String(direction).startsWith(wanted === "incoming" ? "in" : "out");

export const namesOfEngagement = ({ event }: Config): string[] => [
  event === "unsubscribed" ? "contact.unsubscribed" : `activity.email.${event}`,
];

/** Opens and clicks of programs do not count, unless they are asked for. */
export function isEngagement(config: Config, { record, meta }: Occurrence): boolean {
  const { event, template_id, sequence_id, min_count, include_machine } = config;
  if (meta.is_machine === true && include_machine !== true) return false;
  if (template_id != null && record.template_id !== template_id) return false;
  if (sequence_id != null && record.sequence_id !== sequence_id) return false;
  if (min_count == null) return true;
  const all = ((event === "opened" ? record.opens : record.clicks) ?? []) as { is_machine?: boolean }[];
  const count = all.filter(({ is_machine }) => include_machine === true || is_machine !== true).length;
  return count >= min_count && count - Number(meta.count ?? 1) < min_count;
}

/** The outcome by its id or its name. */
export function isCall({ direction, outcome, min_seconds }: Config, { record }: Occurrence): boolean {
  const isOutcome = (one: string) =>
    one === record.outcome_id || one.toLowerCase() === String(record.outcome ?? "").toLowerCase();
  return (
    isDirection(direction, record.direction) &&
    (outcome == null || outcome.some(isOutcome)) &&
    Number(record.duration ?? 0) >= (min_seconds ?? 0)
  );
}

export const namesOfMessages = ({ direction }: Config): string[] => [
  ...(direction === "outgoing" ? [] : ["message.received"]),
  ...(direction === "incoming" ? [] : ["message.sent"]),
];

// --- sequences and automations ---

const subscriptionEvents = new Map([
  ["subscribed", "created"],
  ["replied", "goal"],
]);

export const namesOfSequence = ({ event }: Config): string[] => [
  `sequence_subscription.${subscriptionEvents.get(event) ?? event}`,
];

export const isOfSequence = ({ sequence_id, event }: Config, { record }: Occurrence): boolean =>
  (sequence_id == null || record.sequence_id === sequence_id) &&
  (event !== "replied" || record.status_reason === "reply-received");

export const namesOfRuns = ({ event }: Config): string[] => [`automation_run.${event === "failed" ? "failed" : "completed"}`];

export const isOfAutomation = ({ automation_id, event }: Config, { record }: Occurrence): boolean =>
  record.automation_id === automation_id && (event !== "goal" || record.goal_id !== null) && record.is_test !== true;

/** An import that stops is updated. */
export const namesOfImports = ({ result }: Config): string[] => [
  ...(result === "error" ? [] : ["import.completed"]),
  ...(result === "done" ? [] : ["import.updated"]),
];

export const isImportEnd = (_: Config, { event, record, changed_fields }: Occurrence): boolean =>
  event === "import.completed" || (changed_fields.includes("status") && record.status === "error");

/** The depth of an event in a chain of automations, and the automations on its way, each with its record. */
export function causationOf({ meta }: Occurrence): { depth: number; path: string[] } {
  const { depth, path } = chainOf(meta) ?? { depth: 0, path: [] };
  return { depth, path: [...path] };
}

/** Whether all values that a wait asks for are those of the event. `object_id` and its like are of the event, all others of its record. */
export const matchesAll = (match: Config, { record, ...event }: Occurrence): boolean =>
  Object.entries(match).every(([key, value]) => same(value, valueOfEvent(key, { record, ...event })));

export function valueOfEvent(key: string, event: Occurrence): unknown {
  if (key === "object_id" || key === "object_type" || key === "user_id") return event[key];
  if (key === "lead_id") return event.lead_id ?? event.record.lead_id ?? null;
  if (event.record[key] !== undefined) return event.record[key];
  return key === `${event.object_type}_id` ? event.object_id : null;
}
