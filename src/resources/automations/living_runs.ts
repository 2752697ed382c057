// Runs that are not over: cancelling them, and letting those that were held go on.
import { type Ctx, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { automationRun } from "./automation_run.ts";
import { runJobs } from "./names.ts";
import { startNext } from "./run_queue.ts";
import { withdrawApprovals } from "./withdraw_approvals.ts";

type Run = Row<typeof automationRun>;

/** The constants of the index of living runs. */
const living = sql`t.status in ('queued', 'running', 'waiting', 'held')`;

/** Cancels all runs of an automation that are not over. */
export async function cancelRuns(ctx: Ctx, automationId: string, reason: string): Promise<void> {
  for (;;) {
    const runs = await lockWhere(ctx, automationRun, sql`t.automation_id = ${automationId} and ${living}`, 200);
    for (const run of runs) await cancelRun(ctx, run, reason);
    if (runs.length < 200) return;
  }
}

/** A locked run does nothing more. What it has done stays. */
export const cancelRun = (ctx: Ctx, run: Run, reason: string): Promise<Run> =>
  endNow(ctx, run, { status: "cancelled", status_reason: reason }, "cancelled");

/** Ends the runs of a record in these automations, but for the one that asks for it. Returns how many it ended. */
export async function exitRuns(ctx: Ctx, automationIds: readonly string[], objectId: string, by: Run): Promise<number> {
  const those = sql`t.automation_id = any(${automationIds}) and t.object_id = ${objectId} and t.id <> ${by.id} and ${living}`;
  const output = { exited_by: { automation_id: by.automation_id, run_id: by.id } };
  for (let ended = 0; ; ) {
    const runs = await lockWhere(ctx, automationRun, those, 200);
    for (const run of runs) await endNow(ctx, run, { status: "exited", status_reason: "exit", output }, "completed");
    ended += runs.length;
    if (runs.length < 200) return ended;
  }
}

export async function endNow(
  ctx: Ctx,
  run: Run,
  why: Pick<Run, "status" | "status_reason"> & Partial<Pick<Run, "output">>,
  action: string,
): Promise<Run> {
  await withdrawApprovals(ctx, run);
  const finished_at = ctx.now.toISOString();
  const duration_ms = run.started_at === null ? 0 : ctx.now.getTime() - Date.parse(run.started_at);
  const values = { ...why, finished_at, duration_ms, current_step_id: null, wait: null, wait_until: null } as const;
  write(
    ctx,
    statement(sql`update automation_step_run set status = 'cancelled', finished_at = ${finished_at}
      where organization_id = ${ctx.organization_id} and run_id = ${run.id} and status in ('pending', 'running', 'waiting')`),
  );
  forgetWaits(ctx, run.id);
  const after = store.update(ctx, automationRun, run, values, undefined, action);
  startNext(ctx, after);
  return after;
}

/** The run is over: its event says how. The next one in its queue begins. */
export function finishRun(ctx: Ctx, run: Run, values: Partial<Run>): Run {
  const began = run.started_at ?? run.date_created;
  const over = {
    status_reason: null,
    finished_at: ctx.now.toISOString(),
    duration_ms: ctx.now.getTime() - Date.parse(began),
    current_step_id: null,
    wait: null,
    wait_until: null,
    ...values,
  };
  forgetWaits(ctx, run.id);
  const action = values.status === "failed" ? "failed" : values.status === "cancelled" ? "cancelled" : "completed";
  const after = store.update(ctx, automationRun, run, over, undefined, action);
  startNext(ctx, after);
  return after;
}

/** Wakes what was held, for whatever reason. Each looks again whether it may go on. */
export function resumeRuns(ctx: Ctx, automationId: string): void {
  write(
    ctx,
    statement(sql`insert into job (organization_id, kind, object_id, state, due_at)
      select ${ctx.organization_id}, ${runJobs.kind}, r.id, 'ready', ${ctx.now} from automation_run r
      where r.organization_id = ${ctx.organization_id} and r.automation_id = ${automationId} and r.status = 'held' order by r.id
      on conflict (organization_id, kind, object_id) do update set due_at = least(job.due_at, excluded.due_at),
        state = case when job.state = 'scheduled' then 'ready' else job.state end,
        woken_at = case when job.state = 'claimed' then least(job.woken_at, excluded.due_at) end`),
  );
}

/**
 * What a failure holds goes on by a new version, at the step that failed: if the new version has that step, of the same type, and the
 * loops that the run is in. It looks out for the goals and exits of the new version. It stays held until it is woken. A version in
 * another name does not take over what the run has read so far.
 */
export function mendRuns(ctx: Ctx, automationId: string, versionId: string): void {
  const org = ctx.organization_id;
  write(
    ctx,
    statement(sql`with mended as (
        select r.id, v.id as version_id, v.number from automation_run r
        join automation_version v on v.organization_id = ${org} and v.id = ${versionId}
        join automation_version o on o.organization_id = ${org} and o.id = r.version_id
        where r.organization_id = ${org} and r.automation_id = ${automationId} and r.status = 'held' and r.error is not null and r.wait is null
          and r.seen_as_user_id is not distinct from v.settings->>'run_as_user_id'
          and v.graph->'steps'->(r.error->>'step_id')->>'type' = o.graph->'steps'->(r.error->>'step_id')->>'type'
          and not exists (select from jsonb_array_elements(r.loops) l where v.graph->'steps'->(l->>'step_id') is null)
        order by r.id for update of r),
      forgotten as (delete from automation_wait w using mended m where w.organization_id = ${org} and w.run_id = m.id)
      update automation_run r set version_id = m.version_id, version_number = m.number, error = null, status_reason = null, started_at = null,
        attempt = r.attempt + 1, attempts_before = r.attempt, version = r.version + 1
      from mended m where r.organization_id = ${org} and r.id = m.id`),
  );
}

export function forgetWaits(ctx: Ctx, runId: string): void {
  write(ctx, {
    name: "automation_wait.forget",
    text: "delete from automation_wait where organization_id = $1 and run_id = $2",
    values: [ctx.organization_id, runId],
  });
}
