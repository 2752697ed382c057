// The steps of a sequence as they were before a change. A subscription may keep to those that it began with.
import { type Ctx, query, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import type { sequence } from "./sequence.ts";
import type { sequenceSubscription } from "./sequence_subscription.ts";
import type { Step } from "./steps.ts";

type Sequence = Row<typeof sequence>;

/** The sequence with the steps that a subscription follows. */
export async function asFollowed(
  ctx: Ctx,
  of: Sequence,
  { keeps_steps, steps_version }: Pick<Row<typeof sequenceSubscription>, "keeps_steps" | "steps_version">,
): Promise<Sequence> {
  if (!keeps_steps) return of;
  const [row] = await query(ctx, {
    name: "sequence_former_steps.find",
    text: "select steps from sequence_former_steps where organization_id = $1 and sequence_id = $2 and version = $3",
    values: [ctx.organization_id, of.id, steps_version],
  });
  return row === undefined ? of : { ...of, steps: JSON.parse(row[0]!) as Step[], steps_version };
}

/** Those that are under way keep to the steps as they were. */
export function keepSteps(ctx: Ctx, { id, steps, steps_version }: Sequence): void {
  write(ctx, {
    name: "sequence_former_steps.keep",
    text: `insert into sequence_former_steps (organization_id, sequence_id, version, steps, date_created) values ($1, $2, $3, $4, $5)
           on conflict do nothing`,
    values: [ctx.organization_id, id, steps_version, JSON.stringify(steps), ctx.now],
  });
  write(ctx, {
    name: "sequence_subscription.keep_steps",
    text: `update sequence_subscription set keeps_steps = true, steps_version = $3
           where organization_id = $1 and sequence_id = $2 and status in ('active', 'paused') and not keeps_steps`,
    values: [ctx.organization_id, id, steps_version],
  });
}

export function forgetSteps(ctx: Ctx, { id }: Sequence): void {
  write(ctx, {
    name: "sequence_former_steps.forget",
    text: "delete from sequence_former_steps where organization_id = $1 and sequence_id = $2",
    values: [ctx.organization_id, id],
  });
}
