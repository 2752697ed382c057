// The verbs of lead statuses.
import type { Ctx } from "../../core/context.ts";
import type { Extras } from "../../core/operation.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { lockPlaces, placeBehind, pushedBack } from "../shared/positions.ts";
import { removeStatus } from "../shared/status_removal.ts";
import { lead } from "./lead.ts";
import { leadStatus } from "./lead_status.ts";

type LeadStatus = Row<typeof leadStatus>;

export async function createLeadStatus(ctx: Ctx, given: Create<typeof leadStatus>): Promise<LeadStatus> {
  lockPlaces(ctx, leadStatus);
  if (given.position !== undefined) await makeRoom(ctx, null, given.position);
  const position = given.position ?? (await placeBehind(ctx, leadStatus));
  return store.insert(ctx, leadStatus, { ...given, position });
}

export async function updateLeadStatus(ctx: Ctx, before: LeadStatus, patch: Patch<typeof leadStatus>): Promise<LeadStatus> {
  if (patch.position !== undefined && patch.position !== before.position) await makeRoom(ctx, before.id, patch.position);
  return store.update(ctx, leadStatus, before, patch);
}

export async function deleteLeadStatus(ctx: Ctx, before: LeadStatus, extras?: Extras): Promise<void> {
  await removeStatus(ctx, leadStatus, before, lead, extras?.query.replacement_status_id);
}

async function makeRoom(ctx: Ctx, id: string | null, position: number): Promise<void> {
  const all = await lockToChange(ctx, leadStatus, sql`true`);
  const others = all.filter((row) => row.id !== id);
  for (const [row, place] of pushedBack(others, position)) store.update(ctx, leadStatus, row, { position: place });
}
