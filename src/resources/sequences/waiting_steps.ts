// Subscriptions whose step is due get their job, if it was lost.
import { raw, sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { wakeLost } from "../../jobs/job.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { stepJobs } from "./step_jobs.ts";

export const waitingSteps: Due<typeof sequenceSubscription> = {
  of: sequenceSubscription,
  when: (now) => sql`t.next_step_at <= ${now}::timestamptz and t.status = 'active' and t.next_step_at is not null`,
  since: raw("t.next_step_at"),
  onlyWakes: true,
  act(ctx, rows) {
    wakeLost(
      ctx,
      stepJobs,
      rows.map(({ id }) => id),
    );
  },
};
