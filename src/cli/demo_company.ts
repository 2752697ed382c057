// Writes one company of the demo with its history, in the order in which it happened.
import type { Actor } from "../core/context.ts";
import { call } from "../resources/activities/call.ts";
import { email } from "../resources/activities/email.ts";
import { meeting } from "../resources/activities/meeting.ts";
import { note } from "../resources/activities/note.ts";
import { sms } from "../resources/activities/sms.ts";
import { comment } from "../resources/comments/comment.ts";
import { contact } from "../resources/contacts/contact.ts";
import { lead } from "../resources/leads/lead.ts";
import { opportunity } from "../resources/opportunities/opportunity.ts";
import { task } from "../resources/tasks/task.ts";
import type { Company, Deal, Happening } from "./demo_data.ts";
import type { Moment, Scribe } from "./demo_scribe.ts";
import { callOutcomes, calls, dispositions, mails, meetings, notes, tasks, texts } from "./demo_words.ts";

/** What the organization has to choose from. */
export interface Place {
  team: readonly Actor[];
  now: Date;
  leadStatuses: Record<Company["fate"], string>;
  /** The open stages in their order, and the two ends. */
  stages: readonly string[];
  won: string;
  lost: string;
  outcomes: { calls: readonly string[]; meetings: readonly string[] };
}

export interface Written {
  lead_id: string;
  contact_id: string;
  opportunity_id: string | null;
  company: Company;
}

const dayMs = 86_400_000;

export async function writeCompany(scribe: Scribe, place: Place, company: Company): Promise<Written> {
  const by = place.team[company.owner]!;
  const began = place.now.getTime() - company.age * dayMs;
  // Nobody works at night: from eight to six, and never later than now.
  const at = (after: number, turn = 0): Moment => {
    const hour = 8 + ((after * 7 + turn * 3) % 10);
    const day = new Date(began + after * dayMs).setUTCHours(hour, (after * 13 + turn * 29) % 60, turn % 60, 0);
    return { by, at: new Date(Math.min(day, place.now.getTime() - (60 - Math.min(turn, 59)) * 1000)) };
  };

  const made = await scribe.create(lead, at(0), leadOf(company, place));
  const person = await scribe.create(contact, at(0), contactOf(company, 0, made.id));
  for (let i = 1; i < company.people.length; i++) await scribe.create(contact, at(0, i), contactOf(company, i, made.id));
  const about = { lead_id: made.id, contact_id: person.id };
  const story = [...company.story];
  const until = async (after: number) => {
    while (story.length > 0 && story[0]!.after <= after) await tell(scribe, place, company, about, story.shift()!, at);
  };

  const opportunity_id = company.deal === null ? null : await writeDeal(scribe, place, company, company.deal, about, at, until);
  await until(company.age);
  if (company.fate === "unfit") await scribe.update(lead, made.id, at(company.age, 40), { status_id: place.leadStatuses.unfit });
  if (company.fate === "won" && company.deal?.ends)
    await scribe.update(lead, made.id, at(company.deal.ends, 50), { status_id: place.leadStatuses.won });
  return { ...about, opportunity_id, company };
}

async function writeDeal(
  scribe: Scribe,
  place: Place,
  { fate }: Company,
  deal: Deal,
  about: About,
  at: (after: number, turn?: number) => Moment,
  until: (after: number) => Promise<void>,
): Promise<string> {
  await until(deal.begins);
  await scribe.update(lead, about.lead_id, at(deal.begins, 10), { status_id: place.leadStatuses.talking });
  const row = await scribe.create(opportunity, at(deal.begins, 11), {
    ...about,
    status_id: place.stages[0],
    note: deal.note,
    value: deal.value,
    value_period: deal.period,
    confidence: 25,
    expected_close_date: dateOf(new Date(place.now.getTime() + (5 + (deal.value % 60)) * dayMs)),
  });
  for (const [i, after] of deal.stages.entries()) {
    await until(after);
    const stage = { status_id: place.stages[Math.min(i + 1, place.stages.length - 1)], confidence: 25 + 20 * (i + 1) };
    await scribe.update(opportunity, row.id, at(after, 20 + i), stage);
  }
  if (deal.ends !== null) {
    await until(deal.ends);
    await scribe.update(opportunity, row.id, at(deal.ends, 45), { status_id: fate === "won" ? place.won : place.lost });
  }
  return row.id;
}

const dateOf = (day: Date): string => day.toISOString().slice(0, 10);

