// The step at which a subscription stands is deleted by an edit of its sequence: it moves to the next one that remains, which gets its
// own time. Where none remains, it is finished.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { systemActor } from "../../records/acting.ts";
import { deleteRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { dueAfter } from "./due.ts";
import { finish } from "./endings.ts";
import { messageOf, nothingWaits } from "./go_on.ts";
import { closeTask } from "./open_task.ts";
import type { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { wakeStep } from "./step_jobs.ts";
import { type Step, survivorOf } from "./steps.ts";
import { zoneFor } from "./zone.ts";

type Subscription = Row<typeof sequenceSubscription>;
type Sequence = Row<typeof sequence>;

export async function toAnotherStep(ctx: Ctx, way: Subscription, before: Sequence, after: Sequence): Promise<void> {
  const next = survivorOf(way.current_step_id!, before.steps, after.steps);
  const error_message = way.finished_at === null ? null : way.error_message;
  const values = { ...nothingWaits, error_message, current_step_id: next?.id ?? null, steps_version: after.steps_version };
  await closeTask(ctx, way, "abandoned");
  await takeBack(ctx, way);
  if (next === null && way.finished_at === null) finish(ctx, way, values);
  else
    wakeStep(
      ctx,
      store.update(ctx, sequenceSubscription, way, { ...values, ...(next && (await timeOf(ctx, way, after, next))) }),
    );
}

/** Its delay counts from the end of the step before it: what is under way ends now, as when a member skips it. */
async function timeOf(ctx: Ctx, way: Subscription, of: Sequence, next: Step) {
  const isUnderWay = way.waiting_message_id !== null || way.waiting_task_id !== null || way.reply_awaited_until !== null;
  const started = new Date(Math.max(Date.parse(way.start_date), ctx.now.getTime()));
  const since = way.step_before_at === null || isUnderWay ? started : new Date(way.step_before_at);
  const due = dueAfter(ctx, of, next, since, await zoneFor(ctx, of, way));
  // One that has ended has no next step. It keeps the time for whoever resumes it.
  return way.finished_at === null ? { next_step_at: due } : { was_due_at: due };
}

/** Whoever edits a sequence need not see its contacts. A message that is just being sent, or has left, cannot be taken back. */
async function takeBack(ctx: Ctx, { waiting_message_id }: Subscription): Promise<void> {
  const service: Ctx = { ...ctx, actor: systemActor(ctx.organization_id) };
  const found = waiting_message_id === null ? null : await messageOf(service, waiting_message_id);
  if (found === null || found.message.status !== "outbox" || found.message.sending_at != null) return;
  await deleteRecord(service, found.of, found.message.id);
}
