// Whether an automation starts for an event: does the event match, is it in force, is it no loop, does the filter hold, may it run
// (again) for this record. Every no after the match is kept with its reason.
import type { Ctx } from "../../core/context.ts";
import type { Evaluation } from "./automation_event.ts";
import { enrolment } from "./enrolment.ts";
import { causationOf } from "./event_matching.ts";
import { type Facts, triggerFacts, withRelated } from "./facts.ts";
import type { Listener } from "./listeners.ts";
import { livingIds } from "./living_ids.ts";
import { askedOf, holds, passesFilter } from "./meets.ts";
import type { Occurrence } from "./occurrence.ts";
import { startRun } from "./start_run.ts";
import { StepFailure } from "./step_failure.ts";

/** No chain of automations is longer. */
export const depthMost = 8;

/** Null for an event that it does not look at. */
export async function evaluate(ctx: Ctx, listener: Listener, event: Occurrence): Promise<Evaluation | null> {
  const { trigger, plan } = listener;
  if (event.at < listener.since || trigger.matches?.(plan.trigger.config, event) === false) return null;
  const no = (result: Exclude<Evaluation["result"], "started">, reason: string): Evaluation => ({
    automation_id: listener.automation_id,
    version_id: listener.version_id,
    result,
    reason,
    run_id: null,
  });
  if (listener.isPaused) return no("skipped", "paused");
  const causation = causationOf(event);
  const step = `${listener.automation_id}/${event.object_id}`;
  if (causation.depth >= depthMost || causation.path.includes(step)) return no("skipped", "loop_depth");
  try {
    const { condition } = plan.trigger.config;
    const facts = await factsOf(ctx, event, [plan.filter, condition]);
    if (!(await passesFilter(ctx, plan.filter, facts, objectTypeOf(listener)))) return no("filtered", "filter");
    if (!(await holds(condition, askedOf(ctx, facts)))) return no("filtered", "condition");
    if (trigger.onlyEdge && !event.event.endsWith(".created") && (await holds(condition, askedOf(ctx, asItWas(facts, event)))))
      return no("no_match_edge", "held_before");
  } catch (error) {
    if (error instanceof StepFailure) return no("skipped", error.code);
    throw error;
  }
  const ids = await livingIds(ctx, event);
  if (ids.object_id === null && trigger.leavesRecord !== false) return no("skipped", "record_deleted");
  const refused = await enrolment(ctx, listener, event.object_id);
  if (refused !== null) return no("skipped", refused);

  const run = await startRun(ctx, listener, {
    kind: "event",
    occurrence: event,
    ids,
    input: {},
    causation: { depth: causation.depth + 1, path: [...causation.path, step] },
  });
  if (run === null) return no("skipped", "reenroll");
  return {
    automation_id: listener.automation_id,
    version_id: listener.version_id,
    result: "started",
    reason: null,
    run_id: run.id,
  };
}

const objectTypeOf = ({ plan }: Listener): string | null => (plan.trigger.config.object_type as string | undefined) ?? null;

/** What the event says. Its record is the one of the event, so that the filter sees what the trigger saw. */
async function factsOf(ctx: Ctx, event: Occurrence, mentions: unknown): Promise<Facts> {
  return {
    trigger: triggerFacts(event, {}),
    record: await withRelated(ctx, event.record, mentions),
    steps: {},
    vars: {},
    run: { cause: event.meta.automation_run_id === undefined ? undefined : "automation" },
    org: {},
    now: ctx.now.toISOString(),
  };
}

/** The record before the event: its values then, where they differ. */
const asItWas = (facts: Facts, { record, previous }: Occurrence): Facts => ({ ...facts, record: { ...record, ...previous } });
