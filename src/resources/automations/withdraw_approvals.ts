// Closes the tasks by which a run asked: it was answered, or does not wait any more.
import type { Ctx } from "../../core/context.ts";
import { asService, openApprovals } from "../tasks/approvals.ts";
import { changeTasks } from "../tasks/task_verbs.ts";

/** Nobody has to answer any more. */
export async function withdrawApprovals(ctx: Ctx, { id, wait }: { id: string; wait: object | null }): Promise<void> {
  if ((wait as { kind?: string } | null)?.kind !== "approval") return;
  const open = await openApprovals(ctx, id);
  if (open.length > 0) await changeTasks(asService(ctx), open, { is_complete: true, resolution: "skipped" });
}
