/**
 * `name:value` of a text query (domain.md 11.8): what the name means for the kind of record, and what the value means for the field.
 * Ids may be written as labels, dates in words, and `field:*` asks for any value, `field:""` for none.
 */
import type { Ctx } from "../core/context.ts";
import type { Resource } from "../core/resource.ts";
import { name, raw, type Sql, sql } from "../db/sql.ts";
import { parseCountry } from "../values/country.ts";
import { emailKey, parseEmail } from "../values/email.ts";
import { parsePhone, phoneDigits } from "../values/phone.ts";
import type { Attribute } from "./attributes.ts";
import {
  anywhere,
  type Compiled,
  type Compiler,
  compile,
  either,
  fieldMeets,
  looksLikeId,
  many,
  met,
  type NamedField,
  refuse,
  type Subject,
  unknownField,
} from "./compile.ts";
import type { Condition } from "./conditions.ts";
import type { Source } from "./found.ts";
import { spanOf } from "./moments.ts";
import type { Operator, QueryNode } from "./nodes.ts";
import { linkBetween, resourceOf } from "./relations.ts";
import { inText, narrowingWords } from "./text.ts";

/** Other words people use. */
const synonyms: Readonly<Record<string, string>> = {
  created: "date_created",
  updated: "date_updated",
  email_address: "email",
  phone_number: "phone",
  tag: "tags",
  zip: "zipcode",
};

/** The field that is meant: `status` is `status_id` where that is a reference, `created` is `date_created`. */
export function fieldNamed(subject: Subject, given: string): string {
  const wanted = /^custom\./i.test(given) ? given.replace(/^custom/i, "custom") : given.toLowerCase();
  const own = synonyms[wanted] ?? wanted;
  return subject.attribute(`${own}_id`)?.refersTo ? `${own}_id` : own;
}

export async function namedField(c: Compiler, subject: Subject, node: NamedField, narrow: boolean): Promise<Compiled> {
  const field = fieldNamed(subject, node.name);
  const compiled: Compiled[] = [];
  for (const value of node.values) compiled.push(await oneValue(c, subject, field, node, value, narrow));
  return either(subject, compiled);
}

async function oneValue(
  c: Compiler,
  subject: Subject,
  field: string,
  node: NamedField,
  value: string,
  narrow: boolean,
): Promise<Compiled> {
  const { operator } = node;
  const isAny = value === "*" && operator === ":";
  const isNone = value === "" && (operator === ":" || operator === "=");
  const attribute = subject.attribute(field);
  if (attribute === null) {
    if (!isRelated(c.ctx, subject, field)) refuse("", `${node.name} ${unknownField(subject, node.name)}`);
    const query: QueryNode = isAny || isNone ? { type: "match_all", negate: false } : { ...wordsOf(value), negate: false };
    return compile(c, subject, { ...related(field, query), negate: isNone }, narrow);
  }

  if (isAny) return many(attribute.exists);
  if (isNone) return many(sql`(${attribute.exists}) is not true`);
  if ((field === "email" || field === "phone") && subject.resource !== null) return reachedBy(c, subject, field, value, narrow);
  if (attribute.refersTo !== null) return many(await refersTo(c, attribute, value, operator, node.name));

  const condition = conditionOf(attribute, operator, field === "country" ? (parseCountry(value) ?? value) : value, node.name);
  return fieldMeets(c, subject, field, attribute, condition, narrow);
}

// `contact:anna` asks for people by any of their words.
const wordsOf = (value: string) => ({ type: "text", value, mode: "beginning_of_words" }) as const;
const related = (related_object_type: string, related_query: QueryNode) =>
  ({ type: "has_related", this_object_type: null, related_object_type, related_query }) as const;

function isRelated(ctx: Ctx, subject: Subject, type: string): boolean {
  const of = resourceOf(ctx, type);
  return of !== undefined && subject.resource !== null && linkBetween(subject.resource, of) !== null;
}

// --- values ---

function conditionOf({ kind }: Attribute, operator: Operator, value: string, given: string): Condition {
  switch (kind) {
    case "text":
      if (isRange(operator)) refuse("", `${given} is text: ask with ${given}:"x" or ${given}="x"`);
      return { type: "text", value, mode: operator === ":" ? "contains" : "exact_value" };
    case "boolean":
      return { type: "boolean", value: booleanOf(value, given) };
    case "number":
      return numberCondition(operator, value, given);
    default:
      return momentCondition(operator, value, given);
  }
}

