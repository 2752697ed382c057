// One turn of a run, in a transaction that holds it: it begins, ends a wait, or takes its next step.

import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { namesOf } from "../webhooks/wanted.ts";
import { automationRun } from "./automation_run.ts";
import { isObject } from "./config.ts";
import { filledIn } from "./facts.ts";
import type { Plan } from "./fields.ts";
import { finishRun, forgetWaits } from "./living_runs.ts";
import { livingStates } from "./living_states.ts";
import { factsOfRun } from "./run_facts.ts";
import { firstAttempt, isPutOff, nextAttempt, type Turn } from "./run_parts.ts";
import { isLimited, turnIn } from "./run_queue.ts";
import { askAwaited, endStep, executeStep } from "./run_step.ts";
import { stepTypesByName } from "./step_types.ts";
import type { Trace } from "./trace.ts";
import { holdsNow, nextLookOf } from "./wait_condition.ts";
import { awaitEvents, comeUnread, endWait, type Purpose, type Signal, signalsFor } from "./waits.ts";
import { withdrawApprovals } from "./withdraw_approvals.ts";

export type Run = Row<typeof automationRun>;

export const isLiving = ({ status }: Run): boolean => (livingStates as readonly string[]).includes(status);

const watchesOf = ({ graph }: Plan) => [...ofPurpose("goal", graph.goals), ...ofPurpose("exit", graph.exits)];

/** Whether the turn begins to wait for events: then the log must stand still while it does. */
export function waitsForEvents(plan: Plan, run: Run): boolean {
  if (run.started_at === null) return watchesOf(plan).length > 0;
  const type = nextType(plan, run);
  return (run.wait === null || isPutOff(run)) && (type === "wait.event" || type === "wait.condition");
}

/** Whether the turn has a transaction of its own: it holds others up, or another service is asked between it and the next. */
export const standsAlone = (plan: Plan, run: Run): boolean =>
  waitsForEvents(plan, run) ||
  (run.started_at === null && isLimited(run)) ||
  stepTypesByName.get(nextType(plan, run) ?? "")?.outside !== undefined;

const nextType = ({ graph }: Plan, { current_step_id }: Run): string | undefined => graph.steps[current_step_id ?? ""]?.type;

const heldMostMs = 30 * 86_400_000;
const dayMs = 86_400_000;

/** Returns the run if its next turn follows at once; null if it has stopped. */
export async function takeTurn(ctx: Ctx, turn: Turn, found: Run, asksAgain: Date | null = null): Promise<Run | null> {
  const { plan, automation } = turn;
  if (!isLiving(found)) return stop(ctx, turn, null);
  if (found.status === "held" && ctx.now.getTime() - Date.parse(found.date_updated) > heldMostMs)
    return endRun(ctx, turn, found, { status: "expired", status_reason: "held" });
  if (automation.isHeld) return holdRun(ctx, turn, found);
  const limits = plan.settings.limits ?? {};
  if (ctx.now.getTime() - Date.parse(found.date_created) > (limits.max_run_days ?? 365) * dayMs) {
    await withdrawApprovals(ctx, found);
    return endRun(ctx, turn, found, { status: "expired", status_reason: "max_run_days" });
  }
  if (found.started_at === null) return begin(ctx, turn, found);

  const mayBeSignalled = found.wait !== null || watchesOf(plan).length > 0;
  const signals = mayBeSignalled ? await signalsFor(ctx, found.id) : [];
  const left = signals.find(({ purpose }) => purpose !== "wait");
  if (left !== undefined) return leave(ctx, turn, found, left);
  if (found.wait !== null && !mayBegin(ctx, found)) return endOfWait(ctx, turn, found, signals);
  if (asksAgain !== null) return stop(ctx, turn, asksAgain);
  if (found.current_step_id === null) return endRun(ctx, turn, found, { status: "completed" });
  if (found.steps_executed >= (limits.max_steps_per_run ?? 1000))
    return endRun(ctx, turn, found, {
      status: "failed",
      status_reason: "max_steps_per_run",
      error: {
        code: "max_steps_per_run",
        class: "config",
        message: "It took more steps than its limits allow",
        step_id: found.current_step_id,
      },
    });
  const run =
    found.status === "held" || found.wait !== null
      ? store.update(
          ctx,
          automationRun,
          found,
          {
            status: "running",
            status_reason: null,
            wait: null,
            wait_until: null,
            // What a failure held is tried again. What a pause held was not tried.
            ...(found.status === "held" && found.error !== null && { error: null, ...nextAttempt(found) }),
          },
          undefined,
          null,
        )
      : found;
  const next = await executeStep(ctx, turn, run);
  return next.until === null ? goOn(ctx, turn, next.run) : stop(ctx, turn, next.until);
}

/** Stays as it is until it is published again, for at most a month. */
function holdRun(ctx: Ctx, turn: Turn, run: Run): null {
  if (run.status !== "held") store.update(ctx, automationRun, run, { status: "held", status_reason: "paused" }, undefined, null);
  return stop(ctx, turn, whenHeldEnds(ctx));
}

/** A run that is held looks again then. */
export const whenHeldEnds = ({ now }: Ctx): Date => new Date(now.getTime() + heldMostMs + dayMs);

