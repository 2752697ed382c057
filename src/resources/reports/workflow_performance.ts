// How sequences and automations perform: what they started in a range of time, and its present state.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { from, scope } from "../../core/resource.ts";
import { and, raw, sql } from "../../db/sql.ts";
import { anyAutomation } from "../automations/any_automation.ts";
import { automationRun } from "../automations/automation_run.ts";
import { sequence } from "../sequences/sequence.ts";
import { sequenceSubscription } from "../sequences/sequence_subscription.ts";
import { within } from "./range.ts";
import { type Asked, ask } from "./report.ts";

export const workflow = z.strictObject({
  sequence_id: z.string().nullable(),
  automation_id: z.string().nullable(),
  name: z.string(),
  kind: z.enum(["sequence", "automation"]),
  runs: z.int().describe("Contacts enrolled in the range, or runs started in it."),
  completed: z.int(),
  failed: z.int(),
  goals: z.int().describe("Enrolments or runs that reached their goal."),
  replies: z.int().describe("How many of those by a reply."),
});

/** All that the caller may see, even without runs in the range. The one with most runs comes first. */
export async function workflowPerformance(ctx: Ctx, { records, range }: Asked): Promise<z.output<typeof workflow>[]> {
  const { found } = await ask(ctx, {
    found: sql`
      select w.id as sequence_id, null as automation_id, w.name, 'sequence' as kind, count(t.id)::int as runs,
        count(*) filter (where t.status = 'finished')::int as completed, count(*) filter (where t.status = 'error')::int as failed,
        count(*) filter (where t.status = 'goal')::int as goals,
        count(*) filter (where t.status = 'goal' and t.status_reason = 'reply-received')::int as replies
      from ${from(sequence, "w")}
      left join ${from(sequenceSubscription, "t")} on t.sequence_id = w.id and ${records(sequenceSubscription, "t", "created_by")}
        and ${within(range, raw("t.date_created"))}
      where ${and(scope(ctx, sequence, "w"))} group by w.id, w.name
      union all
      select null, w.id, w.name, 'automation', count(t.id)::int, count(*) filter (where t.status = 'completed')::int,
        count(*) filter (where t.status = 'failed')::int, count(*) filter (where t.goal_id is not null)::int, 0
      from ${from(anyAutomation, "w")}
      left join ${from(automationRun, "t")} on t.automation_id = w.id and ${records(automationRun, "t", "created_by")}
        and ${within(range, raw("t.date_created"))} and not t.is_simulation
      where ${and(scope(ctx, anyAutomation, "w"))} group by w.id, w.name
      order by runs desc, name`,
  });
  return found;
}
