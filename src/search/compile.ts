/**
 * Compiles the tree of a query to SQL over the alias of the searched record. Everything typed by a caller is a parameter; names
 * come from definitions. A negated condition is true where the plain one is not, including null.
 */
import type { Ctx } from "../core/context.ts";
import { below } from "../core/errors.ts";
import { from, scope } from "../core/resource.ts";
import { and, name, or, raw, type Sql, sql } from "../db/sql.ts";
import { hint } from "../values/reasons.ts";
import { type Attribute, single } from "./attributes.ts";
import { type Compiled, type Compiler, either, many, met, oneOf, withWords } from "./compiled.ts";
import { meets } from "./conditions.ts";
import type { FieldCondition, FieldReference, QueryNode } from "./nodes.ts";
import { elementTypes, hasVector, linkBetween, listed, mainText, relatedTypes, resourceOf } from "./relations.ts";
import { attributeNamed, referenced, refuse, type Subject, subjectOf } from "./subject.ts";
import { inText, isOfLetters, narrowingWords, type Sought } from "./text.ts";

/** `narrow`: nothing else limits the search yet, so it is worth finding out whether few records meet this condition. */
export async function compile(c: Compiler, subject: Subject, node: QueryNode, narrow: boolean): Promise<Compiled> {
  const compiled = await compilePlain(c, subject, node, narrow && !node.negate);
  return node.negate ? many(sql`(${compiled.sql}) is not true`) : compiled;
}

async function compilePlain(c: Compiler, subject: Subject, node: QueryNode, narrow: boolean): Promise<Compiled> {
  switch (node.type) {
    case "match_all":
      return many(raw("true"));
    case "and":
      return all(c, subject, node.queries, narrow);
    case "or":
      return any(c, subject, node.queries, narrow);
    case "object_type":
      return many(isOfType(c.ctx, subject, node.object_type));
    case "id":
      return subject.resource === null ? refuse("type", "is only for records") : oneOf(subject, node.value);
    case "text":
      return words(c, subject, node, narrow);
    case "tag":
      return many(await attributeNamed(subject, "tags", "type").equals([node.value]));
    case "list":
      return many(isOnList(c.ctx, subject, node.list_id));
    case "has_related":
      return hasRelated(c, subject, node, narrow);
    case "field_condition":
      return fieldCondition(c, subject, node.field, node.condition, narrow);
    case "named_field":
    case "named_related":
      return c.named(c, subject, node, narrow);
  }
}

/** Conditions on long words come first: they are the rarest, and after one of them nothing else needs a lookup. */
async function all(c: Compiler, subject: Subject, queries: readonly QueryNode[], narrow: boolean): Promise<Compiled> {
  const conditions: Sql[] = [];
  let few = false;
  for (const [i, query] of [...queries.entries()].sort(([, a], [, b]) => lengthOf(b) - lengthOf(a))) {
    const compiled = await below(`queries.${i}`, () => compile(c, subject, query, narrow && !few));
    conditions.push(compiled.sql);
    few ||= compiled.few;
  }
  return { sql: and(conditions.map((one) => sql`(${one})`)), few };
}

const lengthOf = (node: QueryNode): number =>
  node.type === "id" ? Number.MAX_SAFE_INTEGER : node.type === "text" ? node.value.length : 0;

async function any(c: Compiler, subject: Subject, queries: readonly QueryNode[], narrow: boolean): Promise<Compiled> {
  const compiled: Compiled[] = [];
  for (const [i, query] of queries.entries())
    compiled.push(await below(`queries.${i}`, () => compile(c, subject, query, narrow)));
  return either(subject, compiled);
}

function isOfType(ctx: Ctx, subject: Subject, objectType: string): Sql {
  if (objectType === subject.type) return raw("true");
  const kind = resourceOf(ctx, objectType);
  if (kind === undefined && !(objectType in elementTypes)) refuse("object_type", "is not a type of record");
  const isKind = kind?.only !== undefined && kind.table === subject.resource?.table && subject.resource.only === undefined;
  return isKind ? sql`${name(subject.alias)}.${name(kind.only!.column)} = ${kind.only!.value}` : raw("false");
}

/** Lists are kept by members, each naming its list and the record on it. */
function isOnList(ctx: Ctx, subject: Subject, listId: string): Sql {
  const of = subject.resource;
  const member = of === null ? undefined : ctx.registry.resource(`${of.name}_list_member`);
  if (of === null || member === undefined) refuse("type", "is for leads and contacts: nothing else is on lists");
  return sql`exists (select from ${from(member!, "m")} where ${and(scope(ctx, member!, "m"))}
    and m.list_id = ${listId} and m.${name(`${of!.name}_id`)} = ${name(subject.alias)}.id)`;
}

