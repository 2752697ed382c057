// Turns a tree of conditions about records into a search query, so that the database finds the records. Conditions that a search
// cannot ask exactly as a run would are refused, with the place in the tree.
import type { Ctx } from "../../core/context.ts";
import { invalid, placed } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import type { Sql } from "../../db/sql.ts";
import type { Attribute } from "../../search/attributes.ts";
import { find } from "../../search/find.ts";
import { isoSpan, type Moment } from "../../search/moments.ts";
import { type FieldCondition, type LetterMode, type QueryNode, readQuery } from "../../search/nodes.ts";
import { type Subject, subjectOf } from "../../search/subject.ts";
import { hint } from "../../values/reasons.ts";
import { calendarOf } from "./calendar.ts";
import { isQuery } from "./conditions.ts";
import { isObject } from "./config.ts";
import { type Calendar, msAway } from "./durations.ts";
import type { Values } from "./facts.ts";

/** The condition on the alias `t` that a tree or a search query comes to. Mistakes are named by their places, such as `where.all.0`. */
export async function recordsThat(ctx: Ctx, of: Resource, where: object, at = "where"): Promise<Sql> {
  const read = isQuery(where) ? readQuery(where, at) : { query: queryOf(ctx, of, where, at), errors: null };
  if (read.query === null) throw invalid(read.errors);
  const query = read.query;
  const { condition } = await placed(
    (inner) => (isQuery(where) ? `${at}.${inner}` : at),
    () => find(ctx, of, query),
  );
  return condition;
}

const queryOf = (ctx: Ctx, of: Resource, where: object, at: string): QueryNode =>
  nodeOf({ subject: subjectOf(ctx, of, "t"), clock: { now: ctx.now, calendar: calendarOf(ctx) } }, where, at);

interface Clock {
  now: Date;
  calendar: () => Calendar;
}

interface Scope {
  subject: Subject;
  clock: Clock;
}

const plain = { negate: false } as const;
const negated = (node: QueryNode): QueryNode => ({ ...node, negate: !node.negate });

function nodeOf(scope: Scope, node: unknown, at: string): QueryNode {
  if (!isObject(node)) throw invalid({ [at]: "must be an object" });
  const each = (nodes: unknown, word: string) => (nodes as unknown[]).map((one, i) => nodeOf(scope, one, `${at}.${word}.${i}`));
  if (Array.isArray(node.all)) return { type: "and", ...plain, queries: each(node.all, "all") };
  if (Array.isArray(node.any)) return { type: "or", ...plain, queries: each(node.any, "any") };
  if (node.not !== undefined) return negated(nodeOf(scope, node.not, `${at}.not`));
  const ask = leaves.get(String(node.type));
  if (ask === undefined)
    throw invalid({ [`${at}.type`]: `cannot be searched for: use ${[...leaves.keys()].join(", ")}, or a search query` });
  return ask(scope, node, at);
}

type Leaf = (scope: Scope, leaf: Values, at: string) => QueryNode;

const has =
  (found: (leaf: Values) => QueryNode): Leaf =>
  (_scope, leaf) =>
    leaf.present === false ? negated(found(leaf)) : found(leaf);

const leaves: ReadonlyMap<string, Leaf> = new Map<string, Leaf>([
  ["field", fieldNode],
  ["status", statusNode],
  ["owner", ownerNode],
  ["tag", has(({ tag }) => ({ type: "tag", ...plain, value: String(tag) }))],
  ["list_member", has(({ list_id }) => ({ type: "list", ...plain, list_id: String(list_id) }))],
]);

/** Whether a search can ask a condition too. */
export const isSearched = (type: string): boolean => leaves.has(type);

// --- fields ---

function fieldNode({ subject, clock }: Scope, { ref, op, value }: Values, at: string): QueryNode {
  const name = String(ref).replace(/^record\./, "");
  const attribute = subject.attribute(name);
  if (attribute === null) throw invalid({ [`${at}.ref`]: `is not a field that is searched by${hint(name, subject.names())}` });
  const field = { type: "regular_field", object_type: null, field_name: name } as const;
  const asked = (condition: FieldCondition): QueryNode => ({ type: "field_condition", ...plain, field, condition });
  const isNull = value === null || value === undefined;
  switch (op) {
    case "exists":
      return asked({ type: "exists" });
    case "not_exists":
      return negated(asked({ type: "exists" }));
    case "is":
    case "is_not": {
      const same = isNull ? negated(asked({ type: "exists" })) : asked(equal(attribute, [value]));
      return op === "is" ? same : negated(same);
    }
    case "in":
    case "not_in": {
      const any = orOf([value].flat().map((one) => asked(equal(attribute, [one]))));
      return op === "in" ? any : negated(any);
    }
    case "is_true":
    case "is_false":
      return asked({ type: "boolean", value: op === "is_true" });
    default:
      if (letters.has(String(op)) && attribute.kind === "text" && typeof value === "string")
        return withLetters(attribute, String(op), value, asked);
      return asked(rangeOf(attribute, String(op), value, clock, at));
  }
}

const letters: ReadonlyMap<string, LetterMode> = new Map<string, LetterMode>([
  ["contains", "has_letters"],
  ["not_contains", "has_letters"],
  ["starts_with", "begins_with"],
  ["ends_with", "ends_with"],
]);