const leadOf = (company: Company, { leadStatuses }: Place) => ({
  name: company.name,
  url: company.url,
  industry: company.industry,
  source: company.source,
  status_id: leadStatuses.new,
  phones: [{ phone: company.phone, type: "office" }],
  addresses: [{ city: company.city, country: company.country }],
});

const contactOf = ({ people, phone }: Company, i: number, lead_id: string) => ({
  lead_id,
  name: people[i]!.name,
  title: people[i]!.title,
  emails: [{ email: people[i]!.email, type: "office" }],
  ...(i === 0 ? { phones: [{ phone, type: "office" }] } : {}),
});

type About = { lead_id: string; contact_id: string };

const one = <T>(list: readonly T[], number: number): T => list[number % list.length]!;

async function tell(
  scribe: Scribe,
  place: Place,
  company: Company,
  about: About,
  { kind, after, words, result }: Happening,
  at: (after: number, turn?: number) => Moment,
): Promise<void> {
  const when = at(after, 12 + (words % 20));
  const [person] = company.people;
  switch (kind) {
    case "note": {
      const row = await scribe.create(note, when, { ...about, note: one(notes, words) });
      const other = { ...when, by: place.team[(company.owner + 1) % place.team.length]! };
      if (result % 6 === 0)
        await scribe.create(comment, other, { object_id: row.id, body: "I know somebody there. Shall I call?" });
      return;
    }
    case "call": {
      const disposition = one(dispositions, result);
      const answered = disposition === "answered";
      await scribe.create(call, when, {
        ...about,
        direction: result % 5 === 0 ? "inbound" : "outbound",
        disposition,
        duration: answered ? 60 + ((words * 37) % 900) : 0,
        note: answered ? one(calls, words) : null,
        phone: company.phone,
        outcome_id: one(place.outcomes.calls, answered ? words : callOutcomes.length - 1),
      });
      return;
    }
    case "mail":
      return writeMails(scribe, about, { words, result, person: person! }, after, at);
    case "meeting": {
      const starts_at = when.at.toISOString();
      const row = await scribe.create(meeting, when, { ...about, title: one(meetings, words), starts_at, duration: 3600 });
      const over = new Date(Math.min(when.at.getTime() + 2 * 3_600_000, place.now.getTime()));
      await scribe.update(meeting, row.id, { ...when, at: over }, { outcome_id: one(place.outcomes.meetings, result) });
      return;
    }
    case "text": {
      const side = result % 3 === 0 ? { direction: "inbound", status: "inbox" } : { direction: "outbound", status: "sent" };
      await scribe.create(sms, when, { ...about, text: one(texts, words), remote_phone: company.phone, ...side });
      return;
    }
    case "task": {
      const due = dateOf(new Date(when.at.getTime() + (result % 30) * dayMs));
      const row = await scribe.create(task, when, {
        ...about,
        text: one(tasks, words),
        _type: one(["lead", "call", "email"], result),
        date: due,
      });
      const done = at(Math.min(after + (result % 9), company.age), 55);
      if (result % 3 !== 0) await scribe.update(task, row.id, done, { is_complete: true });
    }
  }
}

/** A mail, what comes back on the next days, and the answer to that: one thread. */
async function writeMails(
  scribe: Scribe,
  about: About,
  { words, result, person }: { words: number; result: number; person: { name: string; email: string } },
  after: number,
  at: (after: number, turn?: number) => Moment,
): Promise<void> {
  const [subject, text, answer, thanks] = one(mails, words);
  const first = person.name.split(" ")[0];
  const sent = at(after, 30);
  const mail = await scribe.create(email, sent, {
    ...about,
    subject,
    body_text: `Hello ${first},\n\n${text}\n`,
    to: [person.email],
    status: "sent",
    date_sent: sent.at.toISOString(),
  });
  if (result % 2 === 0) return;
  const back = at(after, 42);
  const reply = await scribe.create(email, back, {
    ...about,
    subject: `Re: ${subject}`,
    body_text: `Hello,\n\n${answer}\n\n${person.name}\n`,
    sender: `"${person.name}" <${person.email}>`,
    status: "inbox",
    in_reply_to_id: mail.id,
    date_sent: back.at.toISOString(),
  });
  if (result % 4 === 1) return;
  const last = at(after, 52);
  await scribe.create(email, last, {
    ...about,
    body_text: `Hello ${first},\n\n${thanks}\n`,
    to: [person.email],
    status: "sent",
    in_reply_to_id: reply.id,
    date_sent: last.at.toISOString(),
  });
}
