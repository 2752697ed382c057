// What a simulation answers: whether it would start, its way, what it would write and send, and what it would not come to.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { findAnyRecord } from "../../records/records.ts";
import { same } from "../../values/same.ts";
import type { automationStepRun } from "./automation_run.ts";
import type { Plan } from "./fields.ts";
import type { Finding } from "./findings.ts";
import { stepInWords } from "./in_words.ts";
import { configAsRead } from "./request_secrets.ts";
import { isLiving } from "./run_turn.ts";
import type { Heard, SimulatedRun } from "./simulation.ts";
import type { StartsNow } from "./starts_now.ts";
import { hasEffect } from "./stubs.ts";
import { found } from "./trace.ts";

type StepRun = Row<typeof automationStepRun>;

const text = z.string().nullable();
const moment = z.iso.datetime();
const problem = z.strictObject({
  code: z.string(),
  path: z.string(),
  step_id: text,
  message: z.string(),
  severity: z.enum(["error", "warning"]),
});
const step = z.strictObject({
  step_id: z.string(),
  type: z.string(),
  name: text,
  status: z.string(),
  branch: text.describe("The port it left by."),
  virtual_time: moment.describe("When it would be reached."),
  input: z.unknown().describe("Its config as it was filled in."),
  output: z.unknown(),
  stubbed: z.boolean().describe("Whether it would have an effect, which the simulation took back or left out."),
  decision: z.array(found).describe("What the conditions that it asked found."),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  explanation: z.string(),
});
const effect = z.strictObject({
  step_id: z.string(),
  kind: z.string().describe("`email`, `sms`, or the type of the step."),
  to: z.unknown(),
  subject: text,
  body_preview: text,
  suppressed_reason: text,
  changes: z.array(z.strictObject({ event: z.string(), object_type: z.string(), object_id: z.string() })),
});

export const simulatedAnswer = z.strictObject({
  outcome: z.string().describe("How the run would end; `not_started` if it does not start, `invalid` if it cannot be published."),
  final_status: z.string().describe("The same as `outcome`."),
  matched: z.boolean().describe("Whether its trigger and its conditions are met."),
  would_start: z.boolean().describe("Whether it would really start now: `matched`, and allowed for this record."),
  filter_result: z.boolean(),
  evaluation: z.array(found).describe("What the conditions of its filter and its trigger found."),
  enrollment: z.strictObject({ decision: z.enum(["start", "skip"]), reason: text }),
  path: z.array(step).describe("The steps it would take, in order."),
  steps: z.array(step).describe("The same as `path`."),
  effects: z.array(effect),
  waits: z.array(z.strictObject({ step_id: z.string(), kind: z.string(), event: text, from: moment, until: moment })),
  record_diff: z.array(
    z.strictObject({ object_type: z.string(), object: z.string(), field: z.string(), old: z.unknown(), new: z.unknown() }),
  ),
  not_taken: z.array(z.strictObject({ step_id: z.string(), reason: z.string() })),
  warnings: z.array(problem),
  errors: z.array(problem),
  explanation: z.string(),
  ended_at_virtual: moment,
  truncated: z.boolean().describe("Whether it was ended because it took too many steps or too long."),
});
type Answer = z.output<typeof simulatedAnswer>;
type Step = z.output<typeof step>;

interface Said {
  start: StartsNow;
  /** Null if it does not start. */
  ran: SimulatedRun | null;
  heard: Heard[];
  warnings: Finding[];
  begins: Date;
}

export async function answerOf(ctx: Ctx, plan: Plan, { start, ran, heard, warnings, begins }: Said): Promise<Answer> {
  const outcome = ran === null ? "not_started" : ran.run.status;
  const path = (ran?.steps ?? []).map((row) => shown(ctx, row));
  const seen = await visibleAmong(ctx, heard);
  return {
    outcome,
    final_status: outcome,
    matched: start.isMatched,
    would_start: start.isMatched && start.reason === null,
    filter_result: start.isMatched,
    evaluation: start.conditions,
    enrollment: { decision: start.reason === null ? "start" : "skip", reason: start.reason },
    path,
    steps: path,
    effects: path.filter(({ type, status }) => hasEffect(type) && status !== "failed").map((one) => effectOf(one, seen)),
    waits: ran?.waits ?? [],
    record_diff: differences(seen),
    not_taken: notTaken(plan, path),
    warnings: warnings.map((one) => ({ ...one, severity: "warning" })),
    errors: ran?.run.error == null ? [] : [asFinding(ran.run.error as Record<string, string | null>)],
    explanation: ran === null ? `It does not start: ${start.reason}.` : explained(ran),
    ended_at_virtual: (ran?.endedAt ?? begins).toISOString(),
    truncated: ran?.isTruncated ?? false,
  };
}

