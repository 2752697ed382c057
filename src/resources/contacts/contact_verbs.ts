// The verbs of contacts.
import type { Ctx } from "../../core/context.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { createRecord, lockRecord } from "../../records/records.ts";
import { repoint } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { cancelWaiting } from "../activities/cancelled.ts";
import { dropFromCopies } from "../activities/drop_recipient.ts";
import { nameAfterContacts } from "../leads/first_contact.ts";
import { lead } from "../leads/lead.ts";
import type { Email } from "../shared/contact_points.ts";
import { contactTag } from "../tags/contact_tag.ts";
import { withTags, withTagsOfAll } from "../tags/with_tags.ts";
import { contact, displayName } from "./contact.ts";
import { bringCopiesInStep, differsForCopies, leaveShares, lockShares } from "./sharing.ts";
import { markNew, markSuppressed } from "./unsubscribed_email.ts";

type Contact = Row<typeof contact>;

/** A contact without a lead gets its own lead, named after it. */
export async function createContact(ctx: Ctx, given: Create<typeof contact>): Promise<Contact> {
  const values = named(given);
  const lead_id = values.lead_id ?? (await createRecord(ctx, lead, leadNamedAfter(values))).id;
  return (await createContacts(ctx, [{ ...values, lead_id }]))[0]!;
}

/** Many contacts of leads, in a few statements. */
export async function createContacts(
  ctx: Ctx,
  all: readonly (Create<typeof contact> & { lead_id: string })[],
): Promise<Contact[]> {
  if (all.length === 0) return [];
  const emails = await markNew(
    ctx,
    all.map((one) => one.emails ?? []),
  );
  const values = all.map((one, i) => ({ ...named(one), emails: emails[i]! }));
  const rows = await store.insertAll(ctx, contact, await withTagsOfAll(ctx, contactTag, values));
  await nameAfterContacts(ctx, [...new Set(all.map((one) => one.lead_id))]);
  return rows;
}

export const leadNamedAfter = ({ name, emails, date_created }: Create<typeof contact>): Create<typeof lead> => ({
  name: name ?? emails?.[0]?.email ?? null,
  date_created,
});

/** The display name of a contact that is not yet created. */
export const nameOfNew = (given: Create<typeof contact>): string =>
  displayName({ name: null, emails: [], phones: [], ...named(given) });

/** A contact who moves to another lead takes their deals, tasks, activities and comments along. */
export async function updateContact(ctx: Ctx, before: Contact, patch: Patch<typeof contact>): Promise<Contact> {
  const values = await withMarks(ctx, named(patch), before.emails);
  const after = store.update(ctx, contact, before, await withTags(ctx, contactTag, values, before.tags));
  const { id, lead_id } = after;
  if (lead_id !== before.lead_id) await repoint(ctx, contact, id, id, { along: { lead_id } });
  if (lead_id !== before.lead_id || after.display_name !== before.display_name)
    await nameAfterContacts(ctx, [before.lead_id, lead_id]);
  if (differsForCopies(before, after)) await bringCopiesInStep(ctx, after);
  return after;
}

export async function deleteContact(ctx: Ctx, before: Contact): Promise<void> {
  await cancelWaiting(ctx, before);
  await dropFromCopies(ctx, before);
  await store.remove(ctx, contact, [before]);
  await nameAfterContacts(ctx, [before.lead_id]);
  await leaveShares(ctx, [before]);
}

/** A change of a shared contact is copied to the other organizations. */
export async function lockContact(ctx: Ctx, id: string): Promise<Contact> {
  lockShares(ctx, [id]);
  return lockRecord(ctx, contact, id);
}

/** Callers cannot set which addresses are unsubscribed. */
async function withMarks<T extends { emails?: Email[] }>(ctx: Ctx, given: T, before: readonly Email[] = []): Promise<T> {
  return given.emails === undefined ? given : { ...given, emails: await markSuppressed(ctx, given.emails, before) };
}

function named<T extends { name?: string | null; first_name?: string; last_name?: string }>({
  first_name,
  last_name,
  ...given
}: T): Omit<T, "first_name" | "last_name"> {
  const name = [first_name, last_name].filter((part) => part).join(" ");
  return given.name === undefined && name !== "" ? { ...given, name } : given;
}