/** A list contains a whole value, as it does for runs. */
function withLetters(
  attribute: Attribute,
  op: string,
  value: string,
  asked: (condition: FieldCondition) => QueryNode,
): QueryNode {
  const isList = attribute.value === null && op.endsWith("contains");
  const found = asked(isList ? equal(attribute, [value]) : { type: "text", value, mode: letters.get(op)! });
  return op === "not_contains" ? negated(found) : found;
}

const orOf = (queries: QueryNode[]): QueryNode => ({ type: "or", ...plain, queries });

/** Texts that people write are compared as runs compare them, ignoring case. */
function equal({ kind, refersTo, choices }: Attribute, values: unknown[]): FieldCondition {
  const isWritten = kind === "text" && refersTo === null && choices == null && typeof values[0] === "string";
  return isWritten && !isIdLike(values[0] as string)
    ? { type: "text", value: values[0] as string, mode: "exact_value" }
    : { type: "term", values: values as (string | number | boolean)[] };
}

/** Ids are found by their index. */
const isIdLike = (value: string): boolean => /^[a-z]+_[0-9a-z]{26}$/.test(value);

function statusNode(scope: Scope, { status_id, status_ids, status_type }: Values, at: string): QueryNode {
  const ids = [...(Array.isArray(status_ids) ? status_ids : []), ...(status_id == null ? [] : [status_id])];
  const asked = [
    ...(ids.length === 0 ? [] : [fieldNode(scope, { ref: "status_id", op: "in", value: ids }, at)]),
    ...(status_type == null ? [] : [fieldNode(scope, { ref: "status_type", op: "is", value: status_type }, at)]),
  ];
  return allOf(asked);
}

function ownerNode(scope: Scope, { user_ids, is_null, is_actor }: Values, at: string): QueryNode {
  if (is_actor != null) throw invalid({ [`${at}.is_actor`]: "cannot be searched for: name the members in user_ids" });
  const ref = ["owner_id", "user_id", "assigned_to"].find((key) => scope.subject.attribute(key) !== null);
  const asked = [
    ...(user_ids == null ? [] : [fieldNode(scope, { ref, op: "in", value: user_ids }, at)]),
    ...(is_null == null ? [] : [fieldNode(scope, { ref, op: is_null === true ? "not_exists" : "exists" }, at)]),
  ];
  return allOf(asked);
}

const allOf = (queries: QueryNode[]): QueryNode =>
  queries.length === 0 ? { type: "match_all", ...plain } : { type: "and", ...plain, queries };

// --- ranges ---

function rangeOf({ kind }: Attribute, op: string, value: unknown, clock: Clock, at: string): FieldCondition {
  const isTime = kind === "timestamp" || kind === "date";
  const found = kind === "number" ? numbers(op, value) : isTime ? moments(op, value, clock) : null;
  if (found === null) {
    const known = [
      ...searched,
      ...(kind === "text" ? letters.keys() : []),
      ...(kind === "number" || isTime ? ranges : []),
      ...(isTime ? spans : []),
    ];
    throw invalid({ [`${at}.op`]: `does not go with this field and value in a search: use ${known.join(", ")}` });
  }
  return found;
}

/** The operators that a search has: for all fields, for numbers and times, and for times alone. */
const searched = ["is", "is_not", "in", "not_in", "exists", "not_exists", "is_true", "is_false"];
const ranges = ["gt", "gte", "lt", "lte", "between"];
const spans = ["before", "after", "within_last", "within_next"];

function numbers(op: string, value: unknown): FieldCondition | null {
  const none = { type: "number_range", gt: null, gte: null, lt: null, lte: null } as const;
  if (op === "between" && Array.isArray(value)) return { ...none, gte: Number(value[0]), lte: Number(value[1]) };
  return ["gt", "gte", "lt", "lte"].includes(op) && typeof value === "number" ? { ...none, [op]: value } : null;
}

function moments(op: string, value: unknown, clock: Clock): FieldCondition | null {
  const range = (on_or_after: Moment | null, before: Moment | null): FieldCondition => ({
    type: "moment_range",
    on_or_after,
    before,
  });
  if (op === "within_last" && isObject(value)) return range(away(value, clock, -1), instantOf(clock.now));
  if (op === "within_next" && isObject(value)) return range(instantOf(clock.now), away(value, clock, 1));
  if (op === "between" && Array.isArray(value)) {
    const [from, to] = value.map((one) => spanOf(one, clock));
    return from && to ? range(from.start, to.end) : null;
  }
  const span = spanOf(value, clock);
  if (span === null) return null;
  if (op === "before" || op === "lt") return range(null, span.start);
  if (op === "after" || op === "gt") return range(span.end, null);
  return op === "gte" ? range(span.start, null) : op === "lte" ? range(null, span.end) : null;
}

const instantOf = (date: Date): Moment => ({ type: "fixed_utc", value: date.toISOString() });

const away = ({ amount, unit }: Values, { now, calendar }: Clock, sign: 1 | -1): Moment =>
  instantOf(new Date(msAway(now, { amount: Number(amount), unit: String(unit) }, sign, calendar)));

/** A date or a moment, or `{amount, unit, direction}` from now. */
function spanOf(value: unknown, clock: Clock): { start: Moment; end: Moment } | null {
  if (typeof value === "string") return isoSpan(value);
  if (!isObject(value)) return null;
  const moment = away(value, clock, value.direction === "after" || value.direction === "future" ? 1 : -1);
  return { start: moment, end: moment };
}
