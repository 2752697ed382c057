// `get_record`: one record with all its fields, or with those that are named.
import { z } from "zod";
import { notFound } from "../../core/errors.ts";
import { data, fields, id, objectType } from "../arguments.ts";
import { type ObjectType, operationFor, readObjectType } from "../object_types.ts";
import { pathValues, queryText } from "../paths.ts";
import { recordResult } from "../shape.ts";
import { type ToolCall, tool } from "../tool.ts";

export const getRecord = tool({
  name: "get_record",
  doc: "Reads one record by its id, with long texts whole. Null and empty values are left out unless `fields` names them. `filters` takes further parameters, such as a contact_id for email_template/render.",
  scope: "read",
  input: { object_type: objectType, id: id.optional(), fields: fields.optional(), filters: data.optional() },
  output: { record: z.looseObject({}) },
  behind: ({ types }, given) => types.get(String(given.object_type))?.operations.get ?? null,
  async run(call, { object_type, id, fields, filters = {} }) {
    const type = readObjectType(call.types, object_type);
    if (type.operations.get === undefined && type.resource !== null && id !== undefined)
      return recordResult(await fromList(call, type, id, filters, fields), fields !== undefined);
    const operation = operationFor(type, "get", "list");
    const { params, rest } = pathValues(operation, id, filters);
    const query = { ...queryText(rest), ...queryText({ _fields: fields }) };
    return recordResult((await call.perform(operation, { params, query })).body, fields !== undefined);
  },
});

/** Some resources have a list and no read of a single record. */
async function fromList(
  call: ToolCall,
  type: ObjectType,
  id: string,
  filters: Record<string, unknown>,
  fields?: string[],
): Promise<Record<string, unknown>> {
  const list = operationFor(type, "list");
  const { params, rest } = pathValues(list, undefined, filters);
  const { body } = await call.perform(list, { params, query: queryText({ ...rest, id, _fields: fields, _limit: 1 }) });
  const [record] = body.data;
  if (record === undefined) throw notFound();
  return record;
}
