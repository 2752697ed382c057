// The grammar of inbox rules. Conditions and actions may be lists, or maps as a short form. They are stored as lists. Errors name
// the place of what is not understood.
import { invalid } from "../../core/errors.ts";
import { parseEmail } from "../../values/email.ts";
import { byName } from "../../values/names.ts";
import { hint, notAmong } from "../../values/reasons.ts";

const textFields = ["sender", "recipient", "subject", "body", "body_or_subject"] as const;
const flagFields = ["has_attachments", "is_reply", "unknown_sender"] as const;
const nameFields = ["channel", "lead_status_id"] as const;
export const conditionFields = [...textFields, ...flagFields, ...nameFields] as const;
export type ConditionField = (typeof conditionFields)[number];

const textOperators = [
  "equals",
  "not_equals",
  "contains",
  "not_contains",
  "starts_with",
  "ends_with",
  "matches",
  "exists",
] as const;
export type Operator = (typeof textOperators)[number];
const nameOperators: readonly Operator[] = ["equals", "not_equals", "exists"];

/** `value` is a text, or several of which one must match. For flags and `exists` it is true or false. */
export interface Condition {
  field: ConditionField;
  operator: Operator;
  value: string | string[] | boolean;
}

export const actionTypes = [
  "move_to_folder",
  "copy_to_folder",
  "mark_as_read",
  "assign_to",
  "add_tag",
  "set_status",
  "set_priority",
  "forward_to",
  "create_lead",
  "dismiss",
  "delete",
  "stop_processing",
] as const;
export type ActionType = (typeof actionTypes)[number];

export interface Action {
  type: ActionType;
  /** The folder, member, group or tag. True for actions without a value. */
  value: string | string[] | true;
}

/** Checks that need the organization's data. */
export interface Known {
  isFolder(id: string): boolean;
  isAssignee(id: string): boolean;
  isLeadStatus(id: string): boolean;
}

const listMax = 50;
const textMax = 512;

/** The list. The first error is thrown with its place below the field. */
export const readConditions = (given: unknown, known: Known): Condition[] =>
  entriesOf(given).map(([place, { key, value }]) =>
    key === null ? longCondition(place, value, known) : shortCondition(place, key, value, known),
  );

export const readActions = (given: unknown, known: Known): Action[] =>
  entriesOf(given)
    // `"mark_as_read": false` in a map means that the action is not wanted.
    .filter(([, { key, value }]) => key === null || (value !== false && value !== null))
    .map(([place, { key, value }]) => (key === null ? longAction(place, value, known) : action(place, place, key, value, known)));

function longAction(place: string, given: unknown, known: Known): Action {
  const { type, value } = membersOf(place, given, ["type", "value"]);
  return action(`${place}.type`, `${place}.value`, type, value, known);
}

type Entry = [place: string, one: { key: string | null; value: unknown }];

function entriesOf(given: unknown): Entry[] {
  const entries: Entry[] = Array.isArray(given)
    ? given.map((value, i) => [String(i), { key: null, value }])
    : Object.entries(given as object).map(([key, value]) => [key, { key, value }]);
  if (entries.length > listMax) refuseAt("", `must have ${listMax} or fewer`);
  return entries;
}

function refuseAt(place: string, reason: string): never {
  throw invalid({ [place]: reason });
}

function membersOf(place: string, given: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) refuseAt(place, "must be an object");
  const unknown = Object.keys(given).find((key) => !names.includes(key));
  if (unknown !== undefined) refuseAt(`${place}.${unknown}`, `is not known here${hint(unknown, names)}`);
  return given as Record<string, unknown>;
}

// --- conditions ---

const fieldAliases: Readonly<Record<string, ConditionField>> = byName({ from: "sender", to: "recipient" });

/** The names of conditions in a map. */
const shorts: ReadonlyMap<string, [ConditionField, Operator]> = new Map<string, [ConditionField, Operator]>([
  ["sender_contains", ["sender", "contains"]],
  ["from_addresses", ["sender", "equals"]],
  ["recipient_contains", ["recipient", "contains"]],
  ["subject_contains", ["subject", "contains"]],
  ["body_contains", ["body", "contains"]],
  ["body_or_subject_contains", ["body_or_subject", "contains"]],
  ["has_attachments", ["has_attachments", "equals"]],
  ["is_reply", ["is_reply", "equals"]],
  ["channel", ["channel", "equals"]],
  ["lead_status_id", ["lead_status_id", "equals"]],
  ["unknown_sender", ["unknown_sender", "equals"]],
]);

