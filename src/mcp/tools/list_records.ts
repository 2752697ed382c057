// `list_records`: any list of the service, with its filters and its order, as many rows as fit.
import { z } from "zod";
import { invalid, placed } from "../../core/errors.ts";
import { checkFields, data, fields, id, objectType } from "../arguments.ts";
import { operationFor, readObjectType } from "../object_types.ts";
import { filterText, pathValues, queryText } from "../paths.ts";
import { bytesOf, dataResult, linesOf, type Row, resultBytesMax, shortened } from "../shape.ts";
import { type Performed, type ToolResult, tool } from "../tool.ts";

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
    return fitting(ask, input.limit, input.fields !== undefined);
  },
});

/** Refusals name the arguments of the tool and not the parameters of REST. */
const argumentOf = (place: string): string => (["_cursor", "_order_by", "_skip"].includes(place) ? place.slice(1) : place);

/** The page, or as many of its first rows as fit. Those are asked for again, so that the cursor goes on right after them. */
async function fitting(ask: (limit: number) => Promise<Performed>, limit: number, named: boolean): Promise<ToolResult> {
  const page = pageResult((await ask(limit)).body, named);
  if (bytesOf(page.result) <= resultBytesMax) return page.result;

  let most = page.rows.length;
  const isTooLong = () => bytesOf(rowsResult(page.rows.slice(0, most), {})) > resultBytesMax - 1000;
  while (most > 1 && isTooLong()) most = Math.floor(most * 0.8);
  const fewer = pageResult((await ask(most)).body, named);
  // One row alone may be too long.
  return bytesOf(fewer.result) <= resultBytesMax ? fewer.result : rowsResult([shortened(fewer.rows[0]!)], fewer.body);
}

function pageResult(body: Row, named: boolean): { result: ToolResult; rows: Row[]; body: Row } {
  const data = (Array.isArray(body.data) ? body.data : [body]) as Row[];
  const rows = named ? data : data.map((row) => shortened(row));
  return { rows, result: rowsResult(rows, body), body };
}

function rowsResult(rows: Row[], { has_more, cursor_next, total_results }: Row): ToolResult {
  const facts = {
    returned: rows.length,
    has_more: has_more === true,
    ...(has_more === true && cursor_next !== undefined && { next_cursor: cursor_next }),
    ...(total_results !== undefined && { total: total_results }),
  };
  const more = has_more === true ? ` There are more: pass cursor ${cursor_next}.` : "";
  return dataResult({ ...facts, data: rows }, linesOf(rows), `${rows.length} rows.${more}\n`);
}
