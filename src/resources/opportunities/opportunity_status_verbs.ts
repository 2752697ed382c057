// The verbs of opportunity statuses.
import type { Ctx } from "../../core/context.ts";
import type { Extras } from "../../core/operation.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords, lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { behind, pushedBack } from "../shared/positions.ts";
import { removeStatus } from "../shared/status_removal.ts";
import { dateDeals } from "./date_deals.ts";
import { opportunity } from "./opportunity.ts";
import { opportunityStatus } from "./opportunity_status.ts";
import { pipeline } from "./pipeline.ts";
import { lockPipelines } from "./pipeline_verbs.ts";

type OpportunityStatus = Row<typeof opportunityStatus>;

export async function createOpportunityStatus(ctx: Ctx, given: Create<typeof opportunityStatus>): Promise<OpportunityStatus> {
  await lockPipelines(ctx);
  const pipeline_id = given.pipeline_id ?? ctx.directory.list(pipeline)[0]!.id;
  const position = await placeIn(ctx, pipeline_id, null, given.position);
  return store.insert(ctx, opportunityStatus, { ...given, pipeline_id, position });
}

/**
 * A status that moves to another pipeline takes its deals along. It becomes the last one there, unless the request says
 * otherwise.
 */
export async function updateOpportunityStatus(
  ctx: Ctx,
  before: OpportunityStatus,
  patch: Patch<typeof opportunityStatus>,
): Promise<OpportunityStatus> {
  const pipeline_id = patch.pipeline_id ?? before.pipeline_id;
  const moves = pipeline_id !== before.pipeline_id || (patch.position ?? before.position) !== before.position;
  const position = moves ? await placeIn(ctx, pipeline_id, before.id, patch.position) : before.position;
  const after = store.update(ctx, opportunityStatus, before, { ...patch, position });
  await dateDeals(ctx, [{ before, after }]);
  return after;
}

export async function deleteOpportunityStatus(ctx: Ctx, before: OpportunityStatus, extras?: Extras): Promise<void> {
  await removeStatus(ctx, opportunityStatus, before, opportunity, extras?.query.replacement_status_id);
}

/** Statuses are sorted among others, and a pipeline is sorted with its statuses. Both lock the pipelines first. */
export async function lockOpportunityStatus(ctx: Ctx, id: string): Promise<OpportunityStatus> {
  await lockPipelines(ctx);
  return lockRecord(ctx, opportunityStatus, id);
}

/** The requested position in a pipeline, made free, or the one after all others. */
async function placeIn(ctx: Ctx, pipelineId: string, id: string | null, wanted: number | undefined): Promise<number> {
  const conditions = [sql`t.pipeline_id = ${pipelineId}`];
  const all = await findRecords(ctx, opportunityStatus, conditions);
  const others = all.filter((row) => row.id !== id);
  if (wanted === undefined) return behind(others);
  for (const [row, position] of pushedBack(others, wanted)) store.update(ctx, opportunityStatus, row, { position });
  return wanted;
}
