// What happens when a step fails, by its `on_error`: it is tried again, passed over, left by its port `error`, or it holds or ends the run.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Ctx, query } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { notify } from "../notifications/notify.ts";
import { adminsOf } from "../organization/user.ts";
import { automationRun, automationStepRun } from "./automation_run.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Step } from "./graph_shape.ts";
import { NotLent } from "./in_its_name.ts";
import { finishRun } from "./living_runs.ts";
import { firstAttempt, isPutOff, type Turn } from "./run_parts.ts";
import { lockQueue } from "./run_queue.ts";
import { type Asked, answered, effectOf, endStep, writeStep } from "./run_step.ts";
import { endRun, goOn, stop, whenHeldEnds } from "./run_turn.ts";
import { mayReadValues } from "./run_values.ts";
import type { FailureClass, StepFailure } from "./step_failure.ts";
import { stepTypesByName } from "./step_types.ts";
import { endWait } from "./waits.ts";

type Run = Row<typeof automationRun>;
type Then = "fail" | "continue" | "port" | "hold";

/** No receiver can put it off for longer. */
const pauseMostMs = 6 * 3_600_000;

interface OnError {
  retry?: { max_attempts?: number; base_s?: number; max_s?: number; classes?: FailureClass[] };
  // oxlint-disable-next-line unicorn/no-thenable -- the wire's word for what follows
  then?: Then;
}

type Failed = { code: string; message: string; fingerprint: string; [key: string]: unknown };

/** In a transaction that holds the run and the claim. Returns the run if its next turn follows at once. */
export async function stepFailed(
  ctx: Ctx,
  turn: Turn,
  run: Run | null,
  failure: StepFailure,
  { isFinal = false, asked }: { isFinal?: boolean; asked?: Asked },
): Promise<Run | null> {
  if (run === null) return null;
  const isLent = !(failure instanceof NotLent);
  const step = isLent ? turn.plan.graph.steps[run.current_step_id ?? ""] : undefined;
  const step_id = isLent ? run.current_step_id : null;
  const said = { code: failure.code, class: failure.class, message: failure.message, step_id };
  const error = { ...said, fingerprint: fingerprint(said) };
  if (isFinal) await endStep(ctx, run, { status: "failed", error });
  if (isFinal) return fail(ctx, turn, run, error, true);
  if (step === undefined)
    return usualOf(failure.class) === "hold" ? hold(ctx, turn, run, error) : fail(ctx, turn, run, error, false);

  const onError = (step.on_error ?? {}) as OnError;
  const pause = pauseOf(onError, failure, run.attempt - run.attempts_before);
  if (asked !== undefined) noteAnswer(ctx, run, asked, error, pause);
  else writeStep(ctx, run, step, { status: "failed", error, input: shownOf(step), finished_at: ctx.now.toISOString() });
  if (pause !== null) return again(ctx, turn, run, error, pause);
  const then = onError.then ?? usualOf(failure.class);
  if (then === "hold") return hold(ctx, turn, run, error);
  // It failed while it waited, and waits no more.
  const hasWaited = run.wait !== null && !isPutOff(run);
  if (hasWaited) await endStep(ctx, run, { status: "cancelled" });
  if (hasWaited) endWait(ctx, run.id);
  if (then === "fail") return fail(ctx, turn, run, error, false);

  const port = then === "port" ? "error" : Object.keys(step.ports)[0];
  const values = {
    status: "running",
    steps_executed: run.steps_executed + 1,
    current_step_id: step.ports[port ?? ""] ?? null,
    wait: null,
    wait_until: null,
    ...firstAttempt,
  } as const;
  return goOn(ctx, turn, store.update(ctx, automationRun, run, values, undefined, null));
}

/** What somebody has to mend holds the run. */
const usualOf = (kind: FailureClass): Then => (["auth", "config", "permission"].includes(kind) ? "hold" : "fail");

/** Milliseconds until the next attempt; null for none. By default eight more within about six hours. */
function pauseOf({ retry }: OnError, { class: kind, retry_after_ms }: StepFailure, attempt: number): number | null {
  const isTransient = kind === "transient" || kind === "rate_limited";
  const classes = retry?.classes ?? (isTransient ? [kind] : []);
  if (!classes.includes(kind) || attempt > (retry?.max_attempts ?? 8)) return null;
  const usual = Math.min((retry?.base_s ?? 90) * 2 ** (attempt - 1), retry?.max_s ?? 3 * 3600) * 1000;
  return Math.max(usual, Math.min(retry_after_ms, pauseMostMs));
}

