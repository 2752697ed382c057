// Writes a run. Its job carries it out.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { automationRun, type runKinds } from "./automation_run.ts";
import { cancelPrevious, concurrencyOf } from "./concurrency.ts";
import { enrolKey } from "./enrolment.ts";
import type { Listener } from "./listeners.ts";
import type { LivingIds } from "./living_ids.ts";
import type { Occurrence } from "./occurrence.ts";

export interface Start {
  kind: (typeof runKinds)[number];
  occurrence: Occurrence;
  ids: LivingIds;
  input: Record<string, unknown>;
  causation: { depth: number; path: string[] };
  parent_run_id?: string;
  bulk_action_id?: string;
}

/** Null if it runs for the record already, or for what its concurrency says. */
export async function startRun(ctx: Ctx, listener: Listener, start: Start): Promise<Row<typeof automationRun> | null> {
  const { kind, occurrence, ids, input, causation, parent_run_id = null, bulk_action_id = null } = start;
  const concurrency = await concurrencyOf(ctx, listener.plan.settings, start);
  if (concurrency?.mode === "cancel_previous") await cancelPrevious(ctx, listener.automation_id, concurrency);
  return store.insertNew(ctx, automationRun, {
    automation_id: listener.automation_id,
    version_id: listener.version_id,
    version_number: listener.version_number,
    generation: listener.generation,
    status: "queued",
    kind,
    trigger_type: listener.plan.trigger.type,
    event_id: occurrence.id,
    object_type: occurrence.object_type,
    object_id: occurrence.object_id,
    lead_id: ids.lead_id,
    contact_id: ids.contact_id,
    opportunity_id: ids.opportunity_id,
    input,
    causation,
    parent_run_id,
    bulk_action_id,
    started_by: { ...occurrence },
    enrol_key: enrolKey(listener, occurrence.object_id),
    concurrency,
  });
}
