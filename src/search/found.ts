// What the indexes find by themselves: the ids of the records that meet a condition, where these are few, or the newest of many.
import { type Ctx, query } from "../core/context.ts";
import { from, type Resource, scope } from "../core/resource.ts";
import type { Rows } from "../db/database.ts";
import { latestQuarterWords } from "../db/marked_words.ts";
import { and, join, name, raw, type Sql, sql, statement } from "../db/sql.ts";
import { statementName } from "../records/records.ts";

/** Records of a kind that meet a condition, and the column of theirs that names the record that is looked for. */
export interface Source {
  of: Resource;
  alias: string;
  column: string;
  /** What the index of words answers, and the same where one of these words stands beside. */
  words?: Sql;
  wordsWith?: (also: readonly string[]) => Sql;
  condition: Sql;
}

/**
 * So many ids stand in for a condition. An `or` over two tables can use no index, and in the order of a list it is tried on row
 * after row; that is quick where many rows meet it, and where few do their ids come from the indexes and are all there is to read.
 */
export const fewAtMost = 5_000;

type Ids = readonly string[];

/** The ids that each source gives, or null where they are too many. */
export async function idsOf(ctx: Ctx, sources: readonly Source[]): Promise<(Ids | null)[]> {
  const each = sources.map((source, i) => part(`${i}`, source, metBy(ctx, source, fewAtMost)));
  const rows = await query(ctx, statement(join(each, " union all ")));
  return sources.map((_, i) => idsAmong(rows, `${i}`));
}

/** Words of more of the latest records than this are common: a list in its order finds a page of them soon. */
const commonFrom = 1_000;

/**
 * The same, where of the first source no more than its newest `count` are wanted. Three letters begin a word in 2,000 of a million
 * leads, and to read these is most of the work: the latest months are tried first, and all others only where they are not enough.
 */
export async function newestIdsOf(ctx: Ctx, sources: readonly Source[], count: number): Promise<(Ids | null)[]> {
  const [own, ...others] = sources as [Source, ...Source[]];
  if (own.wordsWith === undefined || count > commonFrom) return idsOf(ctx, sources);
  const dated = (source: Source, atMost: number) =>
    sql`select ${idOf(source)} id, ${name(source.alias)}.date_created created ${metBy(ctx, source, atMost)}`;
  const isEnough = sql`(select count(*) from latest) >= ${count}`;
  const found = sql`with latest as materialized (${dated({ ...own, words: own.wordsWith(latestQuarterWords(ctx.now)) }, commonFrom)}),
    every as materialized (select * from (${dated(own, fewAtMost)}) o where not ${isEnough})`;
  const each = [
    sql`(select 'own', id from (select * from latest where ${isEnough} union all select * from every) o order by created desc, id desc limit ${count})`,
    sql`(select 'common', null where (select count(*) from latest) > ${commonFrom} or (select count(*) from every) > ${fewAtMost})`,
    ...others.map((source, i) => part(`${i}`, source, metBy(ctx, source, fewAtMost))),
  ];
  const asked = sql`${found} ${join(each, " union all ")}`;
  const rows = await query(ctx, statement(asked, statementName(own.of, "newest", asked.text)));
  const isCommon = rows.some(([place]) => place === "common");
  return [isCommon ? null : idsAmong(rows, "own"), ...others.map((_, i) => idsAmong(rows, `${i}`))];
}

function idsAmong(rows: Rows, of: string): Ids | null {
  const found = rows.filter(([place]) => place === of);
  return found.length > fewAtMost ? null : found.flatMap(([, id]) => id ?? []);
}

const part = (place: string, source: Source, rows: Sql): Sql => sql`(select ${raw(`'${place}'`)}, ${idOf(source)} ${rows})`;

const idOf = ({ alias, column }: Source): Sql => sql`${name(alias)}.${name(column)}`;

/** Rows of a source, one more than so many at most. */
const metBy = (ctx: Ctx, source: Source, atMost: number): Sql =>
  sql`from ${rowsOf(source)} where ${and([...scope(ctx, source.of, source.alias), source.condition])} ${raw(`limit ${atMost + 1}`)}`;

// The fence keeps the planner from reading all rows of the organization in another index, to intersect them with the few found here.
const rowsOf = ({ of, alias, words }: Source): Sql =>
  words === undefined ? from(of, alias) : sql`(select * from ${from(of, alias)} where ${words} offset 0) ${name(alias)}`;
