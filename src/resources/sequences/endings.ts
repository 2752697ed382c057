// How a subscription ends without its contact having done anything: no step is left, it is replaced, or it cannot go on.
import type { Ctx } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { changedFields, emit } from "../../records/event.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { notify } from "../notifications/notify.ts";
import { doubleWays } from "./live_once.ts";
import { nothingDue, sequenceSubscription } from "./sequence_subscription.ts";

type Subscription = Row<typeof sequenceSubscription>;

/** Its step cannot be taken at the moment. It is tried again for three days. */
export class StepHeld extends Error {
  readonly reason: NonNullable<Subscription["status_reason"]>;

  /** When it is tried again. */
  readonly retryMs: number;

  constructor(reason: NonNullable<Subscription["status_reason"]>, message: string, retryMs = 3_600_000) {
    super(message);
    this.reason = reason;
    this.retryMs = retryMs;
  }
}

/** The account that sends for them is gone. */
export async function endWaysOf(ctx: Ctx, { id, email }: { id: string; email: string | null }): Promise<void> {
  const isTheirs = sql`t.sender_account_id = ${id} and t.status in ('active', 'paused')`;
  const message = `The connected account ${email ?? id} was deleted: name another sender, and resume it`;
  for (const one of await lockWhere(ctx, sequenceSubscription, isTheirs))
    failWay(ctx, one, "account-invalid", message, { sender_account_id: null });
}

/** Two contacts are merged: of two subscriptions to the same sequence, that of the kept contact goes on. */
export async function endDoubleSubscriptions(ctx: Ctx, gone: string, kept: string): Promise<void> {
  for (const one of await doubleWays(ctx, gone, kept)) finish(ctx, one, { status_reason: "replaced" });
}

/** Finishes a subscription: nothing more is due. */
export function finish(ctx: Ctx, before: Subscription, values: Values<typeof sequenceSubscription> = {}): Subscription {
  const after = store.update(ctx, sequenceSubscription, before, {
    status: "finished",
    status_reason: null,
    ...nothingDue(before),
    finished_at: ctx.now.toISOString(),
    ...values,
  });
  const changed = changedFields(sequenceSubscription, before, after);
  emit(ctx, sequenceSubscription, { action: "finished", before, after, changed });
  return after;
}

/** What the sequence is for has happened. */
export function reachGoal(ctx: Ctx, before: Subscription): void {
  const over = {
    status: "goal",
    status_reason: "outcome-met",
    ...nothingDue(before),
    finished_at: ctx.now.toISOString(),
  } as const;
  const after = store.update(ctx, sequenceSubscription, before, over);
  const changed = changedFields(sequenceSubscription, before, after);
  emit(ctx, sequenceSubscription, { action: "goal", before, after, changed });
}

/** It becomes an error with the reason, and the member who subscribed them is notified. */
export function failWay(
  ctx: Ctx,
  before: Subscription,
  status_reason: Subscription["status_reason"],
  message: string,
  values: Values<typeof sequenceSubscription> = {},
): void {
  const error_message = message.slice(0, 1000).toWellFormed();
  const after = store.update(ctx, sequenceSubscription, before, {
    status: "error",
    status_reason,
    error_message,
    ...nothingDue(before),
    finished_at: ctx.now.toISOString(),
    ...values,
  });
  const changed = changedFields(sequenceSubscription, before, after);
  emit(ctx, sequenceSubscription, { action: "failed", before, after, changed });
  notify(ctx, [before.created_by], {
    type: "sequence_error",
    title: "A contact cannot go on in a sequence",
    body: error_message,
    object_type: "sequence_subscription",
    object_id: before.id,
    lead_id: before.lead_id,
    actor_id: null,
  });
}
