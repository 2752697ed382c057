// What the steps of a run can name.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { systemActor } from "../../records/acting.ts";
import { organization } from "../organization/organization.ts";
import type { automationRun } from "./automation_run.ts";
import { type Facts, recordById, triggerFacts, type Values, withRelated } from "./facts.ts";
import { loopFacts } from "./loops.ts";
import { isDeletion, type Occurrence } from "./occurrence.ts";
import type { Turn } from "./run_parts.ts";
import { StepFailure } from "./step_failure.ts";

/** The code of a step that fails because the record is there, and not seen. */
export const recordHidden = "record_hidden";

/** The record is gone: nothing of the run can go on. */
export class RecordGone extends Error {}

/**
 * `mentions` is what will be filled in: related records are read only where it names them. A record that is gone ends the run, unless it
 * is not needed.
 */
export async function factsOfRun(
  ctx: Ctx,
  { automation }: Turn,
  run: Row<typeof automationRun>,
  mentions: unknown,
  isNeeded = true,
): Promise<Facts> {
  const occurrence = run.started_by as unknown as Occurrence;
  const said = JSON.stringify(mentions);
  return {
    trigger: triggerFacts(occurrence, run.input as Values),
    record: await withRelated(ctx, await presentRecord(ctx, run, isNeeded), mentions),
    steps: said.includes("steps.") ? await outputsOf(ctx, run.id, said) : {},
    vars: run.vars as Values,
    ...(await loopFacts(ctx, run, said)),
    run: {
      id: run.id,
      automation_id: run.automation_id,
      automation_name: automation.name,
      started_at: run.started_at,
      input: run.input,
    },
    org: orgOf(ctx),
    now: ctx.now.toISOString(),
  };
}

/** As it is now, for the member in whose name the run acts. */
async function presentRecord(
  ctx: Ctx,
  { object_id, started_by }: Row<typeof automationRun>,
  isNeeded: boolean,
): Promise<Values | null> {
  if (object_id === null || isDeletion(started_by as unknown as Occurrence)) return null;
  const record = await recordById(ctx, object_id);
  if (record !== null) return record;
  const isThere = await recordById({ ...ctx, actor: systemActor(ctx.organization_id) }, object_id);
  if (isThere === null && !isNeeded) return null;
  if (isThere === null) throw new RecordGone();
  throw new StepFailure(recordHidden, "permission", "The member in whose name it runs does not see the record any more");
}

function orgOf(ctx: Ctx): Values {
  const { id, name, currency, timezone } = (ctx.directory.get(organization, ctx.organization_id) ?? {}) as any;
  return { id, name, currency, timezone };
}

/** What the named steps left; of a step that ran several times, the last. */
async function outputsOf(ctx: Ctx, runId: string, mentions: string): Promise<Facts["steps"]> {
  const named = [...mentions.matchAll(/\bsteps\.([a-z][a-z0-9_]*)/g)].map(([, id]) => id!);
  const rows = await query(ctx, {
    name: "automation_step_run.outputs",
    text: `select n.id, s.output from unnest($3::text[]) n(id) cross join lateral (
             select output from automation_step_run where organization_id = $1 and run_id = $2 and step_id = n.id and status in ('succeeded', 'stubbed')
             order by sequence desc limit 1) s`,
    values: [ctx.organization_id, runId, [...new Set(named)]],
  });
  return Object.fromEntries(rows.map(([id, output]) => [id!, { output: output === null ? null : JSON.parse(output!) }]));
}
