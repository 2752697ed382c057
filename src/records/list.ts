// Lists. A list is one statement, paged by a cursor or an offset. It reads one row more than it shows, to know whether there are
// more.

import { type Ctx, query, read, search } from "../core/context.ts";
import { JsonText } from "../core/operation.ts";
import { from, type Resource, scope } from "../core/resource.ts";
import type { Rows, Statement, TextRow } from "../db/database.ts";
import { and, name, raw, type Sql, sql, statement } from "../db/sql.ts";
import { afterCursor, cursorOf } from "./cursor.ts";
import { type ListInput, leanFor } from "./list_input.ts";
import { orderBy, readOrder } from "./order.ts";
import { joinsOf, selectList, statementName } from "./records.ts";
import { renderedProjectionOf } from "./rendered.ts";
import { type Projection, projectionOf } from "./writer.ts";

/** Beyond this offset the keys are found in the index alone and joined back: 90 ms become 9 at an offset of 100,000. */
const deepSkip = 1000;

/** The finished JSON of a page. `extra` are further members of the envelope, as JSON text. */
export async function showList(ctx: Ctx, of: Resource, input: ListInput, extra: Record<string, string> = {}): Promise<JsonText> {
  const [page, total] = await Promise.all([readPieces(ctx, of, input), input.count ? countRows(ctx, of, input) : null]);
  const { pieces, has_more, last } = page;

  const members: Record<string, string> = {
    ...extra,
    ...(total === null ? {} : { total_results: String(total) }),
  };
  if (has_more && last !== null) members.cursor_next = JSON.stringify(cursorOf(input, last));
  const rest = Object.entries(members)
    .map(([key, value]) => `,"${key}":${value}`)
    .join("");
  // Joined once: a page is long, and every step on the way would make another copy.
  return new JsonText([`{"data":[`, ...pieces, `],"has_more":${has_more}${rest}}`].join(""));
}

interface Pieces extends Pick<Page, "has_more" | "last"> {
  /** The JSON of the records, with the commas between them. */
  pieces: string[];
}

async function readPieces(ctx: Ctx, of: Resource, input: ListInput): Promise<Pieces> {
  const lean = await readLeanPage(ctx, of, input);
  if (lean !== null) return lean;
  const { records, has_more, last } = await readPage(ctx, of, input);
  const separated = (texts: string[]) => ({ pieces: [texts.join(",")], has_more, last });
  if (input.expand.length === 0) return separated(records.map(({ text }) => text));
  const ids = records.map(({ id }) => id);
  const expanded = await expandIds(ctx, of, input.expand, ids);
  return separated(records.map(({ text }, i) => textWith(text, expanded[i]!)));
}

/**
 * The fastest list: stored renderings in an order that they show, so only one column of each record is selected. Null if the list
 * needs more, or if a rendering is missing.
 */
async function readLeanPage(ctx: Ctx, of: Resource, input: ListInput): Promise<Pieces | null> {
  const lean = leanFor(ctx, of, input);
  if (lean === null || !input.order.every(({ key }) => key === "date_created" || key === "id")) return null;

  const found = input.found?.rows?.slice(input.skip);
  const texts =
    found ?? (await pageRows(ctx, of, input, { select: lean.select, joins: [], related: [] }, false)).map(([text]) => text!);
  const pieces: string[] = [];
  const count = Math.min(texts.length, input.limit);
  for (let i = 0; i < count; i++) {
    if (i > 0) pieces.push(",");
    if (!lean.push(pieces, texts[i]!, ctx.directory, ctx)) return null;
  }
  const has_more = texts.length > input.limit;
  const last = has_more && count > 0 ? (JSON.parse(pieces.slice(-3).join("")) as Record<string, string>) : null;
  return { pieces, has_more, last: last && input.order.map(({ key }) => last[key]!) };
}

/** A record's JSON with further members, such as `,"contacts":[…]`. */
export const textWith = (text: string, members: string) => `${text.slice(0, -1)}${text === "{}" ? members.slice(1) : members}}`;

export interface Page {
  records: { id: string; text: string }[];
  has_more: boolean;
  /** The last record's values of the sort keys, from which the next page starts. */
  last: (string | null)[] | null;
}

