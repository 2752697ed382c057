// Which records a bulk operation covers: a search query, a text query, ids, or all. Exactly one must be given. A missing selection
// never means all records.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { below, invalid } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { find } from "../../search/find.ts";
import { type QueryNode, readQuery } from "../../search/nodes.ts";
import { textQuery } from "../../search/text_filter.ts";
import { parseTextQuery } from "../../search/text_query.ts";

/** The most records of one bulk operation. */
export const objectsMax = 100_000;
const idsMax = 10_000;

const ids = z.array(z.string().max(64)).min(1).max(idsMax);

/** The members of a body for the selection. */
export const selectionInput = {
  s_query: z.record(z.string(), z.unknown()).nullish().describe("A query as `POST /data/search/` takes it."),
  query: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .nullish()
    .describe("A text query, or the same as `s_query`."),
  ids: ids.nullish().describe("The records, by their ids."),
  lead_ids: ids.nullish(),
  contact_ids: ids.nullish(),
  all: z.literal(true).nullish().describe("All records. It must be said: a missing selection is refused."),
};

export type GivenSelection = Partial<z.output<z.ZodObject<typeof selectionInput>>>;

/** The stored form: one of the three, the others null. All records are the query that matches all. */
export interface Selection {
  s_query: Record<string, unknown> | null;
  query: string | null;
  object_ids: string[] | null;
}

const nothing: Selection = { s_query: null, query: null, object_ids: null };

/** The kinds that ids are of. `ids` are of any. */
const idsOf: Readonly<Record<string, string>> = { lead_ids: "lead", contact_ids: "contact" };

/** Parses a selection of records of this kind, and refuses what the search would refuse later. */
export async function readSelection(ctx: Ctx, of: Resource, given: GivenSelection): Promise<Selection> {
  const { s_query, query, ...lists } = given;
  const ways = Object.entries({ s_query, query, ...lists }).filter(([, value]) => value !== undefined && value !== null);
  if (ways.length === 0) throw invalid({ s_query: "is required: select records by s_query, query or ids, or send all: true" });
  if (ways.length > 1) throw invalid({ [ways[1]![0]]: `cannot be given together with ${ways[0]![0]}` });

  const [place, value] = ways[0]!;
  if (value === true) return { ...nothing, s_query: { type: "match_all" } };
  const named = idsOf[place];
  if (named !== undefined && named !== of.name)
    throw invalid({ [place]: `selects ${named}s, and this is about ${of.name.replaceAll("_", " ")}s: use ids or a query` });
  if (Array.isArray(value)) return { ...nothing, object_ids: [...new Set(value as string[])] };
  if (typeof value === "string") return { ...nothing, query: await checkedText(ctx, of, value) };
  return { ...nothing, s_query: await checkedQuery(ctx, of, value as Record<string, unknown>, place) };
}

/** For work that changes records: a script whose variable is empty must not select all of them. */
export function checkSaysSomething({ all }: GivenSelection, { query, s_query }: Selection): void {
  const node = query !== null ? parseTextQuery(query).query : s_query !== null ? readQuery(s_query).query : null;
  if (all !== true && node !== null && selectsAll(node))
    throw invalid({ [query !== null ? "query" : "s_query"]: "selects all records: send all: true if that is meant" });
}

/** The kind of record is known before a query is asked, so naming it leaves nothing out. */
function selectsAll(node: QueryNode): boolean {
  if (node.negate) return false;
  if (node.type === "and") return node.queries.every(selectsAll);
  if (node.type === "or") return node.queries.some(selectsAll);
  return node.type === "match_all" || node.type === "object_type";
}

async function checkedText(ctx: Ctx, of: Resource, text: string): Promise<string> {
  await below("query", () => textQuery(of.name).sql(ctx, text, "t"));
  return text;
}

/** A whole search body is accepted too. Only its `query` is used. */
async function checkedQuery(ctx: Ctx, of: Resource, given: Record<string, unknown>, place: string) {
  const node = given.type === undefined && given.query !== undefined ? (given.query as Record<string, unknown>) : given;
  const read = readQuery(node, place);
  if (read.errors !== null) throw invalid(read.errors);
  await below(place, () => find(ctx, of, read.query));
  return node;
}

/** The condition of a stored selection, on the alias `t`, with what the caller may search at present. */
export async function selectedBy(ctx: Ctx, of: Resource, { s_query, query, object_ids }: Selection): Promise<Sql> {
  if (object_ids !== null) return sql`t.id = any(${object_ids})`;
  if (query !== null) return textQuery(of.name).sql(ctx, query, "t", true);
  return (await find(ctx, of, readQuery(s_query!).query!, { whole: true })).condition;
}
