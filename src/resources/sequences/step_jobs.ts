// The jobs of subscriptions. One is due when its next step is, and when what its step waits for has changed.
import type { Ctx } from "../../core/context.ts";
import { wake } from "../../jobs/job.ts";

export const stepJobs = { kind: "sequence_subscription" };

interface Way {
  id: string;
  status: string;
  next_step_at: string | null;
}

/** Wakes the job of a subscription at the time of its next step. */
export function wakeStep(ctx: Ctx, { id, status, next_step_at }: Way): void {
  if (status === "active" && next_step_at !== null) wake(ctx, stepJobs, [id], new Date(next_step_at));
}

/** A message or a task of a step has changed. */
export function stepMoved(ctx: Ctx, those: readonly { sequence_subscription_id?: string | null }[]): void {
  wake(ctx, stepJobs, [...new Set(those.flatMap((one) => one.sequence_subscription_id ?? []))]);
}
