/**
 * `name:value` in a text query: what the name means for the kind of record, and what the value means for the field. Ids may be
 * written as labels, dates in words. `field:*` matches any value, and `field:""` none.
 */
import { type Ctx, query } from "../core/context.ts";
import { from, type Resource, scope } from "../core/resource.ts";
import { and, name, raw, type Sql, sql, statement } from "../db/sql.ts";
import { expandGroups } from "../records/groups.ts";
import { findRecords } from "../records/records.ts";
import { parseCountry } from "../values/country.ts";
import { emailKey, parseEmail } from "../values/email.ts";
import { isId } from "../values/id.ts";
import { isExact, notExact } from "../values/number.ts";
import { parsePhone, phoneDigits } from "../values/phone.ts";
import { hint, notAmong } from "../values/reasons.ts";
import type { Attribute } from "./attributes.ts";
import { compile, fieldMeets } from "./compile.ts";
import { anywhere, type Compiled, type Compiler, either, many, met, type NamedField, type NamedRelated } from "./compiled.ts";
import { meets } from "./conditions.ts";
import { gathering, type Source } from "./ids.ts";
import { spanOf } from "./moments.ts";
import type { FieldCondition, Operator, QueryNode } from "./nodes.ts";
import { elementTypes, listed, relatedTypes, resourceOf } from "./relations.ts";
import { refuse, type Subject, subjectOf } from "./subject.ts";
import { inText, narrowingWords } from "./text.ts";
import { countNamed, fieldAround, fieldNamed, kindNamed, kindWords, knownWords } from "./vocabulary.ts";

/** What a name in a text query means for a kind of record. */
export async function named(c: Compiler, subject: Subject, node: NamedField | NamedRelated, narrow: boolean): Promise<Compiled> {
  if (node.type === "named_related") return hasAround(c, subject, node.name, node.related_query, narrow);
  const word = node.operator === ":" ? words.get(node.name.toLowerCase()) : undefined;
  // The meaning of several values is looked up once for all of them.
  const all = node.values.length > 1 ? { ...c, idsOf: gathering(c.ctx) } : c;
  const meant = (value: string) => (word ? word(all, subject, value, narrow) : oneValue(all, subject, node, value, narrow));
  return either(subject, await Promise.all(node.values.map(meant)));
}

type Asked = (c: Compiler, subject: Subject, value: string, narrow: boolean) => Promise<Compiled>;

/** Names that are no fields: `has:calls`, `not:email`, `is:complete`, `slice:1/3`. */
const words: ReadonlyMap<string, Asked> = new Map<string, Asked>([
  ["has", has],
  ["not", async (c, subject, value, narrow) => many(sql`(${(await has(c, subject, value, narrow)).sql}) is not true`)],
  ["is", is],
  ["slice", slice],
  ["list", onList],
  ["list_id", onList],
  ["in", () => refuse("", "saved searches are not kept here; send the query itself")],
]);

async function oneValue(c: Compiler, subject: Subject, node: NamedField, value: string, narrow: boolean): Promise<Compiled> {
  const { operator } = node;
  const field = fieldNamed(subject, node.name);
  const attribute = subject.attribute(field);
  const isNumber = isRange(operator) || /^\d{1,3}(\.\.\d{1,3})?$/.test(value);
  const counted = isNumber && attribute?.kind !== "number" ? countNamed(c.ctx, subject, node.name) : null;
  if (counted !== null) return many(await meets(c.ctx, counted, numberCondition(operator, value, node.name)));
  if (attribute === null) return around(c, subject, node, value, narrow);

  if (value === "*" && operator === ":") return present(c, subject, field, attribute);
  if (value === "" && (operator === ":" || operator === "="))
    return many(sql`(${(await present(c, subject, field, attribute)).sql}) is not true`);
  if (isReached(subject, field)) return reachedBy(c, subject, field, reached.get(field)!(c.ctx, withoutStars(value)), narrow);
  if (attribute.refersTo !== null) return many(await refersTo(c, attribute, value, operator, node.name));

  const condition = conditionOf(attribute, operator, field === "country" ? (parseCountry(value) ?? value) : value, node.name);
  return fieldMeets(c, subject, field, attribute, condition, narrow);
}

/** It has any value. Most records do. */
async function present(c: Compiler, subject: Subject, field: string, attribute: Attribute): Promise<Compiled> {
  if (!isReached(subject, field)) return many(attribute.exists);
  const keys = name(listed[field]!.keys!);
  return reachedBy(c, subject, field, (alias) => ({ condition: sql`cardinality(${name(alias)}.${keys}) > 0` }), false);
}

