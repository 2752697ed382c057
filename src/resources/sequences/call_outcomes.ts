// What the outcome of a call does to the subscriptions that asked for it, by the `outcome_map` of their step. Where a step has one, it
// alone decides: that somebody answered means nothing by itself.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { changedFields, emit } from "../../records/event.ts";
import { findRecord, updateRecord } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import type { call } from "../activities/call.ts";
import { task } from "../tasks/task.ts";
import { dueAfter } from "./due.ts";
import { finish, reachGoal } from "./endings.ts";
import { asFollowed } from "./former_steps.ts";
import { isLive } from "./live_once.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { wakeStep } from "./step_jobs.ts";
import type { OutcomeRule, Step } from "./steps.ts";
import { noteStep } from "./steps_taken.ts";
import { zoneFor } from "./zone.ts";

type Subscription = Row<typeof sequenceSubscription>;
type Call = Pick<Row<typeof call>, "contact_id" | "outcome_id" | "disposition" | "activity_at">;

const anyTask = { ...task, visible: undefined } as typeof task;
const ofAnybody = { ...sequence, visible: undefined } as typeof sequence;

/** Returns the subscriptions whose step decides by its map, whether or not the map has something for this call. */
export async function followOutcome(ctx: Ctx, { contact_id, outcome_id, disposition, activity_at }: Call): Promise<string[]> {
  if (contact_id === null) return [];
  const waiting = sql`t.contact_id = ${contact_id} and t.waiting_task_id is not null and ${isLive}`;
  const decided: string[] = [];
  for (const way of await lockToChange(ctx, sequenceSubscription, waiting)) {
    const asked = await findRecord(ctx, anyTask, way.waiting_task_id!);
    const map = (await askedBy(ctx, way))?.outcome_map;
    if (!map || asked === null || asked.is_complete || asked.date_created > activity_at) continue;
    decided.push(way.id);
    const rules = new Map(Object.entries(map));
    const rule = rules.get(outcome_id ?? "") ?? rules.get(disposition ?? "");
    if (rule !== undefined) await follow(ctx, way, rule);
  }
  return decided;
}

/** Whether the outcome of a call, and not the call itself, is what a subscription waits for. */
export async function waitsForOutcome(ctx: Ctx, subscription_id: string | null): Promise<boolean> {
  if (subscription_id === null) return false;
  const way = await findRecord(
    ctx,
    { ...sequenceSubscription, visible: undefined } as typeof sequenceSubscription,
    subscription_id,
  );
  return way !== null && (await askedBy(ctx, way))?.outcome_map != null;
}

async function askedBy(ctx: Ctx, way: Subscription): Promise<Step | undefined> {
  const of = await findRecord(ctx, ofAnybody, way.sequence_id);
  const steps = of === null ? [] : (await asFollowed(ctx, of, way)).steps;
  return steps.find(({ id, step_type }) => id === way.current_step_id && step_type === "call");
}

async function follow(ctx: Ctx, way: Subscription, { action, delay }: OutcomeRule): Promise<void> {
  await updateRecord(ctx, task, way.waiting_task_id!, { is_complete: true });
  // The job of the subscription goes on when its task is done.
  if (action === "next") return;
  noteStep(ctx, way, { step_id: way.current_step_id!, outcome: "done" });
  if (action === "goal") return reachGoal(ctx, way);
  if (action === "finish") return void finish(ctx, way, { status_reason: "outcome-met" });
  const again = {
    waiting_task_id: null,
    next_step_at: await dueAgain(ctx, way, delay),
    step_before_at: ctx.now.toISOString(),
  };
  const held = { status: "paused", status_reason: "outcome-met", paused_at: ctx.now.toISOString() } as const;
  const after = store.update(ctx, sequenceSubscription, way, { ...again, ...(action === "pause" && held) });
  wakeStep(ctx, after);
  if (action !== "pause") return;
  emit(ctx, sequenceSubscription, {
    action: "paused",
    before: way,
    after,
    changed: changedFields(sequenceSubscription, way, after),
  });
}

/** The call is made again, on the next working day unless the map says when. */
async function dueAgain(ctx: Ctx, way: Subscription, delay: OutcomeRule["delay"]): Promise<string> {
  const of = (await findRecord(ctx, ofAnybody, way.sequence_id))!;
  const step = { delay: delay ?? ({ amount: 1, unit: "business_days" } as const), at: null };
  return dueAfter(ctx, of, step, ctx.now, await zoneFor(ctx, of, way));
}
