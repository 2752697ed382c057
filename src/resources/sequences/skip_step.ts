// Leaves out the present step of a subscription: its message is taken back, its task is closed, and the next step gets its time.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { deleteRecord, findRecords } from "../../records/records.ts";
import { goOn, messageOf } from "./go_on.ts";
import { closeTask } from "./open_task.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { wakeStep } from "./step_jobs.ts";

type Subscription = Row<typeof sequenceSubscription>;

export async function skipStep(ctx: Ctx, way: Subscription): Promise<Subscription> {
  if (way.status !== "active" && way.status !== "paused")
    throw invalid({ skip_step: `is for a subscription that goes on: this one is ${way.status}` });
  if (way.current_step_id === null) throw invalid({ skip_step: "cannot be done: no step is left" });
  await takeBackMessage(ctx, way);
  await closeTask(ctx, way, "skipped");
  await goOn(ctx, way, "skipped");
  const [after] = await findRecords(ctx, sequenceSubscription, [sql`t.id = ${way.id}`]);
  wakeStep(ctx, after!);
  return after!;
}

/** One that is just being sent, or has left, cannot be taken back. */
async function takeBackMessage(ctx: Ctx, { waiting_message_id }: Subscription): Promise<void> {
  const found = waiting_message_id === null ? null : await messageOf(ctx, waiting_message_id);
  if (found === null) return;
  if (found.message.sending_at != null || found.message.status === "sent")
    throw invalid({ skip_step: "cannot be done: the message of this step is just being sent. Try again in a minute" });
  await deleteRecord(ctx, found.of, found.message.id);
}
