// GET /file/resolve/: finds the one file to send to a record over a channel.
import { z } from "zod";
import { type Ctx } from "../../core/context.ts";
import { invalid, notFound } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { or, type Sql, sql } from "../../db/sql.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { findRecord, findRecords, showWritten } from "../../records/records.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { file, outreachChannels } from "./file.ts";

const channel = z.enum(outreachChannels).optional();

export const resolveFile = operation({
  name: "file.resolve",
  method: "GET",
  path: "/file/resolve/",
  doc: "Returns the file to send over a channel: the contact's own, else the lead's, else the organization's.",
  permission: "member",
  input: {
    outreach_channel: channel.describe("The channel; required."),
    channel: channel.describe("Another name of `outreach_channel`."),
    contact_id: z.string().optional().describe("The recipient. The lead is the contact's."),
    lead_id: z.string().optional().describe("The lead, if there is no contact."),
    subtype: z.string().optional().describe("Only a file of this subtype; by default the one assigned last."),
  },
  output: outputSchema(file),
  async run(ctx, { outreach_channel, channel, contact_id, lead_id, subtype }) {
    const over = outreach_channel ?? channel;
    if (over === undefined) throw invalid({ outreach_channel: "is required" });
    const found = await fileToSend(ctx, over, { contact_id, lead_id, subtype });
    if (found === null) throw notFound();
    const scope = found.contact_id !== null ? "contact" : found.lead_id !== null ? "lead" : "workspace";
    return { ...JSON.parse((await showWritten(ctx, file, found)).text), scope };
  },
});

interface Wanted {
  contact_id?: string | undefined;
  lead_id?: string | undefined;
  subtype?: string | undefined;
}

export async function fileToSend(
  ctx: Ctx,
  over: (typeof outreachChannels)[number],
  { contact_id, lead_id, subtype }: Wanted,
): Promise<Row<typeof file> | null> {
  const targets = await targetsOf(ctx, contact_id, lead_id);
  const [found] = await findRecords(
    ctx,
    file,
    [
      sql`t.outreach_channel = ${over}`,
      sql`t.opportunity_id is null`,
      or(targets),
      ...(subtype === undefined ? [] : [sql`t.subtype = ${subtype}`]),
    ],
    sql`order by t.contact_id is null, t.lead_id is null, t.date_updated desc, t.id desc limit 1`,
  );
  return found ?? null;
}

/** Where a file may be assigned, from the record itself to the whole organization. */
async function targetsOf(ctx: Ctx, contactId: string | undefined, leadId: string | undefined): Promise<Sql[]> {
  const person = contactId === undefined ? null : await findRecord(ctx, contact, contactId);
  if (contactId !== undefined && person === null) throw invalid({ contact_id: "does not exist" });
  if (leadId !== undefined && (await findRecord(ctx, lead, leadId)) === null) throw invalid({ lead_id: "does not exist" });
  if (person !== null && leadId !== undefined && person.lead_id !== leadId)
    throw invalid({ contact_id: "belongs to another lead" });
  const ofLead = person?.lead_id ?? leadId ?? null;
  return [
    // The PDF of a quote outlives its lead, and is nothing for others.
    sql`(t.lead_id is null and not t.is_system)`,
    ...(ofLead === null ? [] : [sql`(t.lead_id = ${ofLead} and t.contact_id is null)`]),
    ...(person === null ? [] : [sql`t.contact_id = ${person.id}`]),
  ];
}