/** The records of a page, each as finished JSON. */
export async function readPage(ctx: Ctx, of: Resource, input: ListInput): Promise<Page> {
  const lookup = (other: string) => ctx.registry.resource(other);
  const projection =
    (input.fields === null ? renderedProjectionOf(of, lookup) : undefined) ?? projectionOf(of, input.fields, lookup);
  const rows = await pageRows(ctx, of, input, projection);
  const visible = rows.slice(0, input.limit);
  const has_more = rows.length > input.limit;
  forget(rows);
  return {
    records: await writeRows(ctx, of, projection, visible),
    has_more,
    last: visible.length === 0 ? null : keysOf(visible.at(-1)!, input),
  };
}

/**
 * Takes the rows out of an answer. V8 keeps the finished queries of a connection until it collects everything, and an export of
 * 100,000 leads would keep the text of all of them: 87 MB.
 */
const forget = (rows: Rows): void => void ((rows as TextRow[]).length = 0);

/** Writes rows. Those without a valid rendering are read again by their columns. */
async function writeRows(ctx: Ctx, of: Resource, projection: Projection, rows: Rows): Promise<Page["records"]> {
  const records = rows.map((row) => ({ id: row.at(-1)!, text: projection.write(row, ctx.directory, ctx) }));
  const missing = records.filter(({ text }) => text === "").map(({ id }) => id);
  if (missing.length === 0) return records;
  const plain = projectionOf(of, null, (other) => ctx.registry.resource(other));
  const found = await query(
    ctx,
    statement(sql`select ${raw(plain.select)}, t.id from ${from(of, "t")} ${joinsOf(ctx, plain)}
      where t.organization_id = ${ctx.organization_id} and t.id = any(${missing})`),
  );
  const byId = new Map(found.map((row) => [row.at(-1), plain.write(row, ctx.directory, ctx)]));
  return records.map(({ id, text }) => ({ id, text: text || (byId.get(id) ?? "") })).filter(({ text }) => text !== "");
}

// The values of the sort keys are selected last, and the id is always the last of them.
const keysOf = (row: TextRow, input: ListInput): (string | null)[] => row.slice(row.length - input.order.length);

type Selected = Pick<Projection, "select" | "joins" | "related">;

// `keyed`: the values of the sort keys are selected last.
async function pageRows(ctx: Ctx, of: Resource, input: ListInput, selected: Selected, keyed = true): Promise<Rows> {
  const prepared = preparedPage(ctx, of, input, selected, keyed);
  if (prepared !== null) return read(ctx, prepared);
  const composed = pageQuery(ctx, of, input, selected, keyed);
  if (input.found === null) return query(ctx, statement(composed));
  // A page by its ids has the same text for all lists.
  return search(
    ctx,
    statement(composed, (text) => statementName(of, "list", text)),
  );
}

// The default list, and the default list of one parent, have one plan for all values, so they are prepared and share connections.
function preparedPage(ctx: Ctx, of: Resource, input: ListInput, projection: Selected, keyed: boolean): Statement | null {
  const unfiltered = input.conditions.length === 0;
  const eligible = (unfiltered || input.onePlan) && input.skip === 0 && projection.related.length === 0;
  if (!eligible || of.visible?.(ctx, "t") || ctx.tx !== null) return null;
  const composed = pageQuery(ctx, of, input, projection, keyed);
  return statement(composed, (text) => statementName(of, "list", text));
}

function pageQuery(ctx: Ctx, of: Resource, input: ListInput, projection: Selected, keyed: boolean): Sql {
  const conditions = [...scope(ctx, of), ...input.conditions];
  if (input.cursor) conditions.push(afterCursor(input.order, input.cursor));
  const order = orderBy(input.order);
  const keys = input.order.map((key) => key.sql).reduce((left, right) => sql`${left}, ${right}`);
  const select = keyed ? sql`select ${selectList(ctx, projection)}, ${keys}` : sql`select ${selectList(ctx, projection)}`;

  if (input.skip < deepSkip) {
    return sql`${select} from ${from(of, "t")} ${joinsOf(ctx, projection)} where ${and(conditions)} order by ${order} limit ${raw(String(input.limit + 1))} offset ${input.skip}`;
  }
  return sql`${select} from (select t.id from ${from(of, "t")} where ${and(conditions)} order by ${order} limit ${input.limit + 1} offset ${input.skip}) k
    join ${from(of, "t")} on t.organization_id = ${ctx.organization_id} and t.id = k.id ${joinsOf(ctx, projection)} order by ${order}`;
}

