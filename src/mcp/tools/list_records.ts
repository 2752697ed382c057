// `list_records`: any list of the service, with its filters and its order, as many rows as fit.
import { z } from "zod";
import { invalid, placed } from "../../core/errors.ts";
import { checkFields, data, fields, id, objectType } from "../arguments.ts";
import { operationFor, readObjectType } from "../object_types.ts";
import { filterText, pathValues, queryText } from "../paths.ts";
import type { ToolResult } from "../result.ts";
import { dataResult, fittingPage, linesOf, type Row, shortened } from "../shape.ts";
import { tool } from "../tool.ts";

export const listRecords = tool({
  name: "list_records",
  doc: "Lists records of one type, newest first. Filters are fields of describe_fields, with an optional suffix __in, __gt, __gte, __lt, __lte or __isnull. `query` searches text. Null and empty values are left out; long text is cut unless its field is named in `fields`. has_more with next_cursor leads to the next page.",
  scope: "read",
  input: {
    object_type: objectType,
    query: z.string().optional(),
    filters: data.optional(),
    fields: fields.optional(),
    order_by: z.string().optional().describe("Such as -date_created,name"),
    limit: z.int().min(1).max(200).default(25),
    skip: z.int().min(0).optional(),
    cursor: z.string().optional(),
    count: z.boolean().optional().describe("Adds total; costs time."),
    id: id.optional().describe("Of the parent, for types such as automations/runs."),
  },
  output: {
    returned: z.int(),
    has_more: z.boolean(),
    next_cursor: z.string(),
    total: z.int(),
    data: z.array(z.looseObject({})),
  },
  behind: ({ types }, given) => types.get(String(given.object_type))?.operations.list ?? null,
  async run(call, input) {
    const operation = operationFor(readObjectType(call.types, input.object_type), "list", "get");
    const { params, rest } = pathValues(operation, input.id, input.filters ?? {});
    if (input.query !== undefined && rest.query !== undefined) throw invalid({ query: "is given twice: here and in filters" });
    checkFields(operation, input.fields);
    const query = queryText({
      ...filterText(rest),
      ...(input.query !== undefined && { query: input.query }),
      _fields: input.fields,
      _order_by: input.order_by,
      _skip: input.skip,
      _cursor: input.cursor,
      _count: input.count ? "exact" : undefined,
    });
    const ask = (limit: number) =>
      placed(argumentOf, () => call.perform(operation, { params, query: { ...query, _limit: String(limit) } }));
    return fittingPage(ask, input.limit, ({ body }) => pageResult(body, input.fields !== undefined, input.skip ?? 0));
  },
});

/** Refusals name the arguments of the tool and not the parameters of REST. */
const argumentOf = (place: string): string => (["_cursor", "_order_by", "_skip"].includes(place) ? place.slice(1) : place);

function pageResult(body: Row, named: boolean, skipped: number): ToolResult {
  const all = (Array.isArray(body.data) ? body.data : [body]) as Row[];
  const rows = named ? all : all.map((row) => shortened(row));
  const { cursor_next, total_results } = body;
  const has_more = body.has_more === true;
  const facts = {
    returned: rows.length,
    has_more,
    ...(has_more && cursor_next !== undefined && { next_cursor: cursor_next }),
    ...(total_results !== undefined && { total: total_results }),
  };
  // Lists that are no table have no cursor.
  const onward = cursor_next === undefined ? `skip ${skipped + rows.length}` : `cursor ${cursor_next}`;
  const more = has_more ? ` There are more: pass ${onward}.` : "";
  return dataResult({ ...facts, data: rows }, linesOf(rows), `${rows.length} rows.${more}\n`);
}
