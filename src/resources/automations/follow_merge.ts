// A record is merged into another: the runs that are about it go on with the one that stays, and hear of that one.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import { wake } from "../../jobs/job.ts";
import { runJobs } from "./names.ts";

/** Of two runs of an automation that may run once for a record, both go on. What waits looks at once. */
export async function followMerge(ctx: Ctx, gone: string, kept: string): Promise<void> {
  const rows = await transactionOf(ctx).read({
    name: "automation_run.follow_merge",
    text: `update automation_run r set object_id = $3, version = version + 1, enrol_key = case when r.enrol_key = $2 and not exists (
             select from automation_run o where o.organization_id = $1 and o.automation_id = r.automation_id and o.enrol_key = $3
               and o.status in ('queued', 'running', 'waiting', 'held')) then $3 end
           where r.organization_id = $1 and r.object_id = $2 and r.status in ('queued', 'running', 'waiting', 'held') returning r.id`,
    values: [ctx.organization_id, gone, kept],
  });
  const runs = rows.map(([id]) => id!);
  write(ctx, {
    name: "automation_wait.follow_merge",
    text: `update automation_wait w set match_value = case when match_value = $2 then $3 else match_value end,
             match = replace(match::text, '"' || $2 || '"', '"' || $3 || '"')::jsonb,
             event = case when event = $2 || '.*' then $3 || '.*' else event end
           where w.organization_id = $1 and w.event_id is null and (w.match_value = $2 or w.run_id = any($4))
             and not exists (select from automation_wait o where o.organization_id = $1 and o.run_id = w.run_id and o.purpose = w.purpose
               and o.name = w.name and w.event = $2 || '.*' and o.event = $3 || '.*')`,
    values: [ctx.organization_id, gone, kept, runs],
  });
  wake(ctx, runJobs, runs);
}
