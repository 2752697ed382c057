// PUT /bulk_action/{id}/: pauses and resumes a bulk action.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Patch, Row } from "../../core/resource.ts";
import { emit } from "../../records/event.ts";
import { store } from "../../records/store.ts";
import { bulkAction } from "./bulk_action.ts";

type BulkAction = Row<typeof bulkAction>;

/** A bulk action that was paused for longer is probably no longer wanted. */
const resumeDays = 7;

export async function pauseOrResume(ctx: Ctx, before: BulkAction, patch: Patch<typeof bulkAction>): Promise<BulkAction> {
  const { action, status: given } = patch;
  const status = action === undefined ? given : action === "pause" ? "paused" : "resuming";
  if (action !== undefined && given !== undefined && given !== before.status && given !== status)
    throw invalid({ action: "differs from status" });
  if (status === undefined || status === before.status) return before;

  checkStep(ctx, before, status);
  const date_paused = status === "paused" ? ctx.now.toISOString() : null;
  const after = store.update(ctx, bulkAction, before, { status, date_paused });
  if (status === "paused") emit(ctx, bulkAction, { action: "paused", before, after, changed: ["status"] });
  return after;
}

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
  } else refuse("must be paused or resuming");
}