const shownOf = ({ type, config }: Step): object => stepTypesByName.get(type)?.shown?.(config) ?? config;

/** A step run that was answered with a failure: it is over, or the same is asked again after a pause. */
function noteAnswer(ctx: Ctx, run: Run, { open, receipt }: Asked, error: object, pause: number | null): void {
  const ended = ctx.now.toISOString();
  const attempts = [...open.attempts, { n: run.attempt, ended, http_status: receipt.status, error }];
  const until = pause === null ? null : new Date(ctx.now.getTime() + pause).toISOString();
  const over = { status: "failed", error, finished_at: ended, effect: effectOf(open, receipt), ...answered } as const;
  const more = until === null ? over : { attempt: run.attempt + 1, wait_until: until };
  store.update(ctx, automationStepRun, open, { attempts, ...more } as Values<typeof automationStepRun>);
}

/** The run says why it waits, and until when. One that failed while it waited goes on waiting as before. */
function again(ctx: Ctx, turn: Turn, run: Run, error: Failed, pauseMs: number): null {
  const at = new Date(ctx.now.getTime() + pauseMs);
  const wait_until = at.toISOString();
  const wait = { kind: "retry", until: wait_until, event: null, port: null, matched: null, error };
  const counted = { attempt: run.attempt + 1, steps_executed: run.steps_executed + 1 };
  const putOff =
    run.wait === null || isPutOff(run) ? ({ status: "waiting", status_reason: error.code, wait, wait_until } as const) : {};
  store.update(ctx, automationRun, run, { ...counted, ...putOff }, undefined, null);
  return stop(ctx, turn, at);
}

/** Goes on with the same step when the automation is published again, or when it is tried again. One of many is told. */
async function hold(ctx: Ctx, turn: Turn, run: Run, error: Failed): Promise<null> {
  // Of runs that fail at the same time, the later ones see the first.
  lockQueue(ctx, run.automation_id);
  const isKnown = await isHeldBy(ctx, run.automation_id, error.fingerprint);
  const unput = isPutOff(run) ? { wait: null, wait_until: null } : {};
  const values = { status: "held", status_reason: error.code, error, steps_executed: run.steps_executed + 1, ...unput } as const;
  store.update(ctx, automationRun, run, values, undefined, null);
  if (!isKnown) await tell(ctx, turn, run, `${turn.automation.name} is held`, error);
  return stop(ctx, turn, whenHeldEnds(ctx));
}

async function isHeldBy(ctx: Ctx, automationId: string, fingerprint: string): Promise<boolean> {
  const [row] = await query(ctx, {
    name: "automation_run.held_by",
    text: `select from automation_run where organization_id = $1 and automation_id = $2 and status = 'held' and error->>'fingerprint' = $3 limit 1`,
    values: [ctx.organization_id, automationId, fingerprint],
  });
  return row !== undefined;
}

async function fail(ctx: Ctx, turn: Turn, run: Run, error: Failed, isGivenUp: boolean): Promise<null> {
  await tell(ctx, turn, run, `${turn.automation.name} failed`, error);
  if (!isGivenUp) return endRun(ctx, turn, run, { status: "failed", status_reason: error.code, error });
  // The job is ended by who gives it up.
  finishRun(ctx, run, { status: "failed", status_reason: error.code, error });
  return null;
}

/** Once in five minutes for an automation, however many of its runs fail. Who may not see the values in the run gets the code alone. */
async function tell(ctx: Ctx, { automation }: Turn, run: Run, title: string, { code, message, step_id }: Failed): Promise<void> {
  const { automation_id, id } = run;
  const author = automation.created_by === null ? null : await actorOfMember(ctx.db, ctx.organization_id, automation.created_by);
  // What no step is at fault for may be beyond the author, and says nothing of records.
  const isBeyond = author === null || step_id === null;
  const to = [...(author === null ? [] : [author.user_id]), ...(isBeyond ? adminsOf(ctx.directory) : [])];
  const body = isBeyond || mayReadValues(author, run.seen_as_user_id) ? message : code;
  notify(ctx, to, {
    type: "automation_failed",
    title,
    body: body.slice(0, 1000),
    object_type: "automations",
    object_id: automation_id,
    actor_id: null,
    data: { automation_run_id: id },
  });
}
