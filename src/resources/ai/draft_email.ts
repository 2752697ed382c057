// `POST /ai/draft_email/`: a first text of an e-mail to somebody. No e-mail is created: who likes it, sends it as one.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { fromHtml, fromText } from "../../values/rich_text.ts";
import { email } from "../activities/email.ts";
import { normalizedSubject } from "../activities/threading.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { user } from "../organization/organization.ts";
import { emailTemplate } from "../templates/email_template.ts";
import { fillEmail } from "../templates/fill.ts";
import { helpedByModel } from "./ask_model.ts";
import { type Language, languageOf, languages } from "./language_of.ts";
import { letterOf, type Tone, tones } from "./letter.ts";
import { modelInput, modelOutput } from "./model_fields.ts";
import type { Task } from "./prompt.ts";
import { checkedProse } from "./prose.ts";
import { recentWords } from "./recent_words.ts";
import { wordsOf } from "./words_of.ts";

const instructed = z.string().max(5000);

const input = {
  lead_id: z.string().optional().describe("The lead; its first contact with an e-mail address is written to."),
  contact_id: z.string().optional().describe("The person to write to."),
  prompt: instructed.optional().describe("What the e-mail is to say."),
  instructions: instructed.optional().describe("The same as `prompt`."),
  tone: z.enum(tones).default("friendly").describe("How it sounds."),
  template_id: z.string().optional().describe("A template to fill in instead."),
  in_reply_to_id: z.string().optional().describe("The e-mail that it answers."),
  ...modelInput,
  language: z
    .string()
    .regex(/^[a-z]{2}(-[A-Za-z0-9-]{1,10})?$/, "must be a language such as en or de")
    .optional()
    .describe(`${languages.join(", ")}; by default that of the answered e-mail or of the instructions.`),
};
type Given = z.output<z.ZodObject<typeof input>>;

export const draftEmail = operation({
  name: "ai.draft_email",
  method: "POST",
  path: "/ai/draft_email/",
  doc: "Drafts an e-mail to a contact, from a template or from what it is to say. Nothing is created or sent.",
  permission: "member",
  group: "ai",
  scope: "read",
  pastDue: true,
  transaction: false,
  input,
  output: z.strictObject({
    subject: z.string(),
    body_text: z.string(),
    body_html: z.string(),
    body: z.string().describe("The same as `body_html`."),
    contact_id: z.string().nullable(),
    lead_id: z.string(),
    ...modelOutput,
  }),
  async run(ctx, given) {
    const { at, person } = await recipientOf(ctx, given);
    const answered = await answeredOf(ctx, given.in_reply_to_id, at.id);
    const about = { at, person, answered };
    // A template is filled in as it is.
    const { value, ...by } = await helpedByModel(
      ctx,
      given.template_id === undefined ? given.model : "rules",
      () => taskOf(ctx, given, about),
      (answer) => draftIn(answer, knownWords(ctx, given, about)),
    );
    const { subject, body_html, body_text } =
      value ??
      (given.template_id ? await fromTemplate(ctx, given.template_id, at, person) : written(ctx, given, at, person, answered));
    const root = answered === null ? "" : normalizedSubject(answered.subject);
    return {
      subject: root === "" ? subject : `Re: ${root}`,
      body_text,
      body_html,
      body: body_html,
      contact_id: person?.id ?? null,
      lead_id: at.id,
      ...by,
    };
  },
});

type Lead = Row<typeof lead>;
type Contact = Row<typeof contact>;
type Email = Row<typeof email>;

async function recipientOf(ctx: Ctx, { lead_id, contact_id }: Given): Promise<{ at: Lead; person: Contact | null }> {
  if (lead_id === undefined && contact_id === undefined) throw invalid({ lead_id: "is needed, or contact_id" });
  const person = contact_id === undefined ? null : await findRecord(ctx, contact, contact_id);
  if (contact_id !== undefined && person === null) throw invalid({ contact_id: "does not exist" });
  if (person !== null && lead_id !== undefined && person.lead_id !== lead_id)
    throw invalid({ contact_id: "belongs to another lead" });
  const at = await findRecord(ctx, lead, person?.lead_id ?? lead_id!);
  if (at === null) throw invalid({ lead_id: "does not exist" });
  return { at, person: person ?? (await firstWithAddress(ctx, at.id)) };
}