const isRange = (operator: Operator): boolean => operator !== ":" && operator !== "=" && operator !== "in";

function booleanOf(value: string, given: string): boolean {
  if (/^(true|yes|1)$/i.test(value)) return true;
  if (/^(false|no|0)$/i.test(value)) return false;
  return refuse("", `${given} is true or false, not ${value}`);
}

function numberCondition(operator: Operator, value: string, given: string): Condition {
  const number = /^[+-]?\d+(\.\d+)?$/.test(value) ? Number(value) : refuse("", `${given} is a number, not ${value}`);
  if (!isRange(operator)) return { type: "term", values: [number] };
  const none = { gt: null, gte: null, lt: null, lte: null };
  const bound = { ">": "gt", ">=": "gte", "<": "lt", "<=": "lte" }[operator as string]!;
  return { type: "number_range", ...none, [bound]: number };
}

/** A day is all of it: after it is from its end, up to it is until its end. */
function momentCondition(operator: Operator, value: string, given: string): Condition {
  const span =
    spanOf(value) ?? refuse("", `${given} is a date: write ${given}:2026-01-31, ${given}:today or ${given}>"7 days ago"`);
  const { start, end } = span;
  const whole = !isRange(operator);
  const on_or_after = whole || operator === ">=" ? start : operator === ">" ? end : null;
  const before = whole || operator === "<=" ? end : operator === "<" ? start : null;
  return { type: "moment_range", on_or_after, before };
}

// --- ids, written as ids or as labels ---

async function refersTo(c: Compiler, attribute: Attribute, value: string, operator: Operator, given: string): Promise<Sql> {
  if (isRange(operator)) refuse("", `${given} names a record: ask with ${given}:"x"`);
  const target = c.ctx.registry.resource(attribute.refersTo!)!;
  if (looksLikeId(target, value)) return attribute.equals([value]);
  if (target.cached) return attribute.equals(idsLabelled(c.ctx, target, value));
  const label = "display_name" in target.fields ? "display_name" : "name";
  const mode = operator === ":" ? "contains" : "exact_value";
  return attribute.some(
    (id) => sql`exists (select from ${name(target.table)} l where l.organization_id = ${c.ctx.organization_id} and l.id = ${id}
      and ${inText(sql`l.${name(label)}`, { value, mode })})`,
  );
}

/** Small records with this label, in any case; members also by their address, by one of their names, and the caller by `me`. */
function idsLabelled(ctx: Ctx, target: Resource, value: string): string[] {
  const wanted = value.trim().toLowerCase();
  if (target.name === "user" && wanted === "me") return [ctx.actor.user_id];
  const labels = ["label", "name", "email", "first_name", "last_name"];
  const isMeant = (row: Record<string, unknown>) => labels.some((label) => String(row[label] ?? "").toLowerCase() === wanted);
  return ctx.directory.all(target.name).flatMap((row) => (isMeant(row) ? [row.id as string] : []));
}

// --- addresses and numbers: the record's own, or those of its people ---

function reachedBy(c: Compiler, subject: Subject, field: "email" | "phone", value: string, narrow: boolean): Promise<Compiled> {
  const reached = field === "email" ? withEmail(c.ctx, value) : withPhone(c.ctx, value);
  return met(c, subject, "id", anywhere(c, subject, field, reached), narrow);
}

type Reached = (alias: string) => Pick<Source, "words" | "condition">;

/** A whole address, or a beginning of its words. */
function withEmail(ctx: Ctx, value: string): Reached {
  if (parseEmail(value) !== null) return (alias) => ({ condition: sql`${name(alias)}.email_keys @> ${[emailKey(value)]}` });
  const sought = { value, mode: "contains" } as const;
  return (alias) => ({
    words: narrowingWords(ctx, sought),
    condition: sql`exists (select from unnest(${name(alias)}.email_keys) k(value) where ${inText(sql`k.value`, sought)})`,
  });
}

/** A whole number however it is written, or digits that stand in one. */
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
