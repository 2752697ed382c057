// What the runs of an automation have in common that go on one at a time, and what happens to those that are there already.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { lockWhere } from "../../records/references.ts";
import { automationRun, type Concurrency } from "./automation_run.ts";
import { ownerOf } from "./conditions/subject.ts";
import { factsOfEvent, filledIn, withRelated } from "./facts.ts";
import type { LivingIds } from "./living_ids.ts";
import { cancelRun } from "./living_runs.ts";
import type { Occurrence } from "./occurrence.ts";
import type { Settings } from "./settings.ts";
import { StepFailure } from "./step_failure.ts";

interface Begun {
  occurrence: Occurrence;
  ids: LivingIds;
  input: Record<string, unknown>;
}

/** Null for an automation that limits nothing. A run without a value for the key shares it with no other. */
export async function concurrencyOf(ctx: Ctx, { concurrency }: Settings, begun: Begun): Promise<Concurrency | null> {
  if (concurrency === undefined) return null;
  const { key = "record", mode = concurrency.key === undefined ? "allow" : "skip", max_active_runs: most = null } = concurrency;
  const value = mode === "allow" ? null : await keyOf(ctx, key, begun);
  return value === null && most === null ? null : { key: value, mode: value === null ? "allow" : mode, most };
}

async function keyOf(ctx: Ctx, key: string, { occurrence, ids, input }: Begun): Promise<string | null> {
  if (key === "record") return occurrence.object_id;
  if (key === "lead") return ids.lead_id;
  if (key === "contact") return ids.contact_id;
  if (key === "owner") return ownerOf(occurrence.record);
  const facts = factsOfEvent(ctx, occurrence, input, { record: await withRelated(ctx, occurrence.record, key) });
  try {
    return (
      String(filledIn({ $template: key }, facts))
        .trim()
        .slice(0, 500) || null
    );
  } catch (error) {
    if (error instanceof StepFailure) return null;
    throw error;
  }
}

export async function cancelPrevious(ctx: Ctx, automationId: string, { key }: Concurrency): Promise<void> {
  const living = sql`t.status in ('queued', 'running', 'waiting', 'held')`;
  const same = sql`t.automation_id = ${automationId} and t.concurrency->>'key' = ${key} and t.concurrency is not null and ${living}`;
  for (const run of await lockWhere(ctx, automationRun, same)) await cancelRun(ctx, run, "cancel_previous");
}
