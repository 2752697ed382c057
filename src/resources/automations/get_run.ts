// A single run comes with its steps.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import type { JsonText, Operation } from "../../core/operation.ts";
import { sql } from "../../db/sql.ts";
import { readFieldNames } from "../../records/list_input.ts";
import { findRecords } from "../../records/records.ts";
import { withMembers } from "../../records/standard.ts";
import { outputSchema, renderRow } from "../../records/writer.ts";
import { automationRun, automationStepRun } from "./automation_run.ts";

const steps = z.array(outputSchema(automationStepRun));
const output = (outputSchema(automationRun) as z.ZodObject).extend({
  steps: steps.describe("Every step that was taken, in their order."),
  step_runs: steps.describe("The same as `steps`."),
});

export const withSteps = (get: Operation): Operation => ({
  ...get,
  output,
  async run(ctx, input: { id: string; query: Record<string, string> }) {
    const record = (await get.run(ctx, input)) as JsonText;
    const fields = readFieldNames(input.query._fields);
    const named = ["steps", "step_runs"].filter((key) => fields === null || fields.includes(key));
    if (named.length === 0) return record;
    const list = await stepsOf(ctx, input.id);
    return withMembers(record, named.map((key) => `,"${key}":[${list.join(",")}]`).join(""));
  },
});

async function stepsOf(ctx: Ctx, runId: string): Promise<string[]> {
  const rows = await findRecords(
    ctx,
    automationStepRun,
    [sql`t.run_id = ${runId}`],
    sql`order by t.date_created, t.id limit 10000`,
  );
  return rows.map((row) => renderRow(automationStepRun, row, ctx.directory, ctx, (name) => ctx.registry.resource(name)));
}
