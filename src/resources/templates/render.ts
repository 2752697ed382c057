// Shows an e-mail template filled in for a contact.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { findRecord, getRecord } from "../../records/records.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { emailTemplate } from "./email_template.ts";
import { fillEmail } from "./fill.ts";

export const renderEmailTemplate = operation({
  name: "email_template.render",
  method: "GET",
  path: "/email_template/{id}/render/",
  doc: "Fills in an e-mail template for a lead and one of its contacts. Values are HTML-escaped in the body; `missing_variables` names those that are unknown or empty. The unsubscribe link stays a tag, because it is different for each recipient.",
  permission: "member",
  input: {
    id: z.string(),
    lead_id: z.string().describe("The lead."),
    contact_id: z.string().describe("A contact of that lead."),
  },
  output: z.object({
    template_id: z.string(),
    subject: z.string(),
    body: z.string(),
    email: z.string().nullable(),
    contact_id: z.string(),
    contact_display_name: z.string(),
    lead_id: z.string(),
    lead_display_name: z.string(),
    missing_variables: z.array(z.string()),
  }),
  async run(ctx, { id, lead_id, contact_id }) {
    const template = await getRecord(ctx, emailTemplate, id);
    const at = await findRecord(ctx, lead, lead_id);
    if (at === null) throw invalid({ lead_id: "does not exist" });
    const person = await findRecord(ctx, contact, contact_id);
    if (person === null) throw invalid({ contact_id: "does not exist" });
    if (person.lead_id !== lead_id) throw invalid({ contact_id: "belongs to another lead" });

    return {
      template_id: id,
      ...(await fillEmail(ctx, template, at, person)),
      email: person.emails[0]?.email ?? null,
      contact_id,
      contact_display_name: person.display_name,
      lead_id,
      lead_display_name: at.display_name,
    };
  },
});
