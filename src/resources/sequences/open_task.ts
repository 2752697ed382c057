// Closes the task that a subscription waits for, when nobody has to do it any more.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { findRecord, updateRecord } from "../../records/records.ts";
import { task } from "../tasks/task.ts";
import type { sequenceSubscription } from "./sequence_subscription.ts";

type Way = Pick<Row<typeof sequenceSubscription>, "waiting_task_id">;

const anyTask: typeof task = { ...task, visible: undefined };

export async function closeTask(ctx: Ctx, { waiting_task_id }: Way, resolution: "skipped" | "abandoned" | null): Promise<void> {
  const open = waiting_task_id === null ? null : await findRecord(ctx, anyTask, waiting_task_id);
  if (open !== null && !open.is_complete) await updateRecord(ctx, task, open.id, { is_complete: true, resolution });
}
