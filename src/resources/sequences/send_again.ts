// A mail of a sequence came back for now, such as from a full mailbox: its step is taken again on the next day, unless the sequence has
// gone further since. What comes back three times in two weeks ends the subscription. Where the contact has another address for it, it is
// taken again at once.
import { type Ctx, query } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { changedFields, emit } from "../../records/event.ts";
import { findRecord } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { dueAfter } from "./due.ts";
import { asFollowed } from "./former_steps.ts";
import { reopened } from "./resume.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { wakeStep } from "./step_jobs.ts";
import { zoneFor } from "./zone.ts";

type Subscription = Row<typeof sequenceSubscription>;

const forgotten = { reply_awaited_until: null, slot_at: null, throttled_since: null } as const;
const atOnce = { delay: 0, at: null } as const;
const nextDay = { delay: { amount: 1, unit: "days" }, at: null } as const;

export async function sendAgain(
  ctx: Ctx,
  mail: { id: string; sequence_subscription_id: string | null },
  when: "now" | "next_day" = "next_day",
): Promise<void> {
  if (mail.sequence_subscription_id === null) return;
  const isIts = sql`t.id = ${mail.sequence_subscription_id}`;
  const [way] = await lockToChange(ctx, sequenceSubscription, isIts, "sequence_subscription.lock_by_id");
  if (way === undefined || way.latest_email_id !== mail.id || way.waiting_message_id !== null || way.waiting_task_id !== null)
    return;
  const present = await findRecord(ctx, { ...sequence, visible: undefined } as typeof sequence, way.sequence_id);
  const of = present && (await asFollowed(ctx, present, way));
  const current_step_id = of === null ? null : await stepBefore(ctx, way, of.steps, mail.id);
  if (of === null || current_step_id === null) return;
  const next_step_at = dueAfter(ctx, of, when === "now" ? atOnce : nextDay, ctx.now, await zoneFor(ctx, of, way));
  const values = await goingOn(ctx, way, next_step_at);
  if (values === null) return;
  const again = { ...forgotten, current_step_id, next_step_at, step_before_at: ctx.now.toISOString() };
  const after = store.update(ctx, sequenceSubscription, way, { ...values, ...again });
  const changed = changedFields(sequenceSubscription, way, after);
  if (way.status === "finished") emit(ctx, sequenceSubscription, { action: "resumed", before: way, after, changed });
  wakeStep(ctx, after);
}

/** The step that sent the mail, where it is the one before the present one. */
async function stepBefore(
  ctx: Ctx,
  way: Subscription,
  steps: readonly { id: string }[],
  mail_id: string,
): Promise<string | null> {
  const place = way.current_step_id === null ? steps.length : steps.findIndex(({ id }) => id === way.current_step_id);
  const [row] = await query(
    ctx,
    statement(
      sql`select step_id from sequence_step_taken where organization_id = ${ctx.organization_id} and subscription_id = ${way.id}
        and object_id = ${mail_id}`,
    ),
  );
  const step_id = row?.[0] ?? null;
  return step_id !== null && steps[place - 1]?.id === step_id ? step_id : null;
}

/** Its last mail may have ended the subscription. One that anything else has ended stays so. */
async function goingOn(ctx: Ctx, way: Subscription, next_step_at: string): Promise<Values<typeof sequenceSubscription> | null> {
  if (way.status === "active" || way.status === "paused") return {};
  if (way.status !== "finished" || way.status_reason !== null) return null;
  return reopened(ctx, way, { status: "active", status_reason: null, paused_at: null, resume_at: null, next_step_at });
}
