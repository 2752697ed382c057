// PUT /bulk_action/{id}/: pauses, resumes and cancels a bulk action. Its job sees that before its next items. One that stopped goes on with
// what is left, in the name of whoever resumes it.
import { type Ctx, may, userOf } from "../../core/context.ts";
import { invalid, notAllowed } from "../../core/errors.ts";
import type { Patch, Row } from "../../core/resource.ts";
import { wake } from "../../jobs/job.ts";
import { emit } from "../../records/event.ts";
import { store } from "../../records/store.ts";
import { needsWideScope } from "../shared/wide_scope.ts";
import { spendFor } from "./begin.ts";
import { bulkAction } from "./bulk_action.ts";
import { finalStates } from "./common.ts";
import { neededFor } from "./kinds.ts";
import { bulkJobs } from "./names.ts";
import { offerUndoAgain } from "./offer_undo.ts";

type BulkAction = Row<typeof bulkAction> & Record<string, any>;

/** A bulk action that was paused for longer is probably no longer wanted. */
const resumeDays = 7;

export async function pauseOrResume(ctx: Ctx, before: BulkAction, patch: Patch<typeof bulkAction>): Promise<BulkAction> {
  const { action, status: given } = patch;
  const status = action === undefined ? given : asked[action];
  if (action !== undefined && given !== undefined && given !== before.status && given !== status)
    throw invalid({ action: "differs from status" });
  if (status === undefined || status === before.status) return before;

  checkStep(ctx, before, status);
  if (status === "resuming") needsWideScope(ctx, "To go on with what is done to many records");
  if (before.status === "error") return goOn(ctx, before);
  const now = ctx.now.toISOString();
  const date_paused = status === "paused" ? now : null;
  const date_completed = status === "canceled" ? now : null;
  const after = store.update(ctx, bulkAction, before, { status, date_paused, date_completed });
  if (status === "canceled") await offerUndoAgain(ctx, before);
  if (status === "resuming") wake(ctx, bulkJobs, [before.id]);
  if (status === "paused") emit(ctx, bulkAction, { action: "paused", before, after, changed: ["status"] });
  return after;
}

/** The items that are left are done by somebody who may do them now, and count again in that budget. */
async function goOn(ctx: Ctx, before: BulkAction): Promise<BulkAction> {
  const lacks = neededFor(ctx, before).find((one) => !may(ctx, one));
  if (lacks !== undefined) throw notAllowed(lacks);

  await spendFor(ctx, before, (before.n_objects ?? 0) - before.n_objects_processed);
  wake(ctx, bulkJobs, [before.id]);
  const values = { status: "resuming", error: null, date_completed: null, run_by: userOf(ctx) } as const;
  return store.update(ctx, bulkAction, before, values);
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
    if (before.status !== "paused" && before.status !== "error")
      refuse(`is ${before.status}: only an action that is paused or in error can be resumed`);
    if (before.undo_action_id != null) refuse(`is error, and undone by ${before.undo_action_id}: start another`);
    const { date_paused, date_completed, date_updated } = before;
    const since = Date.parse((before.status === "paused" ? date_paused : date_completed) ?? date_updated);
    if (ctx.now.getTime() - since > resumeDays * 24 * 3_600_000)
      refuse(`has been ${before.status} for more than ${resumeDays} days: start another`);
  } else if (status === "canceled") {
    if (finalStates.has(before.status)) refuse(`is ${before.status}: it is over`);
  } else refuse("must be paused, resuming or canceled");
}
