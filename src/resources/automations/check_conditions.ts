// Whether the conditions of a plan can be asked of its records: their fields exist and go with the operators, their relations exist, and
// their lists are of such records.
import type { FieldErrors } from "../../core/errors.ts";
import type { Field } from "../../core/field.ts";
import type { Resource } from "../../core/resource.ts";
import { aNoun } from "../../records/standard_operation.ts";
import { isId } from "../../values/id.ts";
import { notAmong } from "../../values/reasons.ts";
import { eventNames } from "../events/event_names.ts";
import { namesOf } from "../webhooks/wanted.ts";
import { leavesOf } from "./condition_leaves.ts";
import { relationNamed } from "./conditions/relations.ts";
import { isQuery } from "./conditions.ts";
import { isDynamic, isObject, roots } from "./config.ts";
import type { Values } from "./facts.ts";
import { checkRead, customOf, type FieldCheck } from "./known_fields.ts";

/** Checks a tree. A search query has checks of its own. */
export function checkConditions(check: FieldCheck, tree: unknown, at: string): void {
  if (!isObject(tree) || isQuery(tree)) return;
  for (const one of leavesOf(tree, at)) leaves[one.of.type]?.(check, one.leaf, one.at);
}

const leaves: Readonly<Record<string, (check: FieldCheck, leaf: Values, at: string) => void>> = {
  field: checkField,
  related: checkRelated,
  tag: (check, _leaf, at) => needs(check, "tags", at),
  status: (check, _leaf, at) => needs(check, "status_id", at),
  list_member: checkList,
  custom_object: (check, { where }, at) => ofKind(check, "custom_object", where, at),
  custom_activity: (check, { where }, at) => ofKind(check, "activity_custom_activity", where, at),
};

// --- fields ---

function checkField(check: FieldCheck, { ref, op, value }: Values, at: string): void {
  const [root = "", ...path] = String(ref).split(".");
  const name = root === "record" ? path.join(".") : roots.includes(root) ? undefined : String(ref);
  if (name === undefined && check.isAwaited && root !== "trigger" && root !== "now")
    check.errors[`${at}.ref`] = `is not there when the event comes: compare with {"$ref": "${String(ref)}"} as value`;
  else if (name !== undefined) checkRead(check, name, `${at}.ref`);
  if (path.length > 0 && root !== "custom" && !roots.includes(root) && check.errors[`${at}.ref`] !== undefined)
    check.errors[`${at}.ref`] = `begins with an unknown name: the first word ${notAmong(root, roots)}, or a field`;
  const kind = name === undefined || check.of === undefined ? null : kindOf(check, check.of, name);
  if (kind !== null && !operators[kind].includes(String(op)))
    check.errors[`${at}.op`] = `does not go with ${name}: use ${operators[kind].join(", ")}`;
  else if (value != null && !isDynamic(value)) checkValue(check, String(op), value, `${at}.value`);
}

const common = ["is", "is_not", "in", "not_in", "exists", "not_exists", "changed"];
const textual = ["contains", "not_contains", "starts_with", "ends_with"];
const numeric = ["gt", "gte", "lt", "lte", "between"];

/** The operators that go with a kind of field. */
const operators = {
  text: [...common, ...textual],
  number: [...common, ...numeric],
  time: [...common, ...numeric, "before", "after", "within_last", "within_next"],
  boolean: [...common, "is_true", "is_false"],
} as const;

type Kind = keyof typeof operators;

const kindOfColumn: Readonly<Partial<Record<Field["type"], Kind>>> = {
  text: "text",
  texts: "text",
  json: "text",
  integer: "number",
  number: "number",
  date: "time",
  timestamp: "time",
  boolean: "boolean",
};

/** Null for what is only known when it runs. */
function kindOf({ ctx }: FieldCheck, of: Resource, name: string): Kind | null {
  const custom = customOf(ctx, of, name);
  if (custom === undefined) {
    const field = of.fields[name] as Field | undefined;
    return field?.source === "column" ? (kindOfColumn[field.type] ?? null) : null;
  }
  if (custom.type === "date" || custom.type === "datetime") return "time";
  return custom.type === "number" || custom.type === "boolean" ? custom.type : "text";
}

function checkValue({ errors }: FieldCheck, op: string, value: unknown, at: string): void {
  if (op === "between" && !(Array.isArray(value) && value.length === 2)) errors[at] = "must be a list of two values";
  if (!["within_last", "within_next"].includes(op)) return;
  if (!isObject(value) || !("amount" in value) || !("unit" in value))
    errors[at] = 'must be a time such as {"amount": 3, "unit": "days"}';
}

// --- events that are waited for ---

