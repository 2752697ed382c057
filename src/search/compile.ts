/**
 * From the tree of a query to SQL over the alias of the record that is looked for. Everything typed by a caller is a parameter;
 * names come from definitions. A negated condition is true where the plain one is not, null included.
 */
import type { Ctx } from "../core/context.ts";
import { below, invalid } from "../core/errors.ts";
import { isId } from "../core/id.ts";
import {
  from,
  type NewestPage,
  type Purpose,
  type Condition as RecordCondition,
  type Resource,
  scope,
} from "../core/resource.ts";
import { and, name, or, raw, type Sql, sql } from "../db/sql.ts";
import { hint } from "../values/reasons.ts";
import { type Attribute, attributeNames, attributeOf, single } from "./attributes.ts";
import { type Condition, meets } from "./conditions.ts";
import { fewAtMost, type Ids, idsOf, type Source, type Sources, type WordSource } from "./found.ts";
import { newestOf } from "./newest.ts";
import type { FieldReference, QueryNode } from "./nodes.ts";
import {
  alsoFoundBy,
  elementTypes,
  foundByBeginnings,
  indexedWords,
  linkBetween,
  mainText,
  objectTypeOf,
  relatedTypes,
  resourceOf,
} from "./relations.ts";
import { type DatedWords, hasWords, inText, narrowingWords, type Sought, wordsFor } from "./text.ts";

/** Only from a text query; what their names mean is said by `named_fields.ts`. */
export type NamedField = Extract<QueryNode, { type: "named_field" }>;
export type NamedRelated = Extract<QueryNode, { type: "named_related" }>;

/** A kind of record, or the members of a list in a record, under the alias it has in the statement. */
export interface Subject {
  /** As `object_type` names it. */
  type: string;
  resource: Resource | null;
  alias: string;
  attribute(name: string): Attribute | null;
  names(): string[];
}

export interface Compiled {
  sql: Sql;
  /** It leaves a few rows at most, so that everything beside it is a matter of those. */
  few: boolean;
  /** Where it comes down to a set of records: their ids. */
  ids?: readonly string[];
}

export interface Compiler {
  ctx: Ctx;
  aliases: () => string;
  /** It is asked of all rows and not of a page. */
  whole: boolean;
  /** The ids that each source gives, or null where they are too many. */
  idsOf(sources: readonly Source[]): Promise<(Ids | null)[]>;
  named(compiler: Compiler, subject: Subject, node: NamedField | NamedRelated, narrow: boolean): Promise<Compiled>;
}

/** The condition on records of a kind under an alias. Refuses by places below `query`. */
export async function compileQuery(
  ctx: Ctx,
  of: Resource,
  alias: string,
  node: QueryNode,
  { whole = false, newest, named = refuseNamed }: Purpose & Partial<Pick<Compiler, "named">> = {},
): Promise<RecordCondition> {
  const compiler = compilerFor(ctx, whole, named);
  const subject = subjectOf(ctx, of, alias);
  if (newest !== undefined && node.type === "text" && !node.negate && hasVector(of))
    return await newestWithWords(compiler, subject, node, newest);
  return (await compile(compiler, subject, node, true)).sql;
}

/** The records of which, or of whose people, a condition on e-mail addresses or phone numbers is true. */
export async function compileReached(
  ctx: Ctx,
  of: Resource,
  alias: string,
  by: "email" | "phone",
  condition: (alias: string) => Sql,
  { whole = false }: Purpose = {},
): Promise<RecordCondition> {
  const compiler = compilerFor(ctx, whole, refuseNamed);
  const subject = subjectOf(ctx, of, alias);
  const sources = anywhere(compiler, subject, by, (at) => ({ condition: condition(at) }));
  return (await met(compiler, subject, "id", sources, true)).sql;
}

function compilerFor(ctx: Ctx, whole: boolean, named: Compiler["named"]): Compiler {
  let count = 0;
  return { ctx, aliases: () => `s${++count}`, whole, idsOf: (sources) => idsOf(ctx, sources), named };
}

const refuseNamed = (): never => {
  throw new Error("a name outside a text query");
};

export const subjectOf = (ctx: Ctx, of: Resource, alias: string): Subject => ({
  type: objectTypeOf(of),
  resource: of,
  alias,
  attribute: (attribute) => attributeOf(ctx, of, alias, attribute),
  names: () => attributeNames(ctx, of),
});

