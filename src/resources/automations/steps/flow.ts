// Steps that decide where a run goes on, and when.
import { z } from "zod";
import { parseTimestamp } from "../../../values/time.ts";
import { businessHolidays } from "../../organization/holidays.ts";
import { namesOf } from "../../webhooks/wanted.ts";
import {
  anything,
  clockTime,
  defining,
  duration,
  id,
  ids,
  label,
  may,
  naming,
  need,
  oneOf,
  units,
  values,
  words,
  zone,
} from "../catalog.ts";
import { spanOf } from "../check_waits.ts";
import { momentAfter, type Span } from "../durations.ts";
import { askedOf, holds } from "../meets.ts";
import { shareOf } from "../share_of.ts";
import { faultOf, StepFailure } from "../step_failure.ts";
import { answerOf, approvalOutput, askApproval } from "./approving.ts";
import { beginLoop, loopOutput, nextTurn } from "./looping.ts";
import { namesIn, place } from "./named_ports.ts";
import { childOutput, endOfChild, exitOthers, startChild } from "./starting.ts";
import { type Call, internal, type Outcome, type StepType } from "./step.ts";
import { untilTimeout, withinYear, zoneOfRun } from "./timeouts.ts";

const define = defining<StepType>();
const flow = "flow";
const out = ["out"] as const;
const timeout = need(duration);
const offset = z.strictObject({
  amount: z.int().min(0).max(1_000_000),
  unit: z.enum(units),
  direction: z.enum(["before", "after"]).optional(),
});
const cases = namesIn("cases");
const cameOutput = z.object({ event_id: z.string(), record: z.record(z.string(), z.unknown()) });

const varsMost = 256 * 1024;

/** What a run carries with it is read and written with each of its steps. */
function keepValues({ run, config }: Call): Outcome {
  if (Buffer.byteLength(JSON.stringify({ ...(run.vars as object), ...config.values })) > varsMost)
    throw new StepFailure("vars_too_large", "config", "The variables of the run come to more than 256 KB: keep less");
  return { vars: config.values };
}

export const flowSteps: readonly StepType[] = [
  define(
    flow,
    "branch",
    "Continues with the first case whose condition is met.",
    {
      cases: need(
        z
          .array(z.strictObject({ id: place, when: values.optional(), name: label.optional() }))
          .min(1)
          .max(50),
      ),
    },
    { ports: (config) => [...cases(config), "else"], run: branch },
  ),
  define(
    flow,
    "split",
    "Splits records by weight, each always the same way.",
    {
      variants: need(
        z
          .array(z.strictObject({ id: place, weight: z.number().min(0).max(1_000_000) }))
          .min(2)
          .max(20)
          .refine((all) => all.some(({ weight }) => weight > 0), "must have a weight above 0"),
      ),
      salt: may(label),
    },
    { ports: namesIn("variants"), run: split },
  ),
  define(
    flow,
    "wait.duration",
    "Waits for a while.",
    {
      amount: need(z.int().min(1).max(1_000_000)),
      unit: need(z.enum(units)),
      at: may(clockTime),
      timezone: may(zone),
    },
    { ports: out, run: waitDuration },
  ),
  define(
    flow,
    "wait.until",
    "Waits for a moment.",
    { date: need(anything), offset: may(offset), if_past: need(oneOf("continue", "skip")) },
    { ports: ["out", "skipped"], run: waitUntil },
  ),
  define(
    flow,
    "wait.condition",
    "Waits until a condition is met.",
    { when: need(values), timeout },
    { ports: ["matched", "timeout"], run: waitCondition },
  ),
  define(
    flow,
    "wait.event",
    "Waits for an event.",
    {
      event: need(label),
      match: need(values.describe("Values of the event that must be the same, such as `lead_id`.")),
      where: may(
        values.describe(
          "Conditions on the record of the event: `record`, or a field alone, is that record, `trigger` the event.",
        ),
      ),
      timeout,
      include_since: may(oneOf("trigger", "previous_step", "arrival")),
    },
    { ports: ["matched", "timeout"], output: cameOutput, run: waitEvent },
  ),
  define(
    flow,
    "approve",
    "Asks somebody.",
    { approvers: naming(need(z.array(anything).min(1).max(50)), "user", "group"), text: need(words), timeout },
    {
      ports: ["approved", "rejected", "timeout"],
      side_effect: "internal",
      output: approvalOutput,
      run: askApproval,
      awaited: answerOf,
    },
  ),
  define(
    flow,
    "loop",
    "Repeats steps for each element of a list.",
    { items: need(anything), max: need(z.int().min(1).max(1000)) },
    { ports: ["each", "done"], output: loopOutput, run: beginLoop, again: nextTurn },
  ),
  define(
    flow,
    "goto",
    "Returns to an earlier step.",
    { step: need(place) },
    { ports: [], run: ({ config }) => ({ next: config.step }) },
  ),
  define(flow, "stop", "Ends.", { outcome: may(label), message: may(words) }, { ports: [], run: ends("completed") }),
  define(flow, "fail", "Ends as failed.", { outcome: may(label), message: may(words) }, { ports: [], run: ends("failed") }),
  define(flow, "set.vars", "Keeps values for later steps.", { values: need(values) }, { ports: out, run: keepValues }),

  define(
    flow,
    "automation.start",
    "Starts another automation.",
    {
      automation_id: naming(need(id), "automation", "automations"),
      input: may(values),
      wait: may(z.boolean()),
      timeout: may(duration),
    },
    {
      ports: ["out", "timeout", "child_failed"],
      side_effect: "internal",
      output: childOutput,
      starts: ({ automation_id }) => automation_id ?? null,
      run: startChild,
      awaited: endOfChild,
    },
  ),
  define(
    flow,
    "automation.exit",
    "Removes a record from automations.",
    { automation_ids: naming(need(ids), "automation", "automations"), record: may(anything) },
    { ...internal, output: z.object({ exited: z.int() }), run: exitOthers },
  ),
];

