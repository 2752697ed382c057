// Reading one run, with its steps.
import { z } from "zod";
import { type Ctx, may, read } from "../../core/context.ts";
import type { JsonText } from "../../core/operation.ts";
import { sql } from "../../db/sql.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { findRecords } from "../../records/records.ts";
import { renderRow } from "../../records/render.ts";
import { recordWith } from "../../records/single.ts";
import type { Alone } from "../../records/standard_operation.ts";
import { automationRun, automationStepRun } from "./automation_run.ts";
import { configAsRead } from "./request_secrets.ts";
import { mayReadValues } from "./run_values.ts";

function output(): z.ZodType {
  const steps = z.array(outputSchema(automationStepRun));
  return (outputSchema(automationRun) as z.ZodObject).extend({
    steps: steps.describe("All steps of the run, in order."),
    step_runs: steps.describe("The same as `steps`."),
  });
}

export const runSteps: Alone = { output, add: withSteps };

async function withSteps(ctx: Ctx, id: string, record: JsonText, fields: readonly string[] | null): Promise<JsonText> {
  const named = ["steps", "step_runs"].filter((key) => fields === null || fields.includes(key));
  if (named.length === 0) return record;
  const list = await stepsOf(ctx, id);
  return recordWith(record, named.map((key) => `,"${key}":[${list.join(",")}]`).join(""));
}

/** What its config, its conditions and its effect took from records. */
const hidden = { input: null, output: null, error: null, attempts: [], effect: null, decision: null };

async function eyesOf(ctx: Ctx, runId: string): Promise<string | null> {
  const [row] = await read(ctx, {
    name: "automation_run.eyes",
    text: "select seen_as_user_id from automation_run where organization_id = $1 and id = $2",
    values: [ctx.organization_id, runId],
  });
  return row?.[0] ?? null;
}

async function stepsOf(ctx: Ctx, runId: string): Promise<string[]> {
  const rows = await findRecords(
    ctx,
    automationStepRun,
    [sql`t.run_id = ${runId}`],
    sql`order by t.sequence, t.date_created, t.id limit 10000`,
  );
  const isOpen = may(ctx, "view_all_leads") || mayReadValues(ctx.actor, await eyesOf(ctx, runId));
  const shown = rows.map((row) => (isOpen ? { ...row, input: configAsRead(ctx, row.type, row.input) } : { ...row, ...hidden }));
  return shown.map((row) => renderRow(automationStepRun, row, ctx.directory, ctx, (name) => ctx.registry.resource(name)));
}
