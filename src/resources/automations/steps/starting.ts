// Starts other automations for the record of a run, and takes the record out of them.
import { z } from "zod";
import { query } from "../../../core/context.ts";
import { wake } from "../../../jobs/job.ts";
import { countStarted } from "../count_started.ts";
import { depthMost } from "../evaluate.ts";
import { unseenInput } from "../input_records.ts";
import { mayActAs } from "../lent_rights.ts";
import { type Listener, listenerById } from "../listeners.ts";
import { livingIds } from "../living_ids.ts";
import { exitRuns } from "../living_runs.ts";
import { isLivingState } from "../living_states.ts";
import { runJobs } from "../names.ts";
import type { Occurrence } from "../occurrence.ts";
import { mayReadValues } from "../run_values.ts";
import { startRun } from "../start_run.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome, Pending } from "./step.ts";
import { untilTimeout } from "./timeouts.ts";
import { recordNamed } from "./writing.ts";

export const childOutput = z.object({
  run_id: z.string().nullable().describe("The run that was started."),
  reason: z.string().nullable().describe("Why none was started."),
  status: z.string().nullable(),
  output: z.unknown().describe("What the run left, if it was waited for."),
});

const began = (run_id: string) => ({ run_id, reason: null, status: "queued", output: null });

/** The child begins with this transaction, so it cannot end before the wait for its end is there. */
export async function startChild(call: Call): Promise<Outcome> {
  const { ctx, run, config } = call;
  const listener = await listenerById(ctx, config.automation_id);
  const reason = listener === null ? "not_active" : reasonAgainst(call, listener);
  if (listener === null || reason !== null) return notStarted(reason);
  if ((await unseenInput(ctx, listener.plan.settings, config.input ?? {})).length > 0) return notStarted("permission");
  const occurrence = occurrenceOf(call);
  const child = await startRun(ctx, listener, {
    kind: "child",
    occurrence,
    ids: await livingIds(ctx, occurrence),
    input: config.input ?? {},
    causation: furtherCausation(call, listener),
    parent_run_id: run.id,
  });
  if (child === null) return notStarted("reenroll");
  wake(ctx, runJobs, [child.id]);
  countStarted(ctx, [listener.automation_id]);
  if (config.wait !== true) return { output: began(child.id) };
  const { until } = untilTimeout(call);
  return { output: began(child.id), wait: { until, port: "timeout", kind: "child", records: [child.id] } };
}

const notStarted = (reason: string | null): Outcome => ({
  port: "child_failed",
  output: { run_id: null, reason, status: null, output: null },
});

function reasonAgainst({ ctx, run }: Call, { paused, trigger, plan }: Listener): string | null {
  if (paused !== null) return "paused";
  if (trigger.byHand !== true) return "child_not_manual";
  if (!mayActAs(ctx, plan.settings.run_as_user_id)) return "permission";
  const wanted = plan.trigger.config.object_type;
  const isOfKind = wanted == null || run.object_type === wanted || run.object_type?.startsWith(`${String(wanted)}.`) === true;
  return isOfKind ? null : "object_type_mismatch";
}

/** No chain is longer than one of events, and none comes back to an automation with the same record. */
function furtherCausation({ run }: Call, { automation_id }: Listener): { depth: number; path: string[] } {
  const { depth = 1, path = [] } = run.causation as { depth?: number; path?: string[] };
  const step = `${automation_id}/${run.object_id}`;
  if (depth >= depthMost || path.includes(step))
    throw new StepFailure(
      "loop_depth",
      "rejected",
      "Automations start each other without end: this one is in the chain, or the chain is too long",
    );
  return { depth: depth + 1, path: [...path, step] };
}

function occurrenceOf({ ctx, run, facts }: Call): Occurrence {
  return {
    id: null,
    event: "manual.run",
    object_type: run.object_type,
    object_id: run.object_id,
    lead_id: run.lead_id,
    user_id: ctx.actor.user_id || null,
    api_key_id: null,
    record: facts.record ?? (facts.trigger.record as Occurrence["record"]),
    previous: {},
    changed_fields: [],
    meta: {},
    at: ctx.now.toISOString(),
  };
}

export async function endOfChild({ ctx, output, isOver }: Pending): Promise<Outcome | null> {
  const { run_id } = output as z.output<typeof childOutput>;
  const [row] = await query(ctx, {
    name: "automation_run.end_of_child",
    text: "select status, output, seen_as_user_id from automation_run where organization_id = $1 and id = $2",
    values: [ctx.organization_id, run_id],
  });
  const status = row?.[0] ?? "cancelled";
  const left = mayReadValues(ctx.actor, row?.[2] ?? null) ? (row?.[1] ?? null) : null;
  const said = { run_id, reason: null, status, output: left === null ? null : JSON.parse(left) };
  if (isLivingState(status)) return isOver ? { port: "timeout", output: said } : null;
  return { port: status === "completed" || status === "exited" ? "out" : "child_failed", output: said };
}

/** Other runs of the record. The run itself ends by a step `stop`. */
export async function exitOthers(call: Call): Promise<Outcome> {
  const { ctx, run, config } = call;
  const id = config.record == null ? run.object_id : (await recordNamed({ ...call, config: { target: config.record } })).id;
  if (id === null) throw new StepFailure("unresolved_ref", "config", "There is no record to take out: name one in record");
  return { output: { exited: await exitRuns(ctx, config.automation_ids, id, run) } };
}