/** What `wait.event` asks of an event: fields of its record, by names that at least one kind of such a record has. */
export function checkAwaited(check: FieldCheck, { event, where }: Values, at: string): void {
  if (where == null || typeof event !== "string") return;
  const kinds = kindsOfEvents(check, event);
  const tried = (kinds.length === 0 ? [undefined] : kinds).map((of) => {
    const errors: FieldErrors = {};
    checkConditions({ ctx: check.ctx, errors, of, isAwaited: true }, where, `${at}.where`);
    return errors;
  });
  const best = tried.find((errors) => Object.keys(errors).length === 0) ?? tried[0]!;
  Object.assign(check.errors, best);
}

/** The kinds of record that events are about; undefined for one whose fields are not known. */
function kindsOfEvents({ ctx }: FieldCheck, event: string): (Resource | undefined)[] {
  const names = new Set(namesOf([event]) ?? []);
  const types = new Set(eventNames.filter(({ name }) => names.has(name)).map(({ type }) => type));
  return [...types].map((type) => ctx.registry.resource(type.replace(".", "_")));
}

/** These are of every event. */
const ofEvents: ReadonlySet<string> = new Set(["object_id", "object_type", "user_id", "lead_id"]);

/** What `match` compares is of the event, or a field of its record: anything else would never come. */
export function checkMatch(check: FieldCheck, { event, match }: Values, at: string): void {
  if (!isObject(match) || typeof event !== "string") return;
  const kinds = kindsOfEvents(check, event);
  if (kinds.length === 0 || kinds.includes(undefined)) return;
  for (const key of Object.keys(match)) {
    if (ofEvents.has(key)) continue;
    const reasons = kinds.map((of) => {
      const errors: FieldErrors = {};
      if (key !== `${of!.name}_id`) checkRead({ ctx: check.ctx, errors, of }, key, key);
      return errors[key];
    });
    if (!reasons.includes(undefined)) check.errors[`${at}.match.${key}`] = reasons[0]!;
  }
}

// --- what else a condition needs ---

function needs({ errors, of }: FieldCheck, column: string, at: string): void {
  if (of !== undefined && !has(of, column))
    errors[`${at}.type`] = `is not for ${aNoun(of)}, which has no ${column.replace("_id", "")}`;
}

const has = (of: Resource, column: string): boolean =>
  [of, ...(of.kinds?.of ?? [])].some((kind) => Object.hasOwn(kind.fields, column));

function checkList({ ctx, errors, of }: FieldCheck, { list_id }: Values, at: string): void {
  const listed = ["lead", "contact"].find((one) => isId(ctx.registry.resource(`${one}_list`)!.prefix, String(list_id)));
  if (of === undefined || listed === undefined || of.name === listed || has(of, `${listed}_id`)) return;
  errors[`${at}.list_id`] = `is a list of ${listed}s: ${aNoun(of)} has no ${listed}`;
}

// --- related records ---

function checkRelated(check: FieldCheck, { relation, quantifier, count, where }: Values, at: string): void {
  const { ctx, errors, of } = check;
  const found = relationNamed(ctx, String(relation));
  if (typeof found === "string") return void (errors[`${at}.relation`] = found);
  const begins = found.from;
  if (of !== undefined && of.name !== begins.name && !(found.link.outer === "id" && has(of, `${begins.name}_id`)))
    errors[`${at}.relation`] = `begins at ${aNoun(begins)}, which ${aNoun(of)} does not name: begin with ${of.name}`;
  if (quantifier === "count" && count == null) errors[`${at}.count`] = "is required: how many of them";
  checkConditions({ ...check, of: found.to, isRelated: true }, where, `${at}.where`);
}

const ofKind = (check: FieldCheck, kind: string, where: unknown, at: string): void =>
  checkConditions({ ...check, of: check.ctx.registry.resource(kind), isRelated: true }, where, `${at}.where`);

// --- the record before a change ---

/** Refuses conditions that cannot be asked of the record as it was before a change. */
export function checkAskedBefore({ ctx, errors, of }: FieldCheck, tree: unknown, at: string): void {
  for (const { leaf, of: condition, at: place } of leavesOf(tree, at)) {
    const fields = condition.reads?.(leaf);
    if (fields == null)
      errors[`${place}.type`] = "cannot be asked of the record as it was before: move it into filter, or into a branch";
    else if (
      condition.type === "field" &&
      of !== undefined &&
      !isStored(of, fields[0]!) &&
      customOf(ctx, of, fields[0]!) === undefined
    )
      errors[`${place}.ref`] = "follows from other fields, and is not known of the record as it was before: name a stored field";
  }
}

const isStored = (of: Resource, name: string): boolean =>
  [of, ...(of.kinds?.of ?? [])].some(({ fields }) => {
    const field = fields[name] as Field | undefined;
    return field?.source === "column" && !field.hidden && field.derive === null;
  });
