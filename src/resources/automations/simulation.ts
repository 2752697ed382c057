// A run that leaves nothing behind: by the interpreter of real runs, in a transaction that is undone. Its clock jumps over its waits.
import type { Actor, Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { systemActor } from "../../records/acting.ts";
import { findRecords } from "../../records/records.ts";
import { attempted } from "../../records/rehearse.ts";
import { store } from "../../records/store.ts";
import { automationRun, automationStepRun } from "./automation_run.ts";
import type { Plan } from "./fields.ts";
import { lenderOf } from "./in_its_name.ts";
import { livingIds } from "./living_ids.ts";
import type { Occurrence } from "./occurrence.ts";
import { RecordGone } from "./run_facts.ts";
import { stepFailed } from "./run_failed.ts";
import type { Rehearsed, Turn } from "./run_parts.ts";
import { endRun, isLiving, type Run, takeTurn } from "./run_turn.ts";
import { newRun } from "./start_run.ts";
import { type FailureClass, failureOf, StepFailure } from "./step_failure.ts";
import type { Wait } from "./steps/step.ts";

/** What a step is said to do instead. */
export interface Mock {
  port?: string;
  output?: unknown;
  error?: { code?: string; class?: FailureClass; message?: string };
}

export interface Simulated {
  plan: Plan;
  automation: { id: string; name: string; generation: number; created_by: string | null };
  occurrence: Occurrence;
  input: Record<string, unknown>;
  /** Whose rights it has. */
  actor: Actor;
  begins: Date;
  /** Waits take no time. */
  skips: boolean;
  choose: Readonly<Record<string, string>>;
  mocks: Readonly<Record<string, Mock>>;
}

/** An event that would have been written, and the step that caused it. */
export interface Heard {
  step_id: string | null;
  event: Record<string, unknown>;
}

export interface Waited {
  step_id: string;
  kind: "time" | "event" | "condition";
  event: string | null;
  from: string;
  until: string;
}

export interface SimulatedRun {
  run: Run;
  steps: Row<typeof automationStepRun>[];
  waits: Waited[];
  endedAt: Date;
  isTruncated: boolean;
}

/** So that it holds its connection, and what it locks, only for a short time. */
const [turnsMost, longestMs] = [200, 2_000];

/** In a rehearsal. `heard` has the events of steps that have failed no more. */
export async function simulateRun(ctx: Ctx, given: Simulated, heard: Heard[]): Promise<SimulatedRun> {
  const clock = { now: given.begins, due: null as Date | null };
  const waits: Waited[] = [];
  const turn: Turn = {
    plan: given.skips ? { ...given.plan, settings: { ...given.plan.settings, time_window: null } } : given.plan,
    automation: {
      name: given.automation.name,
      created_by: given.automation.created_by,
      isHeld: false,
    },
    lenders: [lenderOf(given.plan.settings.run_as_user_id, given.actor.user_id)],
    mayGoOn: () => true,
    release: (_, again) => void (clock.due = again),
    rehearsal: actedOut(given, clock, waits),
  };
  let run = await begin({ ...ctx, now: clock.now }, given);
  const lastAt = performance.now() + longestMs;
  let isTruncated = false;
  for (let turns = 0; isLiving(run) && run.status !== "held" && !isTruncated; turns++) {
    const next = await turnOf({ ...ctx, actor: given.actor, now: clock.now, meta: {} }, turn, run, heard);
    [run] = (await findRecords(asItself(ctx), automationRun, [sql`t.id = ${run.id}`])) as [Run];
    if (next === null && isLiving(run)) clock.now = run.wait_until !== null ? new Date(run.wait_until) : (clock.due ?? clock.now);
    isTruncated = isLiving(run) && (turns >= turnsMost || performance.now() > lastAt);
  }
  const steps = await findRecords(asItself(ctx), automationStepRun, [sql`t.run_id = ${run.id}`], sql`order by t.sequence, t.id`);
  return { run, steps, waits, endedAt: clock.now, isTruncated };
}

const asItself = (ctx: Ctx): Ctx => ({ ...ctx, actor: systemActor(ctx.organization_id) });

async function begin(ctx: Ctx, { plan, automation, occurrence, input }: Simulated): Promise<Run> {
  const of = { automation_id: automation.id, generation: automation.generation, version_id: null, version_number: null, plan };
  const causation = { depth: 1, path: [`${automation.id}/${occurrence.object_id}`] };
  const start = { kind: "manual", occurrence, ids: await livingIds(asItself(ctx), occurrence), input, causation } as const;
  return store.insert(asItself(ctx), automationRun, { ...newRun(of, start), is_test: true, is_simulation: true });
}

/** As the worker does it: a step that fails leaves nothing behind, and then its `on_error` decides. */
async function turnOf(ctx: Ctx, turn: Turn, run: Run, heard: Heard[]): Promise<Run | null> {
  const before = heard.length;
  try {
    return await attempted(ctx, () => takeTurn(ctx, turn, run));
  } catch (error) {
    heard.length = before;
    const service = { ...asItself(ctx), meta: {} };
    if (error instanceof RecordGone) return endRun(service, turn, run, { status: "exited", status_reason: "record_deleted" });
    const failure = failureOf(error);
    if (failure === null) throw error;
    return stepFailed(service, turn, run, failure, {});
  }
}

/** Where nothing else is chosen, a step does what it would do, and a wait lasts until its time is over. */
function actedOut({ mocks, choose, skips }: Simulated, clock: { now: Date }, waits: Waited[]): Rehearsed {
  return {
    instead(stepId) {
      const mock = mocks[stepId];
      if (mock?.error === undefined) return mock ?? null;
      const { code = "mocked", class: kind = "rejected", message = "It fails, because the simulation says so" } = mock.error;
      throw new StepFailure(code, kind, message);
    },
    rather(stepId, outcome) {
      const port = choose[stepId];
      // Nobody is asked.
      const { wait, ask: _, ...rest } = outcome;
      if (port !== undefined && port !== wait?.port) return { ...rest, port };
      if (wait !== undefined) waits.push(waited(stepId, wait, clock.now));
      return wait === undefined ? rest : { ...rest, wait: skips ? { ...wait, until: clock.now } : wait };
    },
  };
}

const waited = (step_id: string, { until, event, condition }: Wait, now: Date): Waited => ({
  step_id,
  kind: event !== undefined ? "event" : condition !== undefined ? "condition" : "time",
  event: event?.names[0] ?? null,
  from: now.toISOString(),
  until: until.toISOString(),
});
