// Starts an automation for one record, by somebody and not by an event.
import { type Ctx, write } from "../../core/context.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { findAnyRecord } from "../../records/records.ts";
import { newId } from "../../values/id.ts";
import { automationEvent } from "./automation_event.ts";
import type { automationRun } from "./automation_run.ts";
import { keepEvaluations } from "./consume.ts";
import { countRuns } from "./enrolment.ts";
import { recordById } from "./facts.ts";
import type { Listener } from "./listeners.ts";
import { livingIds } from "./living_ids.ts";
import { byHand } from "./names.ts";
import type { Occurrence } from "./occurrence.ts";
import { startRun } from "./start_run.ts";

interface Start {
  kind: "manual" | "bulk";
  input: Record<string, unknown>;
  bulk_action_id?: string;
}

/** Why there is no run for an id of nothing, or of what the caller may not see. */
export const unknownRecord = "does not exist";

/** The run, or why there is none. */
export async function startByHand(
  ctx: Ctx,
  listener: Listener,
  recordId: string,
  start: Start,
): Promise<Row<typeof automationRun> | string> {
  const found = await findAnyRecord(ctx, recordId);
  if (found === null) return unknownRecord;
  const wanted = listener.plan.trigger.config.object_type;
  if (wanted != null && found.of.name !== wanted && found.kind.name !== wanted)
    return `is not a ${String(wanted)}, which this automation is for`;
  if (!(await mayRunAgain(ctx, listener, recordId))) return "was in this automation before, and may not be again by its settings";
  const occurrence = {
    ...(await startedWith(ctx, found, recordId, byHand)),
    id: newId(automationEvent.prefix, ctx.now.getTime()),
  };
  const causation = { depth: 1, path: [`${listener.automation_id}/${recordId}`] };
  const run = await startRun(ctx, listener, { ...start, occurrence, ids: await livingIds(ctx, occurrence), causation });
  if (run === null) return "has a run of this automation that is not over";
  const { automation_id, version_id } = listener;
  const evaluation = { automation_id, version_id, result: "started", reason: null, run_id: run.id } as const;
  await keepEvaluations(ctx, occurrence, [evaluation], { source: "manual", automation_id, payload: start.input });
  return run;
}

/** By `re_enroll` and `max_per_record`. How soon it runs again is a person's own affair. */
async function mayRunAgain(ctx: Ctx, { automation_id, plan: { settings } }: Listener, recordId: string): Promise<boolean> {
  const most = settings.re_enroll === "never" ? 1 : (settings.max_per_record ?? null);
  if (most === null) return true;
  // One after the other, so that the second sees the run of the first.
  write(ctx, {
    name: "automation.lock_starts",
    text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    values: [`automation_start/${ctx.organization_id}/${automation_id}/${recordId}`],
  });
  return (await countRuns(ctx, automation_id, recordId)) < most;
}

/** A person starts it: no event happened to the record. */
export async function startedWith(ctx: Ctx, { of }: { of: Resource }, recordId: string, event: string): Promise<Occurrence> {
  const record = (await recordById(ctx, recordId))!;
  return {
    id: null,
    event,
    object_type: of.name,
    object_id: recordId,
    lead_id: of.name === "lead" ? recordId : ((record.lead_id as string | undefined) ?? null),
    user_id: ctx.actor.user_id,
    api_key_id: ctx.actor.api_key_id,
    record,
    previous: {},
    changed_fields: [],
    meta: {},
    at: ctx.now.toISOString(),
  };
}
