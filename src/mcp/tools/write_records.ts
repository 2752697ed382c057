// `create_record`, `update_record` and `delete_record`: any write of a record, by the rules of its own area.
import { z } from "zod";
import { below, invalid } from "../../core/errors.ts";
import { data, id, objectType, written } from "../arguments.ts";
import { operationFor, readObjectType } from "../object_types.ts";
import { filterText, pathValues, queryText } from "../paths.ts";
import { recordResult, writtenResult } from "../shape.ts";
import { type Tool, type ToolCall, type ToolResult, tool } from "../tool.ts";

const behind =
  (verb: "create" | "update" | "delete"): Tool["behind"] =>
  ({ types }, given) =>
    types.get(String(given.object_type))?.operations[verb] ?? null;

export const createRecord = tool({
  name: "create_record",
  doc: "Creates a record, or does an action such as automations/publish to the record `id`. describe_fields says what `data` takes. With match_on, a record that these filters find is answered instead of creating another.",
  scope: "write_safe",
  input: { object_type: objectType, data: data.default({}), id: id.optional(), match_on: data.optional() },
  output: { ...written, found: z.boolean() },
  behind: behind("create"),
  async run(call, { object_type, data, id, match_on }) {
    const found = match_on && (await match(call, object_type, match_on));
    if (found) return found;
    const operation = operationFor(readObjectType(call.types, object_type), "create");
    const { params, rest } = pathValues(operation, id, data);
    return writtenResult(await call.perform(operation, { params, body: rest }));
  },
});

/** The newest record that the filters find. */
async function match(call: ToolCall, object_type: string, filters: Record<string, unknown>): Promise<ToolResult | null> {
  const list = operationFor(readObjectType(call.types, object_type), "list");
  const { params, rest } = pathValues(list, undefined, filters);
  if (Object.keys(rest).length === 0) throw invalid({ match_on: "must name a filter: without one any record would be found" });
  const query = below("match_on", () => filterText(rest));
  const { body } = await below("match_on", () => call.perform(list, { params, query: { ...query, _limit: "1" } }));
  if (body.data.length === 0) return null;
  const { structured, text } = recordResult(body.data[0]);
  return { structured: { ...structured, found: true }, text: `It was there already, nothing was created. ${text}` };
}

export const updateRecord = tool({
  name: "update_record",
  doc: "Changes the given fields of a record. null clears a field; a list replaces the whole list.",
  scope: "write_safe",
  annotations: { idempotentHint: true },
  input: { object_type: objectType, id: id.optional(), data },
  output: written,
  behind: behind("update"),
  async run(call, { object_type, id, data }) {
    const operation = operationFor(readObjectType(call.types, object_type), "update");
    const { params, rest } = pathValues(operation, id, data);
    return writtenResult(await call.perform(operation, { params, body: rest }));
  },
});

export const deleteRecord = tool({
  name: "delete_record",
  doc: "Deletes a record and what belongs to it. Try it with dry_run first: the events show all that would go. `data` takes ids of parents, such as opportunity_id.",
  scope: "write_destructive",
  input: { object_type: objectType, id, data: data.optional() },
  output: written,
  behind: behind("delete"),
  async run(call, { object_type, id, data = {} }) {
    const operation = operationFor(readObjectType(call.types, object_type), "delete");
    const { params, rest } = pathValues(operation, id, data);
    return writtenResult(await call.perform(operation, { params, query: queryText(rest) }));
  },
});
