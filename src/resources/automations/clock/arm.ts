// Begins to look at the clock for an automation that has come into force.
import { type Ctx, write } from "../../../core/context.ts";
import { wake } from "../../../jobs/job.ts";
import { clockJobs } from "../names.ts";
import type { Trigger } from "../trigger.ts";
import { triggerTypes } from "../trigger_types.ts";

const byClock = new Set(triggerTypes.flatMap(({ type, clock }) => (clock === undefined ? [] : type)));

/** From now on. What would have been before does not start it, nor the rest of a look by an earlier version. */
export function armClock(ctx: Ctx, automationId: string, { type }: Trigger): void {
  if (!byClock.has(type)) return;
  write(ctx, {
    name: "automation_clock.arm",
    text: `insert into automation_clock (organization_id, automation_id, since, looked_until) values ($1, $2, $3, $3)
           on conflict (organization_id, automation_id) do update set since = excluded.since, looked_until = excluded.looked_until,
             tick = null, object_ids = '{}', occasions = '{}', position = 0`,
    values: [ctx.organization_id, automationId, ctx.now],
  });
  wake(ctx, clockJobs, [automationId]);
}