async function branch({ ctx, config, facts, trace }: Call): Promise<Outcome> {
  for (const { id, when } of config.cases)
    if (await holds(when, askedOf(ctx, facts, trace))) return { port: id, output: { case: id } };
  return { port: "else", output: { case: "else" } };
}

/** The same record always goes the same way. */
function split({ run, step_id, config }: Call): Outcome {
  const total = config.variants.reduce((sum: number, { weight }: any) => sum + weight, 0);
  let left = shareOf(`${run.object_id ?? run.id} ${config.salt ?? step_id}`) * total;
  const found = config.variants.find(({ weight }: any) => (left -= weight) < 0) ?? config.variants.at(-1);
  return { port: found.id, output: { variant: found.id } };
}

function ends(status: "completed" | "failed") {
  return ({ config: { message, outcome } }: Call): Outcome => ({
    end: { status, message: message ?? null, outcome: outcome ?? null },
  });
}

// --- waits ---

function waitDuration(call: Call): Outcome {
  const { ctx, config } = call;
  const until = momentAfter(ctx.now, config as Span, zoneOfRun(call), { at: config.at, holidays: businessHolidays(ctx) });
  return { wait: { until: withinYear(ctx, until), port: "out" } };
}

function waitUntil(call: Call): Outcome {
  const { ctx, config } = call;
  const moment = typeof config.date === "string" ? parseTimestamp(config.date, zoneOfRun(call)) : null;
  if (moment === null) throw new StepFailure("unresolved_ref", faultOf(call.written.date), "There is no date to wait for");
  const until = momentAfter(new Date(moment), spanOf(config.offset), zoneOfRun(call), { holidays: businessHolidays(ctx) });
  if (until > ctx.now) return { wait: { until: withinYear(ctx, until), port: "out" } };
  return { port: config.if_past === "skip" ? "skipped" : "out" };
}

async function waitCondition(call: Call): Promise<Outcome> {
  const { ctx, config, facts, trace } = call;
  const { when } = config;
  if (await holds(when, askedOf(ctx, facts, trace))) return { port: "matched" };
  const { until } = untilTimeout(call);
  return { wait: { until, port: "timeout", condition: { when, port: "matched" } } };
}

function waitEvent(call: Call): Outcome {
  const { ctx, config, run } = call;
  const missing = Object.keys(config.match).find((key) => config.match[key] === null);
  if (missing !== undefined)
    throw new StepFailure("unresolved_ref", faultOf(call.written.match), `match.${missing} has no value to wait for`);
  const names = namesOf([config.event]) ?? [];
  if (names.length === 0) throw new StepFailure("event_unknown", "config", `There is no event ${String(config.event)}`);
  const since =
    config.include_since === "trigger" ? ((run.started_by as { at?: string }).at ?? run.date_created) : ctx.now.toISOString();
  const { until } = untilTimeout(call);
  return {
    wait: { until, port: "timeout", event: { names, match: config.match, where: config.where ?? null, since, port: "matched" } },
  };
}
