// `POST /ai/summarize_lead/`: a lead in a few sentences. What stands out and what to do comes from its facts alone; a model, where
// one is connected, writes only the sentences.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { operation } from "../../core/operation.ts";
import { zoneOf } from "../../records/clock.ts";
import { addDays, todayIn } from "../../values/time.ts";
import { helpedByModel } from "./ask_model.ts";
import { counted, dayInWords, listed, quoted, within } from "./in_words.ts";
import { modelInput, modelOutput } from "./model_fields.ts";
import type { Task } from "./prompt.ts";
import { checkedProse } from "./prose.ts";
import { recentWords } from "./recent_words.ts";
import { sentencesOf } from "./sentences.ts";
import { type ShownLead, shownLeads, type Values } from "./shown_leads.ts";
import { wordsOf } from "./words_of.ts";

/** What a summary reads of a lead. */
const fields = [
  "industry",
  "url",
  "status_label",
  "owner_name",
  "score",
  "score_grade",
  "tags",
  "date_created",
  "primary_address_summary",
  "primary_email",
  "primary_phone",
  "last_communication_date",
  "last_communication_type",
  "last_communication_summary",
  "last_incoming_email_date",
  "last_outgoing_email_date",
  "last_email_subject",
  "next_task_date",
  "next_task_text",
  "num_incomplete_tasks",
  "num_calls",
  "num_emails",
  "num_upcoming_meetings",
  "num_active_opportunities",
  "num_won_opportunities",
  "active_opportunity_value_summary",
  "won_opportunity_value_summary",
  "primary_opportunity_status_label",
  "primary_opportunity_status_type",
  "primary_opportunity_note",
];

export const summarizeLead = operation({
  name: "ai.summarize_lead",
  method: "POST",
  path: "/ai/summarize_lead/",
  doc: "Sums up a lead: who it is, what is going on, and what to do next.",
  permission: "member",
  group: "ai",
  scope: "read",
  pastDue: true,
  transaction: false,
  input: {
    lead_id: z.string().describe("The lead."),
    max_words: z.int().min(20).max(500).default(120).describe("How long the summary may be."),
    ...modelInput,
  },
  output: z.strictObject({
    lead_id: z.string(),
    summary: z.string(),
    highlights: z.array(z.string()),
    next_steps: z.array(z.string()),
    ...modelOutput,
    generated_at: z.iso.datetime(),
  }),
  async run(ctx, { lead_id, max_words, model: wanted }) {
    const [found] = await shownLeads(ctx, [lead_id], fields, "lead_id");
    const telling = tellingOf(ctx, found!);
    const facts = [whoOf(telling), peopleOf(telling), dealsOf(telling), contactOf(telling), workOf(telling)];
    const { value, ...by } = await helpedByModel(
      ctx,
      wanted,
      () => taskOf(ctx, found!, max_words),
      (answer: any) => within(sentencesOf(checkedProse(answer?.summary, { known: factsOf(found!), most: 8000 })), max_words),
    );
    return {
      lead_id,
      summary: value ?? within(facts, max_words),
      highlights: highlightsOf(telling),
      next_steps: nextStepsOf(telling),
      ...by,
      generated_at: ctx.now.toISOString(),
    };
  },
});

/** How many of the newest activities a model reads, and how much of each. */
const recent = 20;
const wordsMost = 1500;

async function taskOf(ctx: Ctx, found: ShownLead, max_words: number): Promise<Task> {
  const said = await recentWords(ctx, found.id, recent);
  const people = found.contacts.slice(0, 20).map(({ display_name, title }) => ({ display_name, title }));
  return {
    does: `Sum up this lead for a colleague who meets it for the first time: who it is, what is going on, what was said last. At most ${max_words} words, no headings, no lists. Say only what the data says. Today is ${ctx.now.toISOString().slice(0, 10)}.`,
    answers: '{"summary": "the text"}',
    data: {
      facts: found.values,
      people,
      said: said.map((one) => ({ on: one.activity_at, kind: one._type, words: wordsOf(one).slice(0, wordsMost) })),
    },
    tokens: 1500,
  };
}

/** The lead's own addresses, which a summary may name. */
const factsOf = ({ values, contacts }: ShownLead): string =>
  JSON.stringify([
    values.display_name,
    values.url,
    values.primary_email,
    contacts.map(({ display_name, emails }) => [display_name, emails]),
  ]);

interface Telling {
  lead: Record<string, any>;
  people: readonly Values[];
  /** The caller's day: `2026-01-31`. */
  today: string;
  on(instant: string): string;
  /** Days since then. Null for never. */
  since(instant: string | null): number | null;
}

function tellingOf(ctx: Ctx, { values, contacts }: ShownLead): Telling {
  const zone = zoneOf(ctx.directory, ctx);
  return {
    lead: values,
    people: contacts,
    today: todayIn(ctx.now, zone),
    on: (instant) => dayInWords(instant, ctx.now, zone),
    since: (instant) => (instant === null ? null : Math.floor((ctx.now.getTime() - Date.parse(instant)) / 86_400_000)),
  };
}

// --- the summary ---

