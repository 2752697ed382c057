// The operations `list` and `get` of a resource. The schemas of their answers are made when the API description or a test asks
// for them, because at the start they took 40 MB for all verbs of a hundred resources.
import { z } from "zod";
import type { Ctx } from "../core/context.ts";
import { type JsonText, type Operation, type Parameter, refuseUnknownParameters } from "../core/operation.ts";
import type { Resource } from "../core/resource.ts";
import { name, type Sql, sql } from "../db/sql.ts";
import { filterNames } from "./filters.ts";
import { showList } from "./list.ts";
import { limitDefault, limitMax, readExpand, readFieldNames, readList } from "./list_input.ts";
import { sortKeys } from "./order.ts";
import { outputSchema } from "./output_schema.ts";
import { getRecord, showRecord } from "./records.ts";
import { answerAlone } from "./single.ts";
import { common, fieldsParameter, noun, nouns, parametersOf, type Standard, singleSchema } from "./standard_operation.ts";

// --- list ---

export type ListVerb = (ctx: Ctx, query: Record<string, string>, params: Record<string, string>) => Promise<unknown>;

export function listOperation(
  of: Standard,
  own?: ListVerb,
): Operation<{ params: Record<string, string>; query: Record<string, string> }> {
  const { of: resource, particulars } = of;
  return {
    method: "GET",
    path: `${resource.path}/`,
    doc: `Lists ${nouns(resource)}${resource.order ? "" : ", newest first"}.`,
    get parameters() {
      return parametersOf(of, "list", listParameters(resource));
    },
    body: null,
    get output() {
      return particulars.list?.output?.() ?? listSchema(outputSchema(resource));
    },
    parse: (_ctx, given) => ({ input: { params: given.params, query: given.query }, ignored: [] }),
    async run(ctx, { params, query }) {
      if (own !== undefined) return own(ctx, query, params);
      return showList(ctx, resource, await readList(ctx, resource, query, await parentCondition(ctx, resource, params)));
    },
    ...common(of, "list"),
  };
}

/** The envelope of a list. */
export const listSchema = (element: z.ZodType) =>
  z.looseObject({
    data: z.array(element),
    has_more: z.boolean(),
    cursor_next: z.string().optional(),
    total_results: z.number().int().optional(),
  });

const anyText = z.string();

export function listParameters(of: Resource): Parameter[] {
  const filters = filterNames(of).map((filter) => ({ ...filter, schema: anyText }));
  const expand = Object.keys(of.expand ?? {});
  return [
    {
      name: "_limit",
      doc: "How many records at most.",
      schema: z.int().min(0).max(limitMax).default(limitDefault),
    },
    { name: "_skip", doc: "How many records to skip.", schema: z.int().min(0).default(0) },
    {
      name: "_cursor",
      doc: "The `cursor_next` of the previous page. Filters and order must be the same.",
      schema: z.string(),
    },
    fieldsParameter,
    {
      name: "_order_by",
      doc: `Sort keys separated by commas, with - in front for descending order: ${[...sortKeys(of), ...(of.custom === undefined ? [] : ["custom.cf_…"])].join(", ")}.`,
      schema: z.string(),
    },
    { name: "_count", doc: "Adds `total_results`.", schema: z.enum(["exact", "estimate"]) },
    ...(expand.length > 0 ? [{ name: "_expand", doc: `Adds related records: ${expand.join(", ")}.`, schema: z.string() }] : []),
    ...filters,
  ];
}

/** A nested list needs a parent that the caller may see. */
async function parentCondition(ctx: Ctx, of: Resource, params: Record<string, string>): Promise<Sql[]> {
  if (of.parent === undefined) return [];
  await getParent(ctx, of, params);
  return [sql`t.${name(of.parent)} = ${params[of.parent]}`];
}

export async function getParent(ctx: Ctx, of: Resource, params: Record<string, string>): Promise<void> {
  const parent = ctx.registry.resource((of.fields[of.parent!] as { ref: { to: string } }).ref.to)!;
  await getRecord(ctx, parent, params[of.parent!]!);
}

// --- get ---

export type GetVerb = (ctx: Ctx, id: string, fields: readonly string[] | null) => Promise<JsonText>;

export function getOperation(of: Standard, own?: GetVerb): Operation<{ id: string; query: Record<string, string> }> {
  const resource = of.of;
  const expand = Object.keys(resource.expand ?? {});
  const usual =
    expand.length > 0
      ? [fieldsParameter, { name: "_expand", doc: `Adds related records: ${expand.join(", ")}.`, schema: z.string() }]
      : [fieldsParameter];
  const known = new Set(usual.map((parameter) => parameter.name));
  const show = own ?? ((ctx: Ctx, id: string, fields: readonly string[] | null) => showRecord(ctx, resource, id, fields));
  return {
    method: "GET",
    path: `${resource.path}/{id}/`,
    doc: `Returns one ${noun(resource)}.`,
    parameters: usual,
    body: null,
    get output() {
      return singleSchema(of, "get");
    },
    parse(_ctx, given) {
      refuseUnknownParameters(given.query, known);
      return { input: { id: given.params.id!, query: given.query }, ignored: [] };
    },
    async run(ctx, { id, query }) {
      const fields = readFieldNames(query._fields);
      const relations = readExpand(resource, query._expand, fields);
      const unasked = fields === null ? expand.filter((one) => resource.expand![one]!.unasked && !relations.includes(one)) : [];
      const record = await show(ctx, id, fields);
      return answerAlone(ctx, of, id, record, [...relations, ...unasked], fields);
    },
    ...common(of, "get"),
  };
}
