// The verbs of organizations: changing one, and deleting it with all its data.
import { activeMembershipsOf, lockUser } from "../../auth/unscoped.ts";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Patch, Row } from "../../core/resource.ts";
import { refreshDirectory } from "../../records/change.ts";
import { updateRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { notByConnection } from "../shared/not_by_connection.ts";
import { beginErasure } from "./erasure.ts";
import { onlyAdmin } from "./only_admin.ts";
import { organization } from "./organization.ts";
import { checkRubricFields } from "./rubric_fields.ts";
import { mergeSettings } from "./settings.ts";

type Organization = Row<typeof organization>;

export async function updateOrganization(
  ctx: Ctx,
  before: Organization,
  patch: Patch<typeof organization>,
): Promise<Organization> {
  const { lead_statuses, settings, ...values } = patch;
  if (lead_statuses)
    await reorderLeadStatuses(
      ctx,
      lead_statuses.map((one) => one.id),
    );
  // What an admin put in the way of agents is not theirs to take away.
  if (settings?.mcp !== undefined) notByConnection(ctx);
  if (!settings) return store.update(ctx, organization, before, values);
  const merged = mergeSettings(before.settings, settings);
  if (!same(merged.retention, before.settings.retention)) mayChangeRetention(ctx);
  checkRubricFields(ctx, before.settings, merged);
  return store.update(ctx, organization, before, { ...values, settings: merged });
}

/** It deletes what nobody can bring back, and goes on doing so when whoever set it is gone. */
function mayChangeRetention(ctx: Ctx): void {
  onlyAdmin(ctx, "change how long records are kept");
  notByConnection(ctx);
}

/** Those that are not named keep their order, after those that are. */
async function reorderLeadStatuses(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const present = ctx.directory.list(leadStatus);
  ids.forEach((id, i) => {
    if (!present.some((status) => status.id === id)) throw invalid({ [`lead_statuses.${i}.id`]: "does not exist" });
    if (ids.indexOf(id) < i) throw invalid({ [`lead_statuses.${i}.id`]: "is named twice" });
  });
  const wanted = [...ids, ...present.map((status) => status.id).filter((id) => !ids.includes(id))];
  if (wanted.every((id, i) => present[i]!.id === id)) return;

  for (const [position, id] of wanted.entries()) await updateRecord(ctx, leadStatus, id, { position });
  await refreshDirectory(ctx);
}

/** Everything becomes inaccessible at once and is then deleted. People, accounts and other organizations stay. */
export async function deleteOrganization(ctx: Ctx): Promise<void> {
  onlyAdmin(ctx, "delete an organization");
  await lockUser(ctx, ctx.actor.user_id);
  const memberships = await activeMembershipsOf(ctx, ctx.actor.user_id);
  if (memberships.length < 2) throw invalid({}, "You cannot delete your only organization.");

  await beginErasure(ctx);
}