// --- related records ---

/**
 * A name that is no field of the record: a field of a related kind (`contact_title:x`), or a kind and its words (`note:pricing`).
 */
function around(c: Compiler, subject: Subject, node: NamedField, value: string, narrow: boolean): Promise<Compiled> {
  const of = subject.resource;
  const there = of && fieldAround(c.ctx, of, node.name, (type, field) => hasField(c.ctx, type, field));
  if (there) {
    const query: QueryNode = { ...node, name: there.field, values: [value], negate: false };
    return compile(c, subject, related(there.type, query), narrow);
  }
  const type = of && kindNamed(c.ctx, of, node.name);
  if (!type) return refuse("", unknownName(c.ctx, subject, node.name));
  if (isRange(node.operator)) return refuse("", `${node.name} is a kind of record: ask with ${node.name}:x or ${node.name}(…)`);
  const query: QueryNode = value === "*" || value === "" ? anything : { ...wordsOf(value), negate: false };
  return compile(c, subject, { ...related(type, query), negate: value === "" }, narrow);
}

/** `contact(title:CEO)`: one of the records of that kind matches. */
function hasAround(c: Compiler, subject: Subject, given: string, query: QueryNode, narrow: boolean): Promise<Compiled> {
  const type = subject.resource && kindNamed(c.ctx, subject.resource, given);
  if (!type) return refuse("", `${given} is not related to ${subject.type}${hint(given, kindWords(c.ctx, subject))}`);
  return compile(c, subject, related(type, query), narrow);
}

// `contact:anna` searches people by any of their words.
const wordsOf = (value: string) => ({ type: "text", value, mode: "beginning_of_words" }) as const;
const related = (related_object_type: string, related_query: QueryNode) =>
  ({ type: "has_related", this_object_type: null, related_object_type, related_query, negate: false }) as const;
const anything: QueryNode = { type: "match_all", negate: false };

const hasField = (ctx: Ctx, type: string, field: string): boolean => {
  const of = resourceOf(ctx, type);
  if (of === undefined) return elementTypes[type]?.members.includes(field) ?? false;
  const subject = subjectOf(ctx, of, "r");
  return subject.attribute(fieldNamed(subject, field)) !== null;
};

function unknownName(ctx: Ctx, subject: Subject, given: string): string {
  const around =
    subject.resource === null ? [] : relatedTypes(ctx, subject.resource).filter((type) => hasField(ctx, type, given));
  // The plainest kind is meant: a task, and not a task of a project.
  const elsewhere = around.find((type) => !around.some((other) => type.endsWith(`_${other}`)));
  const kind = elsewhere?.split(".").at(-1);
  if (elsewhere) return `${given} is not a field of ${subject.type} but of ${elsewhere}; write ${kind}(${given}:"x")`;
  return `${given} is not a field of ${subject.type}${hint(given, knownWords(ctx, subject))}`;
}

// --- words before a colon that are no fields ---

async function has(c: Compiler, subject: Subject, value: string, narrow: boolean): Promise<Compiled> {
  const counted = countNamed(c.ctx, subject, value);
  if (counted !== null) return many(counted.some((count) => sql`${count} > 0`));
  const field = fieldNamed(subject, value);
  const attribute = subject.attribute(field);
  if (attribute !== null) return present(c, subject, field, attribute);
  if (subject.resource && kindNamed(c.ctx, subject.resource, value)) return hasAround(c, subject, value, anything, narrow);
  return refuse("", unknownName(c.ctx, subject, value));
}

/** `is:complete` is a field that is true, `is:won` a status. */
async function is(c: Compiler, subject: Subject, value: string, narrow: boolean): Promise<Compiled> {
  const attribute = subject.attribute(`is_${value.toLowerCase()}`);
  if (attribute?.kind === "boolean") return many(await attribute.equals([true]));
  const status = subject.attribute(fieldNamed(subject, "status"));
  const states = subject.names().flatMap((one) => (one.startsWith("is_") ? [one.slice("is_".length)] : []));
  if (status === null) return refuse("", `is:${value} is not a state of ${subject.type}${hint(value, states)}`);
  return named(c, subject, { type: "named_field", name: "status", operator: ":", values: [value], negate: false }, narrow);
}

/** One of several parts of all records, to read many records in parallel. Each record is in exactly one part. */
async function slice(_c: Compiler, subject: Subject, value: string): Promise<Compiled> {
  const [, part = 0, parts = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(value) ?? []).map(Number);
  if (part < 1 || part > parts) refuse("", "slice is one part of several: write slice:1/3, slice:2/3 and slice:3/3");
  if (subject.resource === null) refuse("", "slice is only for records");
  return many(sql`(hashtext(${name(subject.alias)}.id) & 2147483647) % ${parts}::int = ${part - 1}::int`);
}

