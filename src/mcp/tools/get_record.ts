// `get_record`: one record with all its fields, or with those that are named.
import { z } from "zod";
import { notFound } from "../../core/errors.ts";
import { limitDefault } from "../../records/list_input.ts";
import { checkFields, data, fields, id, objectType, rowsFrom } from "../arguments.ts";
import { operationFor, readObjectType } from "../object_types.ts";
import { pathValues, queryText } from "../paths.ts";
import { readOn } from "../read_on.ts";
import { byGetRecord, fittingPage, type Row, recordResult } from "../shape.ts";
import { tool } from "../tool.ts";

export const getRecord = tool({
  name: "get_record",
  doc: "Reads one record by its id. Null and empty values are left out unless `fields` names them. What did not fit is read by text_from and rows_from. `filters` takes further parameters, such as a contact_id for email_template/render.",
  scope: "read",
  input: {
    object_type: objectType,
    id: id.optional(),
    fields: fields.optional(),
    text_from: z.int().min(0).optional(),
    rows_from: rowsFrom,
    filters: data.optional(),
  },
  output: { record: z.looseObject({}) },
  behind: ({ types }, given) => types.get(String(given.object_type))?.operations.get ?? null,
  async run(call, { object_type, id, fields, text_from = 0, rows_from = 0, filters = {} }) {
    const type = readObjectType(call.types, object_type);
    // Some resources have a list and no read of a single record.
    const isListed = type.operations.get === undefined && type.resource !== null && id !== undefined;
    const operation = isListed ? operationFor(type, "list") : operationFor(type, "get", "list");
    checkFields(operation, fields);
    const { params, rest } = pathValues(operation, isListed ? undefined : id, filters);
    const query = queryText({ ...rest, _fields: fields, ...(isListed && { id, _limit: 1 }) });
    const ask = (more: Record<string, string> = {}) => call.perform(operation, { params, query: { ...query, ...more } });
    const shown = (record: Row) => recordResult(readOn(record, { text_from, rows_from }), fields !== undefined);
    if (!isListed && operation.parameters.some(({ name }) => name === "_limit"))
      return fittingPage(
        (limit) => ask({ _limit: String(limit) }),
        Number(query._limit ?? limitDefault),
        ({ body }) => shown(body),
      );
    const { body } = await ask();
    const record = isListed ? body.data[0] : body;
    if (record === undefined) throw notFound();
    return shown(record);
  },
  onward: ({ text_from, rows_from }) => byGetRecord(text_from, rows_from),
});
