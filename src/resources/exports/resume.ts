// POST /export/{id}/resume/: an export that failed is written anew, with what its author may see now.
import { z } from "zod";
import { invalid, Problem } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { wake } from "../../jobs/job.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { lockRecord, showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { exportResource } from "./export.ts";
import { exportJobs } from "./export_jobs.ts";

export const resumeExport = operation({
  name: "export.resume",
  method: "POST",
  path: "/export/{id}/resume/",
  doc: "Writes the file of an export that failed, from the beginning. Only its author can, because the file has what the author may see.",
  permission: "export",
  group: "bulk",
  pastDue: true,
  input: { id: z.string() },
  get output() {
    return outputSchema(exportResource);
  },
  async run(ctx, { id }) {
    const before = await lockRecord(ctx, exportResource, id);
    if (before.created_by !== ctx.actor.user_id)
      throw new Problem(403, "Only its author can resume an export: start one of your own.");
    if (before.status !== "error") throw invalid({ status: `is ${before.status}: only an export that failed can be resumed` });

    wake(ctx, exportJobs, [id]);
    const again = { status: "created", error: null, date_completed: null, n_docs_processed: 0 } as const;
    return showWritten(ctx, exportResource, store.update(ctx, exportResource, before, again));
  },
});