/** `narrow`: nothing else bounds the search yet, so it is worth finding out whether few records meet this condition. */
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

export const many = (condition: Sql): Compiled => ({ sql: condition, few: false });

/**
 * A set of records. A small one is put as a join, which is looked up one by one; for `= any` PostgreSQL may read the index of the
 * list's order through, because it holds the id as well (28 ms for 500 of 200,000 leads). Of a large one it finds a page soon.
 */
function oneOf(subject: Subject, ids: readonly string[]): Compiled {
  const id = sql`${name(subject.alias)}.id`;
  const isOne =
    ids.length <= lookedUpAtMost
      ? sql`${id} in (select f.id from unnest(${ids}::text[]) f(id))`
      : sql`${id} = any(${ids}::text[])`;
  return { sql: isOne, few: true, ids };
}
const lookedUpAtMost = 1_500;

/** Long words first: they are the rarest, and after one of them nothing else needs to be looked up. */
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

/** Of sets of records the union is one. */
export function either(subject: Subject, compiled: readonly Compiled[]): Compiled {
  const ids = new Set(compiled.flatMap((one) => one.ids ?? []));
  if (compiled.length > 0 && ids.size <= fewAtMost && compiled.every((one) => one.ids !== undefined))
    return oneOf(subject, [...ids]);
  return { sql: or(compiled.map((one) => sql`(${one.sql})`)), few: compiled.every((one) => one.few) };
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

/** The record or one of those whose words also find it has what is sought. */
async function words(c: Compiler, subject: Subject, sought: Sought, narrow: boolean): Promise<Compiled> {
  const of = subject.resource;
  if (of === null)
    return many(
      or(subject.names().map((member) => subject.attribute(member)!.some((value) => inText(sql`${value}::text`, sought)))),
    );
  if (!hasVector(of)) return many(or(textsOf(subject).map((text) => text.some((value) => inText(value, sought)))));
  return met(c, subject, "id", withWords(c, subject, sought), narrow);
}

/** A list of nothing but the newest that have some words. */
async function newestWithWords(c: Compiler, subject: Subject, sought: Sought, page: NewestPage): Promise<RecordCondition> {
  const sources = withWords(c, subject, sought);
  const newest = await newestOf(c.ctx, sources, page);
  if ("found" in newest) return among(c, subject, "id", sources, newest.found).sql;
  const { sql } = oneOf(
    subject,
    newest.page.map(({ id }) => id),
  );
  if (page.shown === null) return Object.assign(sql, { prepared: true });
  return Object.assign(sql, { prepared: true, shown: newest.page.map(({ shown }) => shown!) });
}

function withWords(c: Compiler, subject: Subject, sought: Sought): Sources<WordSource> {
  // The same for all kinds that store their words in the same way.
  let begun: DatedWords | undefined;
  let withBeginnings: DatedWords | undefined;
  return anywhere(c, subject, "words", (_alias, { name: kind }) => ({
    words: foundByBeginnings.includes(kind)
      ? (withBeginnings ??= wordsFor(c.ctx, sought, true))
      : (begun ??= wordsFor(c.ctx, sought, false)),
  }));
}

const hasVector = (of: Resource): boolean => of.columns.some(([key, field]) => key === "search" && field.type === "tsvector");

const textsOf = (subject: Subject): Attribute[] =>
  mainText.flatMap((field) => {
    const attribute = subject.attribute(field);
    return attribute?.kind === "text" ? [attribute] : [];
  });

/** The record itself and those that it is also found by, with a condition for each. */
export function anywhere<Met extends Pick<Source, "words" | "condition">>(
  c: Compiler,
  subject: Subject,
  by: "words" | "email" | "phone",
  condition: (alias: string, of: Resource) => Met,
): Sources<Source & Met> {
  const of = subject.resource!;
  const others = (alsoFoundBy[of.name]?.[by] ?? []).flatMap((other) => c.ctx.registry.resource(other) ?? []);
  const own = { of, alias: subject.alias, column: "id", ...condition(subject.alias, of) };
  const sources = others.map((other) => {
    const alias = c.aliases();
    return { of: other, alias, column: linkBetween(of, other)!.inner, ...condition(alias, other) };
  });
  return [own, ...sources];
}

// --- few or many ---

/** One of the sources names the record by its column `outer`. The first source may be the record itself. */
export async function met(c: Compiler, subject: Subject, outer: string, sources: Sources, narrow: boolean): Promise<Compiled> {
  const found = narrow ? await c.idsOf(sources) : sources.map(() => null);
  return among(c, subject, outer, sources, found);
}

/** The same with the ids that each source gives. Most words are common in one table only: what the others give needs not be tried row by row. */
function among(c: Compiler, subject: Subject, outer: string, sources: Sources, found: readonly (Ids | null)[]): Compiled {
  const column = sql`${name(subject.alias)}.${name(outer)}`;
  const ids = [...new Set(found.flatMap((of) => of ?? []))];
  const isOneOf = sql`${column} = any(${ids}::text[])`;
  const common = sources
    .filter((_, i) => found[i] === null)
    .map((source) => (source.alias === subject.alias ? allOf(source) : pointsAt(c, source, column)));
  if (common.length > 0) return many(or(ids.length === 0 ? common : [...common, isOneOf]));
  return outer === "id" ? oneOf(subject, ids) : { sql: isOneOf, few: true };
}

const allOf = ({ alias, words, condition }: Source): Sql =>
  and([...(words ? [hasWords(alias, words.any)] : []), ...(condition ? [condition] : [])]);

/**
 * Of all rows this is a set that is made once. Of a page it is tried row by row until the page is full: as a scalar, because of an
 * `exists` PostgreSQL makes the whole set even then (140 ms for 90,000 contacts, to find 100 leads among the newest 200).
 */
function pointsAt(c: Compiler, source: Source, column: Sql): Sql {
  const { of, alias } = source;
  const found = sql`from ${from(of, alias)} where ${and(scope(c.ctx, of, alias))}
    and ${name(alias)}.${name(source.column)} = ${column} and ${allOf(source)}`;
  return c.whole ? sql`exists (select ${found})` : sql`coalesce((select true ${found} limit 1), false)`;
}

// --- fields ---

async function fieldCondition(
  c: Compiler,
  subject: Subject,
  field: FieldReference,
  condition: Condition,
  narrow: boolean,
): Promise<Compiled> {
  const attribute = referenced(subject, field);
  const fieldName = field.type === "regular_field" ? field.field_name : "custom";
  return below("condition", () => fieldMeets(c, subject, fieldName, attribute, condition, narrow));
}

/** The attribute that a field reference names. */
export function referenced(subject: Subject, field: FieldReference): Attribute {
  if (field.type === "custom_field") return attributeNamed(subject, `custom.${field.custom_field_id}`, "field.custom_field_id");
  if (field.object_type !== null && field.object_type !== subject.type)
    refuse("field.object_type", `must be ${subject.type}, the type that is in scope here`);
  return attributeNamed(subject, field.field_name, "field.field_name");
}

/** A condition on a field; on text whose words are indexed it is looked up there first. */
export async function fieldMeets(
  c: Compiler,
  subject: Subject,
  field: string,
  attribute: Attribute,
  condition: Condition,
  narrow: boolean,
): Promise<Compiled> {
  const exact = await meets(c.ctx, attribute, condition);
  const of = subject.resource;
  if (condition.type !== "text" || of === null || !indexedWords[of.name]?.includes(field)) return many(exact);
  const words = narrowingWords(c.ctx, condition);
  // A name may be `???`, which has no words to look up.
  if (words.any === null && condition.mode === "exact_value") return many(exact);
  return met(c, subject, "id", [{ of, alias: subject.alias, column: "id", words, condition: exact }], narrow);
}

/** The attribute of this name; where there is none, the refusal names the nearest. */
export function attributeNamed(subject: Subject, field: string, place: string): Attribute {
  return subject.attribute(field) ?? refuse(place, unknownField(subject, field));
}

export const unknownField = (subject: Subject, field: string): string =>
  `is not a field of ${subject.type}${hint(field, subject.names())}`;

// --- refusals ---

export function refuse(place: string, reason: string): never {
  throw invalid({ [place]: reason });
}

export const looksLikeId = (of: Resource, text: string): boolean => isId(of.prefix, text);