async function firstWithAddress(ctx: Ctx, lead_id: string): Promise<Contact | null> {
  const order = sql`order by (t.emails = '[]'), t.date_created, t.id limit 1`;
  return (await findRecords(ctx, contact, [sql`t.lead_id = ${lead_id}`], order))[0] ?? null;
}

async function answeredOf(ctx: Ctx, id: string | undefined, lead_id: string): Promise<Email | null> {
  if (id === undefined) return null;
  const found = await findRecord(ctx, email, id);
  if (found === null) throw invalid({ in_reply_to_id: "does not exist" });
  if (found.lead_id !== lead_id) throw invalid({ in_reply_to_id: "belongs to another lead" });
  return found;
}

interface Draft {
  subject: string;
  body_html: string;
  body_text: string;
}

async function fromTemplate(ctx: Ctx, id: string, at: Lead, person: Contact | null): Promise<Draft> {
  const template = await findRecord(ctx, emailTemplate, id);
  if (template === null) throw invalid({ template_id: "does not exist" });
  const { subject, body } = await fillEmail(ctx, template, at, person);
  return { subject, body_html: body, body_text: fromHtml(body).text };
}

// --- by a model ---

interface About {
  at: Lead;
  person: Contact | null;
  answered: Email | null;
}

async function taskOf(ctx: Ctx, given: Given & { tone: Tone }, { at, person, answered }: About): Promise<Task> {
  const instructions = given.prompt ?? given.instructions ?? "";
  const said = (await recentWords(ctx, at.id, 5)).map((one) => ({ kind: one._type, words: wordsOf(one).slice(0, 1000) }));
  const answers = answered === null ? null : { subject: answered.subject, words: wordsOf({ ...answered }).slice(0, 4000) };
  const language =
    given.language ?? (answered === null && instructions === "" ? "en" : "that of the wishes or of the answered e-mail");
  return {
    does: `Write an e-mail of ${ctx.directory.get(user, ctx.actor.user_id)?.name ?? "a member"} to the recipient: plain text, with greeting and signature, short, ${given.tone}. Language: ${language}.${answered === null ? "" : " It answers the e-mail in answers."} Promise nothing that the wishes do not say.`,
    wishes: instructions === "" ? "A short friendly message that follows up on the last contact." : instructions,
    answers: '{"subject": "one line", "body": "the text, paragraphs separated by an empty line"}',
    data: { recipient: person?.name ?? null, company: at.display_name, answers, said_before: said },
    tokens: 2000,
  };
}

/** The caller's words, and the addresses of the two who write to each other. */
function knownWords(ctx: Ctx, given: Given, { at, person }: About): string {
  const own = ctx.directory.get(user, ctx.actor.user_id);
  return JSON.stringify([given.prompt, given.instructions, own?.email, at.display_name, at.url, person?.name, person?.emails]);
}

function draftIn(answer: any, known: string): Draft {
  const subject = checkedProse(answer?.subject, { known, most: 300 }).replace(/\s+/g, " ");
  const body_text = checkedProse(answer?.body, { known, most: 10_000 });
  return { subject, body_text, body_html: fromText(body_text).html };
}

// --- by rules ---

function written(ctx: Ctx, given: Given & { tone: Tone }, at: Lead, person: Contact | null, answered: Email | null): Draft {
  const instructions = given.prompt ?? given.instructions ?? "";
  const sender = ctx.directory.get(user, ctx.actor.user_id);
  const { subject, paragraphs } = letterOf({
    instructions,
    tone: given.tone,
    language: languageFor(given.language, answered === null ? instructions : wordsOf({ ...answered })),
    name: nameFor(given.tone, person),
    company: at.display_name,
    sender: sender?.name ?? "",
    isReply: answered !== null,
  });
  const body_text = paragraphs.join("\n\n").trim();
  return { subject, body_text, body_html: fromText(body_text).html };
}

/** A language that no phrases are known for is English. */
const languageFor = (given: string | undefined, words: string): Language =>
  given === undefined ? languageOf(words) : (languages.find((one) => given.toLowerCase().startsWith(one)) ?? "en");

function nameFor(tone: Tone, person: Contact | null): string | null {
  const name = person?.name?.replace(/\s+/g, " ").trim().slice(0, 100) ?? "";
  return name === "" ? null : tone === "formal" ? name : name.split(" ")[0]!;
}
