// Rows about tasks. Each belongs to a lead that exists.
import type { Ctx } from "../../core/context.ts";
import { readCreate } from "../../records/input.ts";
import { createRecord } from "../../records/records.ts";
import { task } from "../tasks/task.ts";
import { findPlaces, type Place } from "./find_leads.ts";
import { failedRow, type Import, type Outcome } from "./import_rows.ts";
import { errorsOf, type ReadRow } from "./read_row.ts";

export async function takeTasks(ctx: Ctx, imp: Import, reads: readonly ReadRow[]): Promise<Outcome[]> {
  const places = await findPlaces(ctx, imp, reads);
  const outcomes: Outcome[] = [];
  for (const [i, read] of reads.entries()) {
    try {
      outcomes.push(await takeTask(ctx, read, places[i]!));
    } catch (problem) {
      outcomes.push(failedRow(read.row, errorsOf(read, "task", problem)));
    }
  }
  return outcomes;
}

async function takeTask(ctx: Ctx, { row, bodies }: ReadRow, { lead_id, errors }: Place): Promise<Outcome> {
  if (errors.length > 0) return failedRow(row, errors);
  if (lead_id === null) return failedRow(row, [{ error: "fits no lead that you can see: a task belongs to one" }]);
  const body = { ...bodies.task, lead_id };
  const { input } = readCreate(ctx, task, { params: {}, query: {}, body, strict: false });
  const { id, version } = await createRecord(ctx, task, input);
  return { n: row.n, status: "created", object_ids: [id], errors: [], key: null, kept: [{ of: task.name, id, version }] };
}
