// `get_record`: one record with all its fields, or with those that are named.
import { z } from "zod";
import { notFound } from "../../core/errors.ts";
import { checkFields, data, fields, id, objectType } from "../arguments.ts";
import { operationFor, readObjectType } from "../object_types.ts";
import { pathValues, queryText } from "../paths.ts";
import { type Row, recordResult } from "../shape.ts";
import { tool } from "../tool.ts";

export const getRecord = tool({
  name: "get_record",
  doc: "Reads one record by its id, with long texts as far as they fit. Null and empty values are left out unless `fields` names them. `filters` takes further parameters, such as a contact_id for email_template/render.",
  scope: "read",
  input: {
    object_type: objectType,
    id: id.optional(),
    fields: fields.optional(),
    text_from: z.int().min(0).optional().describe("Long texts from this character on."),
    filters: data.optional(),
  },
  output: { record: z.looseObject({}) },
  behind: ({ types }, given) => types.get(String(given.object_type))?.operations.get ?? null,
  async run(call, { object_type, id, fields, text_from = 0, filters = {} }) {
    const type = readObjectType(call.types, object_type);
    // Some resources have a list and no read of a single record.
    const isListed = type.operations.get === undefined && type.resource !== null && id !== undefined;
    const operation = isListed ? operationFor(type, "list") : operationFor(type, "get", "list");
    checkFields(operation, fields);
    const { params, rest } = pathValues(operation, isListed ? undefined : id, filters);
    const query = queryText({ ...rest, _fields: fields, ...(isListed && { id, _limit: 1 }) });
    const { body } = await call.perform(operation, { params, query });
    const record = isListed ? body.data[0] : body;
    if (record === undefined) throw notFound();
    return recordResult(readOn(record, text_from), fields !== undefined);
  },
});

/** Long texts from a character on: what one result did not hold is in the next. */
function readOn(record: Row, start: number): Row {
  if (start === 0) return record;
  const isLong = (value: unknown): value is string => typeof value === "string" && value.length > start;
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, isLong(value) ? value.slice(start) : value]));
}