// --- counting ---

/** Above this the count is the planner's estimate. */
const countExactly = 10_000;

/** How many records meet the conditions: exactly, or by the planner's statistics if there are many. */
export async function countRows(ctx: Ctx, of: Resource, input: Pick<ListInput, "counted" | "count">): Promise<number> {
  const where = and([...scope(ctx, of), ...input.counted]);
  if (input.count === "exact") {
    const [row] = await query(ctx, statement(sql`select count(*) from ${from(of, "t")} where ${where}`));
    return Number(row![0]);
  }
  const [row] = await query(
    ctx,
    statement(sql`select count(*) from (select 1 from ${from(of, "t")} where ${where} limit ${countExactly + 1}) c`),
  );
  const counted = Number(row![0]);
  if (counted <= countExactly) return counted;
  const [plan] = await query(ctx, statement(sql`explain (format json) select 1 from ${from(of, "t")} where ${where}`));
  return Math.max(counted, JSON.parse(plan![0]!)[0].Plan["Plan Rows"]);
}

// --- expanding ---

/** How many children of each record `_expand` adds. If there are more, `contacts_has_more` says so, and their own path lists them. */
const expandMax = 100;

/** The JSON members that the relations add to each id, such as `,"contacts":[…]`. One statement for each relation. */
export async function expandIds(ctx: Ctx, of: Resource, names: readonly string[], ids: readonly string[]): Promise<string[]> {
  const texts = ids.map(() => "");
  const results = await Promise.all(names.map((relation) => expandOne(ctx, of, relation, ids)));
  names.forEach((relation, i) => {
    ids.forEach((id, j) => {
      const found = results[i]!.get(id) ?? [];
      const { many } = of.expand![relation]!;
      texts[j] += `,"${relation}":${many ? `[${found.slice(0, expandMax).join(",")}]` : (found[0] ?? "null")}`;
      if (many && found.length > expandMax) texts[j] += `,"${relation}_has_more":true`;
    });
  });
  return texts;
}

/** Children come in the default order of their list; without one, the oldest come first. */
const childOrder = (ctx: Ctx, of: Resource): Sql => orderBy(readOrder(of, of.order ?? "date_created", ctx));

async function expandOne(ctx: Ctx, of: Resource, relationName: string, ids: readonly string[]): Promise<Map<string, string[]>> {
  const relation = of.expand![relationName]!;
  const target = ctx.registry.resource(relation.resource)!;
  const projection = projectionOf(target, null, (other) => ctx.registry.resource(other));
  const conditions = and([...scope(ctx, target), ...(relation.where ? [relation.where("t")] : [])]);
  const found = relation.many
    ? sql`select p.id, c.* from unnest(${ids}::text[]) p(id) cross join lateral (
        select ${selectList(ctx, projection)} from ${from(target, "t")} ${joinsOf(ctx, projection)}
        where ${conditions} and t.${name(relation.via)} = p.id order by ${childOrder(ctx, target)} limit ${expandMax + 1}) c`
    : sql`select p.id, ${selectList(ctx, projection)} from ${from(of, "p")} join ${from(target, "t")} on t.organization_id = p.organization_id and t.id = p.${name(relation.via)}
        ${joinsOf(ctx, projection)} where ${conditions} and p.organization_id = ${ctx.organization_id} and p.id = any(${ids}::text[])`;

  const byParent = new Map<string, string[]>();
  for (const [id, ...row] of await query(ctx, statement(found))) {
    const list = byParent.get(id!) ?? [];
    list.push(projection.write(row, ctx.directory, ctx));
    byParent.set(id!, list);
  }
  return byParent;
}