/** It was not simulated, because it could not be published as it is. */
export const invalidAnswer = (errors: Finding[], now: Date): Answer => ({
  outcome: "invalid",
  final_status: "invalid",
  matched: false,
  would_start: false,
  filter_result: false,
  evaluation: [],
  enrollment: { decision: "skip", reason: "invalid" },
  path: [],
  steps: [],
  effects: [],
  waits: [],
  record_diff: [],
  not_taken: [],
  warnings: [],
  errors,
  explanation: "It cannot be published as it is: see errors.",
  ended_at_virtual: now.toISOString(),
  truncated: false,
});

const asFinding = ({ code, message, step_id }: Record<string, string | null>): Finding => ({
  code: code ?? "failed",
  path: step_id === null ? "" : `graph.steps.${step_id}`,
  step_id: step_id ?? null,
  message: message ?? "",
  severity: "error",
});

const explained = ({ run, endedAt, isTruncated }: SimulatedRun): string =>
  isTruncated && isLiving(run)
    ? `It would go on after ${endedAt.toISOString()}.`
    : `It ends as ${run.status} at ${endedAt.toISOString()}.`;

const shown = (ctx: Ctx, row: StepRun): Step => ({
  step_id: row.step_id,
  type: row.type,
  name: row.name,
  status: row.status,
  branch: row.branch,
  virtual_time: row.started_at!,
  input: configAsRead(ctx, row.type, row.input),
  output: row.output,
  stubbed: row.status === "stubbed" || hasEffect(row.type),
  decision: (row.decision ?? []) as Step["decision"],
  error: row.error as Step["error"],
  explanation: stepInWords(row.status, row.branch, row.decision, row.error, row.wait_until, row.attempts, row.output),
});

// --- what it would do ---

interface Change {
  step_id: string;
  event: string;
  action: string;
  object_type: string;
  object_id: string;
  changed: string[];
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/** The events of its steps, about records that the caller may see. In the rehearsal, also records that it has made. */
async function visibleAmong(ctx: Ctx, heard: Heard[]): Promise<Change[]> {
  const changes = heard.filter(({ step_id }) => step_id !== null).map(changeOf);
  const ids = [...new Set(changes.map(({ object_id }) => object_id))];
  const hidden = new Set<string>();
  for (const id of ids) if ((await findAnyRecord(ctx, id)) === null) hidden.add(id);
  return changes.filter(({ object_id }) => !hidden.has(object_id));
}

const changeOf = ({ step_id, event }: Heard): Change => ({
  step_id: step_id!,
  event: String(event.event),
  action: String(event.action),
  object_type: String(event.object_type),
  object_id: String(event.object_id),
  changed: event.changed_fields as string[],
  before: JSON.parse(String(event.previous_data)),
  after: JSON.parse(String(event.data)),
});

const previewLength = 500;

function effectOf({ step_id, type, branch, input, output }: Step, changes: readonly Change[]): z.output<typeof effect> {
  const said = { ...(input as object), ...(output as object) } as Record<string, unknown>;
  const words = [said.body_preview, said.body_text, said.body, said.text].find((one) => typeof one === "string");
  return {
    step_id,
    kind: type.replace(/\.send$/, ""),
    to: said.to ?? null,
    subject: typeof said.subject === "string" ? said.subject : null,
    body_preview: typeof words === "string" ? words.slice(0, previewLength) : null,
    suppressed_reason: branch === "suppressed" ? String(said.suppressed_reason ?? said.reason ?? "suppressed") : null,
    changes: changes
      .filter((one) => one.step_id === step_id)
      .map(({ event, object_type, object_id }) => ({ event, object_type, object_id })),
  };
}

/** Of fields that change several times, the first and the last value. */
function differences(changes: readonly Change[]): Answer["record_diff"] {
  const all = new Map<string, Answer["record_diff"][number]>();
  for (const { object_type, object_id: object, changed, before, after, action } of changes) {
    if (action === "created") continue;
    for (const field of changed) {
      const old = all.get(`${object} ${field}`)?.old ?? before[field] ?? null;
      all.set(`${object} ${field}`, { object_type, object, field, old, new: after[field] ?? null });
    }
  }
  return [...all.values()].filter((one) => !same(one.old, one.new));
}

/** Each with the port that another step left by instead, if there is one. */
function notTaken({ graph }: Plan, path: readonly Step[]): Answer["not_taken"] {
  const taken = new Map(path.map((one) => [one.step_id, one.branch]));
  return Object.keys(graph.steps)
    .filter((id) => !taken.has(id))
    .map((step_id) => {
      const before = Object.entries(graph.steps).find(
        ([id, { ports }]) => taken.has(id) && Object.values(ports).includes(step_id),
      );
      const port = before === undefined ? null : taken.get(before[0]);
      return { step_id, reason: port == null ? "is not reached" : `${before![0]} left by ${port}` };
    });
}