/** On the list with this id or this name, ignoring case. */
async function onList(c: Compiler, subject: Subject, value: string): Promise<Compiled> {
  const lists = c.ctx.registry.resource(`${subject.resource?.name}_list`);
  if (lists === undefined) return refuse("", "only leads and contacts are on lists");
  const isIt = isId(lists.prefix, value) ? sql`l.id = ${value}` : sql`sort_key(l.name) = sort_key(${value}::text)`;
  const found = await query(
    c.ctx,
    statement(sql`select l.id from ${from(lists, "l")} where ${and(scope(c.ctx, lists, "l"))} and ${isIt}`),
  );
  const [id] = found[0] ?? [];
  if (id == null) return refuse("", `there is no list ${JSON.stringify(value)} of ${subject.type}s`);
  return compile(c, subject, { type: "list", list_id: id, negate: false }, false);
}

// --- values ---

function conditionOf({ kind, choices }: Attribute, operator: Operator, value: string, given: string): FieldCondition {
  switch (kind) {
    case "text":
      if (isRange(operator)) refuse("", `${given} is text: ask with ${given}:"x" or ${given}="x"`);
      if (choices) return { type: "term", values: choicesMeant(choices, value, given) };
      return operator === ":"
        ? { type: "text", value: withoutStars(value), mode: "contains" }
        : { type: "text", value, mode: "exact_value" };
    case "boolean":
      return { type: "boolean", value: booleanOf(value, given) };
    case "number":
      return numberCondition(operator, value, given);
    default:
      return momentCondition(operator, value, given);
  }
}

const isRange = (operator: Operator): boolean => operator !== ":" && operator !== "=" && operator !== "in";

/** `name:acm*` and `email:*@acme.com`: the beginnings of words are found anyway. */
const withoutStars = (value: string): string => value.replace(/^\*+(?=.)|(?<=[^*])\*+$/gs, "");

/** One of few values, ignoring case and the characters between its words. */
function choicesMeant(choices: readonly string[], value: string, given: string): string[] {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[\s_-]+/g, " ")
      .trim();
  const found = choices.filter((choice) => plain(choice) === plain(value));
  return found.length > 0 ? found : refuse("", `${given} ${notAmong(value, choices)}`);
}

function booleanOf(value: string, given: string): boolean {
  if (/^(true|yes|1)$/i.test(value)) return true;
  if (/^(false|no|0)$/i.test(value)) return false;
  return refuse("", `${given} is true or false, not ${value}`);
}

function numberCondition(operator: Operator, value: string, given: string): FieldCondition {
  const none = { gt: null, gte: null, lt: null, lte: null };
  const [from, to] = endsOf(value) ?? [];
  if (to !== undefined && operator === ":")
    return {
      type: "number_range",
      ...none,
      gte: from === "" ? null : numberOf(from!, given),
      lte: to === "" ? null : numberOf(to, given),
    };
  const number = numberOf(value, given);
  if (!isRange(operator)) return { type: "term", values: [number] };
  const bound = { ">": "gt", ">=": "gte", "<": "lt", "<=": "lte" }[operator as string]!;
  return { type: "number_range", ...none, [bound]: number };
}

function numberOf(value: string, given: string): number {
  if (!/^[+-]?\d+(\.\d+)?$/.test(value)) refuse("", `${given} is a number, not ${value}`);
  return isExact(Number(value)) ? Number(value) : refuse("", `${given} ${notExact}`);
}

/** `10..20`. One end may be left open. */
const endsOf = (value: string): string[] | null => {
  const ends = value.split("..");
  return ends.length === 2 && value !== ".." ? ends : null;
};

/** A day is all of it: "after" starts at its end, and "up to" includes all of it. */
function momentCondition(operator: Operator, value: string, given: string): FieldCondition {
  const spanNamed = (text: string) =>
    spanOf(text) ?? refuse("", `${given} is a date: write ${given}:2026-01-31, ${given}:today or ${given}>"7 days ago"`);
  const [from, to] = endsOf(value) ?? [];
  if (to !== undefined && operator === ":")
    return {
      type: "moment_range",
      on_or_after: from === "" ? null : spanNamed(from!).start,
      before: to === "" ? null : spanNamed(to).end,
    };
  const { start, end } = spanNamed(value);
  const whole = !isRange(operator);
  const on_or_after = whole || operator === ">=" ? start : operator === ">" ? end : null;
  const before = whole || operator === "<=" ? end : operator === "<" ? start : null;
  return { type: "moment_range", on_or_after, before };
}

