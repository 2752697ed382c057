// Finds the newest of many records with some words, and reads what a page shows of each, in one statement.
import { type Ctx, search } from "../core/context.ts";
import { from, within } from "../core/resource.ts";
import { type NewestPage } from "../core/search.ts";
import type { Rows } from "../db/database.ts";
import { and, join, name, Place, raw, type Sql, sql, type Template, template } from "../db/sql.ts";
import { statementName } from "../records/records.ts";
import { fewAtMost, type Ids, idOf, idsAmong, idsOf, metBy, type Source, type Sources, type WordSource } from "./ids.ts";
import type { Spans } from "./marked_words.ts";
import type { SoughtWords } from "./text.ts";

/** The newest records of all sources together. If one source has too many, the ids from each source instead. */
export type Newest = { page: readonly Selected[] } | { found: (Ids | null)[] };

interface Selected {
  id: string;
  selected: string | null;
}

/** A word is common when one span has more records with it. A list in its order then fills a page soon. */
const commonFrom = 1_000;

/** The newest matches of the sources. The first source is the record itself; the others refer to it. */
export async function newestOf(ctx: Ctx, sources: Sources<WordSource>, { count, select }: NewestPage): Promise<Newest> {
  // The condition that hides rows is made for one caller, but the statement is cached for all.
  const isHidden = sources.some(({ of, alias }) => of.visible?.(ctx, alias));
  // The policy's condition is within every span, and the best index depends on the organization: no plan fits all.
  if (isHidden || count > commonFrom || ctx.db.rowSecurity) return { found: await idsOf(ctx, sources) };
  const asked = questionOf(sources, select);
  const words = sources.map((source) => source.words.any);
  const spans = sources[0].words.spans();
  return readNewest(await search(ctx, asked({ organization: ctx.organization_id, count, spans, words })), sources.length);
}

function readNewest(rows: Rows, sources: number): Newest {
  const common = new Set(rows.flatMap(([kind, source]) => (kind === "common" ? source : [])));
  if (common.size === 0) return { page: rows.map(([, id, selected]) => ({ id: id!, selected: selected! })) };
  return { found: Array.from({ length: sources }, (_, i) => (common.has(`${i}`) ? null : idsAmong(rows, `${i}`))) };
}

// --- the statement ---

/** What differs from one search to the next. */
interface Given {
  organization: string;
  count: number;
  /** Of the first source. */
  spans: Spans;
  /** Of each source. */
  words: (string | null)[];
}

const organization = new Place<Given>((given) => given.organization);
// A parameter, because a statement for each size of a page would keep a plan for each.
const count = new Place<Given>((given) => given.count);
const ahead = new Place<Given>((given) => given.spans.ahead);
const back = new Place<Given>((given) => given.spans.back);
// The last span is all the rest. If the others do not fill a page, more of it may be read than of a list in its order.
const mostOf = new Place<Given>(({ spans }) => spans.back.map((_, i) => (i < spans.back.length - 1 ? commonFrom : fewAtMost)));
const wordsOf = (source: number) => new Place<Given>((given) => given.words[source]!);

type Question = Template<Given>;

const kept = new Map<string, Question>();

/** Composed once, because composing takes as long as running it. */
function questionOf(sources: Sources<WordSource>, select: string | null): Question {
  let key = `${select}`;
  for (const { of, alias, column } of sources) key += ` ${of.name} ${alias} ${column}`;
  let question = kept.get(key);
  if (question === undefined) kept.set(key, (question = compose(sources, select)));
  return question;
}

function compose(sources: Sources<WordSource>, select: string | null): Question {
  const [own, ...others] = sources;
  const steps = [
    step("found0", newestOwn(own)),
    ...others.map((source, i) =>
      step(`found${i + 1}`, sql`select ${idOf(source)} id ${rowsWith(source, wordsOf(i + 1), fewAtMost)}`),
    ),
    step("common", commonAmong(sources.length)),
  ];
  const page = sql`select 'page' kind, id, ${selectedOf(own, select)} selected, created from (${together(own, others.length)}) p`;
  const asked = sql`with ${join(steps, ", ")}
    select kind, id, selected from (
      ${page} where not exists (select from common)
      union all ${join(sources.map(foundBeside), " union all ")}
      union all select 'common', source, null, null from common
    ) r order by created desc nulls last, id desc`;
  return template<Given>(asked, (text) => statementName(own.of, "newest", text));
}

const rowsWith = (source: Source, words: SoughtWords, atMost: number | Sql, beside?: Sql): Sql =>
  metBy(source, { organization, conditions: within(organization, source.of, source.alias), atMost, words, beside });

/** The physical place of a row, by which it is read again. */
const place = raw(", ctid place");

const step = (as: string, rows: Sql): Sql => sql`${raw(as)} as materialized (${rows})`;

/**
 * The newest that are found by themselves, and perhaps some more. Three letters begin a word in 2,000 of a million leads, and
 * reading these is most of the work. So one span of time is read after the other until there are enough. A nested loop reads a
 * span only when the previous one is used up. Records dated in the future may now belong to any of the spans.
 */
function newestOwn(own: WordSource): Sql {
  const alias = name(own.alias);
  const dated = (words: SoughtWords, most: Sql) => sql`select *, count(*) over () > ${most} is_common from (
    select ${idOf(own)} id, ${alias}.date_created created, ${alias}.place ${rowsWith(own, words, most, place)}) o`;
  return sql`${dated(ahead, raw(`${commonFrom}`))}
    union all (select o.* from unnest(${back}::text[], ${mostOf}::int[]) span(words, most)
      cross join lateral (${dated(raw("span.words"), raw("span.most"))} order by created desc, id desc) o limit ${count})`;
}

const newestFirst = sql`order by created desc, id desc limit ${count}`;

/** The sources with too many ids. */
function commonAmong(sources: number): Sql {
  const isCommon = (i: number) =>
    i === 0 ? "exists (select from found0 where is_common)" : `(select count(*) from found${i}) > ${fewAtMost}`;
  return raw(Array.from({ length: sources }, (_, i) => `select '${i}' source where ${isCommon(i)}`).join(" union all "));
}

/** The ids of the other sources, if some give too many. */
const foundBeside = (_: Source, i: number): Sql =>
  raw(
    `select '${i}', id, null, null from found${i} where exists (select from common) and '${i}' not in (select source from common)`,
  );

/** The newest of the records that match by themselves and of those that the other sources refer to. */
function together({ of, alias }: Source, others: number): Sql {
  const found = raw("select id, created, place from found0");
  if (others === 0) return sql`${found} ${newestFirst}`;
  const own = name(alias);
  const named = raw(Array.from({ length: others }, (_, i) => `select id from found${i + 1}`).join(" union all "));
  return sql`${found} union all select ${own}.id, ${own}.date_created, ${own}.ctid from ${from(of, alias)}
    where ${and(within(organization, of, alias))} and ${own}.id in (${named}) and ${own}.id not in (select id from found0) ${newestFirst}`;
}

/** Read at the place where the record was found, which does not change within one statement. */
const selectedOf = ({ of, alias }: Source, select: string | null): Sql =>
  select === null
    ? raw("null")
    : sql`(select ${raw(select)} from ${from(of, alias)} where ${name(alias)}.organization_id = ${organization} and ${name(alias)}.ctid = p.place)`;
