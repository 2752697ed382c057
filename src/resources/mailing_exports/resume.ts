// POST /mailing_export/{id}/resume/: an export that failed goes on with whom is left. Who was pushed is not pushed again.
import { z } from "zod";
import { userOf } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { wake } from "../../jobs/job.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { checkOwner, lockRecord, showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { mailingExport } from "./mailing_export.ts";
import { mailingExportJobs } from "./mailing_export_jobs.ts";
import type { MailingExport } from "./progress.ts";

export const resumeMailingExport = operation({
  name: "mailing_export.resume",
  method: "POST",
  path: "/mailing_export/{id}/resume/",
  doc: "Goes on with a mailing export that failed, in the caller's name: who was pushed is not pushed again.",
  permission: "export",
  group: "bulk",
  scope: "write_destructive",
  input: { id: z.string() },
  get output() {
    return outputSchema(mailingExport);
  },
  async run(ctx, { id }) {
    const before = await lockRecord(ctx, mailingExport, id);
    checkOwner(ctx, mailingExport, before, "update");
    checkResumable(before);

    wake(ctx, mailingExportJobs, [id]);
    const again = { error: null, date_completed: null, failing_since: null, tries: 0, run_by: userOf(ctx) };
    return showWritten(ctx, mailingExport, store.update(ctx, mailingExport, before, { ...again, status: "running" }));
  },
});

/** Whom it covers was found when it began. Its author may see them, whoever resumes it. */
function checkResumable({ status, date_started, automation_run_id }: MailingExport): void {
  if (status !== "failed") throw invalid({ status: `is ${status}: only an export that failed can be resumed` });
  if (date_started === null) throw invalid({ status: "is failed before it began: start another" });
  if (automation_run_id !== null) throw invalid({ status: "is that of an automation: retry its run, which starts another" });
}
