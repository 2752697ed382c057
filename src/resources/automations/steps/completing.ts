// Completes tasks: the one that `target` names, or with `where` the open ones of the record that it names.
import { z } from "zod";
import { sql } from "../../../db/sql.ts";
import { findRecords } from "../../../records/records.ts";
import { isId } from "../../../values/id.ts";
import { task } from "../../tasks/task.ts";
import { recordsThat } from "../searched_records.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome } from "./step.ts";
import { changeRecord, idOf, recordNamed, type Target } from "./writing.ts";

export const completedOutput = z.object({
  id: z.string().nullable().describe("The first task; null where none was open."),
  object_type: z.string(),
  count: z.int().describe("How many were completed."),
});

/** The most at once, as `record.find` finds. */
const most = 100;

export async function completeTasks(call: Call): Promise<Outcome> {
  const named = await recordNamed(call);
  const ids = call.config.where == null ? [taskIn(named)] : await openTasksOf(call, named);
  for (const id of ids) await changeRecord(call, { kind: task, id }, { is_complete: true });
  return { output: { ...idOf({ kind: task, id: "" }), id: ids[0] ?? null, count: ids.length } };
}

function taskIn({ id }: Target): string {
  if (isId(task.prefix, id)) return id;
  const words = `${id} is no task: name one in target, such as {"$ref": "steps.s1.output.id"}, or say in where which of its tasks`;
  throw new StepFailure("object_type_mismatch", "config", words);
}

/** The key by which a task names its record. */
const keys: ReadonlyMap<string, "lead_id" | "contact_id" | "opportunity_id"> = new Map([
  ["lead", "lead_id"],
  ["contact", "contact_id"],
  ["opportunity", "opportunity_id"],
]);

async function openTasksOf({ ctx, config }: Call, { kind, id }: Target): Promise<string[]> {
  const key = keys.get(kind.name);
  if (key === undefined)
    throw new StepFailure(
      "object_type_mismatch",
      "config",
      `With where, target must be a lead, a contact or a deal: ${id} is none`,
    );
  const its = { lead_id: sql`t.lead_id`, contact_id: sql`t.contact_id`, opportunity_id: sql`t.opportunity_id` }[key];
  const open = [sql`${its} = ${id}`, sql`not t.is_complete`, await recordsThat(ctx, task, config.where)];
  const rows = await findRecords(ctx, task, open, sql`order by t.date_created, t.id limit ${most}`);
  return rows.map((row) => row.id);
}
