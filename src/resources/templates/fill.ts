// Fills in a template for a lead and one of its contacts: the value of each placeholder, and who may use the template.
import { type Ctx, read } from "../../core/context.ts";
import { invalid, reasonsOf } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { type Rendering, renderTemplate, TemplateError, type TemplateForm } from "../../services/liquid.ts";
import { isMarkup } from "../../values/mail_html.ts";
import { formatMoney } from "../../values/money.ts";
import { phoneFormatted } from "../../values/phone.ts";
import { fromHtml } from "../../values/rich_text.ts";
import type { Attachment } from "../activities/attachments.ts";
import type { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { opportunityStatus } from "../opportunities/opportunity_status.ts";
import { organizationOf, user } from "../organization/organization.ts";
import { usualNumber } from "../telephony/own_numbers.ts";
import { emailTemplate } from "./email_template.ts";
import type { Filled } from "./placeholders.ts";
import { smsTemplate } from "./sms_template.ts";

type Lead = Row<typeof lead>;
type Contact = Row<typeof contact>;
type Values = Record<string, unknown>;

export interface FilledEmail {
  subject: string;
  body: string;
  missing_variables: string[];
}

/** Fills in subject and body. A template that exceeds its limits is refused by its field. */
export async function fillEmail(
  ctx: Ctx,
  template: Pick<Row<typeof emailTemplate>, "subject" | "body">,
  at: Lead,
  person: Contact | null,
  more: Values = {},
): Promise<FilledEmail> {
  const values = { ...(await valuesOf(ctx, `${template.subject}${template.body}`, at, person)), ...more };
  const subject = filled("subject", template.subject, values, "text");
  const body = filled("body", template.body, values, "html");
  return {
    subject: subject.text.replace(/\s+/g, " ").trim(),
    body: body.text,
    missing_variables: [...new Set([...subject.missing, ...body.missing])],
  };
}

/** Fills in a plain text. */
export async function fillText(ctx: Ctx, source: string, at: Lead, person: Contact | null, more: Values = {}): Promise<string> {
  return filled("text", source, { ...(await valuesOf(ctx, source, at, person)), ...more }, "text").text;
}

function filled(field: string, source: string, values: Values, form: TemplateForm): Rendering {
  try {
    return renderTemplate(source, values, form);
  } catch (error) {
    if (error instanceof TemplateError) throw invalid({ [field]: error.message });
    throw error;
  }
}

interface Letter {
  lead_id: string;
  template_id?: string | null;
  attachments?: Attachment[];
}

/** What a new e-mail takes from its template when it has no body of its own. */
export async function emailFromTemplate(
  ctx: Ctx,
  mail: Letter & { subject?: string; body_text?: string | null; body_html?: string | null },
  person: Contact | null,
) {
  if (!mail.template_id) return {};
  const template = await findRecord(ctx, emailTemplate, mail.template_id);
  if (template === null) throw invalid({ template_id: "does not exist" });
  if (mail.body_text || mail.body_html) return {};

  const { subject, body } = await underTemplateId(async () => fillEmail(ctx, template, await leadOf(ctx, mail), person));
  return {
    subject: mail.subject || subject.slice(0, 1000),
    body_html: body,
    attachments: mail.attachments?.length ? mail.attachments : template.attachments,
  };
}

/** The same for a text message. */
export async function smsFromTemplate(ctx: Ctx, message: Letter & { text?: string | null }, person: Contact | null, max: number) {
  if (!message.template_id) return {};
  const template = await findRecord(ctx, smsTemplate, message.template_id);
  if (template === null) throw invalid({ template_id: "does not exist" });
  if (message.text) return {};

  const values = await valuesOf(ctx, template.text, await leadOf(ctx, message), person);
  const { text } = await underTemplateId(async () => filled("text", template.text, values, "text"));
  if (text.length > max) throw invalid({ template_id: `makes a text of more than ${max} characters` });
  return { text, attachments: message.attachments?.length ? message.attachments : template.attachments };
}

async function leadOf(ctx: Ctx, { lead_id }: Letter): Promise<Lead> {
  const found = await findRecord(ctx, lead, lead_id);
  if (found === null) throw invalid({ lead_id: "does not exist" });
  return found;
}

/** The author of a message named the template, so errors name it and not its fields. */
async function underTemplateId<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (problem) {
    const [field, reason] = Object.entries(reasonsOf(problem))[0]!;
    throw field === "lead_id" ? problem : invalid({ template_id: `has a ${field} that ${reason}` });
  }
}

