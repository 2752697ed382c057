// Shares a contact with another organization. What is known about the person then stays the same in both.
import { z } from "zod";
import { contactsOfShares, type SharedContact } from "../../auth/unscoped.ts";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { emit } from "../../records/event.ts";
import { createRecord, findRecord, lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { newId } from "../../values/id.ts";
import { nameAfterContacts } from "../leads/first_contact.ts";
import { lead } from "../leads/lead.ts";
import { notify } from "../notifications/notify.ts";
import { organizationOf } from "../organization/organization.ts";
import { adminsOf } from "../organization/user.ts";
import { enterAsMember } from "../shared/elsewhere.ts";
import { contact } from "./contact.ts";
import { inCommon, lockShares, seesAllInBoth } from "./sharing.ts";
import { markSuppressed } from "./unsubscribed_email.ts";

type Contact = Row<typeof contact>;

export const shareContact = operation({
  name: "contact.share",
  method: "POST",
  path: "/contact/{id}/share/",
  doc: "Shares a contact with another organization: it gets a copy, and name, title, addresses, numbers, web addresses and time zone of both stay the same. Answers 200 where it is shared there already.",
  permission: "view_all_leads",
  status: 201,
  otherwise: { 200: "It was shared there already." },
  input: {
    id: z.string(),
    organization_id: z.string().describe("The other organization, of which you are a member."),
    lead_id: z.string().nullish().describe("The lead there; where none is given, a new one named after the contact."),
  },
  output: z.strictObject({
    share_id: z.string().describe("The same on every copy."),
    contact_id: z.string().describe("The copy."),
    lead_id: z.string().describe("The copy's lead."),
    organization_id: z.string(),
    organization_name: z.string(),
    date_created: z.iso.datetime().describe("When it was shared with that organization."),
  }),
  async run(ctx, { id, ...target }) {
    const { link, isNew } = await share(ctx, id, target);
    if (!isNew) ctx.reply.status = 200;
    return link;
  },
});

/** Shares a contact, unless it is shared there already. */
export async function share(
  ctx: Ctx,
  id: string,
  { organization_id, lead_id }: { organization_id: string; lead_id?: string | null },
) {
  lockShares(ctx, [id]);
  const before = await lockRecord(ctx, contact, id);
  const there = await enterAsMember(ctx, organization_id, "organization_id", seesAllInBoth);
  const present = await copyIn(ctx, before, organization_id);
  if (present !== undefined) return { link: linkTo(present), isNew: false };

  const share = { share_id: before.share_id ?? newId("share"), shared_at: ctx.now.toISOString() };
  const copy = store.insert(there, contact, {
    ...inCommon(before),
    ...share,
    emails: await markSuppressed(there, before.emails),
    lead_id: await leadThere(there, before, lead_id),
  });
  await nameAfterContacts(there, [copy.lead_id]);
  const meta = { shared_with: organization_id };
  const after = before.share_id === null ? store.update(ctx, contact, before, share, meta) : before;
  emit(ctx, contact, { action: "shared", after, meta });
  tellAdmins(ctx, there, copy);
  const place = { organization_id, organization_name: nameOf(there), contact_id: copy.id, lead_id: copy.lead_id };
  return { link: linkTo({ ...share, ...place }), isNew: true };
}

async function copyIn(ctx: Ctx, { share_id }: Contact, organizationId: string): Promise<SharedContact | undefined> {
  if (share_id === null) return undefined;
  return (await contactsOfShares(ctx, [share_id])).find((copy) => copy.organization_id === organizationId);
}

async function leadThere(there: Ctx, { display_name }: Contact, given: string | null | undefined): Promise<string> {
  if (!given) return (await createRecord(there, lead, { name: display_name, source: "share" })).id;
  if ((await findRecord(there, lead, given)) === null) throw invalid({ lead_id: "does not exist in that organization" });
  return given;
}

function tellAdmins(ctx: Ctx, there: Ctx, copy: Contact): void {
  notify(there, adminsOf(there.directory), {
    type: "contact_shared",
    title: `${nameOf(ctx)} shared ${copy.display_name} with you`,
    object_type: "contact",
    object_id: copy.id,
    lead_id: copy.lead_id,
  });
}

const nameOf = ({ directory }: Ctx): string => organizationOf(directory).name;

const linkTo = ({ shared_at, ...copy }: Omit<SharedContact, "lead_name">) => ({
  share_id: copy.share_id,
  contact_id: copy.contact_id,
  lead_id: copy.lead_id,
  organization_id: copy.organization_id,
  organization_name: copy.organization_name,
  date_created: shared_at,
});