// --- related records ---

async function hasRelated(
  c: Compiler,
  subject: Subject,
  node: Extract<QueryNode, { type: "has_related" }>,
  narrow: boolean,
): Promise<Compiled> {
  if (node.this_object_type !== null && node.this_object_type !== subject.type)
    refuse("this_object_type", `must be ${subject.type}, the type that is in scope here`);
  const condition = (inner: Subject, narrowInner: boolean) =>
    below("related_query", () => compile(c, inner, node.related_query, narrowInner));

  const elements = elementTypes[node.related_object_type];
  if (elements !== undefined && elements.of === subject.resource?.name)
    return many(await hasElement(c, subject, node.related_object_type, async (inner) => (await condition(inner, false)).sql));
  const related = subject.resource === null ? undefined : resourceOf(c.ctx, node.related_object_type);
  const link = related && linkBetween(subject.resource!, related);
  if (!related || !link) refuse("related_object_type", relatedTo(c.ctx, subject, node.related_object_type));

  const inner = subjectOf(c.ctx, related!, c.aliases());
  const source = {
    of: related!,
    alias: inner.alias,
    column: link!.inner,
    condition: (await condition(inner, narrow && link!.inner === "id")).sql,
  };
  return met(c, subject, link!.outer, [source], narrow);
}

function relatedTo(ctx: Ctx, subject: Subject, given: string): string {
  const known = subject.resource === null ? [] : relatedTypes(ctx, subject.resource);
  return `is not related to ${subject.type}${hint(given, known)}`;
}

/** Members of a list in the record, each with its members as attributes. */
async function hasElement(
  c: Compiler,
  subject: Subject,
  type: string,
  condition: (inner: Subject) => Promise<Sql>,
): Promise<Sql> {
  const { list, members } = elementTypes[type]!;
  const alias = c.aliases();
  const inner: Subject = {
    type,
    resource: null,
    alias,
    names: () => [...members],
    attribute: (member) => (members.includes(member) ? elementAttribute(alias, member) : null),
  };
  return sql`exists (select from jsonb_array_elements(${name(subject.alias)}.${name(list)}) ${name(alias)}(item) where ${await condition(inner)})`;
}

const elementAttribute = (alias: string, member: string): Attribute =>
  member.startsWith("is_")
    ? single("boolean", sql`(${name(alias)}.item->>${member})::boolean`)
    : single("text", sql`(${name(alias)}.item->>${member})`);

// --- words ---

/** True if the record, or one of the records that it is also found by, has the words. */
async function words(c: Compiler, subject: Subject, sought: Sought, narrow: boolean): Promise<Compiled> {
  const of = subject.resource;
  if (of === null)
    return many(
      or(subject.names().map((member) => subject.attribute(member)!.some((value) => inText(sql`${value}::text`, sought)))),
    );
  if (!hasVector(of)) return many(or(textsOf(subject).map((text) => text.some((value) => inText(value, sought)))));
  return met(c, subject, "id", withWords(c, subject, sought), narrow);
}

const textsOf = (subject: Subject): Attribute[] =>
  mainText.flatMap((field) => {
    const attribute = subject.attribute(field);
    return attribute?.kind === "text" ? [attribute] : [];
  });

// --- fields ---

async function fieldCondition(
  c: Compiler,
  subject: Subject,
  field: FieldReference,
  condition: FieldCondition,
  narrow: boolean,
): Promise<Compiled> {
  const attribute = referenced(subject, field);
  const fieldName = field.type === "regular_field" ? field.field_name : "custom";
  return below("condition", () => fieldMeets(c, subject, fieldName, attribute, condition, narrow));
}

/** A condition on a field. If the words of its text are indexed, they are looked up first. */
export async function fieldMeets(
  c: Compiler,
  subject: Subject,
  field: string,
  attribute: Attribute,
  condition: FieldCondition,
  narrow: boolean,
): Promise<Compiled> {
  const exact = await meets(c.ctx, attribute, condition);
  const of = subject.resource;
  if (condition.type !== "text" || of === null || !of.search?.covers.includes(listed[field]?.list ?? field)) return many(exact);
  if (isOfLetters(condition.mode)) return many(exact);
  const words = narrowingWords(c.ctx, condition);
  // A name may be `???`, which has no words to look up.
  if (words.any === null && condition.mode === "exact_value") return many(exact);
  return met(c, subject, "id", [{ of, alias: subject.alias, column: "id", words, condition: exact }], narrow);
}
