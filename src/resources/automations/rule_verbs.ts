// Writing a rule puts it in force: it is checked as a whole, brought into the form of a graph, and kept as a version of its own.
import { type Ctx, write } from "../../core/context.ts";
import { type FieldErrors, invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { store } from "../../records/store.ts";
import { newId } from "../../values/id.ts";
import { same } from "../../values/same.ts";
import { checkNamed, type Named } from "../shared/named.ts";
import { type Action, graphOf } from "./actions.ts";
import { automationVersion } from "./automation_version.ts";
import { checkCondition } from "./conditions.ts";
import type { Plan } from "./fields.ts";
import { readGraph } from "./graph.ts";
import { type Condition, rule } from "./rule.ts";
import { problemsOfRunning } from "./runnable.ts";
import { settings } from "./settings.ts";
import { readTrigger } from "./trigger.ts";

type Rule = Row<typeof rule>;

export async function createRule(ctx: Ctx, given: Create<typeof rule>): Promise<Rule> {
  const { is_active: _, ...values } = given;
  const plan = await compiled(ctx, { conditions: [], match: "all", run_once_per_record: false, ...values } as Written);
  const id = newId(rule.prefix, ctx.now.getTime());
  const active_version_id = newId(automationVersion.prefix, ctx.now.getTime());
  const status = statusOf(given, null);
  const row = store.insert(ctx, rule, { ...values, ...plan, id, status, active_version_id, active_version: 1 });
  keepVersion(ctx, row, plan);
  return row;
}

export async function updateRule(ctx: Ctx, before: Rule, patch: Patch<typeof rule>): Promise<Rule> {
  const { is_active: _, ...values } = patch;
  const status = statusOf(patch, before.status);
  const plan = await compiled(ctx, { ...before, ...values } as Written, before);
  if (same(plan, planOf(before))) return store.update(ctx, rule, before, { ...values, status, trigger: before.trigger });

  write(
    ctx,
    statement(sql`update automation_version set is_active = false, version = version + 1
      where organization_id = ${ctx.organization_id} and automation_id = ${before.id} and is_active`),
  );
  const active_version_id = newId(automationVersion.prefix, ctx.now.getTime());
  const active_version = (before.active_version ?? 0) + 1;
  const after = store.update(ctx, rule, before, { ...values, ...plan, status, active_version_id, active_version });
  keepVersion(ctx, after, plan);
  return after;
}

/** `status` and `is_active` say the same. Of two that are sent, the one that differs from what `was` is meant. */
function statusOf({ status, is_active }: Patch<typeof rule>, was: Rule["status"] | null): Rule["status"] {
  const saysStatus = status !== undefined && status !== was;
  const saysActive = typeof is_active === "boolean" && (was === null || is_active !== (was === "active"));
  if (saysStatus && saysActive && is_active !== (status === "active"))
    throw invalid({ is_active: `contradicts the status ${status}` });
  return saysStatus ? status : saysActive ? (is_active ? "active" : "paused") : (was ?? "draft");
}

function keepVersion(ctx: Ctx, row: Rule, plan: Plan): void {
  store.insert(ctx, automationVersion, {
    ...plan,
    id: row.active_version_id!,
    automation_id: row.id,
    number: row.active_version!,
    is_active: true,
    published_at: ctx.now.toISOString(),
    published_by: ctx.actor.user_id,
  });
}

const planOf = ({ trigger, filter, graph, settings }: Rule): Plan => ({ trigger, filter, graph, settings });

// --- compiling ---

/** What a body says of a rule, or a rule as it stands. */
interface Written {
  trigger: unknown;
  conditions: Condition[];
  match: "all" | "any";
  actions: Action[];
  run_once_per_record: boolean;
}

/** The rule in the form everything runs in. What is wrong is named by its place in the rule; records it named before may be gone. */
async function compiled(ctx: Ctx, written: Written, before: Rule | null = null): Promise<Plan> {
  const check = { errors: {} as FieldErrors, complete: true, named: [] as Named[] };
  const trigger = readTrigger(check, written.trigger);
  const filter = filterOf(written);
  if (filter !== null) checkCondition(check, filter, "filter");
  const graph = readGraph(check, graphOf(written.actions));
  const errors = Object.entries(check.errors).map(([place, reason]) => [placeInRule(place), reason]);
  if (errors.length > 0) throw invalid(Object.fromEntries(errors));
  const known = JSON.stringify([before?.trigger, before?.actions]);
  const fresh = check.named.filter(({ id }) => !known.includes(JSON.stringify(id)));
  await checkNamed(
    ctx,
    fresh.map((one) => ({ ...one, at: placeInRule(one.at) })),
  );
  const plan = {
    trigger,
    filter,
    graph,
    settings: settings.parse({ re_enroll: written.run_once_per_record ? "never" : "always" }),
  };
  await checkRunnable(ctx, plan, before);
  return plan;
}

/** It runs from the moment it is saved. What was in force already may be written back as it was. */
async function checkRunnable(ctx: Ctx, plan: Plan, before: Rule | null): Promise<void> {
  if (before !== null && same(plan, planOf(before))) return;
  const problems = Object.entries(await problemsOfRunning(ctx, plan, before?.created_by ?? ctx.actor.user_id));
  if (problems.length > 0) throw invalid(Object.fromEntries(problems.map(([place, reason]) => [placeInRule(place), reason])));
}

function filterOf({ conditions, match }: Written): object | null {
  if (conditions.length === 0) return null;
  const leaves = conditions.map(({ field, operator, value }) => ({ type: "field", ref: refOf(field), op: operator, value }));
  return { [match]: leaves };
}

const refOf = (field: string): string => (field.startsWith("record.") ? field : `record.${field}`);

/** `graph.steps.action_2.config.text` is `actions.1.config.text`. */
const placeInRule = (place: string): string =>
  place
    .replace(/^graph\.steps\.(?:action|wait)_(\d+)/, (_, number) => `actions.${Number(number) - 1}`)
    .replace(/^filter\.(all|any)\./, "conditions.");