// --- ids, written as ids or as labels ---

async function refersTo(c: Compiler, attribute: Attribute, value: string, operator: Operator, given: string): Promise<Sql> {
  if (isRange(operator)) refuse("", `${given} names a record: ask with ${given}:"x"`);
  const target = c.ctx.registry.resource(attribute.refersTo!)!;
  if (isId(target.prefix, value) || isId("group", value)) return attribute.equals(expandGroups(c.ctx, [value]));
  if (target.cached) return attribute.equals(idsLabelled(c.ctx, target, await recordsSeen(c.ctx, target), value, given));
  const label = labels.find((one) => target.columns.some(([key]) => key === one));
  if (label === undefined) refuse("", `${given} takes an id that begins with ${target.prefix}_`);
  const mode = operator === ":" ? "contains" : "exact_value";
  return attribute.some(
    (id) => sql`exists (select from ${name(target.table)} l where ${and(scope(c.ctx, target, "l"))} and l.id = ${id}
      and ${inText(sql`l.${name(label)}`, { value: withoutStars(value), mode })})`,
  );
}

type Labelled = Readonly<Record<string, unknown>>;

/** The directory also has records that the caller cannot see. */
const recordsSeen = async (ctx: Ctx, target: Resource): Promise<readonly Labelled[]> =>
  target.visible === undefined ? ctx.directory.all(target.name) : findRecords(ctx, target, []);

/** The name that people use for a record: the first of these columns that it has. */
const labels = ["display_name", "name", "title", "label"];

/**
 * Small records with this label, ignoring case. Members can also be named by their address, by one of their names or by their
 * group, and the caller by `me`. Statuses can also be named by their type.
 */
function idsLabelled(ctx: Ctx, target: Resource, rows: readonly Labelled[], value: string, given: string): string[] {
  const wanted = value.trim().toLowerCase();
  if (target.name === "user" && wanted === "me") return [ctx.actor.user_id];
  const having = (fields: readonly string[], among = rows) =>
    among.flatMap((row) => (fields.some((field) => String(row[field] ?? "").toLowerCase() === wanted) ? [row.id as string] : []));
  const found = [having(["label", "name", "email", "first_name", "last_name"]), having(["type"])].find((ids) => ids.length > 0);
  if (found !== undefined) return found;
  const groups = target.name === "user" && ctx.directory.has("group") ? having(["name"], ctx.directory.all("group")) : [];
  if (groups.length > 0) return expandGroups(ctx, groups);
  const labels = rows.flatMap((row) => (row.label ?? row.name ?? []) as string);
  return refuse("", `${given} ${notAmong(value, labels)}`);
}

// --- addresses and numbers of the record or its people ---

type Reached = (alias: string) => Pick<Source, "words" | "condition">;

const reached = new Map([
  ["email", withEmail],
  ["phone", withPhone],
]);

type Reachable = "email" | "phone";

const isReached = (subject: Subject, field: string): field is Reachable =>
  reached.has(field) && subject.resource?.columns.some(([key]) => key === listed[field]!.keys) === true;

const reachedBy = (c: Compiler, subject: Subject, field: Reachable, by: Reached, narrow: boolean): Promise<Compiled> =>
  met(c, subject, "id", anywhere(c, subject, field, by), narrow);

/** A whole address, or the beginning of one of its words. */
function withEmail(ctx: Ctx, value: string): Reached {
  if (parseEmail(value) !== null) return (alias) => ({ condition: sql`${name(alias)}.email_keys @> ${[emailKey(value)]}` });
  const sought = { value, mode: "contains" } as const;
  return (alias) => ({
    words: narrowingWords(ctx, sought),
    condition: sql`exists (select from unnest(${name(alias)}.email_keys) k(value) where ${inText(sql`k.value`, sought)})`,
  });
}

/** A whole number in any notation, or some of its digits. */
function withPhone(ctx: Ctx, value: string): Reached {
  const { country } = ctx.directory.find("organization", ctx.organization_id) as { country: string };
  const whole = parsePhone(value, country);
  if (whole?.country) return (alias) => ({ condition: sql`${name(alias)}.phone_keys @> ${[phoneDigits(whole.phone)]}` });
  const digits = phoneDigits(value);
  if (digits === "") return () => ({ condition: raw("false") });
  return (alias) => ({
    condition: sql`exists (select from unnest(${name(alias)}.phone_keys) k(value) where position(${digits}::text in k.value) > 0)`,
  });
}
