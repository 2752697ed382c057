// What became of each step for each subscription. A step is noted when its message or task is made, and again when it is over.
import { type Ctx, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import type { sequenceSubscription } from "./sequence_subscription.ts";

export type Outcome = "begun" | "done" | "skipped" | "failed";

interface Taken {
  step_id: string;
  outcome: Outcome;
  /** The message or the task. The one that was noted before stays where none is given. */
  object_id?: string | null;
  variant?: string | null;
}

export function noteStep(ctx: Ctx, way: Row<typeof sequenceSubscription>, taken: Taken): void {
  const { step_id, outcome, object_id = null, variant = null } = taken;
  write(ctx, {
    name: "sequence_step_taken.note",
    text: `insert into sequence_step_taken as s (organization_id, subscription_id, step_id, sequence_id, variant, outcome, object_id, date_created)
           values ($1, $2, $3, $4, $5, $6, $7, $8)
           on conflict (organization_id, subscription_id, step_id) do update
             set outcome = excluded.outcome, object_id = coalesce(excluded.object_id, s.object_id),
               variant = coalesce(excluded.variant, s.variant)`,
    values: [ctx.organization_id, way.id, step_id, way.sequence_id, variant, outcome, object_id, ctx.now],
  });
}
