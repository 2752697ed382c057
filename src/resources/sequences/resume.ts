// How subscriptions are paused and go on.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Row, Values } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { openAt } from "./due.ts";
import { otherWay, refuseSecond } from "./live_once.ts";
import { refusals, whyNot } from "./recipient.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { wakeStep } from "./step_jobs.ts";
import { zoneFor } from "./zone.ts";

type Subscription = Row<typeof sequenceSubscription>;
type Sequence = Row<typeof sequence>;

/** Subscriptions that cannot be resumed: the address is invalid, or its owner has opted out. */
const forGood = new Set(["email-bounced", "unsubscribed", "complained"]);

/** The values of a new status that a member sets. */
export async function changeOfStatus(
  ctx: Ctx,
  before: Subscription,
  status: Subscription["status"],
): Promise<Values<typeof sequenceSubscription>> {
  if (status === before.status) return {};
  if (status !== "active" && status !== "paused") throw invalid({ status: "must be active, paused or finished" });
  if (status === "paused") {
    if (before.status !== "active") throw invalid({ status: `cannot be paused: it is ${before.status}` });
    return { status, status_reason: ctx.meta.bulk_action_id ? "bulk-action" : "manual", paused_at: ctx.now.toISOString() };
  }
  return { ...goingOn, ...(await resumedAt(ctx, before)) };
}

const goingOn = {
  status: "active",
  status_reason: null,
  paused_at: null,
  resume_at: null,
  finished_at: null,
  error_message: null,
  held_since: null,
  slot_at: null,
  was_due_at: null,
} as const;

/** Continues at its step, at its time, also of one that had ended, or, when that has passed, now. */
async function resumedAt(ctx: Ctx, before: Subscription): Promise<Values<typeof sequenceSubscription>> {
  if (forGood.has(before.status_reason ?? "")) throw invalid({ status: `cannot be resumed: ${before.status_reason}` });
  const [taken] = await findRecords(ctx, ofAnybody, [sql`t.id = ${before.sequence_id}`], sql`for share of t`);
  if (taken === undefined) throw invalid({ status: "cannot be resumed: its sequence is gone" });
  if (taken.status === "archived") throw invalid({ status: "cannot be resumed: its sequence is archived" });
  const reason = before.contact_email === null ? null : await whyNot(ctx, before.contact_email, before.sequence_id);
  if (reason !== null) throw invalid({ status: `cannot be resumed: the address ${refusals[reason]}` });
  if (before.status !== "paused") await refuseSecond(ctx, before, "status");
  if (before.current_step_id === null && before.status !== "paused")
    throw invalid({ status: "cannot be resumed: no step is left" });
  return atItsStep(ctx, taken, before);
}

async function atItsStep(ctx: Ctx, taken: Sequence, way: Subscription): Promise<Values<typeof sequenceSubscription>> {
  const { steps_version } = way.keeps_steps ? way : taken;
  if (way.current_step_id === null) return { steps_version };
  const due = Date.parse(way.next_step_at ?? way.was_due_at ?? ctx.now.toISOString());
  const earliest = new Date(Math.max(due, ctx.now.getTime()));
  return { steps_version, next_step_at: openAt(ctx, taken, await zoneFor(ctx, taken, way), earliest).toISOString() };
}

/** The contact is back from an absence. Null when nobody may write to them any more. */
export async function back(ctx: Ctx, before: Subscription): Promise<Subscription | null> {
  const values = await reopened(ctx, before, { ...goingOn, next_step_at: before.next_step_at });
  if (values === null) return null;
  const after = store.update(ctx, sequenceSubscription, before, values);
  wakeStep(ctx, after);
  return after;
}

/** The values that restore an earlier state (`was`). Null when that is no longer possible. */
export async function reopened(
  ctx: Ctx,
  before: Subscription,
  was: Pick<Subscription, "status" | "status_reason" | "paused_at" | "resume_at" | "next_step_at">,
): Promise<Values<typeof sequenceSubscription> | null> {
  const [taken] = await findRecords(ctx, ofAnybody, [sql`t.id = ${before.sequence_id}`], sql`for share of t`);
  const { contact_email, sequence_id } = before;
  if (
    taken === undefined ||
    taken.status === "archived" ||
    (contact_email !== null && (await whyNot(ctx, contact_email, sequence_id)) !== null)
  )
    return null;
  if (before.status !== "paused" && (await otherWay(ctx, before)) !== undefined) return null;
  const { status, status_reason, paused_at, resume_at, next_step_at } = was;
  // An edit may have moved it to another step since, with a time of its own.
  const due = before.next_step_at ?? before.was_due_at ?? next_step_at;
  const step = await atItsStep(ctx, taken, { ...before, next_step_at: due });
  return { status, status_reason, paused_at, resume_at, finished_at: null, was_due_at: null, ...step };
}

/** A subscription to a private sequence may continue, whoever resumes it. */
const ofAnybody: typeof sequence = { ...sequence, visible: undefined };
