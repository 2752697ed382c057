// Asks members for an approval: each gets a task with the text and a notification. Whoever completes theirs first, with the resolution
// `approved` or `rejected`, answers for all. For who left, an admin may.
import { z } from "zod";
import { query } from "../../../core/context.ts";
import { sql, statement } from "../../../db/sql.ts";
import { todayIn } from "../../../values/time.ts";
import { notifyAll, type Told } from "../../notifications/notify.ts";
import { group } from "../../organization/group.ts";
import { isActiveMember } from "../../organization/user.ts";
import { StepFailure } from "../step_failure.ts";
import { withdrawApprovals } from "../withdraw_approvals.ts";
import { leadOf } from "./creating.ts";
import type { Call, Outcome, Pending } from "./step.ts";
import { untilTimeout } from "./timeouts.ts";
import { createOf } from "./writing.ts";

export const approvalOutput = z.object({
  task_ids: z.array(z.string()).describe("The tasks by which it was asked."),
  approver_ids: z.array(z.string()).describe("Who was asked."),
  answered_by: z.string().nullable().describe("Who answered."),
});
type Asked = z.output<typeof approvalOutput>;

const taskType = "todo";

/** The tasks are as new as the wait, so no answer can come before it. */
export async function askApproval(call: Call): Promise<Outcome> {
  const { ctx, config, run } = call;
  const { until, zone } = untilTimeout(call);
  const approver_ids = approversOf(call);
  const task_ids: string[] = [];
  const told: Told[] = [];
  for (const assigned_to of approver_ids) {
    const about = run.object_id === null ? {} : { object_id: run.object_id };
    const fields = {
      _type: taskType,
      text: config.text,
      date: todayIn(until, zone),
      lead_id: leadOf(call),
      assigned_to,
      ...about,
    };
    const { id } = await createOf(call, "task", fields, { approval_run_id: run.id });
    task_ids.push(id);
    told.push([[assigned_to], { ...noticeOf(call), object_id: id }]);
  }
  await notifyAll(ctx, told);
  const output: Asked = { task_ids, approver_ids, answered_by: null };
  return { output, wait: { until, port: "timeout", kind: "approval", records: task_ids } };
}

/** Members, and those of groups. Who left is not asked. */
function approversOf({ ctx, config }: Call): string[] {
  const given = config.approvers.filter((one: unknown) => typeof one === "string");
  const members = given.flatMap((id: string) => ctx.directory.get(group, id)?.user_ids ?? [id]);
  const active = [...new Set<string>(members)].filter((id) => isActiveMember(ctx.directory, id));
  if (active.length === 0) throw new StepFailure("user_inactive", "config", "Nobody who could approve it is a member any more");
  return active.slice(0, 50);
}

const noticeOf = ({ run, config }: Call) => ({
  type: "approval_request" as const,
  title: config.text,
  object_type: `task.${taskType}`,
  lead_id: run.lead_id,
  actor_id: null,
  data: { automation_run_id: run.id, automation_id: run.automation_id },
});

export async function answerOf({ ctx, run, output, isOver }: Pending): Promise<Outcome | null> {
  const asked = output as Asked;
  const [answer] = await query(
    ctx,
    statement(sql`select completed_by, resolution from task where organization_id = ${ctx.organization_id} and id = any(${asked.task_ids})
      and is_complete and resolution in ('approved', 'rejected')
      order by date_updated, id limit 1`),
  );
  if (answer === undefined && !isOver) return null;
  await withdrawApprovals(ctx, run);
  const [answered_by, resolution] = answer ?? [null, null];
  const port = answer === undefined ? "timeout" : resolution === "rejected" ? "rejected" : "approved";
  return { port, output: { ...asked, answered_by } };
}
