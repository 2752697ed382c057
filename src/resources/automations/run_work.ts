// The work for automations: a job is one run. It takes one turn after the other. Those up to a wait, or to a question to another service,
// share a transaction with their results and the place where the run goes on. So whatever a killed worker had not committed is done by
// the next one, and nothing twice.
import { LRUCache } from "lru-cache";
import { type Ctx, query } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { rowReader } from "../../core/row.ts";
import { sql, statement } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { ClaimLost, holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { allColumns } from "../../records/columns.ts";
import { lockToChange } from "../../records/references.ts";
import { automationRun } from "./automation_run.ts";
import type { Plan } from "./fields.ts";
import { inItsName, type Lender, lenderOf } from "./in_its_name.ts";
import { runJobs } from "./names.ts";
import { Answered, askOutside, settle } from "./outside.ts";
import { RecordGone } from "./run_facts.ts";
import { stepFailed } from "./run_failed.ts";
import type { Turn } from "./run_parts.ts";
import { isLimited, lockQueue } from "./run_queue.ts";
import { endStep } from "./run_step.ts";
import { endRun, isLiving, type Run, standsAlone, takeTurn, waitsForEvents } from "./run_turn.ts";
import { failureOf, StepFailure } from "./step_failure.ts";
import { stubsOf } from "./stubs.ts";
import { holdConsumer } from "./waits.ts";

/** After so many turns, or so long, other runs get the place. */
const [turnsMost, turnsForMs] = [25, 2_000];

export const runWork: Work = {
  ...runJobs,
  doc: "Carries out the runs of automations.",
  slots: 16,
  async run(core, job) {
    const until = performance.now() + turnsForMs;
    for (let left = turnsMost, most = left; ; ) {
      const stretch: Stretch = { taken: 0, most, mayGoOn: () => stretch.taken < left && performance.now() < until };
      try {
        if (!(await takeStretch(core, job, stretch))) return;
        left -= stretch.taken;
        most = left;
      } catch (error) {
        if (error instanceof ClaimLost || stretch.taken <= 1) throw error;
        // What came before the turn that failed is done again, and stays. The turn then fails alone.
        most = stretch.taken - 1;
      }
    }
  },
  async giveUp(ctx, job) {
    const found = await readTurn(ctx, job, () => false);
    const failure = new StepFailure("crashed", "internal", "Several workers ended in the middle of this step");
    if (found !== null) await stepFailed(ctx, found.turn, await locked(ctx, job), failure, { isFinal: true });
  },
};

/** The turns of one transaction. */
interface Stretch {
  /** With the one that is being taken. */
  taken: number;
  most: number;
  mayGoOn(): boolean;
}

/** Takes turns in one transaction. Returns whether the next one follows at once: the job is then still claimed. */
async function takeStretch(core: Core, job: Job, stretch: Stretch): Promise<boolean> {
  const reading = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const found = await readTurn(reading, job, stretch.mayGoOn);
  const inside = <T>(act: (ctx: Ctx) => Promise<T>) => asSystem(core, job.organization_id, requestOf(job), act);
  if (found === null) return inside((ctx) => end(ctx, job));
  const { turn, run } = found;
  const asked = await askOutside(core, reading, job, turn, run);
  if (asked instanceof Answered) return inside((ctx) => settleLocked(ctx, turn, job, asked));

  const act = async (ctx: Ctx): Promise<boolean> => {
    // The transaction may be repeated.
    stretch.taken = 0;
    if (waitsForEvents(turn.plan, run)) await holdConsumer(ctx);
    const present = await lockedWithJob(ctx, job, run);
    if (present === null) return end(ctx, job);
    return takeTurns(present, stretch, turn.plan, (one) => takeTurn({ ...ctx, now: core.clock() }, turn, one, asked));
  };
  try {
    return await inItsName(core, job, turn.lenders, act);
  } catch (error) {
    if (stretch.taken > 1) throw error;
    if (error instanceof RecordGone) return inside((ctx) => endGone(ctx, turn, job));
    const failure = failureOf(error) ?? endless(job, error);
    if (failure === null) throw error;
    return inside((ctx) => failLocked(ctx, turn, job, failure));
  }
}

/** One after the other, as long as they belong together. */
async function takeTurns(found: Run, stretch: Stretch, plan: Plan, take: (run: Run) => Promise<Run | null>): Promise<boolean> {
  for (let run = found, next: Run | null; ; run = next) {
    stretch.taken++;
    next = await take(run);
    if (next === null) return false;
    if (stretch.taken >= stretch.most || standsAlone(plan, run) || standsAlone(plan, next)) return true;
  }
}

async function failLocked(ctx: Ctx, turn: Turn, job: Job, failure: StepFailure): Promise<boolean> {
  const run = await lockedWithJob(ctx, job);
  if (run === null || !isLiving(run)) return end(ctx, job);
  return (await stepFailed(ctx, turn, run, failure, {})) !== null;
}

async function settleLocked(ctx: Ctx, turn: Turn, job: Job, answer: Answered): Promise<boolean> {
  const run = await lockedWithJob(ctx, job);
  return run === null ? end(ctx, job) : (await settle(ctx, turn, run, answer)) !== null;
}

async function endGone(ctx: Ctx, turn: Turn, job: Job): Promise<false> {
  const run = await lockedWithJob(ctx, job);
  if (run === null || !isLiving(run)) return end(ctx, job);
  await endStep(ctx, run, { status: "cancelled" });
  endRun(ctx, turn, run, { status: "exited", status_reason: "record_deleted" });
  return false;
}

/** What is tried again by the job itself is given up in the end. */
const failuresMost = 8;
const endless = (job: Job, error: unknown): StepFailure | null =>
  job.failures < failuresMost
    ? null
    : new StepFailure("internal", "internal", `It failed again and again: ${(error as Error).message}`);

const locked = async (ctx: Ctx, { object_id }: Job) =>
  (await lockToChange(ctx, automationRun, sql`t.id = ${object_id}`, "automation_run.lock_turn"))[0] ?? null;

/** Locks the run, its place in the queue if it is about to begin, and then the job: in this order, but sent together. */
async function lockedWithJob(ctx: Ctx, job: Job, begins?: Run): Promise<Run | null> {
  const run = locked(ctx, job);
  if (begins?.started_at === null && isLimited(begins)) lockQueue(ctx, begins.automation_id);
  return (await Promise.all([run, holdClaim(ctx, job)]))[0];
}

async function end(ctx: Ctx, job: Job): Promise<false> {
  await holdClaim(ctx, job);
  release(ctx, job, null);
  return false;
}

// --- reading ---

/** Versions never change. */
const plans = new LRUCache<string, Plan>({ max: 1000 });

async function readTurn(ctx: Ctx, job: Job, mayGoOn: () => boolean): Promise<{ turn: Turn; run: Run } | null> {
  const found = await readRun(ctx, job);
  if (found === null || !isLiving(found.run)) return null;
  const { run, automation } = found;
  const plan = run.version_id === null ? null : await readPlan(ctx, run.version_id);
  if (plan === null) return null;
  const [name, created_by, status, in_flight, run_as_user_id, active_by, published_by] = automation;
  // A replay was asked for, whatever is in force.
  const isHeld = !run.is_replay && status !== "active" && in_flight !== "finish";
  const own = lenderOf(plan.settings.run_as_user_id, published_by ?? created_by!);
  const inForce: Lender[] = run.is_replay ? [] : [lenderOf(run_as_user_id!, active_by!)];
  const turn: Turn = {
    plan,
    mayGoOn,
    automation: { name: name!, created_by: created_by!, isHeld },
    lenders: [own, ...inForce],
    release: (inside, again) => release(inside, job, again),
    ...(run.is_test && { rehearsal: stubsOf(plan) }),
  };
  return { turn, run };
}

const runOf = rowReader(automationRun);

/** The run and what its automation says at the moment, in one look: what is around a run is most of what a short one costs. */
async function readRun(ctx: Ctx, { object_id }: Job): Promise<{ run: Run; automation: (string | null)[] } | null> {
  const one = sql`select ${allColumns(automationRun)}, a.name, a.created_by, a.status, a.in_flight, v.settings->>'run_as_user_id',
      v.published_by, own.published_by
    from automation_run t join automation a on a.organization_id = ${ctx.organization_id} and a.id = t.automation_id
    left join automation_version v on v.organization_id = ${ctx.organization_id} and v.id = a.active_version_id
    left join automation_version own on own.organization_id = ${ctx.organization_id} and own.id = t.version_id
    where t.organization_id = ${ctx.organization_id} and t.id = ${object_id}`;
  const [row] = await query(ctx, statement(one, "automation_run.with_automation"));
  if (row === undefined) return null;
  return { run: runOf(row), automation: row.slice(automationRun.columns.length + 1).map((text) => text ?? null) };
}

async function readPlan(ctx: Ctx, versionId: string): Promise<Plan | null> {
  const kept = plans.get(versionId);
  if (kept !== undefined) return kept;
  const [row] = await query(ctx, {
    name: "automation_version.plan",
    text: "select trigger, filter, graph, settings from automation_version where organization_id = $1 and id = $2",
    values: [ctx.organization_id, versionId],
  });
  if (row === undefined) return null;
  const [trigger, filter, graph, settings] = row.map((text) => (text === null ? null : JSON.parse(text)));
  const plan = { trigger, filter, graph, settings };
  plans.set(versionId, plan);
  return plan;
}
