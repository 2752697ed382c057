// The verbs of rules. Saving a rule activates it: it is checked as a whole, converted to a graph, and stored as a version.
import { type Ctx, userOf, write } from "../../core/context.ts";
import { type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { follow } from "../../jobs/consumer.ts";
import { store } from "../../records/store.ts";
import { newId } from "../../values/id.ts";
import { same } from "../../values/same.ts";
import { checkNamed, type Named } from "../shared/named.ts";
import { type Action, graphOf } from "./actions.ts";
import { automationVersion } from "./automation_version.ts";
import { problemsOfAvailability } from "./available.ts";
import { closedCircuit } from "./circuit.ts";
import { armClock } from "./clock/arm.ts";
import { checkCondition } from "./conditions.ts";
import type { Plan } from "./fields.ts";
import { refuseFindings } from "./findings.ts";
import { readGraph } from "./graph.ts";
import { sealHeaders } from "./header_secrets.ts";
import { hookTrigger } from "./hooks/hook.ts";
import { isLent } from "./in_its_name.ts";
import { automationNews } from "./names.ts";
import { problemsOfMeaning } from "./publishable.ts";
import { checkForce } from "./reach.ts";
import { withValues } from "./request_secrets.ts";
import { type Condition, rule } from "./rule.ts";
import { checkNameOfRule, nameOfRule } from "./rule_name.ts";
import { placeInRule } from "./rule_places.ts";
import { problemsOfRunning } from "./runnable.ts";
import { settings } from "./settings.ts";
import { readTrigger } from "./trigger.ts";

type Rule = Row<typeof rule>;

export async function createRule(ctx: Ctx, { is_active, ...written }: Create<typeof rule>): Promise<Rule> {
  const id = newId(rule.prefix, ctx.now.getTime());
  const values = await withoutSecrets(ctx, id, await withActions(ctx, id, null, written));
  const plan = await compiled(ctx, { conditions: [], match: "all", run_once_per_record: false, ...values } as Written);
  const active_version_id = newId(automationVersion.prefix, ctx.now.getTime());
  const status = statusOf({ ...written, is_active }, null);
  if (status === "active") await goLive(ctx, plan, values as Written);
  const row = store.insert(ctx, rule, { ...values, ...plan, id, status, active_version_id, active_version: 1 });
  keepVersion(ctx, row, plan);
  if (status === "active") armClock(ctx, id, plan.trigger);
  return row;
}

export async function updateRule(ctx: Ctx, before: Rule, patch: Patch<typeof rule>): Promise<Rule> {
  const { is_active: _, ...written } = patch;
  const values = await withoutSecrets(ctx, before.id, await withActions(ctx, before.id, before, written));
  const status = statusOf(patch, before.status);
  const plan = await compiled(ctx, { ...before, ...values } as Written, before);
  const isKnown = same(plan, planOf(before));
  if (status === "active" && (before.status !== "active" || !isKnown)) {
    await goLive(ctx, plan, { ...before, ...values } as Written);
    armClock(ctx, before.id, plan.trigger);
  }
  const turned = {
    ...(status === "active" && before.status !== "active" && { circuit: closedCircuit(ctx) }),
    ...(status === "paused" && before.status !== "paused" && { paused_at: ctx.now.toISOString() }),
  };
  // Saving it lends it the rights of who saves it, where it has none any more.
  if (isKnown && (status !== "active" || (await isLent(ctx, before.active_version_id!))))
    return store.update(ctx, rule, before, { ...values, ...turned, status, trigger: before.trigger });

  write(
    ctx,
    statement(sql`update automation_version set is_active = false, version = version + 1
      where organization_id = ${ctx.organization_id} and automation_id = ${before.id} and is_active`),
  );
  const active_version_id = newId(automationVersion.prefix, ctx.now.getTime());
  const active_version = (before.active_version ?? 0) + 1;
  const after = store.update(ctx, rule, before, { ...values, ...plan, ...turned, status, active_version_id, active_version });
  keepVersion(ctx, after, plan);
  return after;
}

type Actions = Pick<Patch<typeof rule>, "actions">;

/** Who was not shown what an action says to others sends back a mark for it. */
const withActions = async <T extends Actions>(ctx: Ctx, id: string, before: Rule | null, given: T): Promise<T> =>
  given.actions === undefined
    ? given
    : { ...given, actions: await withValues(ctx, id, [before?.actions], given.actions, "actions") };

/** Its actions are stored without what their headers prove themselves with. */
async function withoutSecrets<T extends Actions>(ctx: Ctx, id: string, given: T): Promise<T> {
  const actions = (given.actions ?? []) as Action[];
  const requests = actions.filter(({ type }) => type === "call_webhook");
  const sealed = await sealHeaders(
    ctx,
    id,
    requests.map((one) => ({ of: one, config: one.config, at: `actions.${actions.indexOf(one)}.config` })),
  );
  return sealed.size === 0
    ? given
    : { ...given, actions: actions.map((one) => ({ ...one, config: sealed.get(one) ?? one.config })) };
}

/** `status` and `is_active` mean the same. If both are sent, the one that differs from the stored value counts. */
function statusOf({ status, is_active }: Patch<typeof rule>, was: Rule["status"] | null): Rule["status"] {
  const saysStatus = status !== undefined && status !== was;
  const saysActive = typeof is_active === "boolean" && (was === null || is_active !== (was === "active"));
  if (saysStatus && saysActive && is_active !== (status === "active"))
    throw invalid({ is_active: `contradicts the status ${status}` });
  return saysStatus ? status : saysActive ? (is_active ? "active" : "paused") : (was ?? "active");
}

/** From the next event on. What publishing would refuse is refused. */
async function goLive(ctx: Ctx, plan: Plan, written: Written): Promise<void> {
  checkNameOfRule(ctx, plan);
  if (plan.trigger.type === hookTrigger)
    throw invalid({ trigger: "has an address of its own, which only automations of /automations/ get, when they are published" });
  if (plan.trigger.type === "manual")
    throw invalid({ trigger: "never happens by itself: only automations of /automations/ are started by hand" });
  await checkForce(ctx, plan.graph);
  refuseFindings(
    [...problemsOfAvailability(plan), ...(await problemsOfMeaning(ctx, plan))].map((one) => ({
      ...one,
      path: placeInRule(one.path, one.message, written),
      step_id: null,
    })),
  );
  follow(ctx, automationNews);
}

function keepVersion(ctx: Ctx, row: Rule, plan: Plan): void {
  store.insert(ctx, automationVersion, {
    ...plan,
    id: row.active_version_id!,
    automation_id: row.id,
    number: row.active_version!,
    is_active: true,
    published_at: ctx.now.toISOString(),
    published_by: userOf(ctx),
  });
}

const planOf = ({ trigger, filter, graph, settings }: Rule): Plan => ({ trigger, filter, graph, settings });

// --- compiling ---

/** The members of a body that describe a rule, or a stored rule in that form. */
interface Written {
  trigger: unknown;
  conditions: Condition[];
  match: "all" | "any";
  actions: Action[];
  run_once_per_record: boolean;
}

/**
 * The rule in the form that the worker runs. Errors are named by their place in the rule. Records that it already named may be
 * gone.
 */
async function compiled(ctx: Ctx, written: Written, before: Rule | null = null): Promise<Plan> {
  const check = { errors: {} as FieldErrors, complete: true, named: [] as Named[] };
  const trigger = readTrigger(check, written.trigger);
  const filter = filterOf(written);
  if (filter !== null) checkCondition(check, filter, "filter");
  const graph = readGraph(check, graphOf(written.actions));
  refuse(inRule(check.errors, written));
  const known = JSON.stringify([before?.trigger, before?.actions]);
  const fresh = check.named.filter(({ id }) => !known.includes(JSON.stringify(id)));
  await checkNamed(
    ctx,
    fresh.map((one) => ({ ...one, at: placeInRule(one.at, "", written) })),
  );
  const plan = {
    trigger,
    filter,
    graph,
    settings: settings.parse({
      re_enroll: written.run_once_per_record ? "never" : "always",
      run_as_user_id: nameOfRule(ctx, before),
    }),
  };
  // It runs as soon as it is saved. A rule that was already active may be written back unchanged.
  if (before === null || !same(plan, planOf(before)))
    refuse(inRule(await problemsOfRunning(ctx, plan, ctx.actor.user_id), written));
  return plan;
}

function filterOf({ conditions, match }: Written): object | null {
  if (conditions.length === 0) return null;
  const leaves = conditions.map(({ field, operator, value }) => ({ type: "field", ref: refOf(field), op: operator, value }));
  return { [match]: leaves };
}

const refOf = (field: string): string => (field.startsWith("record.") ? field : `record.${field}`);

const inRule = (errors: FieldErrors, written: Written): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([place, reason]) => [placeInRule(place, reason, written), reason]));
