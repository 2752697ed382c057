// Counts the runs that automations started, in one statement for many.
import { type Ctx, write } from "../../core/context.ts";

/** An automation is named once for each run that started. */
export function countStarted(ctx: Ctx, automationIds: readonly string[]): void {
  write(ctx, {
    name: "automation.started",
    text: `update automation a set runs_total = runs_total + n.count, last_run_at = $3
           from (select id, count(*) from unnest($2::text[]) id group by id) n where a.organization_id = $1 and a.id = n.id`,
    values: [ctx.organization_id, automationIds, ctx.now],
  });
}