function whoOf({ lead }: Telling): string {
  const about = [lead.industry && `in ${lead.industry}`, lead.primary_address_summary && `from ${lead.primary_address_summary}`];
  const owner = lead.owner_name ? `, owned by ${lead.owner_name}` : ", without an owner";
  const status = lead.status_label ? ` with the status ${lead.status_label}` : "";
  return `${[`${lead.display_name} is a lead`, ...about].filter((one) => one).join(" ")}${status}${owner}.`;
}

function peopleOf({ people }: Telling): string {
  if (people.length === 0) return "No contact is known.";
  const names = people.map(({ display_name, title }) => (title ? `${display_name} (${title})` : String(display_name)));
  return `It has ${counted(people.length, "contact")}: ${listed(names)}.`;
}

function dealsOf({ lead }: Telling): string {
  const parts = (["active", "won"] as const)
    .filter((type) => lead[`num_${type}_opportunities`] > 0)
    .map((type) => {
      const worth = lead[`${type}_opportunity_value_summary`];
      const kind = type === "active" ? "open deal" : "won deal";
      return `${counted(lead[`num_${type}_opportunities`], kind)}${worth ? ` worth ${worth}` : ""}`;
    });
  if (parts.length === 0) return "There is no open deal.";
  const stage =
    lead.primary_opportunity_status_type === "active" ? `; the newest is in ${lead.primary_opportunity_status_label}` : "";
  const text = parts.join(" and ");
  return `There ${text.startsWith("one") ? "is" : "are"} ${text}${stage}.`;
}

const kindWords: ReadonlyMap<string, string> = new Map([
  ["Email", "an e-mail"],
  ["SMS", "a text message"],
  ["ChannelMessage", "a message"],
  ["Call", "a call"],
  ["Meeting", "a meeting"],
]);

function contactOf({ lead, on }: Telling): string {
  if (lead.last_communication_date === null) return "Nobody has been in touch yet.";
  const what = kindWords.get(lead.last_communication_type) ?? "a message";
  const summary = lead.last_communication_summary ? `: ${quoted(lead.last_communication_summary)}` : "";
  return `The last contact was ${what} ${on(lead.last_communication_date)}${summary}.`;
}

function workOf({ lead }: Telling): string {
  if (lead.num_incomplete_tasks === 0) return "";
  const next = lead.next_task_text ? `; next, ${lead.next_task_date}: ${quoted(lead.next_task_text)}` : "";
  const count = counted(lead.num_incomplete_tasks, "task");
  return `There ${lead.num_incomplete_tasks === 1 ? "is" : "are"} ${count} to do${next}.`;
}

// --- what stands out, and what to do ---

/** Without contact for longer, a lead is going cold. */
const coldAfterDays = 30;

const waitsForAnswer = ({ lead }: Telling): boolean =>
  lead.last_incoming_email_date !== null && (lead.last_outgoing_email_date ?? "") < lead.last_incoming_email_date;
const isOverdue = ({ lead, today }: Telling): boolean => lead.next_task_date !== null && lead.next_task_date < today;

function highlightsOf(telling: Telling): string[] {
  const { lead, since, on } = telling;
  const days = since(lead.last_communication_date);
  const found = [
    lead.score !== null && `Score ${lead.score} (${lead.score_grade})`,
    lead.active_opportunity_value_summary && `Open deals: ${lead.active_opportunity_value_summary}`,
    lead.won_opportunity_value_summary && `Won: ${lead.won_opportunity_value_summary}`,
    waitsForAnswer(telling) && `They wrote ${on(lead.last_incoming_email_date)} and wait for an answer`,
    days !== null && days > coldAfterDays && `No contact for ${days} days`,
    lead.num_upcoming_meetings > 0 && `${counted(lead.num_upcoming_meetings, "meeting")} ahead`,
    isOverdue(telling) && `A task is overdue since ${lead.next_task_date}`,
    lead.tags.length > 0 && `Tags: ${listed(lead.tags, 5)}`,
  ];
  return found.filter((one): one is string => typeof one === "string");
}

function nextStepsOf(telling: Telling): string[] {
  const { lead, people, since } = telling;
  const days = since(lead.last_communication_date);
  const steps = [
    waitsForAnswer(telling) && `Answer their e-mail${lead.last_email_subject ? ` ${quoted(lead.last_email_subject, 80)}` : ""}`,
    lead.next_task_text && `${isOverdue(telling) ? "Overdue" : `By ${lead.next_task_date}`}: ${quoted(lead.next_task_text, 120)}`,
    people.length === 0 && "Find out whom to talk to, and add a contact",
    lead.primary_email === null && lead.primary_phone === null && "Find an e-mail address or a phone number",
    days === null && lead.primary_email !== null && "Write a first e-mail",
    days !== null && days > coldAfterDays && `Get in touch again after ${days} days`,
    lead.num_active_opportunities === 0 && days !== null && "Create an opportunity, if there is one",
    lead.num_active_opportunities > 0 && lead.num_incomplete_tasks === 0 && "Plan the next step of the deal as a task",
  ];
  const found = steps.filter((one): one is string => typeof one === "string");
  return found.length > 0 ? found : [`Plan the next contact for ${addDays(telling.today, 7)}`];
}