function shortCondition(place: string, key: string, value: unknown, known: Known): Condition {
  const [field, operator] = shorts.get(key) ?? unknownName(place, key, [...shorts.keys()]);
  return condition(place, field, operator, value, known);
}

function longCondition(place: string, given: unknown, known: Known): Condition {
  const { field: name, operator = "equals", value } = membersOf(place, given, ["field", "operator", "value"]);
  if (typeof name !== "string") refuseAt(`${place}.field`, name === undefined ? "is required" : "must be text");
  const field = fieldAliases[name] ?? (name as ConditionField);
  if (!conditionFields.includes(field)) unknownName(`${place}.field`, name, conditionFields);
  const operators = isText(field) ? textOperators : nameOperators;
  if (!operators.includes(operator as never)) refuseAt(`${place}.operator`, notAmong(operator, operators));
  return condition(`${place}.value`, field, operator as Operator, value, known);
}

const isText = (field: ConditionField): boolean => (textFields as readonly string[]).includes(field);
const isFlag = (field: ConditionField): boolean => (flagFields as readonly string[]).includes(field);

function condition(at: string, field: ConditionField, operator: Operator, given: unknown, known: Known): Condition {
  if (operator === "exists" || isFlag(field)) {
    const value = given ?? true;
    if (typeof value !== "boolean") refuseAt(at, "must be true or false");
    return { field, operator, value };
  }
  const value = textValue(at, given);
  if (field === "lead_status_id" && ![value].flat().every(known.isLeadStatus)) refuseAt(at, "does not exist");
  return { field, operator, value };
}

function textValue(at: string, given: unknown): string | string[] {
  const all = [given].flat();
  if (given === undefined || given === null) refuseAt(at, "is required");
  if (all.length === 0 || all.length > listMax) refuseAt(at, `must have 1 to ${listMax}`);
  for (const one of all) {
    if (typeof one !== "string") refuseAt(at, "must be text, or a list of texts");
    if (one.trim() === "") refuseAt(at, "must not be empty");
    if (one.length > textMax) refuseAt(at, `must be ${textMax} characters or fewer`);
  }
  return Array.isArray(given) ? (given as string[]) : (given as string);
}

function unknownName(place: string, given: string, names: readonly string[]): never {
  refuseAt(place, `is not known${hint(given, names)}`);
}

// --- actions ---

function action(typeAt: string, at: string, type: unknown, given: unknown, known: Known): Action {
  if (typeof type !== "string") refuseAt(typeAt, type === undefined ? "is required" : "must be text");
  if (!(actionTypes as readonly string[]).includes(type)) unknownName(typeAt, type, actionTypes);
  return { type: type as ActionType, value: values[type as ActionType](at, given, known) };
}

type ReadValue = (at: string, given: unknown, known: Known) => Action["value"];

const nothingMore: ReadValue = (at, given) => {
  if (given !== undefined && given !== null && given !== true) refuseAt(at, "must be true, or left out");
  return true;
};

const folder: ReadValue = (at, given, known) => {
  const id = word(at, given);
  if (!known.isFolder(id)) refuseAt(at, "does not exist");
  return id;
};

const oneOf =
  (names: readonly string[]): ReadValue =>
  (at, given) => {
    const value = word(at, given);
    if (!names.includes(value)) refuseAt(at, notAmong(value, names));
    return value;
  };

const values: Record<ActionType, ReadValue> = {
  move_to_folder: folder,
  copy_to_folder: folder,
  mark_as_read: nothingMore,
  assign_to(at, given, known) {
    const id = word(at, given);
    if (!known.isAssignee(id)) refuseAt(at, "is not an active member or a group");
    return id;
  },
  add_tag: (at, given) => word(at, given),
  set_status: oneOf(["closed", "snoozed"]),
  set_priority: oneOf(["high", "medium", "low"]),
  forward_to(at, given) {
    const all = [textValue(at, given)].flat();
    if (all.some((address) => parseEmail(address) === null)) refuseAt(at, "must be e-mail addresses");
    return all;
  },
  create_lead: nothingMore,
  dismiss: nothingMore,
  delete: nothingMore,
  stop_processing: nothingMore,
};

function word(at: string, given: unknown): string {
  if (given === undefined || given === null) refuseAt(at, "is required");
  if (typeof given !== "string") refuseAt(at, "must be text");
  if (given.trim() === "") refuseAt(at, "must not be empty");
  if (given.length > 100) refuseAt(at, "must be 100 characters or fewer");
  return given.trim();
}
