// Starts a change of many records in the background.
import type { Ctx } from "../../core/context.ts";
import type { Values } from "../../core/resource.ts";
import { longestMs } from "../../db/horizon.ts";
import { wake } from "../../jobs/job.ts";
import { store } from "../../records/store.ts";
import { customDataChange } from "./custom_data_change.ts";

export const customDataJobs = { kind: "custom_data" } as const;

/**
 * The most records of one transaction. The request changes them itself if there are no more; otherwise each step of the job takes
 * as many.
 */
export const recordsAtOnce = 1000;

/**
 * When no request writes values of a field any more that was deleted now. One that began before may still know the field, may wait,
 * and may then write for a minute.
 */
export const settledAt = (now: Date): Date => new Date(now.getTime() + 5 * longestMs);

export function beginChange(ctx: Ctx, change: Values<typeof customDataChange>, at: Date = ctx.now): void {
  const { id } = store.insert(ctx, customDataChange, change);
  wake(ctx, customDataJobs, [id], at);
}
