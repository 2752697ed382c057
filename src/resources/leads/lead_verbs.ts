// The verbs of leads.
import { type Ctx, may } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { changedFields, emit } from "../../records/event.ts";
import { readNested } from "../../records/input.ts";
import { checkVisible } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { logCreated, logLeadStatusChange } from "../activities/system_activities.ts";
import { contact } from "../contacts/contact.ts";
import { createContacts, nameOfNew } from "../contacts/contact_verbs.ts";
import { leaveShares, sharedContactsOf } from "../contacts/sharing.ts";
import { nameOfCaller, notifyAll } from "../notifications/notify.ts";
import { isActiveMember } from "../organization/organization.ts";
import { endByStatus } from "../sequences/stops.ts";
import { idOfLabel, refuseBoth } from "../shared/resolve_label.ts";
import { leadTag } from "../tags/lead_tag.ts";
import { withTags, withTagsOfAll } from "../tags/with_tags.ts";
import { firstContactNames } from "./first_contact.ts";
import { lead } from "./lead.ts";
import { leadStatus } from "./lead_status.ts";

type Lead = Row<typeof lead>;

export const createLead = async (ctx: Ctx, given: Create<typeof lead>): Promise<Lead> => (await createLeads(ctx, [given]))[0]!;

/** Many leads, in a few statements. A lead may be created with contacts: all of it, or nothing. */
export async function createLeads(ctx: Ctx, all: readonly Create<typeof lead>[]): Promise<Lead[]> {
  const people = all.map(({ contacts }) => (contacts ?? []).map((body, i) => readNested(ctx, contact, body, `contacts.${i}`)));
  const given = all.map(({ contacts: _, ...one }) => resolved(ctx, { owner_id: ownerOfNew(ctx), ...one }));
  const values = await withTagsOfAll(ctx, leadTag, given);
  const rows = await store.insertAll(
    ctx,
    lead,
    values.map((one, i) => ({ ...one, first_contact_name: people[i]![0] ? nameOfNew(people[i]![0]) : null })),
  );
  await logCreated(ctx, rows);
  await tellOwners(ctx, rows);
  const nested = people.flatMap((own, i) =>
    own.map((one) => ({ date_created: all[i]!.date_created, ...one, lead_id: rows[i]!.id })),
  );
  for (const one of nested) await checkVisible(ctx, contact, one);
  await createContacts(ctx, nested);
  return rows;
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
  if (after.owner_id !== before.owner_id) await tellOwners(ctx, [after]);
  return after;
}

/** Leads of an import come by the thousand, and its author knows of them. */
async function tellOwners(ctx: Ctx, rows: readonly Lead[]): Promise<void> {
  if (ctx.meta.import_id !== undefined) return;
  await notifyAll(
    ctx,
    rows.map(({ id, owner_id, display_name }) => {
      const title = `${nameOfCaller(ctx)} assigned you the lead ${display_name}`;
      return [[owner_id], { type: "lead_assigned", title, object_type: "lead", object_id: id, lead_id: id }];
    }),
  );
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
