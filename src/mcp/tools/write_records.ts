// `create_record`, `update_record` and `delete_record`: any write of a record, by the rules of its own area.
import { z } from "zod";
import { type Ctx, read } from "../../core/context.ts";
import { below, invalid } from "../../core/errors.ts";
import type { Operation } from "../../core/operation.ts";
import { limitDefault } from "../../records/list_input.ts";
import { data, id, objectType, written } from "../arguments.ts";
import { listedIn } from "../listed_in.ts";
import { operationFor, readObjectType } from "../object_types.ts";
import { filterText, pathValues, queryText } from "../paths.ts";
import type { ToolResult } from "../result.ts";
import { fittingPage, recordResult, writtenResult } from "../shape.ts";
import { type Asked, ofDestroying, type Tool, tool } from "../tool.ts";

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
    const type = readObjectType(call.types, object_type);
    const operation = operationFor(type, "create");
    const { params, rest } = pathValues(operation, id, data);
    const create = (unless?: Asked["unless"]) => call.perform(operation, { params, body: rest, ...(unless && { unless }) });
    const { _limit = limitDefault } = rest;
    if (isSearch(operation) && typeof _limit === "number")
      return fittingPage((limit) => call.perform(operation, { params, body: { ...rest, _limit: limit } }), _limit, writtenResult);
    if (match_on === undefined) return writtenResult(await create());

    const list = operationFor(type, "list");
    const matching = readMatching(list, match_on);
    const { body } = await below("match_on", () => call.perform(list, matching));
    if (body.data.length > 0) return foundResult(body.data[0], call.isDry);
    try {
      return writtenResult(await create((ctx) => refuseSecond(ctx, list, matching)));
    } catch (error) {
      if (error instanceof Found) return foundResult(error.record);
      throw error;
    }
  },
});

/** A search that is asked by a body reads, so it can be asked again for fewer. */
const isSearch = ({ scope, body }: Operation): boolean =>
  scope === "read" && body !== null && "shape" in body && Object.hasOwn(body.shape as object, "_limit");

type Matching = Required<Pick<Asked, "params" | "query">>;

/** Asks for the newest record that the filters find. */
function readMatching(list: Operation, filters: Record<string, unknown>): Matching {
  const { params, rest } = pathValues(list, undefined, filters);
  if (Object.keys(rest).length === 0) throw invalid({ match_on: "must name a filter: without one any record would be found" });
  const query = below("match_on", () => filterText(rest));
  return { params, query: { ...query, _limit: "1" } };
}

function foundResult(record: Record<string, unknown>, isDry = false): ToolResult {
  const { structured, text } = recordResult(record);
  return {
    structured: { ...structured, found: true, ...(isDry && { dry_run: true }) },
    text: `It was there already, nothing was created. ${text}`,
  };
}

/** Another call has created it meanwhile. */
class Found extends Error {
  readonly record: Record<string, unknown>;

  constructor(record: Record<string, unknown>) {
    super("is there already");
    this.record = record;
  }
}

/** Calls that match on the same wait here for each other, and each sees what the one before it created. */
async function refuseSecond(ctx: Ctx, list: Operation, { params, query }: Matching): Promise<void> {
  const asked = Object.entries({ ...params, ...query }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  await read(ctx, {
    name: "match_on.lock",
    text: "select pg_advisory_xact_lock(hashtextextended($1 || $2, 0))",
    values: [ctx.organization_id, JSON.stringify([list.name, asked])],
  });
  const [found] = await listedIn(ctx, list, { params, query });
  if (found !== undefined) throw new Found(found);
}

export const updateRecord = tool({
  name: "update_record",
  doc: "Changes the given fields of a record. null clears a field; a list replaces the whole list.",
  scope: "write_safe",
  annotations: { idempotentHint: true },
  input: { object_type: objectType, id: id.optional(), data, ...ofDestroying },
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