// --- the values ---

/** Only values that the template may use are looked up, because a deal and a signature each need a query. */
async function valuesOf(ctx: Ctx, source: string, at: Lead, person: Contact | null): Promise<Values> {
  const organization = organizationOf(ctx.directory);
  return {
    lead: leadValues(ctx, at),
    contact: person === null ? {} : contactValues(ctx, person),
    opportunity: source.includes("opportunity") ? await dealValues(ctx, at.id) : {},
    user: await userValues(ctx, source),
    organization: { id: organization.id, name: organization.name, currency: organization.currency },
  };
}

function leadValues(ctx: Ctx, at: Lead): Filled<"lead"> {
  const { id, display_name, name, url, description, industry, addresses, emails, phones } = at;
  const status = ctx.directory.get(leadStatus, at.status_id)?.label ?? null;
  return {
    id,
    display_name,
    name,
    url,
    description,
    industry,
    status,
    status_label: status,
    address: addresses[0] ?? {},
    email: emails[0]?.email,
    phone: phones[0]?.phone_formatted,
    owner: personValues(ctx, at.owner_id),
    custom: customValues(ctx, "lead", at.custom),
  };
}

function contactValues(ctx: Ctx, person: Contact): Filled<"contact"> {
  const { id, display_name, name, title, emails, phones } = person;
  const [first_name, ...rest] = (name ?? "").trim().split(/\s+/);
  return {
    id,
    display_name,
    name,
    title,
    first_name,
    last_name: rest.join(" "),
    email: emails[0]?.email,
    phone: phones[0]?.phone_formatted,
    custom: customValues(ctx, "contact", person.custom),
  };
}

/** The deal that was changed last. Open deals come before others. */
async function dealValues(ctx: Ctx, lead_id: string): Promise<Partial<Filled<"opportunity">>> {
  const deals = await findRecords(
    ctx,
    opportunity,
    [sql`t.lead_id = ${lead_id}`],
    sql`order by t.date_updated desc, t.id desc limit 50`,
  );
  const statusOf = (deal: Row<typeof opportunity>) => ctx.directory.get(opportunityStatus, deal.status_id);
  const deal = deals.find((one) => statusOf(one)?.type === "active") ?? deals[0];
  if (deal === undefined) return {};
  const { id, value_currency, value_period, confidence, note, expected_close_date } = deal;
  return {
    id,
    value_currency,
    value_period,
    confidence,
    note,
    expected_close_date,
    value: formatMoney(deal.value, value_currency),
    status: statusOf(deal)?.label,
    custom: customValues(ctx, "opportunity", deal.custom),
  };
}

/** The caller, with the number they call from. */
async function userValues(ctx: Ctx, source: string): Promise<Partial<Filled<"user">>> {
  const { user_id } = ctx.actor;
  const number = usualNumber(ctx, user_id);
  const signature = source.includes("signature") ? await signatureOf(ctx, user_id) : null;
  return { ...personValues(ctx, user_id), phone: number === null ? null : phoneFormatted(number.number), signature };
}

/** Without its tags, because values are text. */
async function signatureOf(ctx: Ctx, userId: string): Promise<string | null> {
  const [row] = await read(ctx, statement(sql`select signature from "user" where id = ${userId}`, "user.signature"));
  const signature = row?.[0] ?? null;
  return signature !== null && isMarkup(signature) ? fromHtml(signature).text : signature;
}

function personValues(ctx: Ctx, id: string | null): Values {
  const member = ctx.directory.get(user, id);
  if (member === undefined) return {};
  const { first_name, last_name, name, email } = member;
  return { id, first_name, last_name, name, email };
}

/** Custom values by their names and by their ids. */
function customValues(ctx: Ctx, objectType: string, custom: Values = {}): Values {
  const named = [...customFieldsOf(ctx.directory, objectType)].flatMap(([key, field]) => [
    [field.name, custom[key]],
    [field.id, custom[key]],
  ]);
  return Object.assign(Object.create(null), Object.fromEntries(named));
}
