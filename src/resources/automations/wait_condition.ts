// Runs that wait until a condition holds. It is asked when the step is reached, after every event of the records that it is about, and
// when the time is over. Before it is asked first, the consumer of the log stands still until the wait is stored: what is written
// before that is seen by the condition, and what is written after it wakes the run.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import type { LogEntry } from "../../jobs/consumer.ts";
import { wake } from "../../jobs/job.ts";
import type { automationRun } from "./automation_run.ts";
import { changesByTime, fieldsRead, recordsWatched } from "./condition_leaves.ts";
import { askedOf, holds } from "./meets.ts";
import { runJobs } from "./names.ts";
import { factsOfRun, recordHidden } from "./run_facts.ts";
import type { Turn } from "./run_parts.ts";
import { StepFailure } from "./step_failure.ts";
import type { Trace } from "./trace.ts";

type Run = Row<typeof automationRun>;

/** The name under which a run waits for whatever happens to a record, or to what belongs to it. */
const anythingAt = (id: string): string => `${id}.*`;

/** Whatever happens to these records wakes the run. */
export function watch(ctx: Ctx, runId: string, stepId: string, ids: readonly string[]): void {
  write(ctx, {
    name: "automation_wait.watch",
    text: `insert into automation_wait (organization_id, run_id, purpose, name, event, match_key, match_value, match, date_created)
           select $1, $2, 'wait', $3, event, '', '', '{}', $5 from unnest($4::text[]) event`,
    values: [ctx.organization_id, runId, stepId, [...new Set(ids)].map(anythingAt), ctx.now],
  });
}

/** The record itself, its lead where the condition is about more than its fields, and what the condition names. */
export function watchRecords(ctx: Ctx, run: Run, stepId: string, when: unknown): void {
  const lead = fieldsRead(when) === null ? run.lead_id : null;
  watch(
    ctx,
    run.id,
    stepId,
    [run.object_id, lead, ...recordsWatched(when)].filter((id) => id !== null),
  );
}

/** Wakes the runs that wait for anything at the records of these events. Each asks its condition in a turn of its own. */
export async function wakeWatching(ctx: Ctx, events: readonly LogEntry[]): Promise<void> {
  const ids = new Set(events.flatMap(({ object_id, lead_id }) => [object_id, lead_id ?? object_id]));
  const rows = await transactionOf(ctx).read({
    name: "automation_wait.watching",
    text: "select distinct run_id from automation_wait where organization_id = $1 and event = any($2) and event_id is null",
    values: [ctx.organization_id, [...ids].map(anythingAt)],
  });
  wake(
    ctx,
    runJobs,
    rows.map(([run]) => run!),
  );
}

const whenOf = ({ plan }: Turn, run: Run): unknown => plan.graph.steps[run.current_step_id ?? ""]?.config.when;

/**
 * Whether the condition that the run waits for holds by now. While the member in whose name it runs does not see the record, the run waits
 * on, and its condition is asked again when they do: but not when the time is over, because the answer decides then.
 */
export async function holdsNow(ctx: Ctx, turn: Turn, run: Run, into: Trace, isOver: boolean): Promise<boolean> {
  const when = whenOf(turn, run);
  try {
    return await holds(when, askedOf(ctx, await factsOfRun(ctx, turn, run, when), into));
  } catch (error) {
    if (!isOver && error instanceof StepFailure && error.code === recordHidden) return false;
    throw error;
  }
}

/** How late a condition is seen to hold that time alone has made true. */
const lookAgainMs = 15 * 60_000;

/** When to ask next if nothing happens. */
export function nextLook(now: Date, until: Date, when: unknown): Date {
  return changesByTime(when) ? new Date(Math.min(until.getTime(), now.getTime() + lookAgainMs)) : until;
}

export const nextLookOf = (ctx: Ctx, turn: Turn, run: Run, until: Date): Date => nextLook(ctx.now, until, whenOf(turn, run));
