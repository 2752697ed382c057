// Takes the steps of subscriptions: a job is one subscription. One transaction looks at what its step waits for, makes the message
// or the task of a step that is due, and sets when the next one is. Nothing is sent here: a message leaves like any other, and the
// job is woken when it has left.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import type { Actor, Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { reasonsOf } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { empty, sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { asService, readingAs, systemActor } from "../../records/acting.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { lead } from "../leads/lead.ts";
import { checkAnswersAreRead } from "./answers_read.ts";
import { openAt } from "./due.ts";
import { failWay, finish, reachGoal, StepHeld } from "./endings.ts";
import { asFollowed } from "./former_steps.ts";
import { goOn, settleMessage, settleTask } from "./go_on.ts";
import { matches } from "./matches.ts";
import { performStep } from "./perform_step.ts";
import { whyNot } from "./recipient.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { stepJobs } from "./step_jobs.ts";
import { isMessage } from "./steps.ts";
import { settleWait } from "./wait_reply.ts";
import { zoneFor } from "./zone.ts";

type Subscription = Row<typeof sequenceSubscription>;

export const sequenceWork: Work = {
  ...stepJobs,
  doc: "Takes the steps of sequences for their contacts.",
  slots: 16,

  async run(core, job) {
    const seen = await look(core, job);
    const by = seen?.created_by ?? "";
    const actor = by === "" ? null : await actorOfMember(core.db, job.organization_id, by);
    try {
      await locked(core, job, seen, (ctx, way) => turn(ctx, way, actor));
    } catch (problem) {
      const held = asHeld(problem);
      await locked(core, job, seen, async (ctx, way) => hold(ctx, way, held));
    }
  },

  async giveUp(ctx, job) {
    const [way] = await lockToChange(ctx, sequenceSubscription, sql`t.id = ${job.object_id}`, "sequence_subscription.lock_by_id");
    if (way?.status === "active")
      failWay(ctx, way, "internal-error", "Several workers ended while they took its step: resume it");
  },
};

async function look(core: Core, job: Job): Promise<Subscription | undefined> {
  const ctx = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  return (await findRecords(ctx, sequenceSubscription, [sql`t.id = ${job.object_id}`], empty, "by_id"))[0];
}

/**
 * In the name of whoever subscribed them. All turns lock in one order: the subscription, what is counted of its sender, the thread.
 */
const locked = (
  core: Core,
  job: Job,
  seen: Subscription | undefined,
  work: (ctx: Ctx, way: Subscription) => Promise<Date | null>,
): Promise<void> =>
  asService(core, job.organization_id, seen?.created_by ?? "", requestOf(job), async (ctx) => {
    const lock = lockToChange(ctx, sequenceSubscription, sql`t.id = ${job.object_id}`, "sequence_subscription.lock_by_id");
    const [[way]] = await Promise.all([lock, holdClaim(ctx, job)]);
    release(ctx, job, way?.status === "active" ? await work(ctx, way) : null);
  });

const hourMs = 3_600_000;

/** Returns when to look again. Null when something else will wake the job. */
async function turn(ctx: Ctx, way: Subscription, actor: Actor | null): Promise<Date | null> {
  if (way.waiting_message_id !== null) return settleMessage(ctx, way);
  if (way.waiting_task_id !== null) return settleTask(ctx, way);
  if (way.reply_awaited_until !== null) return settleWait(ctx, way);
  const [present] = await findRecords(ctx, ofAnybody, [sql`t.id = ${way.sequence_id}`], sql`for share of t`, "share_by_id");
  const of = present && (await asFollowed(ctx, present, way));
  if (of === undefined || of.status !== "active" || way.next_step_at === null) return null;
  if (way.next_step_at > ctx.now.toISOString()) return new Date(way.next_step_at);

  const step = of.steps.find(({ id }) => id === way.current_step_id);
  if (step === undefined) return goOn(ctx, way, null);
  if (await isOver(ctx, way, actor)) return null;
  if (actor!.past_due) return new Date(ctx.now.getTime() + hourMs);
  const zone = await zoneFor(ctx, of, way);
  const slot = openAt(ctx, of, zone, ctx.now);
  if (slot > ctx.now) return putOff(ctx, way, slot);
  if (of.goal !== null && (await matches(ctx, of.goal, way, "goal"))) {
    reachGoal(ctx, way);
    return null;
  }
  if (step.condition && !(await matches(ctx, step.condition, way, "condition"))) return goOn(ctx, way, "skipped");
  if (isMessage(step)) await checkAnswersAreRead(ctx, way);
  return performStep(ctx, { of, way, step, zone });
}

const ofAnybody: typeof sequence = { ...sequence, visible: undefined };

function putOff(ctx: Ctx, way: Subscription, at: Date): Date {
  store.update(ctx, sequenceSubscription, way, { next_step_at: at.toISOString(), slot_at: null });
  return at;
}

/** Whoever subscribed them works here, and sees the lead; the contact still wants mail. */
async function isOver(ctx: Ctx, way: Subscription, actor: Actor | null): Promise<boolean> {
  if (actor === null) failWay(ctx, way, "membership-inactive", "Whoever subscribed them is not a member any more");
  else if ((await findRecord({ ...ctx, actor }, lead, way.lead_id)) === null)
    failWay(ctx, way, "lead-not-visible", "Whoever subscribed them does not see the lead any more");
  else {
    const reason = way.contact_email === null ? null : await whyNot(ctx, way.contact_email, way.sequence_id);
    if (reason === null) return false;
    if (reason === "bounced") failWay(ctx, way, "email-bounced", `Mail to ${way.contact_email} came back`);
    else finish(ctx, way, { status_reason: reason });
  }
  return true;
}

// --- what holds a step up ---

/** What the service refuses: a template that is gone or does too much, a number that may not be used any more. */
function asHeld(problem: unknown): StepHeld {
  if (problem instanceof StepHeld) return problem;
  const reasons = Object.entries(reasonsOf(problem)).map(([field, reason]) => `${field} ${reason}`);
  return new StepHeld("internal-error", reasons.join("; "));
}

const heldMs = 3 * 24 * hourMs;

function hold(ctx: Ctx, way: Subscription, { reason, message, retryMs }: StepHeld): Date | null {
  const held_since = way.held_since ?? ctx.now.toISOString();
  if (ctx.now.getTime() - Date.parse(held_since) >= heldMs) {
    failWay(ctx, way, reason, message);
    return null;
  }
  const error_message = message.slice(0, 1000).toWellFormed();
  if (way.held_since === null || way.error_message !== error_message)
    store.update(ctx, sequenceSubscription, way, { held_since, error_message });
  return new Date(ctx.now.getTime() + retryMs);
}
