// Tries runs again that failed, or that a failure holds: from the step that failed with what was done before it, or from the start; by
// their own version or by the one in force.
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { and, sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { findRecords, lockRecord, showRecord } from "../../records/records.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { anyAutomation } from "./any_automation.ts";
import { automationRun } from "./automation_run.ts";
import type { Graph } from "./graph_shape.ts";
import { lackingLenders } from "./in_its_name.ts";
import { checkLending } from "./lent_rights.ts";
import { forgetWaits } from "./living_runs.ts";
import { runJobs } from "./names.ts";
import { getAutomation } from "./nested_lists.ts";
import { checkStart } from "./reach.ts";
import { firstAttempt, nextAttempt } from "./run_parts.ts";
import { endStep } from "./run_step.ts";

type Run = Row<typeof automationRun>;

const how = {
  from: z
    .enum(["failed_step", "start"])
    .default("failed_step")
    .describe("Where it goes on: at the step that failed, with the results of those before it, or at the start."),
  version: z
    .enum(["pinned", "active"])
    .default("pinned")
    .describe("By which version: the one that it began with, or the one in force now."),
};
type How = { from: "failed_step" | "start"; version: "pinned" | "active" };

export const retryAutomationRun = operation({
  name: "automation_run.retry",
  method: "POST",
  path: "/automation_runs/{id}/retry/",
  doc: "Tries a run again that failed or that a failure holds.",
  permission: "manage_email_sequences",
  narrows: true,
  input: { id: z.string(), ...how },
  get output() {
    return outputSchema(automationRun);
  },
  async run(ctx, { id, ...given }) {
    const run = await lockRecord(ctx, automationRun, id);
    if ((await findRecords(ctx, anyAutomation, [sql`t.id = ${run.automation_id}`])).length === 0)
      throw invalid({ status: "cannot be tried again: its automation was deleted" });
    if (!mayRetry(run)) throw invalid({ status: `is ${run.status}: only what failed, or what a failure holds, is tried again` });
    const retry = await retrying(ctx, run.automation_id, given, [run]);
    const refused = retry.refusalOf(run);
    if (refused !== null) throw invalid(refused);
    await retry.again(run);
    return showRecord(ctx, automationRun, id);
  },
});

const [most, atOnce] = [1000, 200];

export const retryAutomationRuns = operation({
  name: "automations.retry",
  method: "POST",
  path: "/automations/{id}/retry/",
  doc: "Tries all runs of an automation again that a failure holds, or that failed: at most 1,000 with each request.",
  permission: "manage_email_sequences",
  narrows: true,
  group: "bulk",
  input: {
    id: z.string(),
    status: z.enum(["held", "failed"]).default("held").describe("Which runs: those that a failure holds, or those that failed."),
    fingerprint: z.string().max(64).optional().describe("Only those with this `error.fingerprint`: the same failure."),
    ...how,
  },
  output: z.strictObject({
    retried: z.int().describe("How many go on."),
    skipped: z.int().describe("How many stay, such as those whose record has a newer run."),
    has_more: z.boolean().describe("Whether there may be more: ask again."),
  }),
  async run(ctx, { id, status, fingerprint, ...given }) {
    const { id: automationId } = await getAutomation(ctx, id);
    const wanted = [
      sql`t.automation_id = ${automationId}`,
      sql`t.status = ${status}`,
      sql`t.error is not null`,
      ...(fingerprint === undefined ? [] : [sql`t.error->>'fingerprint' = ${fingerprint}`]),
    ];
    let [retried, skipped, last] = [0, 0, ""];
    while (retried < most) {
      const runs = await lockWhere(ctx, automationRun, and([...wanted, sql`t.id > ${last}`]), atOnce);
      const retry = await retrying(ctx, automationId, given, runs);
      for (const run of runs) {
        const isRefused = retry.refusalOf(run) !== null;
        if (isRefused) skipped += 1;
        else await retry.again(run);
        if (!isRefused) retried += 1;
      }
      last = runs.at(-1)?.id ?? "";
      if (runs.length < atOnce) return { retried, skipped, has_more: false };
    }
    return { retried, skipped, has_more: true };
  },
});

/** What a pause holds has no error, and goes on with the next publish. */
const mayRetry = ({ status, error }: Run): boolean => error !== null && (status === "failed" || status === "held");

/** With what the runs need to know: the version in force, and what keys other runs have. */
async function retrying(ctx: Ctx, automationId: string, { from, version }: How, runs: readonly Run[]) {
  const active = version === "active" ? await versionInForce(ctx, automationId) : null;
  const versions = active === null ? await versionsOf(ctx, runs) : [active];
  for (const { run_as_user_id } of versions) checkLending(ctx, run_as_user_id);
  for (const { graph } of versions) await checkStart(ctx, graph, runs.length);
  const taken = await keysOfLiving(ctx, automationId, runs);
  const lacking = await lackingLenders(
    ctx,
    automationId,
    active === null ? runs.map(({ version_id }) => version_id) : [active.id],
  );
  // No step is at fault where nobody lent it rights: the run is held where it stands.
  const stepOf = ({ error, status, current_step_id }: Run): string | null =>
    from === "start" ? null : (failedStepOf(error) ?? (status === "held" ? current_step_id : null));

  return {
    refusalOf(run: Run): Record<string, string> | null {
      const step = stepOf(run);
      if (step !== null && active !== null && !Object.hasOwn(active.graph.steps, step))
        return { version: `has no step ${step} any more: retry from start, or with the version pinned` };
      const lacks = lacking.get((active === null ? run.version_id : active.id) ?? "");
      if (lacks !== undefined) return { status: `cannot go on. ${lacks}` };
      const isTaken = keysOf(run).some((key) => taken.has(key));
      return isTaken ? { status: "is over, and another run of this automation goes on instead" } : null;
    },
    async again(run: Run): Promise<void> {
      for (const key of keysOf(run)) taken.add(key);
      wake(ctx, runJobs, [run.id]);
      // What it waits for, and what has come of that, stays.
      if (from !== "start" && isHeldBetween(run) && (active === null || active.id === run.version_id))
        return void store.update(ctx, automationRun, run, { error: null }, undefined, "retried");
      await endStep(ctx, run, { status: "cancelled" });
      forgetWaits(ctx, run.id);
      const anew =
        from === "start"
          ? { vars: {}, loops: [], goal_id: null, exit_id: null, output: null, ...firstAttempt }
          : nextAttempt(run);
      const by = active === null ? {} : inForce(run, active);
      store.update(ctx, automationRun, run, { ...begun, ...anew, ...by, current_step_id: stepOf(run) }, undefined, "retried");
    },
  };
}

const failedStepOf = (error: Run["error"]): string | null => (error as { step_id?: string | null } | null)?.step_id ?? null;

const isHeldBetween = ({ status, error }: Run): boolean => status === "held" && failedStepOf(error) === null;

/** What its earlier steps read stays in it: seen with the eyes of two members, it is for neither alone. */
const inForce = ({ seen_as_user_id: was }: Run, { id, number, run_as_user_id }: InForce) => ({
  version_id: id,
  version_number: number,
  seen_as_user_id: was === run_as_user_id ? was : null,
});

/** What the versions of these runs do, and in whose names. */
async function versionsOf(ctx: Ctx, runs: readonly Run[]): Promise<Pick<InForce, "graph" | "run_as_user_id">[]> {
  const rows = await query(ctx, {
    name: "automation_version.names",
    text: "select graph, settings->>'run_as_user_id' from automation_version where organization_id = $1 and id = any($2)",
    values: [ctx.organization_id, [...new Set(runs.flatMap(({ version_id }) => version_id ?? []))]],
  });
  return rows.map(([graph, id]) => ({ graph: JSON.parse(graph!), run_as_user_id: id ?? null }));
}

/** It begins again: it takes its turn, and looks out for its goals and exits. */
const begun = {
  status: "queued",
  status_reason: null,
  error: null,
  started_at: null,
  finished_at: null,
  duration_ms: null,
  wait: null,
  wait_until: null,
} as const;

interface InForce {
  id: string;
  number: number;
  graph: Graph;
  run_as_user_id: string | null;
}

async function versionInForce(ctx: Ctx, automationId: string): Promise<InForce> {
  const [row] = await query(ctx, {
    name: "automation.version_in_force",
    text: `select v.id, v.number, v.graph, v.settings->>'run_as_user_id' from automation a join automation_version v on v.organization_id = $1 and v.id = a.active_version_id
           where a.organization_id = $1 and a.id = $2`,
    values: [ctx.organization_id, automationId],
  });
  if (row === undefined) throw invalid({ version: "must be pinned: the automation has no version in force" });
  return { id: row[0]!, number: Number(row[1]), graph: JSON.parse(row[2]!), run_as_user_id: row[3] ?? null };
}

/** What only one living run may have. A held run has its own already. */
const keysOf = ({ status, enrol_key, concurrency }: Run): string[] =>
  status === "held"
    ? []
    : [
        ...(enrol_key === null ? [] : [`enrol/${enrol_key}`]),
        ...(concurrency?.mode === "skip" ? [`skip/${concurrency.key}`] : []),
      ];

async function keysOfLiving(ctx: Ctx, automationId: string, runs: readonly Run[]): Promise<Set<string>> {
  const keys = runs.flatMap(keysOf);
  if (keys.length === 0) return new Set();
  const rows = await query(ctx, {
    name: "automation_run.living_keys",
    text: `select 'enrol/' || enrol_key, case when concurrency->>'mode' = 'skip' then 'skip/' || (concurrency->>'key') end from automation_run
           where organization_id = $1 and automation_id = $2 and status in ('queued', 'running', 'waiting', 'held')
             and ('enrol/' || enrol_key = any($3) or 'skip/' || (concurrency->>'key') = any($3))`,
    values: [ctx.organization_id, automationId, keys],
  });
  return new Set(rows.flat().filter((key) => key !== null));
}
