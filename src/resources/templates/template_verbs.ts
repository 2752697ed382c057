// The verbs of templates: placeholders must be valid, and only some members may change a template.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { type Sql, sql, statement } from "../../db/sql.ts";
import { store } from "../../records/store.ts";
import { problemOfTemplate } from "../../services/liquid.ts";
import { subjectMax } from "../activities/email.ts";
import { textsWithoutOurLinks, withoutOurLinks } from "../mail_tracking/quoted.ts";
import { refuseBoth } from "../shared/resolve_label.ts";
import { emailTemplate } from "./email_template.ts";
import { checkMayWrite } from "./ownership.ts";
import { smsTemplate, templateMax } from "./sms_template.ts";

type EmailTemplate = Row<typeof emailTemplate>;
type SmsTemplate = Row<typeof smsTemplate>;

export async function createEmailTemplate(ctx: Ctx, given: Create<typeof emailTemplate>): Promise<EmailTemplate> {
  return store.insert(ctx, emailTemplate, await passedOn(ctx, readable(withBody(given))));
}

export async function updateEmailTemplate(
  ctx: Ctx,
  before: EmailTemplate,
  patch: Patch<typeof emailTemplate>,
): Promise<EmailTemplate> {
  checkMayWrite(ctx, before);
  return store.update(ctx, emailTemplate, before, await passedOn(ctx, readable(withBody(patch, before)), before));
}

export async function deleteEmailTemplate(ctx: Ctx, before: EmailTemplate): Promise<void> {
  checkMayWrite(ctx, before);
  await refuseWhileSent(ctx, sql`email_template_ids @> ${[before.id]}`);
  await store.remove(ctx, emailTemplate, [before]);
}

export async function createSmsTemplate(ctx: Ctx, given: Create<typeof smsTemplate>): Promise<SmsTemplate> {
  return store.insert(ctx, smsTemplate, await textsWithoutOurLinks(ctx, readable(given), ["text"], templateMax));
}

export async function updateSmsTemplate(ctx: Ctx, before: SmsTemplate, patch: Patch<typeof smsTemplate>): Promise<SmsTemplate> {
  checkMayWrite(ctx, before);
  const values = await textsWithoutOurLinks(ctx, readable(patch), ["text"], templateMax, before);
  return store.update(ctx, smsTemplate, before, values);
}

export async function deleteSmsTemplate(ctx: Ctx, before: SmsTemplate): Promise<void> {
  checkMayWrite(ctx, before);
  await refuseWhileSent(ctx, sql`sms_template_ids @> ${[before.id]}`);
  await store.remove(ctx, smsTemplate, [before]);
}

type Letter = Partial<Pick<EmailTemplate, "subject" | "body">>;

/** Somebody may paste a mail that was sent to one person, and everybody would get that person's links. */
async function passedOn<T extends Letter>(ctx: Ctx, given: T, before: Letter = {}): Promise<T> {
  const titled = await textsWithoutOurLinks(ctx, given, ["subject"], subjectMax, before as Partial<T>);
  if (!given.body) return titled;
  const { html } = await withoutOurLinks(ctx, { text: null, html: given.body });
  return { ...titled, body: html! };
}

/** A sequence locks the templates that it starts to use, so that none is deleted at the same moment. */
async function refuseWhileSent(ctx: Ctx, names: Sql): Promise<void> {
  const [used] = await query(
    ctx,
    statement(sql`select 1 from sequence where organization_id = ${ctx.organization_id} and ${names} limit 1`),
  );
  if (used !== undefined) throw invalid({}, "It is still used by a sequence: change or delete the sequence first.");
}

/** `body_html` is another name of `body`. Of the two, the one that differs from the stored value counts. */
function withBody<T extends { body?: string; body_html?: string }>(
  { body_html, ...given }: T,
  before: { body?: string } = {},
): Omit<T, "body_html"> {
  if (body_html === undefined || body_html === before.body) return given;
  if (body_html === null) throw invalid({ body_html: "must not be null" });
  if (given.body === before.body) return { ...given, body: body_html };
  refuseBoth({ ...given, body_html }, "body", "body_html");
  return { ...given, body: body_html };
}

const written = ["subject", "body", "text"] as const;

function readable<T extends { [K in (typeof written)[number]]?: string }>(given: T): T {
  for (const field of written) {
    const problem = given[field] === undefined ? null : problemOfTemplate(given[field]);
    if (problem !== null) throw invalid({ [field]: problem });
  }
  return given;
}
