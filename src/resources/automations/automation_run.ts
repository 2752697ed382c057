// A run: one execution of an automation for one record. The worker creates it.
import { z } from "zod";
import type { Directory } from "../../core/directory.ts";
import {
  boolean,
  choice,
  computed,
  integer,
  json,
  label,
  lookedUp,
  type Moment,
  ref,
  related,
  text,
  timestamp,
} from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { anyObject } from "./fields.ts";
import { runInWords, stepInWords } from "./in_words.ts";
import { livingStates } from "./living_states.ts";
import { forReaders, mayReadValues, outlineOf, withheld } from "./run_values.ts";
import { found } from "./trace.ts";
import { knownAsRun, visibleAsRun } from "./visibility.ts";

const readOnly = true;

export const runStates = [...livingStates, "completed", "failed", "cancelled", "skipped", "exited", "expired"] as const;
export const runKinds = ["event", "manual", "bulk", "schedule", "webhook", "replay", "child", "backfill"] as const;
const stays = { onDelete: "clear", onMove: "clear" } as const;
const problem = z.looseObject({ code: z.string(), message: z.string() });

const shownWait = lookedUp(
  ["wait", "seen_as_user_id"],
  anyObject.nullable(),
  (_directory, wait: Record<string, unknown> | null, seenAs: string | null, { actor }: Moment) =>
    mayReadValues(actor, seenAs) ? wait : outlineOf(wait),
  "What it waits for: `{kind, until, event}`; to try a step again also its `error`, for its turn also the `run_id` before it.",
);

/** The key that it shares with others, what happens to those, and how many may go on at once. */
const concurrency = z.object({
  key: z.string().nullable(),
  mode: z.enum(["skip", "queue", "cancel_previous", "allow"]),
  most: z.int().nullable(),
});
export type Concurrency = z.output<typeof concurrency>;

export const automationRun = resource({
  name: "automation_run",
  prefix: "arun",
  path: "/automation_runs",
  doc: "One run of an automation for one record.",
  visible: visibleAsRun,
  known: knownAsRun,
  // People search for what went wrong.
  order: "failures,-date_created",
  sort: { failures: { sql: (t) => sql`(case when ${name(t)}.status = 'failed' then 0 else 1 end)`, type: "number" } },
  filters: {
    wrote_id: {
      doc: "Only runs that created, changed or deleted the record with this id.",
      sql: (ctx, value, t) => sql`${name(t)}.id in (select e.meta->>'automation_run_id' from event e
        where e.organization_id = ${ctx.organization_id} and e.object_id = ${value})`,
    },
    record_id: { doc: "Only runs for this record.", sql: (_ctx, value, t) => sql`${name(t)}.object_id = ${value}` },
  },
  fields: {
    // Why something happened is asked of runs also when the automation is gone.
    automation_id: ref("any_automation", { onDelete: "keep", onMove: "keep" }, { readOnly, required: true, doc: "What ran." }),
    automation_name: label(
      "automation_id",
      "any_automation",
      "name",
      "The automation's name; it stays when the automation is deleted.",
      "kept_automation_name",
    ),
    kept_automation_name: text({ readOnly, hidden: true, max: 1000 }),
    version_id: ref(
      "automation_version",
      { onDelete: "keep", onMove: "keep" },
      { readOnly, doc: "The version; null for a draft." },
    ),
    version_number: integer({ readOnly, doc: "The number of the version that it follows." }),
    generation: integer({ readOnly, default: 2, doc: "The generation of the automation: 1 or 2." }),
    status: choice(runStates, { readOnly, required: true }),
    status_reason: text({ readOnly, doc: "Why it is in this state, in a word: `paused`, `permission`, `record_deleted`." }),
    kind: choice(runKinds, { readOnly, default: "event", doc: "What started it." }),
    trigger_type: text({ readOnly, required: true, doc: "The type of its trigger, as the catalog has it." }),
    event_id: text({ readOnly, max: 64, doc: "What started it." }),
    actor: related(
      z.strictObject({ user_id: z.string().nullable(), api_key_id: z.string().nullable() }),
      (alias) =>
        sql`json_build_object('user_id', ${name(alias)}.started_by->>'user_id', 'api_key_id', ${name(alias)}.started_by->>'api_key_id')`,
      "Who started it, or caused what did; of what the clock or another service started, both are null.",
      { always: true },
    ),
    object_type: text({ readOnly, doc: "With `object_id`: the record it is about." }),
    object_id: text({ readOnly, max: 64 }),
    lead_id: ref("lead", stays, { readOnly }),
    contact_id: ref("contact", stays, { readOnly }),
    opportunity_id: ref("opportunity", stays, { readOnly }),
    input: json(anyObject, { readOnly, default: {}, shown: forReaders("input", anyObject) }),
    output: json(anyObject, { readOnly, shown: forReaders("output", anyObject) }),
    vars: json(anyObject, {
      readOnly,
      default: {},
      shown: forReaders("vars", anyObject, "What its steps keep for later ones."),
    }),
    error: json(problem, {
      readOnly,
      shown: forReaders(
        "error",
        problem,
        "`{step_id, code, class, message, fingerprint}`: the same failure has the same `fingerprint`.",
      ),
    }),
    wait: json(anyObject, { readOnly, shown: shownWait }),
    withheld,
    seen_as_user_id: text({ readOnly, hidden: true, max: 64 }),
    explanation: lookedUp(
      ["seen_as_user_id", "status", "status_reason", "error", "wait", "goal_id", "exit_id", "output"],
      z.string(),
      explained,
      "Where it stands and why, in words.",
    ),
    goal_id: text({ readOnly, doc: "The goal it reached." }),
    exit_id: text({ readOnly, doc: "The exit it left by." }),
    loops: json(z.array(anyObject), {
      readOnly,
      default: [] as object[],
      doc: "The loops it is in, the innermost last: `{step_id, index, count}`.",
    }),
    parent_run_id: text({ readOnly, max: 64, doc: "The run that started it." }),
    bulk_action_id: text({
      readOnly: true,
      max: 64,
      doc: "The start of many that it belongs to, or the bulk action or import that caused it.",
    }),
    causation: json(anyObject, { readOnly, doc: "`{depth, path}`: the automations whose changes led to it." }),
    steps_executed: integer({ readOnly, default: 0, doc: "How many steps were taken." }),
    is_test: boolean({ readOnly, default: false }),
    started_by: json(anyObject, { readOnly, hidden: true }),
    enrol_key: text({ readOnly, hidden: true, max: 64 }),
    concurrency: json(concurrency, { readOnly, hidden: true }),
    is_replay: boolean({ readOnly, default: false, doc: "Whether an old event started it again." }),
    is_simulation: boolean({ readOnly, default: false, doc: "Whether it was simulated." }),
    started_at: timestamp({ readOnly }),
    finished_at: timestamp({ readOnly }),
    wait_until: timestamp({ readOnly, doc: "The latest time until which it waits." }),
    duration_ms: integer({ readOnly }),
    current_step_id: text({ readOnly, doc: "The current step." }),
    attempt: integer({ readOnly, default: 1, doc: "How often the current step was tried, with this time." }),
    attempts_before: integer({
      readOnly,
      hidden: true,
      default: 0,
      doc: "How often it was tried before somebody let it be tried again.",
    }),
  },
});

