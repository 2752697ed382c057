// Asks another service for a step, between two transactions: the first has stored what is asked, the second stores what came of it and
// where the run goes on. A worker that ends in between leaves the request, and the next one asks for the same with the same key.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { claimMs, type Job, outside as waitOutside } from "../../jobs/job.ts";
import { findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { automationStepRun } from "./automation_run.ts";
import { stepFailed } from "./run_failed.ts";
import type { Turn } from "./run_parts.ts";
import { answered, effectOf, leaveStep, requestPlace, type StepRun } from "./run_step.ts";
import { goOn, isLiving, type Run, stop } from "./run_turn.ts";
import { StepFailure } from "./step_failure.ts";
import { stepTypesByName } from "./step_types.ts";
import type { Outside, Receipt } from "./steps/step.ts";

/** What another service said to the request of a step run. */
export class Answered {
  readonly step_run_id: string;
  readonly request: object;
  readonly receipt: Receipt;
  /** An earlier worker did not come to store its answer, and may have asked already. */
  readonly isRepeated: boolean;

  constructor(stepRunId: string, request: object, receipt: Receipt, isRepeated: boolean) {
    this.step_run_id = stepRunId;
    this.request = request;
    this.receipt = receipt;
    this.isRepeated = isRepeated;
  }
}

/** Null when there is nothing to ask; when it is too early to ask again, the time for it. */
export async function askOutside(core: Core, ctx: Ctx, job: Job, turn: Turn, run: Run): Promise<Answered | Date | null> {
  const outside = outsideOf(turn, run);
  if (outside === undefined || turn.automation.isHeld || run.started_at === null) return null;
  const ofRun = [sql`t.run_id = ${run.id}`, sql`t.status = 'running'`];
  const [open] = await findRecords(ctx, automationStepRun, ofRun, sql`limit 1`);
  if (open === undefined || open.sealed_request === null) return null;
  if (open.wait_until !== null && new Date(open.wait_until) > core.clock()) return new Date(open.wait_until);
  const place = requestPlace(ctx.organization_id, open.id);
  const request = JSON.parse(core.settings.secrets.open(open.sealed_request, place));
  // A service that is slow holds up no other run.
  const receipt = await waitOutside(job, outside.perform(core, request, open.id, timeLeft(core, job)));
  return new Answered(open.id, request, receipt, isAskedAgain(job, open));
}

/** What an earlier claim has stored, and did not come to an end with. */
const isAskedAgain = ({ failures, crashes, claimed_until }: Job, { started_at }: StepRun): boolean =>
  failures + crashes > 0 && started_at !== null && Date.parse(started_at) < claimed_until.getTime() - claimMs;

const outsideOf = ({ plan }: Turn, { current_step_id }: Run): Outside | undefined =>
  stepTypesByName.get(plan.graph.steps[current_step_id ?? ""]?.type ?? "")?.outside;

/** So much of the claim is left for the second transaction. */
const reserveMs = 15_000;

const timeLeft = (core: Core, { claimed_until }: Job): number =>
  Math.max(1_000, Math.min(claimMs, claimed_until.getTime() - core.clock().getTime()) - reserveMs);

/** Shown with the attempts, because the receiver may have been asked twice: with the same key, by which it knows that. */
const withLostAnswer = (ctx: Ctx, open: StepRun): StepRun =>
  store.update(ctx, automationStepRun, open, {
    attempts: [
      ...open.attempts,
      {
        n: open.attempt,
        ended: ctx.now.toISOString(),
        http_status: null,
        error: {
          code: "answer_lost",
          class: "transient",
          message: "It may have been asked before: no answer of that was stored, so it was asked again with the same webhook-id",
        },
      },
    ],
  });

/** In a transaction that holds the run and the claim. A run that was cancelled meanwhile keeps the answer, and does nothing more. */
export async function settle(ctx: Ctx, turn: Turn, run: Run, answer: Answered): Promise<Run | null> {
  const { receipt, request, step_run_id, isRepeated } = answer;
  const [found] = await lockToChange(ctx, automationStepRun, sql`t.id = ${step_run_id}`, "automation_step_run.settle");
  if (found === undefined) return stop(ctx, turn, null);
  const open = isRepeated ? withLostAnswer(ctx, found) : found;
  if (!isLiving(run) || open.status !== "running") {
    store.update(ctx, automationStepRun, open, { effect: effectOf(open, receipt), ...answered });
    return stop(ctx, turn, isLiving(run) ? ctx.now : null);
  }

  const step = turn.plan.graph.steps[open.step_id]!;
  const outcome = outsideOf(turn, run)!.outcome(receipt, request, step.ports);
  if (outcome instanceof StepFailure) return stepFailed(ctx, turn, run, outcome, { asked: { open, receipt } });
  return goOn(ctx, turn, leaveStep(ctx, run, step, {}, outcome, undefined, { open, receipt }).run);
}
