// Whether an automation starts for an event: does the event match, is it in force, is it no loop, does the filter hold, may it run
// (again) for this record. Every no after the match is kept with its reason.
import type { Ctx } from "../../core/context.ts";
import type { Evaluation } from "./automation_event.ts";
import type { runKinds } from "./automation_run.ts";
import { enrolment } from "./enrolment.ts";
import { causationOf, isSilent } from "./event_matching.ts";
import { type Facts, factsOfEvent, type Values, withRelated } from "./facts.ts";
import type { Plan } from "./fields.ts";
import { isSeen, withItsEyes } from "./lent_rights.ts";
import type { Listener } from "./listeners.ts";
import { livingIds } from "./living_ids.ts";
import { askedOf, holds, passesFilter } from "./meets.ts";
import { isDeletion, type Occurrence } from "./occurrence.ts";
import { valuesOfRun } from "./run_values.ts";
import { startRun } from "./start_run.ts";
import { StepFailure } from "./step_failure.ts";
import type { Trace } from "./trace.ts";
import { triggerTypes } from "./trigger_types.ts";

/** No chain of automations is longer. */
export const depthMost = 8;
/** How often one that may start itself is in a chain for the same record. */
const selfMost = 3;

/** How an event came to the automation, and what it brings along. */
export interface Heard {
  kind: (typeof runKinds)[number];
  input: Values;
  /** The start of many that it belongs to, or the bulk action or import that caused it. */
  bulk_action_id?: string;
  /** Creates the record it is about, once nothing else stands against the run. Returns the event about that. */
  create?(): Promise<Occurrence>;
}

type Refusal = Exclude<Evaluation["result"], "started">;

export const refusedBy = (listener: Listener, reason: string, result: Refusal = "skipped"): Evaluation => ({
  automation_id: listener.automation_id,
  version_id: listener.version_id,
  result,
  reason,
  run_id: null,
});

/** Whether it looks at the event at all. Asked of every listener for every event, so it waits for nothing. */
export const looksAt = ({ since, trigger, plan }: Listener, event: Occurrence): boolean =>
  event.at >= since && !isSilent(event) && trigger.matches?.(plan.trigger.config, event) !== false;

/** One evaluation for each record that an event is about that it looks at. */
export async function evaluate(ctx: Ctx, listener: Listener, event: Occurrence): Promise<Evaluation[]> {
  const { trigger, plan } = listener;
  const evaluations: Evaluation[] = [];
  for (const one of (await trigger.about?.(ctx, plan.trigger.config, event)) ?? [event])
    evaluations.push(await startFor(ctx, listener, one, await heardOf(ctx, listener, one)));
  return evaluations;
}

async function heardOf(ctx: Ctx, listener: Listener, one: Occurrence): Promise<Heard> {
  const input = await payloadFor(ctx, listener, one);
  const many = one.meta.bulk_action_id ?? one.meta.import_id;
  return { kind: "event", input, ...(typeof many === "string" && { bulk_action_id: many }) };
}

/** The end of another run holds what that read, which is for members with the right to see it. */
async function payloadFor(ctx: Ctx, { plan }: Listener, { event, payload = {} }: Occurrence): Promise<Values> {
  if (!event.startsWith("automation_run.") || (await withItsEyes(ctx, plan)) === ctx) return payload;
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !valuesOfRun.has(key)));
}

/** Whether it starts for this record. */
export async function startFor(ctx: Ctx, listener: Listener, event: Occurrence, heard: Heard): Promise<Evaluation> {
  const { plan } = listener;
  const no = (result: Refusal, reason: string) => refusedBy(listener, reason, result);
  if (isPausedFor(listener, event)) return no("skipped", "paused");
  const causation = causationOf(event);
  const step = `${listener.automation_id}/${event.object_id}`;
  const before = causation.path.filter((one) => one === step).length;
  if (causation.depth >= depthMost || before >= (plan.settings.allow_self_trigger === true ? selfMost : 1))
    return no("skipped", "loop_depth");
  const eyes = await withItsEyes(ctx, plan);
  if (!(await isSeen(ctx, eyes, event.object_id))) return no("skipped", "not_visible");
  const conditions: Trace = [];
  const failing = await failingPart(eyes, plan, event, heard.input, conditions);
  if (failing !== null) return { ...no(failing.result, failing.reason), conditions };
  const about = (await heard.create?.()) ?? event;
  const ids = await livingIds(ctx, about);
  if (ids.object_id === null && about.object_id !== null && !isDeletion(about)) return no("skipped", "record_deleted");
  const refused = await enrolment(ctx, listener, about.object_id, heard.bulk_action_id !== undefined);
  if (refused !== null) return no("skipped", refused);

  const run = await startRun(ctx, listener, {
    kind: heard.kind,
    occurrence: about,
    ids,
    input: heard.input,
    ...(heard.bulk_action_id !== undefined && { bulk_action_id: heard.bulk_action_id }),
    causation: { depth: causation.depth + 1, path: [...causation.path, step] },
  });
  if (run === null) return no("skipped", plan.settings.concurrency?.mode === "skip" ? "concurrency" : "reenroll");
  return {
    automation_id: listener.automation_id,
    version_id: listener.version_id,
    result: "started",
    reason: null,
    run_id: run.id,
    conditions,
  };
}

/** What happened before the pause starts it, and waits like the runs that were there, unless the pause cancelled those. */
const isPausedFor = ({ paused }: Listener, { at }: Occurrence): boolean =>
  paused !== null && (paused.cancels || at >= paused.since);

/** Why the conditions of the plan do not let an event start it; null if they do. What they find is added to the list. */
export async function failingPart(
  ctx: Ctx,
  plan: Pick<Plan, "trigger" | "filter">,
  event: Occurrence,
  input: Values,
  into: Trace,
): Promise<{ result: Refusal; reason: string } | null> {
  const { condition } = plan.trigger.config;
  const isEdge = onlyEdges.has(plan.trigger.type) && event.id !== null && !event.event.endsWith(".created");
  try {
    const facts = await factsOf(ctx, event, input, [plan.filter, condition]);
    if (!(await passesFilter(ctx, plan.filter, facts, objectTypeOf(plan), into))) return { result: "filtered", reason: "filter" };
    if (!(await holds(condition, askedOf(ctx, facts, into)))) return { result: "filtered", reason: "condition" };
    if (isEdge && (await holds(condition, askedOf(ctx, asItWas(facts, event)))))
      return { result: "no_match_edge", reason: "held_before" };
  } catch (error) {
    if (error instanceof StepFailure) return { result: "skipped", reason: error.code };
    throw error;
  }
  return null;
}

const onlyEdges = new Set(triggerTypes.filter(({ onlyEdge }) => onlyEdge).map(({ type }) => type));

function objectTypeOf({ trigger }: Pick<Plan, "trigger">): string | null {
  const { object_type, record_lookup, for_each } = trigger.config as Record<string, any>;
  return object_type ?? record_lookup?.object_type ?? for_each?.object_type ?? null;
}

/** What the event says. Its record is the one of the event, so that the filter sees what the trigger saw. */
async function factsOf(ctx: Ctx, event: Occurrence, input: Values, mentions: unknown): Promise<Facts> {
  const record = await withRelated(ctx, event.record, mentions);
  return factsOfEvent(ctx, event, input, {
    record,
    run: { cause: event.meta.automation_run_id === undefined ? undefined : "automation" },
  });
}

/** The record before the event: its values then, where they differ. */
const asItWas = (facts: Facts, { record, previous }: Occurrence): Facts => ({ ...facts, record: { ...record, ...previous } });