function explained(_directory: Directory, seenAs: string | null, ...rest: unknown[]): string {
  const { actor } = rest.pop() as Moment;
  const [status, reason, error, wait, goal, exit, output] = rest as Parameters<typeof runInWords>;
  if (mayReadValues(actor, seenAs)) return runInWords(status, reason, error, wait, goal, exit, output);
  return runInWords(status, reason, null, wait && { ...wait, error: null, run_id: null }, goal, exit, null);
}

export const automationStepRun = resource({
  name: "automation_step_run",
  prefix: "astep",
  doc: "One step of a run.",
  event: null,
  fields: {
    run_id: ref("automation_run", { onDelete: "cascade", onMove: "keep" }, { readOnly, required: true }),
    step_id: text({ readOnly, required: true, doc: "The step's name in the graph." }),
    type: text({ readOnly, required: true }),
    name: text({ readOnly }),
    status: choice(["pending", "running", "waiting", "succeeded", "failed", "skipped", "cancelled", "stubbed", "uncertain"], {
      readOnly,
      required: true,
    }),
    input: json(z.unknown(), { readOnly, doc: "Its config as it was filled in; secrets are masked." }),
    output: json(z.unknown(), { readOnly }),
    error: json(problem, { readOnly }),
    attempt: integer({ readOnly, default: 1 }),
    attempts: json(z.array(anyObject), { readOnly, default: [] as object[], doc: "The attempts that failed." }),
    effect: json(anyObject, { readOnly, doc: "Outside: `{state, key, receipt}`." }),
    sealed_request: text({ readOnly, hidden: true, doc: "What is asked outside, until it was answered." }),
    sequence: integer({ readOnly, default: 0, doc: "Its place in the run." }),
    iteration: integer({ readOnly, default: 0, doc: "Which turn of its loop it is, from 0." }),
    started_at: timestamp({ readOnly }),
    finished_at: timestamp({ readOnly }),
    wait_until: timestamp({ readOnly }),
    branch: text({ readOnly, doc: "The port it left by." }),
    decision: json(z.array(found), { readOnly, doc: "What the conditions that it asked found." }),
    explanation: computed(
      ["status", "branch", "decision", "error", "wait_until", "attempts", "output"],
      z.string(),
      stepInWords,
      "The same in words.",
    ),
  },
});
