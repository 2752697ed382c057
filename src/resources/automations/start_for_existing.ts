// Starts an automation for a record that was there before it was published. All that decides for an event decides here too, so that a
// record that has changed since it was found is left out.
import type { Ctx } from "../../core/context.ts";
import { findAnyRecord } from "../../records/records.ts";
import { startFor } from "./evaluate.ts";
import { factsOfEvent } from "./facts.ts";
import type { Listener } from "./listeners.ts";
import { askedOf, holds } from "./meets.ts";
import { startedWith } from "./start_by_hand.ts";

/** The run, or why there is none. */
export type Started = { run_id: string } | { refused: string };

export async function startForExisting(ctx: Ctx, listener: Listener, recordId: string, bulkId: string): Promise<Started> {
  const found = await findAnyRecord(ctx, recordId);
  if (found === null || found.of.name !== listener.plan.trigger.config.object_type) return { refused: "is not there any more" };
  const occurrence = await startedWith(ctx, found, recordId, "backfill.run");
  const { existing } = listener.trigger;
  if (!(await holds(existing?.(listener.plan.trigger.config), askedOf(ctx, factsOfEvent(ctx, occurrence)))))
    return { refused: "does not meet the conditions any more" };
  const { run_id, result, reason } = await startFor(ctx, listener, occurrence, {
    kind: "backfill",
    input: {},
    bulk_action_id: bulkId,
  });
  return run_id === null ? { refused: `was ${result}: ${reason}` } : { run_id };
}
