// Tasks by which an automation asks for an approval. What they ask is fixed, only the assignee answers, and the first answer is the
// only one: whoever is told that an answer was taken can rely on it.
import type { Ctx } from "../../core/context.ts";
import { may, query } from "../../core/context.ts";
import { invalid, Problem } from "../../core/errors.ts";
import type { Row, Values } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { systemActor } from "../../records/acting.ts";
import { findRecords } from "../../records/records.ts";
import { same } from "../../values/same.ts";
import { isActiveMember } from "../organization/user.ts";
import { task } from "./task.ts";

type Task = Row<typeof task>;

/** What the question consists of. */
const fixed = ["text", "lead_id", "contact_id", "assigned_to"] as const;
const answers = ["approved", "rejected"];

/** Refuses changes of tasks that ask for an approval, but for the answer of whoever is asked. */
export async function checkApprovals(ctx: Ctx, befores: readonly Task[], values: Values<typeof task>): Promise<void> {
  for (const before of befores) if (before.approval_run_id !== null) await checkApproval(ctx, before, values);
}

async function checkApproval(ctx: Ctx, before: Task, values: Values<typeof task>): Promise<void> {
  for (const key of fixed)
    if (values[key] !== undefined && !same(values[key], before[key]))
      throw invalid({ [key]: "is fixed: by this task an automation asks for an approval" });
  const after = { ...before, ...values };
  if (after.is_complete === before.is_complete && after.resolution === before.resolution) return;
  if (ctx.request.byTool === true)
    throw new Problem(
      403,
      "You do not have permission to perform this action: an approval is answered by a person, and by no tool.",
    );
  if (before.assigned_to !== ctx.actor.user_id && !mayStandIn(ctx, before))
    throw new Problem(403, "You do not have permission to perform this action: only its assignee answers this approval.");
  if (!after.is_complete || !answers.includes(after.resolution ?? ""))
    throw invalid({ resolution: "must be approved or rejected, together with is_complete: an automation waits for the answer" });
  await checkIsAsked(ctx, before);
}

/** When the assignee has left, an admin answers: nobody else could. */
const mayStandIn = (ctx: Ctx, { assigned_to }: Task): boolean =>
  may(ctx, "manage_organization") && !(assigned_to !== null && isActiveMember(ctx.directory, assigned_to));

/** The lock on the run makes answers come one after the other. The worker that ends the wait never waits for a task. */
async function checkIsAsked(ctx: Ctx, { id, approval_run_id, date_created, is_complete, resolution }: Task): Promise<void> {
  if (is_complete && answers.includes(resolution ?? ""))
    throw invalid({ resolution: `is given already, and cannot be changed: ${resolution}` });
  const [run] = await query(ctx, {
    name: "task.approval_run",
    text: `select status, wait->>'kind' from automation_run where organization_id = $1 and id = $2 for no key update`,
    values: [ctx.organization_id, approval_run_id],
  });
  // All tasks of one question are as old, and no other question of the run is.
  const [answered] = await query(ctx, {
    name: "task.approval_answer",
    text: `select resolution from task where organization_id = $1 and approval_run_id = $2 and date_created = $3 and id <> $4
             and is_complete and resolution in ('approved', 'rejected') limit 1`,
    values: [ctx.organization_id, approval_run_id, date_created, id],
  });
  if (answered !== undefined) throw invalid({ resolution: `was decided already by somebody else: ${answered[0]}` });
  const isAsked = run?.[0] === "waiting" && run[1] === "approval" && !is_complete;
  if (!isAsked) throw invalid({ resolution: "comes too late: the automation does not wait for it any more" });
}

/** Refuses to delete an open question. */
export function refuseOpenApproval({ approval_run_id, is_complete }: Task): void {
  if (approval_run_id !== null && !is_complete)
    throw invalid({ id: "asks for an approval: answer it with a resolution, or cancel the run" });
}

/** The open questions of a run, locked. One that is being answered is passed over. */
export const openApprovals = (ctx: Ctx, runId: string): Promise<Task[]> =>
  findRecords(
    asService(ctx),
    task,
    [sql`t.approval_run_id = ${runId}`, sql`not t.is_complete`],
    sql`order by t.id for update of t skip locked`,
  );

/** In the name of the same user, whatever the rights of that user are. */
export const asService = (ctx: Ctx): Ctx => ({
  ...ctx,
  actor: { ...systemActor(ctx.organization_id), user_id: ctx.actor.user_id },
});
