// Enrichments that wait without a job get one: their lead came from another organization, or the job was lost.
import { raw, sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { wakeLost } from "../../jobs/job.ts";
import { enrichment } from "./enrichment.ts";
import { enrichmentJobs } from "./enrichment_jobs.ts";

export const waitingEnrichments: Due<typeof enrichment> = {
  of: enrichment,
  when: (now) => sql`t.status in ('queued', 'running') and t.date_updated <= ${now}::timestamptz - interval '1 minute'`,
  since: raw("t.date_updated"),
  onlyWakes: true,
  act(ctx, rows) {
    wakeLost(
      ctx,
      enrichmentJobs,
      rows.map(({ id }) => id),
    );
  },
};
