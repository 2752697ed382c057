// Writes a run. Its job carries it out.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { automationRun, type runKinds } from "./automation_run.ts";
import { cancelPrevious, concurrencyOf } from "./concurrency.ts";
import { enrolKey } from "./enrolment.ts";
import type { Plan } from "./fields.ts";
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
  const concurrency = await concurrencyOf(ctx, listener.plan.settings, start);
  if (concurrency?.mode === "cancel_previous") await cancelPrevious(ctx, listener.automation_id, concurrency);
  const enrol_key = enrolKey(listener, start.occurrence.object_id);
  return store.insertNew(ctx, automationRun, { ...newRun(listener, start), enrol_key, concurrency });
}

/** What starts: a version, or a draft without one. */
interface Started extends Pick<Listener, "automation_id" | "generation"> {
  version_id: string | null;
  version_number: number | null;
  plan: Pick<Plan, "trigger" | "settings">;
}

/** The values of a run that begins, whether or not the record has another. */
export function newRun(
  { plan, ...of }: Started,
  { kind, occurrence, ids, input, causation, parent_run_id, bulk_action_id }: Start,
) {
  return {
    automation_id: of.automation_id,
    version_id: of.version_id,
    version_number: of.version_number,
    generation: of.generation,
    status: "queued",
    kind,
    trigger_type: plan.trigger.type,
    seen_as_user_id: plan.settings.run_as_user_id,
    event_id: occurrence.id,
    object_type: occurrence.object_type,
    object_id: occurrence.object_id,
    lead_id: ids.lead_id,
    contact_id: ids.contact_id,
    opportunity_id: ids.opportunity_id,
    input,
    causation,
    parent_run_id: parent_run_id ?? null,
    bulk_action_id: bulk_action_id ?? null,
    started_by: { ...occurrence },
  } as const;
}
