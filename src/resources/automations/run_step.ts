// Takes one step: fills in its config, carries it out, and stores what it did together with where the run goes on.

import type { Ctx } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { keepingRemovals } from "../../records/change_sets.ts";
import { findRecords, lockAnyRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { chainMeta } from "../../services/chain.ts";
import { newId } from "../../values/id.ts";
import { automationRun, automationStepRun } from "./automation_run.ts";
import { filledIn } from "./facts.ts";
import { filledConfig } from "./filled_config.ts";
import type { Step } from "./graph_shape.ts";
import { reasonOf, type Unsent } from "./in_words.ts";
import { finishRun } from "./living_runs.ts";
import { loopsOf } from "./loops.ts";
import { changesOwn, readsOfRecord } from "./reads_record.ts";
import { factsOfRun } from "./run_facts.ts";
import { firstAttempt, type Turn } from "./run_parts.ts";
import { StepFailure } from "./step_failure.ts";
import { stepTypesByName } from "./step_types.ts";
import type { Call, Outcome, Receipt, StepType } from "./steps/step.ts";
import type { Trace } from "./trace.ts";
import { nextLook, watch, watchRecords } from "./wait_condition.ts";
import { awaitEvents } from "./waits.ts";
import { opensAt } from "./windows.ts";

type Run = Row<typeof automationRun>;
export type StepRun = Row<typeof automationStepRun>;

/** Of a step run that asks nothing outside any more. */
export const answered = { wait_until: null, sealed_request: null } as const;

/** The run afterwards, and until when it waits; null if it does not. */
export async function executeStep(ctx: Ctx, turn: Turn, run: Run): Promise<{ run: Run; until: Date | null }> {
  const id = run.current_step_id!;
  const step = turn.plan.graph.steps[id];
  const type = step === undefined ? undefined : stepTypesByName.get(step.type);
  const instead = turn.rehearsal?.instead(id, step?.type ?? "") ?? null;
  if (step === undefined || type === undefined || (type.run === undefined && instead === null))
    throw new StepFailure("step_type_not_available", "config", `The step ${step?.type ?? id} is not carried out yet`);
  const further = (await type.again?.(ctx, run, id)) ?? null;
  if (further !== null) return leaveStep(ctx, run, step, step.config, further);
  const own = instead === null && changesOwn(type, step.config) ? run.object_id : null;
  // Sent together, and the lock first: the facts are what the step then changes.
  const [locked, facts] = await Promise.all([
    own === null ? null : lockAnyRecord(ctx, own).catch(() => null),
    factsOfRun(ctx, turn, run, step.config, readsOfRecord(step, id).length > 0),
  ]);
  const config =
    instead === null ? filledConfig(type, step.config, facts) : (filledIn(step.config, facts) as Record<string, any>);

  const fallback = facts.record?.owner_id ?? facts.record?.user_id ?? turn.automation.created_by;
  const fallback_user_id = (fallback ?? null) as string | null;
  const trace: Trace = [];
  const call = { ctx, run, step_id: id, fallback_user_id, facts, config, written: step.config, trace, locked };
  const keeps = instead === null && type.keepsHours && config.respect_window !== false;
  const window = keeps ? turn.plan.settings.time_window : null;
  const opens = window == null ? null : await opensAt(call, window);
  if (opens !== null) return waitForHours(ctx, run, opens);
  const outcome = instead ?? (await inName(ctx, run, () => carriedOut(turn, type, call)));
  if (outcome.ask !== undefined) return keepRequest(ctx, run, step, type.shown?.(config) ?? config, outcome.ask);
  const more: Kept = { status: instead === null ? "succeeded" : "stubbed", decision: trace.length === 0 ? null : trace };
  return outcome.wait === undefined
    ? leaveStep(ctx, run, step, config, outcome, more)
    : beginWait(ctx, run, step, config, outcome.wait, outcome.output, more);
}

/** The step itself begins afterwards. */
function waitForHours(ctx: Ctx, run: Run, until: Date): { run: Run; until: Date } {
  const wait_until = until.toISOString();
  const wait = { kind: "window", until: wait_until, event: null, port: null, matched: null };
  return { run: store.update(ctx, automationRun, run, { status: "waiting", wait, wait_until }, undefined, null), until };
}

/** Whatever it writes says which run wrote it, so that no automation starts itself without end. */
async function inName<T>(ctx: Ctx, run: Run, act: () => Promise<T> | T): Promise<T> {
  const { depth = 1, path = [] } = run.causation as { depth?: number; path?: string[] };
  ctx.meta = {
    automation_id: run.automation_id,
    automation_run_id: run.id,
    automation_step_id: run.current_step_id,
    ...chainMeta({ depth, path }),
  };
  const done = await keepingRemovals(ctx, true, act);
  ctx.meta = {};
  return done;
}

/** What a step run keeps besides its outcome. */
interface Kept {
  status: "succeeded" | "stubbed";
  decision: Trace | null;
}

const carriedOutPlainly: Kept = { status: "succeeded", decision: null };

async function carriedOut({ rehearsal }: Turn, type: StepType, call: Call): Promise<Outcome> {
  if (rehearsal === undefined) return type.run!(call);
  return rehearsal.rather(call.step_id, await (type.simulate ?? type.run!)(call));
}

/** What came of that which the run waits for; null while it waits on. */
export async function askAwaited(ctx: Ctx, turn: Turn, run: Run, isOver: boolean): Promise<Outcome | null> {
  const step_id = run.current_step_id!;
  const type = stepTypesByName.get(turn.plan.graph.steps[step_id]?.type ?? "");
  const open = type?.awaited === undefined ? undefined : await openStep(ctx, run);
  if (open === undefined) return null;
  const pending = { ctx, run, step_id, config: open.input as Record<string, any>, output: open.output, isOver };
  return inName(ctx, run, () => type!.awaited!(pending));
}

const outputMost = 64 * 1024;

/** An output that is too long is left out: later steps then find nothing there. */
const kept = (output: unknown): unknown =>
  output === undefined ? null : Buffer.byteLength(JSON.stringify(output)) > outputMost ? { is_too_long: true } : output;

/** The step run that asked another service, and what it got. */
export interface Asked {
  open: StepRun;
  receipt: Receipt;
}

export function leaveStep(
  ctx: Ctx,
  run: Run,
  step: Step,
  config: object,
  outcome: Outcome,
  { status, decision }: Kept = carriedOutPlainly,
  asked?: Asked,
): { run: Run; until: null } {
  const { port = "out", input = config, output, vars, loops, end, next } = outcome;
  const branch = end !== undefined || next !== undefined ? null : port;
  const result = { status, decision, branch, output: kept(output), finished_at: ctx.now.toISOString() } as const;
  if (asked === undefined) writeStep(ctx, run, step, { ...result, input });
  else {
    const effect = effectOf(asked.open, asked.receipt);
    store.update(ctx, automationStepRun, asked.open, { ...result, ...answered, effect });
  }
  const target = next ?? (branch === null ? null : (step.ports[branch] ?? null));
  const values: Values<typeof automationRun> = {
    status: "running",
    status_reason: null,
    steps_executed: run.steps_executed + 1,
    current_step_id: target,
    ...firstAttempt,
    wait: null,
    wait_until: null,
    ...(vars && { vars: { ...(run.vars as object), ...vars } }),
    ...(branch === "suppressed" && { output: withUnsent(run, output) }),
    ...(loops && { loops: [...loops] }),
  };
  const after = store.update(ctx, automationRun, run, values, undefined, null);
  return { run: end === undefined ? after : ended(ctx, after, end, run.current_step_id!), until: null };
}

const unsentMost = 20;

/** What a run leaves, with a message that it sent to nobody. */
function withUnsent({ output, current_step_id }: Run, left: unknown): Record<string, unknown> {
  const before = (output ?? {}) as { not_sent?: Unsent[] };
  const not_sent = [...(before.not_sent ?? []), { step_id: current_step_id!, reason: reasonOf(left) }];
  return { ...before, not_sent: not_sent.slice(0, unsentMost) };
}

function ended(ctx: Ctx, run: Run, { status, message, outcome }: NonNullable<Outcome["end"]>, stepId: string): Run {
  const output = { ...run.output, ...(outcome && { outcome }), ...(message && { message }) };
  const error =
    status === "failed"
      ? { code: "failed", class: "rejected", message: message ?? "The step fail was reached", step_id: stepId }
      : null;
  return finishRun(ctx, run, { status, error, output });
}

/** What a step run shows of what it did outside. The answer itself is its output. */
export const effectOf = ({ id }: StepRun, { status, problem = null }: Receipt) => ({
  state: "done",
  key: id,
  receipt: { status, problem },
});

export const requestPlace = (organization_id: string, id: string) => ({
  table: "automation_step_run",
  column: "sealed_request",
  organization_id,
  id,
});

/** The run stays at the step. The next turn asks. */
function keepRequest(ctx: Ctx, run: Run, step: Step, input: object, ask: object): { run: Run; until: null } {
  const id = newId(automationStepRun.prefix, ctx.now.getTime());
  const sealed_request = ctx.settings.secrets.seal(JSON.stringify(ask), requestPlace(ctx.organization_id, id));
  writeStep(ctx, run, step, { id, status: "running", input, effect: { state: "intent", key: id }, sealed_request });
  return { run, until: null };
}

async function beginWait(
  ctx: Ctx,
  run: Run,
  step: Step,
  config: object,
  wait: NonNullable<Outcome["wait"]>,
  output: unknown,
  { decision }: Kept,
): Promise<{ run: Run; until: Date }> {
  const { until, port, event, condition, records } = wait;
  const wait_until = until.toISOString();
  writeStep(ctx, run, step, { status: "waiting", input: config, output: kept(output), wait_until, decision });
  if (event !== undefined) {
    const { names, match, where, since } = event;
    const name = run.current_step_id!;
    await awaitEvents(ctx, run.id, { purpose: "wait", name, events: names, match, condition: where, since });
  }
  if (condition !== undefined) watchRecords(ctx, run, run.current_step_id!, condition.when);
  if (records !== undefined) watch(ctx, run.id, run.current_step_id!, records);
  const kind = wait.kind ?? (event !== undefined ? "event" : condition !== undefined ? "condition" : "time");
  const values: Values<typeof automationRun> = {
    status: "waiting",
    status_reason: null,
    steps_executed: run.steps_executed + 1,
    wait: {
      kind,
      until: wait_until,
      event: event?.names[0] ?? null,
      port,
      matched: (event ?? condition)?.port ?? null,
      ...(kind === "child" && { run_id: records![0]! }),
    },
    wait_until,
  };
  const after = store.update(ctx, automationRun, run, values, undefined, null);
  return { run: after, until: condition === undefined ? until : nextLook(ctx.now, until, condition.when) };
}

export function writeStep(ctx: Ctx, run: Run, step: Step, values: Values<typeof automationStepRun>): void {
  store.insert(ctx, automationStepRun, {
    run_id: run.id,
    step_id: run.current_step_id!,
    type: step.type,
    name: step.name ?? null,
    sequence: run.steps_executed + 1,
    attempt: run.attempt,
    iteration: (loopsOf(run).at(-1)?.index ?? -1) + 1,
    started_at: ctx.now.toISOString(),
    ...values,
  } as Values<typeof automationStepRun>);
}

/** Closes the step that the run waits in, or that it asks another service for, if it does. */
export async function endStep(ctx: Ctx, run: Run, values: Values<typeof automationStepRun>): Promise<void> {
  const open = await openStep(ctx, run);
  if (open !== undefined)
    store.update(ctx, automationStepRun, open, { finished_at: ctx.now.toISOString(), ...answered, ...values });
}

async function openStep(ctx: Ctx, run: Run): Promise<Row<typeof automationStepRun> | undefined> {
  const isOpen = [sql`t.run_id = ${run.id}`, sql`t.status in ('waiting', 'running')`];
  return (await findRecords(ctx, automationStepRun, isOpen, sql`limit 1`, "open_of_run"))[0];
}
