// Converts a prospect into a lead with a contact and the message.
import { z } from "zod";
import { JsonText, operation } from "../../core/operation.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { lockRecord, showWritten } from "../../records/records.ts";
import { contact } from "../contacts/contact.ts";
import { conversation } from "../conversations/conversation.ts";
import { lead } from "../leads/lead.ts";
import { type Converted, convertProspect } from "./convert_prospect.ts";
import { inboxProspect } from "./inbox_prospect.ts";

const id = z.string().max(64);
const name = z.string().trim().min(1).max(255);

export const convertInboxProspect = operation({
  name: "inbox_prospect.convert",
  method: "POST",
  path: "/inbox_prospect/{id}/convert/",
  doc: "Turns a prospect into a lead with a contact, a conversation and the messages, or attaches them to an existing lead.",
  permission: "member",
  status: 201,
  input: {
    id: z.string(),
    lead_id: id.optional().describe("A lead to attach it to; by default a new one is created."),
    lead_name: name.optional().describe("The name of the new lead; by default the company's, or else the person's."),
    contact_name: name.optional().describe("The name of the contact; by default the sender's."),
    status_id: id.optional().describe("The status of the new lead."),
    owner_id: id.nullable().optional().describe("The owner of the new lead."),
  },
  output: z.strictObject({
    prospect: outputSchema(inboxProspect),
    lead: outputSchema(lead),
    contact: outputSchema(contact),
    conversation: outputSchema(conversation),
    message: z.looseObject({ id: z.string() }),
    lead_id: z.string(),
    contact_id: z.string(),
    conversation_id: z.string(),
    message_id: z.string(),
  }),
  async run(ctx, { id, ...wanted }) {
    const made = await convertProspect(ctx, await lockRecord(ctx, inboxProspect, id), wanted);
    const texts = {
      prospect: await showWritten(ctx, inboxProspect, made.prospect),
      lead: await showWritten(ctx, lead, made.lead),
      contact: await showWritten(ctx, contact, made.contact),
      conversation: await showWritten(ctx, conversation, made.conversation),
      message: await showWritten(ctx, made.message.of, made.message.row),
    };
    const members = Object.entries(texts).map(([key, record]) => `"${key}":${record.text}`);
    return new JsonText(`{${members.join(",")},${JSON.stringify(idsOf(made)).slice(1)}`);
  },
});

const idsOf = ({ lead, contact, conversation, message }: Converted) => ({
  lead_id: lead.id,
  contact_id: contact.id,
  conversation_id: conversation.id,
  message_id: message.row.id,
});
