// `POST /data/search/`: finds records of one kind by a query, in any order.

import { createHash } from "node:crypto";
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { below, invalid } from "../../core/errors.ts";
import { JsonText, operation } from "../../core/operation.ts";
import type { Resource } from "../../core/resource.ts";
import { name, sql, statement } from "../../db/sql.ts";
import { decodeCursor } from "../../records/cursor.ts";
import { countRows, expandIds, readPage, textWith } from "../../records/list.ts";
import { type ListInput, limitDefault, limitMax, readExpand } from "../../records/list_input.ts";
import { find } from "../../search/find.ts";
import { type QueryNode, readQuery } from "../../search/nodes.ts";
import { objectTypeOf, resourceOf } from "../../search/relations.ts";
import { notAmong } from "../../values/reasons.ts";
import { readSort, sortInput } from "./sort.ts";

const names = z.union([z.string(), z.array(z.string())]);
const input = {
  query: z
    .unknown()
    .describe('What to look for: a node such as {"type": "object_type", "object_type": "lead"}, alone or in an "and".')
    .meta({ examples: [{ type: "object_type", object_type: "lead" }] }),
  _fields: z
    .union([names, z.record(z.string(), names)])
    .optional()
    .describe("Only these fields of each record: a list, or a list for each type."),
  _limit: z.int().min(0).max(limitMax).default(limitDefault).describe("How many records at most."),
  _skip: z.int().min(0).default(0).describe("How many records to skip."),
  cursor: z
    .string()
    .nullish()
    .describe("`cursor` of the previous page, with the same query and sort. It is valid for half an hour."),
  results_limit: z.int().min(0).nullish().describe("How many records at most over all pages."),
  include_counts: z
    .boolean()
    .default(false)
    .describe("Adds `count`: how many records there are, and how many of them are returned."),
  sort: sortInput.optional().describe("At most three fields, each `-field` or {direction, field}; newest first by default."),
};
type Input = z.output<z.ZodObject<typeof input>>;

export const dataSearch = operation({
  name: "data.search",
  method: "POST",
  path: "/data/search/",
  narrows: true,
  doc: "Finds records of one kind by conditions on their fields and on related records.",
  permission: "member",
  group: "search",
  scope: "read",
  pastDue: true,
  transaction: false,
  input,
  output: z.strictObject({
    data: z.array(z.looseObject({ __object_type: z.string() })),
    has_more: z.boolean(),
    cursor: z.string().nullable().describe("From where the next page starts; null at the end."),
    cursor_next: z.string().nullable().describe("The same as `cursor`."),
    total_results: z.int().optional(),
    count: z.strictObject({ limited: z.int(), total: z.int() }).optional(),
  }),
  async run(ctx, given) {
    const { query: tree, errors } = readQuery(given.query);
    if (errors !== null) throw invalid(errors);
    const of = searchedType(ctx, tree);
    const place = readPlace(ctx, of, given);
    const conditionOf = async (whole: boolean) => (await below("query", () => find(ctx, of, tree, { whole }))).condition;
    const conditions = [await conditionOf(false)];
    const counted = given.include_counts ? [await conditionOf(true)] : conditions;

    const asked: ListInput = { ...place.input, fields: readFields(of, given._fields), conditions, counted };
    const [page, total] = await Promise.all([
      readPage(ctx, of, asked),
      given.include_counts ? countRows(ctx, of, { counted, count: "exact" }) : null,
    ]);
    const types = await typesOf(
      ctx,
      of,
      page.records.map(({ id }) => id),
    );
    const relations = readExpand(of, undefined, asked.fields);
    const expanded = await expandIds(
      ctx,
      of,
      relations,
      page.records.map(({ id }) => id),
    );
    const data = page.records.map(({ id, text }, i) => textWith(text, `${expanded[i]},"__object_type":"${types(id)}"`));

    const given_ = place.before + page.records.length;
    const has_more = page.has_more && given_ < place.resultsLimit;
    const cursor = has_more && page.last !== null ? cursorOf(ctx, place.bound, given_, page.last) : null;
    const counts =
      total === null
        ? ""
        : `,"total_results":${total},"count":{"limited":${Math.min(total, place.resultsLimit)},"total":${total}}`;
    return new JsonText(
      `{"data":[${data.join(",")}],"has_more":${has_more},"cursor":${JSON.stringify(cursor)},"cursor_next":${JSON.stringify(cursor)}${counts}}`,
    );
  },
});

