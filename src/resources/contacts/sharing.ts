// A shared person is a contact in several organizations, with one `share_id`. Facts about the person are the same in all of them.
// What an organization adds (tags, notes, custom values, the lead) is its own.
import { contactsOfShares, type SharedContact } from "../../auth/unscoped.ts";
import { type Ctx, query, write } from "../../core/context.ts";
import { permissionsOf } from "../../core/permissions.ts";
import type { Row } from "../../core/resource.ts";
import { lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { nameAfterContacts } from "../leads/first_contact.ts";
import { enterAsService, type Standing } from "../shared/elsewhere.ts";
import { contact } from "./contact.ts";
import { markSuppressed } from "./unsubscribed_email.ts";

type Contact = Row<typeof contact>;

const kept = ["name", "title", "emails", "phones", "urls", "timezone"] as const;

/** What every copy of a person has in common. */
export const inCommon = (row: Contact): Pick<Contact, (typeof kept)[number]> =>
  Object.fromEntries(kept.map((key) => [key, row[key]])) as Pick<Contact, (typeof kept)[number]>;

/** Members who see only their own leads may not share people. */
export const seesAllInBoth: Standing = {
  holds: ({ role_id, role_permissions }) => permissionsOf(role_id, role_permissions).includes("view_all_leads"),
  refusal: "You do not have permission to perform this action: it needs view_all_leads in both organizations.",
};

type OfShare = Pick<Contact, "share_id">;

/** The shared contacts of a lead. */
export async function sharedContactsOf(ctx: Ctx, leadId: string): Promise<OfShare[]> {
  const rows = await query(ctx, {
    name: "contact.shared_of_lead",
    text: "select share_id from contact where organization_id = $1 and lead_id = $2 and share_id is not null",
    values: [ctx.organization_id, leadId],
  });
  return rows.map(([share_id]) => ({ share_id: share_id! }));
}

export const differsForCopies = (before: Contact, after: Contact): boolean =>
  after.share_id !== null && !same(inCommon(before), inCommon(after));

/**
 * Call it before these contacts are locked. A change of one copy changes the others too, and two changes that began with
 * different copies would deadlock.
 */
export function lockShares(ctx: Ctx, ids: readonly string[]): void {
  write(ctx, {
    name: "contact.lock_shares",
    text: `select pg_advisory_xact_lock(s.key) from (select distinct hashtextextended(share_id, 0) as key from contact
             where organization_id = $1 and id = any($2) and share_id is not null order by key) s`,
    values: [ctx.organization_id, ids],
  });
}

/** Copies the facts about the person to the contacts in other organizations. */
export async function bringCopiesInStep(ctx: Ctx, row: Contact): Promise<void> {
  for (const copy of await contactsOfShares(ctx, [row.share_id!])) {
    if (copy.organization_id === ctx.organization_id) continue;
    const there = await enterAsService(ctx, copy.organization_id);
    const before = await lockRecord(there, contact, copy.contact_id);
    // An opt-out of mail was told to one organization only.
    const emails = await markSuppressed(there, row.emails, before.emails);
    store.update(there, contact, before, { ...inCommon(row), emails }, { share_id: row.share_id });
    await nameAfterContacts(there, [before.lead_id]);
  }
}

/**
 * Call it after contacts have left their shares. A share with one contact left is dissolved. Returns how many are left in all of
 * them.
 */
export async function leaveShares(ctx: Ctx, contacts: readonly OfShare[]): Promise<number> {
  const shares = contacts.flatMap(({ share_id }) => share_id ?? []);
  if (shares.length === 0) return 0;
  const left = Map.groupBy(await contactsOfShares(ctx, shares), (copy) => copy.share_id);
  const alone = [...left.values()].filter((copies) => copies.length === 1).flat();
  for (const copy of alone) await endShare(ctx, copy);
  return [...left.values()].flat().length - alone.length;
}

async function endShare(ctx: Ctx, { organization_id, contact_id }: SharedContact): Promise<void> {
  const there = organization_id === ctx.organization_id ? ctx : await enterAsService(ctx, organization_id);
  store.update(there, contact, await lockRecord(there, contact, contact_id), { share_id: null, shared_at: null });
}

/** When two contacts are merged, the share of the removed one passes to the other, unless that has its own. */
export async function mergedShare(ctx: Ctx, gone: Contact, merged: Contact): Promise<Contact> {
  const { share_id, shared_at } = gone;
  const row =
    merged.share_id === null && share_id !== null ? store.update(ctx, contact, merged, { share_id, shared_at }) : merged;
  if (row.share_id !== share_id) await leaveShares(ctx, [gone]);
  if (row.share_id !== null) await bringCopiesInStep(ctx, row);
  return row;
}

/**
 * People who move to an organization that already has a copy of them are no longer shared: a share has one contact in each
 * organization.
 */
export async function partFromCopiesThere(there: Ctx, people: readonly { after: Contact }[]): Promise<void> {
  const shares = people.flatMap(({ after }) => after.share_id ?? []);
  if (shares.length === 0) return;
  const copies = await contactsOfShares(there, shares);
  const present = new Set(copies.flatMap((copy) => (copy.organization_id === there.organization_id ? copy.share_id : [])));
  for (const { after } of people) {
    if (after.share_id !== null && present.has(after.share_id)) Object.assign(after, { share_id: null, shared_at: null });
  }
}
