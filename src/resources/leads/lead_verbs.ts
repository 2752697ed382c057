// The verbs of leads.
import { type Ctx, may } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { changedFields, emit } from "../../records/event.ts";
import { readNested } from "../../records/input.ts";
import { createRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { logCreated, logLeadStatusChange } from "../activities/system_activities.ts";
import { contact } from "../contacts/contact.ts";
import { nameOfNew } from "../contacts/contact_verbs.ts";
import { leaveShares, sharedContactsOf } from "../contacts/sharing.ts";
import { nameOfCaller, notify } from "../notifications/notify.ts";
import { isActiveMember } from "../organization/organization.ts";
import { endByStatus } from "../sequences/stops.ts";
import { idOfLabel, refuseBoth } from "../shared/resolve_label.ts";
import { leadTag } from "../tags/lead_tag.ts";
import { withTags } from "../tags/with_tags.ts";
import { firstContactNames } from "./first_contact.ts";
import { lead } from "./lead.ts";
import { leadStatus } from "./lead_status.ts";

type Lead = Row<typeof lead>;

/** A lead may be created with contacts: all of it, or nothing. */
export async function createLead(ctx: Ctx, { contacts, ...given }: Create<typeof lead>): Promise<Lead> {
  const nested = (contacts ?? []).map((body, i) => readNested(ctx, contact, body, `contacts.${i}`));
  const values = await withTags(ctx, leadTag, resolved(ctx, { owner_id: ownerOfNew(ctx), ...given }));
  const row = store.insert(ctx, lead, { ...values, first_contact_name: nested[0] ? nameOfNew(nested[0]) : null });
  logCreated(ctx, row);
  tellOwner(ctx, row);

  for (const input of nested) await createRecord(ctx, contact, { date_created: given.date_created, ...input, lead_id: row.id });
  return row;
}

// Members who see only their own leads would otherwise lose sight of their new lead.
const ownerOfNew = (ctx: Ctx) => (may(ctx, "view_all_leads") ? null : ctx.actor.user_id);

/** A change of status also gets its own event and an activity in the lead's history. */
export async function updateLead(ctx: Ctx, before: Lead, patch: Patch<typeof lead>): Promise<Lead> {
  const values = await withTags(ctx, leadTag, resolved(ctx, patch, before), before.tags);
  const first_contact_name =
    patch.name === null ? ((await firstContactNames(ctx, [before.id])).get(before.id) ?? null) : before.first_contact_name;
  const after = store.update(ctx, lead, before, { ...values, first_contact_name });
  if (after.status_id !== before.status_id) noteStatusChange(ctx, before, after);
  if (after.status_id !== before.status_id) await endByStatus(ctx, after.id, after.status_id);
  if (after.owner_id !== before.owner_id) tellOwner(ctx, after);
  return after;
}

function tellOwner(ctx: Ctx, { id, owner_id, display_name }: Lead): void {
  const title = `${nameOfCaller(ctx)} assigned you the lead ${display_name}`;
  notify(ctx, [owner_id], { type: "lead_assigned", title, object_type: "lead", object_id: id, lead_id: id });
}

/** People who are shared with other organizations stay there. */
export async function deleteLead(ctx: Ctx, before: Lead): Promise<void> {
  const [people] = await Promise.all([sharedContactsOf(ctx, before.id), store.remove(ctx, lead, [before])]);
  await leaveShares(ctx, people);
}

function noteStatusChange(ctx: Ctx, before: Lead, after: Lead): void {
  emit(ctx, lead, { action: "status_updated", before, after, changed: changedFields(lead, before, after) });
  logLeadStatusChange(ctx, before, after);
}

function resolved<T extends { status?: string; status_id?: string; owner_id?: string | null }>(
  ctx: Ctx,
  { status, ...given }: T,
  before?: Lead,
): Omit<T, "status"> {
  refuseBoth({ status, ...given }, "status_id", "status", before);
  const isGiven = typeof given.owner_id === "string" && given.owner_id !== before?.owner_id;
  if (isGiven && !isActiveMember(ctx.directory, given.owner_id!)) throw invalid({ owner_id: "is not an active member" });
  return typeof status === "string" ? { ...given, status_id: idOfLabel(ctx, leadStatus, status, "status") } : given;
}