/** From now on, its goals and exits are looked out for: since the event that started it. */
async function begin(ctx: Ctx, turn: Turn, run: Run): Promise<Run | null> {
  const turnOf = isLimited(run) ? await turnIn(ctx, run) : null;
  if (turnOf !== null && !turnOf.hasCome) return park(ctx, turn, run, turnOf.after);
  const { graph } = turn.plan;
  const watches = watchesOf(turn.plan);
  const facts = watches.length === 0 ? null : await factsOfRun(ctx, turn, run, watches);
  // What is replayed begins anew: its goals count from now on.
  const since = (run.is_replay ? null : (run.started_by as { at?: string } | null)?.at) ?? run.date_created;
  for (const { purpose, watch } of watches) {
    const match = filledIn(watch.match ?? { object_id: run.object_id }, facts!) as Record<string, unknown>;
    const isKnown = Object.values(match).every((value) => value !== null);
    const events = namesOf([String(watch.event)]) ?? [];
    if (isKnown && events.length > 0)
      await awaitEvents(ctx, run.id, { purpose, name: String(watch.id), events, match, condition: null, since });
  }
  // One that is tried again goes on where it was.
  const current_step_id = run.current_step_id ?? graph.start;
  const values = {
    status: "running",
    status_reason: null,
    started_at: ctx.now.toISOString(),
    current_step_id,
    wait: null,
  } as const;
  return goOn(ctx, turn, store.update(ctx, automationRun, run, values, undefined, null));
}

/** Until one that it waits for is over: the one before it in the queue of its key, or any. */
function park(ctx: Ctx, turn: Turn, run: Run, after: string | null): null {
  const wait = { kind: "turn", until: null, event: null, run_id: after };
  store.update(ctx, automationRun, run, { status: "queued", status_reason: "concurrency", wait }, undefined, null);
  return stop(ctx, turn, null);
}

const ofPurpose = (purpose: Purpose, watches: readonly unknown[] = []) =>
  watches.filter(isObject).map((watch) => ({ purpose, watch }));

/** A goal or an exit was reached. A goal may name the step to go on with. */
async function leave(ctx: Ctx, turn: Turn, run: Run, { purpose, name }: Signal): Promise<Run | null> {
  await endStep(ctx, run, { status: "cancelled", branch: null });
  endWait(ctx, run.id);
  const goal = (turn.plan.graph.goals ?? []).find((one) => isObject(one) && one.id === name) as any;
  const target: string | null = purpose === "goal" ? (goal?.then?.goto ?? null) : null;
  if (target === null || run.goal_id !== null)
    return endRun(ctx, turn, run, { status: "exited", status_reason: purpose, [`${purpose}_id`]: name });
  forgetWaits(ctx, run.id);
  const values: Partial<Run> = {
    status: "running",
    goal_id: name,
    current_step_id: target,
    loops: [],
    wait: null,
    wait_until: null,
    ...firstAttempt,
  };
  return goOn(ctx, turn, store.update(ctx, automationRun, run, values, undefined, null));
}

interface KeptWait {
  kind: string;
  until: string;
  port: string;
  matched: string | null;
}

/** The time for which its step was put off has come. */
const mayBegin = ({ now }: Ctx, run: Run): boolean => isPutOff(run) && new Date((run.wait as unknown as KeptWait).until) <= now;

/** The event came, or the condition holds, or the time is over; or it was woken for something else, and waits on. */
async function endOfWait(ctx: Ctx, turn: Turn, run: Run, signals: Signal[]): Promise<Run | null> {
  const wait = run.wait as unknown as KeptWait;
  const found: Trace = [];
  const until = new Date(wait.until);
  const isLast = until <= ctx.now && wait.kind === "event";
  const signal = signals[0] ?? (isLast ? await comeUnread(ctx, run) : null) ?? undefined;
  const isOver = until <= ctx.now;
  const answer = await askAwaited(ctx, turn, run, isOver);
  const hasCome =
    wait.kind === "condition" ? await holdsNow(ctx, turn, run, found, isOver) : signal !== undefined || answer !== null;
  if (!hasCome && until > ctx.now) {
    if (run.status === "held") store.update(ctx, automationRun, run, { status: "waiting", status_reason: null }, undefined, null);
    return stop(ctx, turn, wait.kind === "condition" ? nextLookOf(ctx, turn, run, until) : until);
  }
  const port = answer?.port ?? (hasCome ? wait.matched! : wait.port);
  await endStep(ctx, run, {
    status: "succeeded",
    branch: port,
    output: answer?.output ?? (signal === undefined ? null : { event_id: signal.event_id }),
    ...(found.length > 0 && { decision: found }),
  });
  endWait(ctx, run.id);
  const next = turn.plan.graph.steps[run.current_step_id!]?.ports[port] ?? null;
  const values = {
    status: "running",
    status_reason: null,
    current_step_id: next,
    wait: null,
    wait_until: null,
    ...firstAttempt,
  } as const;
  return goOn(ctx, turn, store.update(ctx, automationRun, run, values, undefined, null));
}

// --- how a turn ends ---

/** A run without a next step is over. */
export function goOn(ctx: Ctx, turn: Turn, run: Run): Run | null {
  if (!isLiving(run)) return stop(ctx, turn, null);
  if (run.current_step_id === null) return endRun(ctx, turn, run, { status: "completed" });
  return turn.mayGoOn() ? run : stop(ctx, turn, ctx.now);
}

export function stop(ctx: Ctx, turn: Turn, again: Date | null): null {
  turn.release(ctx, again);
  return null;
}

export function endRun(ctx: Ctx, turn: Turn, run: Run, values: Partial<Run>): null {
  finishRun(ctx, run, values);
  return stop(ctx, turn, null);
}
