/**
 * A compiled condition. A condition on other records (a lead's contacts) becomes one on the record itself: a set of ids if few
 * records meet it, or else SQL that PostgreSQL checks row by row.
 */
import type { Ctx } from "../core/context.ts";
import { from, type Resource, scope } from "../core/resource.ts";
import type { SearchedBy } from "../core/search.ts";
import { and, name, or, type Sql, sql } from "../db/sql.ts";
import { fewAtMost, type Ids, type Source, type Sources, type WordSource } from "./ids.ts";
import type { QueryNode } from "./nodes.ts";
import { linkBetween } from "./relations.ts";
import type { Subject } from "./subject.ts";
import { type DatedWords, hasWords, type Sought, wordsFor } from "./text.ts";

export interface Compiled {
  sql: Sql;
  /** Few records meet it, so conditions beside it need no lookup. */
  few: boolean;
  /** The ids of the records, if they are known as a set. */
  ids?: readonly string[];
}

export interface Compiler {
  ctx: Ctx;
  aliases: () => string;
  /** All rows are needed, not only a page. */
  whole: boolean;
  /** The ids from each source. Null if there are too many. */
  idsOf(sources: readonly Source[]): Promise<(Ids | null)[]>;
  /** The condition of a node that only a text query has. */
  named(compiler: Compiler, subject: Subject, node: NamedField | NamedRelated, narrow: boolean): Promise<Compiled>;
}

/** Only from a text query. `named_fields.ts` decides what their names mean. */
export type NamedField = Extract<QueryNode, { type: "named_field" }>;
export type NamedRelated = Extract<QueryNode, { type: "named_related" }>;

export const many = (condition: Sql): Compiled => ({ sql: condition, few: false });

/**
 * A set of records. A small set is a join, which is looked up one by one. For `= any`, PostgreSQL may read the whole index of the
 * list's order, because it contains the id as well (28 ms for 500 of 200,000 leads). With a large set it finds a page soon.
 */
export function oneOf(subject: Subject, ids: readonly string[]): Compiled {
  const id = sql`${name(subject.alias)}.id`;
  const isOne =
    ids.length <= lookedUpAtMost
      ? sql`${id} in (select f.id from unnest(${ids}::text[]) f(id))`
      : sql`${id} = any(${ids}::text[])`;
  return { sql: isOne, few: true, ids };
}
const lookedUpAtMost = 1_500;

/** If all conditions are sets of ids, the result is one too. */
export function either(subject: Subject, compiled: readonly Compiled[]): Compiled {
  const ids = new Set(compiled.flatMap((one) => one.ids ?? []));
  if (compiled.length > 0 && ids.size <= fewAtMost && compiled.every((one) => one.ids !== undefined))
    return oneOf(subject, [...ids]);
  return { sql: or(compiled.map((one) => sql`(${one.sql})`)), few: compiled.every((one) => one.few) };
}

/** One of the sources refers to the record by its column `outer`. The first source may be the record itself. */
export async function met(c: Compiler, subject: Subject, outer: string, sources: Sources, narrow: boolean): Promise<Compiled> {
  const found = narrow ? await c.idsOf(sources) : sources.map(() => null);
  return among(c, subject, outer, sources, found);
}

/**
 * The same with the ids from each source. Most words are common in only one table, so the other sources need no check row by row.
 */
export function among(c: Compiler, subject: Subject, outer: string, sources: Sources, found: readonly (Ids | null)[]): Compiled {
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
 * For all rows, this is a set that is built once. For a page, it is checked row by row until the page is full: as a scalar,
 * because for an `exists` PostgreSQL would build the whole set even then (140 ms for 90,000 contacts, to find 100 leads among the
 * newest 200).
 */
function pointsAt(c: Compiler, source: Source, column: Sql): Sql {
  const { of, alias } = source;
  const found = sql`from ${from(of, alias)} where ${and(scope(c.ctx, of, alias))}
    and ${name(alias)}.${name(source.column)} = ${column} and ${allOf(source)}`;
  return c.whole ? sql`exists (select ${found})` : sql`coalesce((select true ${found} limit 1), false)`;
}

// --- sources ---

/** The record itself and those that it is also found by, with a condition for each. */
export function anywhere<Met extends Pick<Source, "words" | "condition">>(
  c: Compiler,
  subject: Subject,
  by: SearchedBy,
  condition: (alias: string, of: Resource) => Met,
): Sources<Source & Met> {
  const of = subject.resource!;
  const others = Object.entries(of.search?.alsoBy ?? {}).flatMap(([kind, bys]) =>
    bys.includes(by) ? c.ctx.registry.resource(kind)! : [],
  );
  const own = { of, alias: subject.alias, column: "id", ...condition(subject.alias, of) };
  const sources = others.map((other) => {
    const alias = c.aliases();
    return { of: other, alias, column: linkBetween(of, other)!.inner, ...condition(alias, other) };
  });
  return [own, ...sources];
}

export function withWords(c: Compiler, subject: Subject, sought: Sought): Sources<WordSource> {
  // The same for all kinds that store their words in the same way.
  let begun: DatedWords | undefined;
  let withBeginnings: DatedWords | undefined;
  return anywhere(c, subject, "words", (_alias, { search }) => ({
    words: search?.beginnings ? (withBeginnings ??= wordsFor(c.ctx, sought, true)) : (begun ??= wordsFor(c.ctx, sought, false)),
  }));
}
