// Who offers a quote and to whom. What is read is what is signed: both are fixed when the quote is sent, and later changes of the lead, the
// contact or the organization's branding reach a quote only when it is sent again.
import type { Ctx } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { sellerOf } from "../organization/branding.ts";
import { organizationOf } from "../organization/organization.ts";
import type { Parties } from "./parties.ts";
import type { quote } from "./quote.ts";

type Quote = Row<typeof quote>;

/** The columns of a quote that hold them. */
export interface Fixed {
  parties: Parties;
  logo_file_id: string | null;
}

/** Those of a quote that was sent, or else those of today. */
export const partiesOf = async (ctx: Ctx, of: Quote): Promise<Fixed> =>
  of.parties === null ? partiesNow(ctx, of) : { parties: of.parties, logo_file_id: of.logo_file_id };

async function partiesNow(ctx: Ctx, of: Quote): Promise<Fixed> {
  const [company, person, { logo_file_id, ...seller }] = await Promise.all([
    of.lead_id === null ? null : findRecord(ctx, lead, of.lead_id),
    of.contact_id === null ? null : findRecord(ctx, contact, of.contact_id),
    sellerOf(ctx),
  ]);
  const to = [company?.display_name ?? of.kept_lead_name, person?.display_name].filter((one) => typeof one === "string");
  return { parties: { seller, to, timezone: organizationOf(ctx.directory).timezone }, logo_file_id };
}

/** Fixes those of a quote that is sent or was, and does not have them. */
export const fixParties = async (ctx: Ctx, of: Quote): Promise<Values<typeof quote>> =>
  of.status === "draft" || of.date_sent === null || of.parties !== null ? {} : partiesNow(ctx, of);
