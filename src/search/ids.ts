// Looks up in the indexes which records meet a condition: their ids, where there are few.
import { type Ctx, query } from "../core/context.ts";
import { from, type Resource, scope } from "../core/resource.ts";
import type { Rows } from "../db/database.ts";
import { and, empty, join, name, type Place, raw, type Sql, sql, statement } from "../db/sql.ts";
import { type DatedWords, hasWords, type SoughtWords, type Words } from "./text.ts";

/** Records of a kind that meet a condition, and the column of theirs that names the record that is looked for. */
export interface Source {
  of: Resource;
  alias: string;
  column: string;
  /** What its words are looked up by, and what is true of it beside them. */
  words?: Words;
  condition?: Sql;
}

/** One that is looked up by words and nothing else. */
export interface WordSource extends Source {
  words: DatedWords;
}

/** At least one, of which the first may be the record itself. */
export type Sources<Of extends Source = Source> = readonly [Of, ...Of[]];

/**
 * Up to so many ids take the place of a condition. PostgreSQL uses no index for an `or` over two tables, and tries it row by row in the
 * order of the list. That is quick where many rows meet it. Where few do, their ids are looked up first, and only these are read.
 */
export const fewAtMost = 5_000;

export type Ids = readonly string[];

/** The ids that each source gives, or null where they are too many. */
export async function idsOf(ctx: Ctx, sources: readonly Source[]): Promise<(Ids | null)[]> {
  const organization = ctx.organization_id;
  const each = sources.map((source, i) => {
    const asked = { organization, conditions: conditionsOf(ctx, source), atMost: fewAtMost, words: source.words?.any };
    return part(`${i}`, source, metBy(source, asked));
  });
  const rows = await query(ctx, statement(join(each, " union all ")));
  return sources.map((_, i) => idsAmong(rows, `${i}`));
}

/** Looks ids up together: what is asked for in one turn of the event loop is one statement. */
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

/** Which rows of a source are asked for. */
interface Asked {
  /** Its id, or a place for it. */
  organization: string | Place<any>;
  conditions: readonly Sql[];
  /** So many, and one more. */
  atMost: number | Sql;
  words?: SoughtWords;
  /** What each row has beside its columns. */
  beside?: Sql;
}

/** Rows of a source that meet conditions and have words. */
export const metBy = (source: Source, asked: Asked): Sql => {
  const { conditions, atMost } = asked;
  return sql`from ${rowsOf(source, asked)} where ${and(conditions)} limit ${typeof atMost === "number" ? raw(`${atMost}`) : atMost} + 1`;
};

// The fence keeps the planner from reading all rows of the organization in another index, to intersect them with the few found here;
// and so does another collation than that of the indexes, where the organization is named within it.
const rowsOf = ({ of, alias }: Source, { organization, words, beside = empty }: Asked): Sql =>
  words === undefined
    ? from(of, alias)
    : sql`(select * ${beside} from ${from(of, alias)} where ${hasWords(alias, words)}
        and ${name(alias)}.organization_id = ${organization} collate "default" offset 0) ${name(alias)}`;