// --- which kind of record ---

/** A search is for one kind of record, which the query names itself or in its outermost `and`. */
function searchedType(ctx: Ctx, tree: QueryNode): Resource {
  const candidates = tree.type === "and" && !tree.negate ? tree.queries : [tree];
  const at = candidates.findIndex((node) => node.type === "object_type" && !node.negate);
  if (at < 0)
    throw invalid({
      query: 'must say for which kind of record: {"type": "object_type", "object_type": "lead"}, alone or in an "and"',
    });

  const { object_type } = candidates[at] as Extract<QueryNode, { type: "object_type" }>;
  const of = resourceOf(ctx, object_type);
  if (of !== undefined && isSearched(of)) return of;
  const known = ctx.registry.resources.filter(isSearched).map(objectTypeOf);
  throw invalid({
    [tree.type === "and" ? `query.queries.${at}.object_type` : "query.object_type"]: notAmong(object_type, known),
  });
}

const isSearched = (of: Resource): boolean => of.search !== undefined;

/** The type of each record. In a search of all activities, each has its own. */
async function typesOf(ctx: Ctx, of: Resource, ids: readonly string[]): Promise<(id: string) => string> {
  if (of.kinds === undefined || ids.length === 0) return () => objectTypeOf(of);
  const { column, of: kinds } = of.kinds;
  const rows = await query(
    ctx,
    statement(
      sql`select t.id, t.${name(column)} from ${name(of.table)} t where t.organization_id = ${ctx.organization_id} and t.id = any(${ids})`,
    ),
  );
  const byValue = new Map(kinds.map((kind) => [kind.only!.value, objectTypeOf(kind)]));
  const types = new Map(rows.map(([id, value]) => [id, byValue.get(value!)]));
  return (id) => types.get(id) ?? objectTypeOf(of);
}

// --- which fields ---

function readFields(of: Resource, given: Input["_fields"]): string[] | null {
  const own = typeof given === "object" && !Array.isArray(given) ? given[objectTypeOf(of)] : given;
  const list = typeof own === "string" ? own.split(",") : (own ?? []);
  const fields = list.map((one) => one.trim()).filter((one) => one !== "");
  return fields.length === 0 ? null : fields;
}

// --- which page ---

/** Cursors of an older form are refused, because their order may have another meaning now. */
const cursorLifeMs = 30 * 60_000;
/** A cursor also contains when it was made, and how many records came before. */
const cursorExtras = 2;

interface Place {
  input: Omit<ListInput, "fields" | "conditions" | "counted">;
  /** What a cursor is bound to. */
  bound: string;
  before: number;
  resultsLimit: number;
}

function readPlace(ctx: Ctx, of: Resource, given: Input): Place {
  const order = readSort(ctx, of, given.sort);
  const bound = createHash("sha1")
    .update(JSON.stringify([of.name, given.query, given.sort, given.results_limit]))
    .digest("base64url")
    .slice(0, 12);
  const resultsLimit = given.results_limit ?? Number.MAX_SAFE_INTEGER;
  const { values, before } = readCursor(ctx, given, bound, order.length);
  const limit = Math.max(0, Math.min(given._limit, resultsLimit - before));
  const input = {
    limit,
    skip: given._skip,
    cursor: values,
    expand: [],
    count: null,
    order,
    found: null,
    onePlan: false,
    fingerprint: () => bound,
  };
  return { input, bound, before, resultsLimit };
}

function readCursor(
  ctx: Ctx,
  { cursor, _skip }: Input,
  bound: string,
  width: number,
): { values: (string | null)[] | null; before: number } {
  if (!cursor) return { values: null, before: 0 };
  if (_skip > 0) throw invalid({ _skip: "cannot be used together with cursor" });
  const decoded = decodeCursor(cursor, bound, width + cursorExtras);
  if (decoded === null) throw invalid({ cursor: "is not a cursor of this search with this sort" });
  const [madeAt, before, ...values] = decoded;
  if (!(ctx.now.getTime() - Number(madeAt) < cursorLifeMs)) throw invalid({ cursor: "Expired cursor" });
  return { values, before: Number(before) };
}

const cursorOf = (ctx: Ctx, bound: string, before: number, values: readonly (string | null)[]): string =>
  Buffer.from(JSON.stringify([bound, String(ctx.now.getTime()), String(before), ...values])).toString("base64url");
