// `aggregate`: counts and sums in groups, so that an agent need not read rows to count them.
import { z } from "zod";
import { data } from "../arguments.ts";
import { dataResult, linesOf } from "../shape.ts";
import { tool } from "../tool.ts";

const numbers = z.array(z.string()).optional();

export const aggregate = tool({
  name: "aggregate",
  doc: "Counts records, and sums or averages their numbers, by up to two fields or periods such as status_id or date_won__month. Filters as in list_records. Cheaper than listing rows to count them.",
  scope: "read",
  input: {
    object_type: z.string().describe("Such as lead, opportunity, task or activity/call."),
    filters: data.optional(),
    group_by: z.array(z.string()).optional(),
    sum: numbers,
    avg: numbers,
    min: numbers,
    max: numbers,
  },
  output: { groups: z.array(z.looseObject({})), has_more: z.boolean() },
  operations: ["report.aggregate"],
  async run(call, body) {
    const { groups, has_more } = (await call.perform("report.aggregate", { body })).body;
    return dataResult({ groups, has_more }, linesOf(groups));
  },
});
