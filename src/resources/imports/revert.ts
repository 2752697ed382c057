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
import { hidden, leftOf, takeLeftAgain } from "./revert_rows.ts";

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
    const left = before.status === "reverted" ? await leftOf(ctx, id) : 0;
    checkRevertible(ctx, before, left);
    await spendAhead(ctx, left > 0 ? { deletes: left } : { deletes: before.n_created, writes: before.n_updated });
    if (left > 0) takeLeftAgain(ctx, id);
    const reverted = left > 0 ? withoutLeft(before.reverted!, left) : { n_deleted: 0, n_restored: 0, n_kept: 0, kept: [] };
    const values = { status: "reverting", error: null, clears_at: null, reverted, reverted_by: userOf(ctx) } as const;
    const after = store.update(ctx, importResource, before, values);
    wake(ctx, importJobs, [id]);
    return showWritten(ctx, importResource, after);
  },
});

/** What was left for somebody else is told anew. */
const withoutLeft = ({ n_kept, kept, ...rest }: NonNullable<Import["reverted"]>, left: number) => ({
  ...rest,
  n_kept: n_kept - left,
  kept: kept.filter(({ reason }) => reason !== hidden),
});

function checkRevertible(ctx: Ctx, { object_type, status, date_completed }: Import, left: number): void {
  const lacks = needsToRevert(object_type).find((one) => !may(ctx, one));
  if (lacks !== undefined) throw notAllowed(lacks);
  if (status === "reverted" && left === 0)
    throw invalid({ status: "is reverted, and what stays is not for others to take back" });
  if ((status !== "done" && status !== "reverted" && status !== "error" && status !== "canceled") || date_completed === null)
    throw invalid({ status: `is ${status}: only an import that is done, was canceled or has stopped can be reverted` });
  const until = revertibleUntil(new Date(date_completed));
  if (Date.parse(until) <= ctx.now.getTime()) throw invalid({ status: `could be reverted until ${until}` });
}
