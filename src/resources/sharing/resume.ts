// POST /contact/share_bulk/{id}/resume/: a run that failed goes on with the contacts that are left, in the name of whoever resumes it.
import { z } from "zod";
import { userOf } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { wake } from "../../jobs/job.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { checkOwner, lockRecord, showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { seesAllInBoth } from "../contacts/sharing.ts";
import { enterAsMember } from "../shared/elsewhere.ts";
import { shareBulk } from "./share_bulk.ts";
import { shareJobs } from "./share_jobs.ts";

export const resumeShareBulk = operation({
  name: "share_bulk.resume",
  method: "POST",
  path: "/contact/share_bulk/{id}/resume/",
  doc: "Goes on with a run that failed: the contacts that are left are shared in the caller's name.",
  permission: "view_all_leads",
  group: "bulk",
  input: { id: z.string() },
  get output() {
    return outputSchema(shareBulk);
  },
  async run(ctx, { id }) {
    const before = await lockRecord(ctx, shareBulk, id);
    checkOwner(ctx, shareBulk, before, "update");
    if (before.status !== "failed") throw invalid({ status: `is ${before.status}: only a run that failed can be resumed` });
    await enterAsMember(ctx, before.target_organization_id, "organization_id", seesAllInBoth);

    wake(ctx, shareJobs, [id]);
    const values = { status: "queued", error: null, date_completed: null, run_by: userOf(ctx) } as const;
    return showWritten(ctx, shareBulk, store.update(ctx, shareBulk, before, values));
  },
});
