// The newest of the many records that some words find, and what a list shows of them, in one statement.
import { type Ctx, query } from "../core/context.ts";
import { from, type NewestPage, scope } from "../core/resource.ts";
import type { Rows } from "../db/database.ts";
import { and, join, name, or, raw, type Sql, sql, statement } from "../db/sql.ts";
import { statementName } from "../records/records.ts";
import { fewAtMost, type Ids, idOf, idsAmong, idsOf, metBy, type Source } from "./found.ts";

/** The newest records that the sources give together; or, where one gives too many, the ids that each gives by itself. */
export type Newest = { page: readonly Shown[] } | { found: (Ids | null)[] };

export interface Shown {
  id: string;
  shown: string | null;
}

/** Words of more of the late records than this are common: a list in its order finds a page of them soon. */
const commonFrom = 1_000;

/** The newest of what the sources give; the first of them is the record itself, the others name it. */
export async function newestOf(ctx: Ctx, sources: readonly Source[], { count, shown }: NewestPage): Promise<Newest> {
  const [own, ...others] = sources as [Source, ...Source[]];
  if (own.late === undefined || count > commonFrom) return { found: await idsOf(ctx, sources) };
  const steps = [
    ...newestOwn(ctx, own, count),
    ...others.map((source, i) => step(`found${i + 1}`, sql`select ${idOf(source)} id ${metBy(ctx, source, fewAtMost)}`)),
    step("common", commonAmong(sources.length)),
  ];
  const page = sql`select 'page' kind, id, ${shownOf(ctx, own, shown)} shown, created from (${together(ctx, own, others.length, count)}) p`;
  const asked = sql`with ${join(steps, ", ")}
    select kind, id, shown from (
      ${page} where not exists (select from common)
      union all ${join(sources.map(foundBeside), " union all ")}
      union all select 'common', source, null, null from common
    ) r order by created desc nulls last, id desc`;
  const prepared = statement(asked, (text) => statementName(own.of, "newest", text));
  return readNewest(await query(ctx, prepared), sources.length);
}

function readNewest(rows: Rows, sources: number): Newest {
  const common = new Set(rows.flatMap(([kind, source]) => (kind === "common" ? source : [])));
  if (common.size === 0) return { page: rows.map(([, id, shown]) => ({ id: id!, shown: shown! })) };
  return { found: Array.from({ length: sources }, (_, i) => (common.has(`${i}`) ? null : idsAmong(rows, `${i}`))) };
}

const step = (as: string, rows: Sql): Sql => sql`${raw(as)} as materialized (${rows})`;

/**
 * The steps to `found0`, the newest that are found by themselves. Three letters begin a word in 2,000 of a million leads, and to read
 * these is most of the work: what was made lately is tried first, and all others only where it is not enough. More letters begin fewer.
 */
function newestOwn(ctx: Ctx, own: Source, count: number): Sql[] {
  const alias = name(own.alias);
  const dated = (source: Source, atMost: number) =>
    sql`select ${idOf(source)} id, ${alias}.date_created created, ${alias}.place ${metBy(ctx, source, atMost)}`;
  const few = { as: "few", rows: dated(own, commonFrom), isEnough: raw(`(select count(*) from few) <= ${commonFrom}`) };
  const late = {
    as: "late",
    rows: dated({ ...own, words: own.late! }, commonFrom),
    isEnough: sql`(select count(*) from late) >= ${count}`,
  };
  const every = { as: "every", rows: dated(own, fewAtMost), isEnough: raw("true") };

  const steps: Sql[] = [];
  const found: Sql[] = [];
  let isDone = raw("false");
  for (const { as, rows, isEnough } of own.lateFirst ? [late, every] : [few, late, every]) {
    steps.push(step(as, sql`select * from (${rows}) o where not (${isDone})`));
    found.push(sql`select * from ${raw(as)} where ${isEnough}`);
    isDone = or([isDone, isEnough]);
  }
  return [...steps, step("found0", sql`select * from (${join(found, " union all ")}) o ${newestFirst(count)}`)];
}

// As a parameter: a statement of its own for each size of a page would keep a plan for each.
const newestFirst = (count: number): Sql => sql`order by created desc, id desc limit ${count}`;

/** The sources that give too many. */
function commonAmong(sources: number): Sql {
  const own = `(select count(*) from late) > ${commonFrom} or (select count(*) from every) > ${fewAtMost}`;
  const isCommon = (i: number) => (i === 0 ? own : `(select count(*) from found${i}) > ${fewAtMost}`);
  return raw(Array.from({ length: sources }, (_, i) => `select '${i}' source where ${isCommon(i)}`).join(" union all "));
}

/** Where some sources give too many, what the others give. */
const foundBeside = (_: Source, i: number): Sql =>
  raw(
    `select '${i}', id, null, null from found${i} where exists (select from common) and '${i}' not in (select source from common)`,
  );

/** The newest of those that are found by themselves and of those that the other sources name. */
function together(ctx: Ctx, { of }: Source, others: number, count: number): Sql {
  if (others === 0) return raw("select * from found0");
  const named = raw(Array.from({ length: others }, (_, i) => `select id from found${i + 1}`).join(" union all "));
  return sql`select * from found0 union all select t.id, t.date_created, t.ctid from ${from(of, "t")}
    where ${and(scope(ctx, of))} and t.id in (${named}) and t.id not in (select id from found0) ${newestFirst(count)}`;
}

/** Read at the place where the record was found: within one statement it stays there. */
const shownOf = (ctx: Ctx, { of }: Source, shown: string | null): Sql =>
  shown === null
    ? raw("null")
    : sql`(select ${raw(shown)} from ${from(of, "t")} where t.organization_id = ${ctx.organization_id} and t.ctid = p.place)`;
