// A step that waits for a reply: it is over when one comes that does not end the subscription, or when its time has passed.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { goOn } from "./go_on.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { wakeStep } from "./step_jobs.ts";
import type { Step } from "./steps.ts";
import { noteStep } from "./steps_taken.ts";

type Subscription = Row<typeof sequenceSubscription>;

export function awaitReply(ctx: Ctx, way: Subscription, { id, step_allowed_delay }: Step): Date {
  const until = new Date(ctx.now.getTime() + step_allowed_delay! * 1000);
  noteStep(ctx, way, { step_id: id, outcome: "begun" });
  const next_step_at = until.toISOString();
  store.update(ctx, sequenceSubscription, way, {
    reply_awaited_until: next_step_at,
    next_step_at,
    error_message: null,
    held_since: null,
  });
  return until;
}

/** Returns when the next step is due, or when nobody waits for a reply any more. */
export async function settleWait(ctx: Ctx, way: Subscription): Promise<Date | null> {
  const of = await findRecord(ctx, { ...sequence, visible: undefined } as typeof sequence, way.sequence_id);
  if (of?.status !== "active") return null;
  const until = new Date(way.reply_awaited_until!);
  return until > ctx.now ? until : goOn(ctx, way, "skipped");
}

/** The reply is there, and the sequence goes on in spite of it. */
export async function replyCame(ctx: Ctx, way: Subscription): Promise<void> {
  if (way.reply_awaited_until === null) return;
  const due = await goOn(ctx, way, "done");
  if (due !== null) wakeStep(ctx, { ...way, next_step_at: due.toISOString() });
}
