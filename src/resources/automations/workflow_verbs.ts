// The verbs of workflows. Writing a workflow changes its draft. The active version changes only by publishing.
import { type Ctx, userOf } from "../../core/context.ts";
import { type FieldErrors, invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { newId } from "../../values/id.ts";
import { same } from "../../values/same.ts";
import { isActiveMember } from "../organization/user.ts";
import { checkFilter } from "./conditions.ts";
import { refuseDraft } from "./findings.ts";
import { readGraph } from "./graph.ts";
import type { Graph } from "./graph_shape.ts";
import { sealHeaders } from "./header_secrets.ts";
import { checkActing } from "./lent_rights.ts";
import { withValues } from "./request_secrets.ts";
import type { Settings } from "./settings.ts";
import { readTrigger } from "./trigger.ts";
import { problemOfHours } from "./windows.ts";
import { workflow } from "./workflow.ts";

type Workflow = Row<typeof workflow>;
type Given = Pick<Patch<typeof workflow>, "trigger" | "filter" | "graph" | "settings">;

/** A copy was never published, whatever it is a copy of. */
export async function createWorkflow(
  ctx: Ctx,
  { if_revision: _, status: __, ...given }: Create<typeof workflow>,
): Promise<Workflow> {
  const edited = { draft_updated_at: ctx.now.toISOString(), draft_updated_by: userOf(ctx) };
  const id = newId(workflow.prefix, ctx.now.getTime());
  return store.insert(ctx, workflow, { ...given, ...(await understood(ctx, id, given)), ...edited, id });
}

export async function updateWorkflow(ctx: Ctx, before: Workflow, patch: Patch<typeof workflow>): Promise<Workflow> {
  const { if_revision, ...given } = patch;
  if (typeof if_revision === "number" && if_revision !== before.draft_revision)
    throw invalid({ if_revision: `is out of date: the draft has changed and is at ${before.draft_revision}` });
  if (given.status !== undefined && given.status !== before.status)
    throw invalid({ status: `is ${before.status}: publish makes it active and pause makes it paused` });

  const plan = await understood(ctx, before.id, given, before);
  const changes = Object.entries(plan).some(([key, value]) => !same(value, before[key as keyof Workflow]));
  const edited = {
    draft_revision: before.draft_revision + 1,
    draft_updated_at: ctx.now.toISOString(),
    draft_updated_by: userOf(ctx),
  };
  return store.update(ctx, workflow, before, { ...given, ...plan, ...(changes && edited) });
}

/** The given parts of a plan, with defaults filled in. All errors are named at once. */
async function understood(ctx: Ctx, id: string, given: Given, before: Workflow | null = null): Promise<Given> {
  const check = { errors: {} as FieldErrors, complete: false };
  const plan: Given = {};
  const said = [before?.published, before?.graph];
  if (given.trigger !== undefined) plan.trigger = readTrigger(check, given.trigger);
  if (given.filter !== undefined) plan.filter = given.filter;
  if (given.filter) checkFilter(check, given.filter, "filter");
  if (given.graph !== undefined) plan.graph = readGraph(check, await withValues(ctx, id, said, given.graph, "graph"));
  if (given.settings !== undefined) plan.settings = given.settings;
  if (given.settings) Object.assign(check.errors, problemOfHours(given.settings));
  refuseDraft(check.errors);
  if (given.settings) checkRunAs(ctx, given.settings, before?.settings ?? null);
  return plan.graph ? { ...plan, graph: await withoutSecrets(ctx, id, plan.graph) } : plan;
}

async function withoutSecrets(ctx: Ctx, id: string, graph: Graph): Promise<Graph> {
  const requests = Object.entries(graph.steps).filter(([, { type }]) => type === "http.request");
  const sealed = await sealHeaders(
    ctx,
    id,
    requests.map(([step, { config }]) => ({ of: step, config, at: `graph.steps.${step}.config` })),
  );
  const steps = Object.entries(graph.steps).map(([step, one]) => [step, { ...one, config: sealed.get(step) ?? one.config }]);
  return { ...graph, steps: Object.fromEntries(steps) };
}

/** Whose rights it has is checked when it changes, and again when it is put in force. */
function checkRunAs(ctx: Ctx, { run_as_user_id: id }: Settings, before: Settings | null): void {
  if (id === null || id === before?.run_as_user_id) return;
  if (!isActiveMember(ctx.directory, id)) throw invalid({ "settings.run_as_user_id": "is not a member" });
  checkActing(ctx, id);
}
