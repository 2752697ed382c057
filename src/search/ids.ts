// Looks up in the indexes which records meet a condition: their ids, if there are few.
import { type Ctx, query } from "../core/context.ts";
import { from, type Resource, scope } from "../core/resource.ts";
import type { Rows } from "../db/database.ts";
import { and, empty, join, name, type Place, raw, type Sql, sql, statement } from "../db/sql.ts";
import { type DatedWords, hasWords, type SoughtWords, type Words } from "./text.ts";

/** Records of a kind that meet a condition, and their column that refers to the searched record. */
export interface Source {
  of: Resource;
  alias: string;
  column: string;
  /** The words to look up, and the other conditions. */
  words?: Words;
  condition?: Sql;
}

/** A source with words and no other conditions. */
export interface WordSource extends Source {
  words: DatedWords;
}

/** At least one, of which the first may be the record itself. */
export type Sources<Of extends Source = Source> = readonly [Of, ...Of[]];

/**
 * Up to this many ids replace a condition. PostgreSQL uses no index for an `or` over two tables, and checks it row by row in the
 * order of the list. That is fast if many rows meet it. If few do, their ids are looked up first, and only these rows are read.
 */
export const fewAtMost = 5_000;

export type Ids = readonly string[];

/** The ids from each source. Null if there are too many. */
export async function idsOf(ctx: Ctx, sources: readonly Source[]): Promise<(Ids | null)[]> {
  const organization = ctx.organization_id;
  const each = sources.map((source, i) => {
    const asked = { organization, conditions: conditionsOf(ctx, source), atMost: fewAtMost, words: source.words?.any };
    return part(`${i}`, source, metBy(source, asked));
  });
  const rows = await query(ctx, statement(join(each, " union all ")));
  return sources.map((_, i) => idsAmong(rows, `${i}`));
}

/** Looks ids up together: all requests of one turn of the event loop are one statement. */
export function gathering(ctx: Ctx): (sources: readonly Source[]) => Promise<(Ids | null)[]> {
  let next: { sources: Source[]; found: Promise<(Ids | null)[]> } | null = null;
  const begin = () => {
    const sources: Source[] = [];
    const asked = new Promise((turn) => setImmediate(turn)).then(() => {
      next = null;
      return idsOf(ctx, sources);
    });
    return { sources, found: asked };
  };
  return async (sources) => {
    next ??= begin();
    const from = next.sources.push(...sources) - sources.length;
    const found = await next.found;
    return found.slice(from, from + sources.length);
  };
}

export function idsAmong(rows: Rows, of: string): Ids | null {
  const found = rows.filter(([place]) => place === of);
  return found.length > fewAtMost ? null : found.flatMap(([, id]) => id ?? []);
}

const part = (place: string, source: Source, rows: Sql): Sql => sql`(select ${raw(`'${place}'`)}, ${idOf(source)} ${rows})`;

export const idOf = ({ alias, column }: Source): Sql => sql`${name(alias)}.${name(column)}`;

const conditionsOf = (ctx: Ctx, { of, alias, condition }: Source): Sql[] =>
  condition === undefined ? scope(ctx, of, alias) : [...scope(ctx, of, alias), condition];

/** Which rows of a source are needed. */
interface Asked {
  /** Its id, or a placeholder for it. */
  organization: string | Place<any>;
  conditions: readonly Sql[];
  /** The most rows that are needed. One more is read. */
  atMost: number | Sql;
  words?: SoughtWords;
  /** Further columns of each row. */
  beside?: Sql;
}

/** Rows of a source that meet conditions and have words. */
export const metBy = (source: Source, asked: Asked): Sql => {
  const { conditions, atMost } = asked;
  return sql`from ${rowsOf(source, asked)} where ${and(conditions)} limit ${typeof atMost === "number" ? raw(`${atMost}`) : atMost} + 1`;
};

// The fence keeps the planner from reading all rows of the organization in another index to intersect them with the few found
// here. The other collation, where the organization is named within the fence, does the same.
const rowsOf = ({ of, alias }: Source, { organization, words, beside = empty }: Asked): Sql =>
  words === undefined
    ? from(of, alias)
    : sql`(select * ${beside} from ${from(of, alias)} where ${hasWords(alias, words)}
        and ${name(alias)}.organization_id = ${organization} collate "default" offset 0) ${name(alias)}`;
