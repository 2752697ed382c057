// PUT /bulk_action/{id}/: pauses, resumes and cancels a bulk action. Its job sees that before its next items.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Patch, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { emit } from "../../records/event.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { bulkAction } from "./bulk_action.ts";
import { finalStates } from "./common.ts";
import { bulkJobs } from "./names.ts";

type BulkAction = Row<typeof bulkAction>;

/** A bulk action that was paused for longer is probably no longer wanted. */
const resumeDays = 7;

export async function pauseOrResume(ctx: Ctx, before: BulkAction, patch: Patch<typeof bulkAction>): Promise<BulkAction> {
  const { action, status: given } = patch;
  const status = action === undefined ? given : asked[action];
  if (action !== undefined && given !== undefined && given !== before.status && given !== status)
    throw invalid({ action: "differs from status" });
  if (status === undefined || status === before.status) return before;

  checkStep(ctx, before, status);
  const now = ctx.now.toISOString();
  const date_paused = status === "paused" ? now : null;
  const date_completed = status === "canceled" ? now : null;
  const after = store.update(ctx, bulkAction, before, { status, date_paused, date_completed });
  if (status === "canceled") await offerUndoAgain(ctx, before);
  if (status === "resuming") wake(ctx, bulkJobs, [before.id]);
  if (status === "paused") emit(ctx, bulkAction, { action: "paused", before, after, changed: ["status"] });
  return after;
}

/** What a canceled undo has not undone may be undone by another one, and so may what its author did not see. */
export async function offerUndoAgain(ctx: Ctx, { undoes }: BulkAction & { undoes?: string }): Promise<void> {
  if (undoes == null) return;
  const [undone] = await findRecords(ctx, bulkAction, [sql`t.id = ${undoes}`], sql`for update of t`);
  if (undone !== undefined) store.update(ctx, bulkAction, undone, { undo_action_id: null });
}

const asked = { pause: "paused", resume: "resuming", cancel: "canceled" } as const;

function checkStep(ctx: Ctx, before: BulkAction, status: string): void {
  const refuse = (reason: string): never => {
    throw invalid({ status: reason });
  };
  if (status === "paused") {
    if (before.status !== "loading" && before.status !== "processing")
      refuse(`is ${before.status}: only a loading or processing action can be paused`);
  } else if (status === "resuming") {
    if (before.status !== "paused") refuse(`is ${before.status}: only a paused action can be resumed`);
    const since = Date.parse(before.date_paused ?? before.date_updated);
    if (ctx.now.getTime() - since > resumeDays * 24 * 3_600_000)
      refuse(`has been paused for more than ${resumeDays} days: start another`);
  } else if (status === "canceled") {
    if (finalStates.has(before.status)) refuse(`is ${before.status}: it is over`);
  } else refuse("must be paused, resuming or canceled");
}
