// Lists the organizations that a contact is shared with.
import { z } from "zod";
import { activeMembershipsOf, contactsOfShares } from "../../auth/unscoped.ts";
import { operation } from "../../core/operation.ts";
import { page, pageInput, pageOf } from "../../records/page.ts";
import { getRecord } from "../../records/records.ts";
import { contact } from "./contact.ts";
import { seesAllInBoth } from "./sharing.ts";

export const listShares = operation({
  name: "contact.shares",
  method: "GET",
  path: "/contact/{id}/shares/",
  doc: "Lists the organizations that share a contact, this one included. An organization's lead is shown where you see all leads there.",
  permission: "member",
  input: { id: z.string(), ...pageInput },
  output: pageOf(
    z.strictObject({
      contact_id: z.string(),
      organization_id: z.string(),
      organization_name: z.string(),
      lead_id: z.string().nullable(),
      lead_name: z.string().nullable(),
      is_current: z.boolean().describe("True for the contact that was asked about."),
      date_created: z.iso.datetime().describe("When it was shared with that organization."),
    }),
  ),
  async run(ctx, { id, ...given }) {
    const { share_id } = await getRecord(ctx, contact, id);
    const copies = share_id === null ? [] : await contactsOfShares(ctx, [share_id]);
    const memberships = copies.length === 0 ? [] : await activeMembershipsOf(ctx, ctx.actor.user_id);
    const seen = new Set(memberships.filter(seesAllInBoth.holds).map((one) => one.organization_id));
    seen.add(ctx.organization_id);
    return page(
      copies.map((copy) => ({
        contact_id: copy.contact_id,
        organization_id: copy.organization_id,
        organization_name: copy.organization_name,
        lead_id: seen.has(copy.organization_id) ? copy.lead_id : null,
        lead_name: seen.has(copy.organization_id) ? copy.lead_name : null,
        is_current: copy.organization_id === ctx.organization_id,
        date_created: copy.shared_at,
      })),
      given,
    );
  },
});
