// POST /import/{id}/revert/: a job takes back what the import did.
import { z } from "zod";
import { type Ctx, may, userOf } from "../../core/context.ts";
import { invalid, notAllowed } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { wake } from "../../jobs/job.ts";
import { spendAhead } from "../../records/budgets.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { lockRecord, showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { revertibleUntil } from "./clear_rows.ts";
import { importResource, needsToRevert } from "./import.ts";
import { importJobs } from "./import_jobs.ts";
import type { Import } from "./import_rows.ts";

export const revertImport = operation({
  name: "import.revert",
  method: "POST",
  path: "/import/{id}/revert/",
  doc: "Takes an import back within 48 hours: deletes what it created and nobody has used or changed since, and restores fields that nobody has changed since. `reverted` says what stays.",
  permission: "bulk_import",
  group: "bulk",
  scope: "write_destructive",
  input: { id: z.string() },
  get output() {
    return outputSchema(importResource);
  },
  async run(ctx, { id }) {
    const before = await lockRecord(ctx, importResource, id);
    checkRevertible(ctx, before);
    await spendAhead(ctx, { deletes: before.n_created, writes: before.n_updated });
    const reverted = { n_deleted: 0, n_restored: 0, n_kept: 0, kept: [] };
    const values = { status: "reverting", clears_at: null, reverted, reverted_by: userOf(ctx) } as const;
    const after = store.update(ctx, importResource, before, values);
    wake(ctx, importJobs, [id]);
    return showWritten(ctx, importResource, after);
  },
});

function checkRevertible(ctx: Ctx, { object_type, status, date_completed }: Import): void {
  const lacks = needsToRevert(object_type).find((one) => !may(ctx, one));
  if (lacks !== undefined) throw notAllowed(lacks);
  if ((status !== "done" && status !== "error" && status !== "canceled") || date_completed === null)
    throw invalid({ status: `is ${status}: only an import that is done, was canceled or has stopped can be reverted` });
  const until = revertibleUntil(new Date(date_completed));
  if (Date.parse(until) <= ctx.now.getTime()) throw invalid({ status: `could be reverted until ${until}` });
}
