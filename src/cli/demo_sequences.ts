// A sequence of the demo with what became of the people in it. A real one needs a mailbox and weeks, so its state is written as the
// service would have left it; its messages and tasks are made by their own verbs.
import type { App } from "../app.ts";
import { store } from "../records/store.ts";
import { call } from "../resources/activities/call.ts";
import { email } from "../resources/activities/email.ts";
import { sequenceSubscription } from "../resources/sequences/sequence_subscription.ts";
import { noteStep } from "../resources/sequences/steps_taken.ts";
import { task } from "../resources/tasks/task.ts";
import { newId } from "../values/id.ts";
import type { Place, Written } from "./demo_company.ts";
import { type Moment, operate, type Scribe, writing } from "./demo_scribe.ts";

const dayMs = 86_400_000;

const steps = [
  { step_type: "email", subject: "A better chair, {{ contact.first_name }}", body: "<p>May I show you our new chairs?</p>" },
  { step_type: "call", delay: { amount: 2, unit: "days" }, text: "Ask {{ contact.first_name }} about the offices" },
  { step_type: "email", delay: { amount: 4, unit: "days" }, threading: "old_thread", body: "<p>Did you see my mail?</p>" },
];

/** How they ended, in turn: some answered, some were reached by phone, some never said anything. */
const ends = [
  { status: "goal", status_reason: "reply-received", reached: 1 },
  { status: "finished", status_reason: null, reached: 3 },
  { status: "goal", status_reason: "meeting-booked", reached: 2 },
  { status: "finished", status_reason: null, reached: 3 },
  { status: "error", status_reason: "email-bounced", reached: 1 },
  { status: "paused", status_reason: "manual", reached: 1 },
] as const;

export async function enrollSome(app: App, place: Place, written: readonly Written[]): Promise<void> {
  const [founder] = place.team;
  const when: Moment = { by: founder!, at: new Date(place.now.getTime() - 50 * dayMs) };
  // It is paused, so that a worker does not go on with those who are not at its end.
  const made = await operate(app, when, "sequence.create", {
    name: "New chairs",
    timezone: "Europe/Berlin",
    status: "paused",
    steps,
  });
  const some = written.filter(({ company }) => company.age > 25).slice(0, 18);
  await writing(
    app,
    founder!,
    () => {},
    async (scribe) => {
      for (const [i, one] of some.entries()) await enroll(scribe, place, made, one, ends[i % ends.length]!, 20 + (i % 5));
    },
  );
}

async function enroll(
  scribe: Scribe,
  place: Place,
  sequence: { id: string; name: string; steps: { id: string }[]; steps_version: number },
  { lead_id, contact_id, company }: Written,
  end: (typeof ends)[number],
  ago: number,
): Promise<void> {
  const by = place.team[company.owner]!;
  const at = (days: number): Moment => ({ by, at: new Date(place.now.getTime() - (ago - days) * dayMs) });
  const own = { ...scribe.ctx, actor: by, now: at(0).at };
  const { reached, ...state } = end;
  const isOver = state.status !== "paused";
  const way = store.insert(own, sequenceSubscription, {
    ...state,
    id: newId(sequenceSubscription.prefix, at(0).at.getTime()),
    sequence_id: sequence.id,
    lead_id,
    contact_id,
    contact_email: company.people[0]!.email,
    start_date: at(0).at.toISOString(),
    steps_version: sequence.steps_version,
    current_step_id: isOver ? null : sequence.steps[reached]!.id,
    finished_at: isOver ? at(2 * reached).at.toISOString() : null,
    paused_at: isOver ? null : at(2).at.toISOString(),
    calls_assigned_to: [by.user_id],
  });
  const link = { sequence_id: sequence.id, sequence_subscription_id: way.id };
  for (let i = 0; i < reached; i++) {
    const when = at(2 * i);
    const object_id =
      i === 1
        ? await callThem(scribe, when, { lead_id, contact_id }, link)
        : await mailThem(scribe, when, { lead_id, contact_id }, link, i, company);
    noteStep({ ...own, now: when.at }, way, { step_id: sequence.steps[i]!.id, outcome: "done", object_id });
    if (i === 0 && state.status_reason === "reply-received")
      await answerThem(scribe, at(1), { lead_id, contact_id }, object_id, company);
  }
}

type About = { lead_id: string; contact_id: string };
type Link = { sequence_id: string; sequence_subscription_id: string };

async function mailThem(
  scribe: Scribe,
  when: Moment,
  about: About,
  link: Link,
  step: number,
  { people }: Written["company"],
): Promise<string> {
  const subject = step === 0 ? "A better chair" : "Re: A better chair";
  const body = {
    ...about,
    subject,
    body_text: "May I show you our new chairs?",
    to: [people[0]!.email],
    status: "sent",
    date_sent: when.at.toISOString(),
  };
  return (await scribe.create(email, when, body, link)).id;
}

async function callThem(scribe: Scribe, when: Moment, about: About, link: Link): Promise<string> {
  const todo = await scribe.create(task, when, {
    ...about,
    text: "Ask about the offices",
    _type: "call",
    date: when.at.toISOString().slice(0, 10),
  });
  await scribe.create(call, when, { ...about, direction: "outbound", disposition: "answered", duration: 180 }, link);
  await scribe.update(task, todo.id, when, { is_complete: true });
  return todo.id;
}

async function answerThem(
  scribe: Scribe,
  when: Moment,
  about: About,
  mailId: string,
  { people }: Written["company"],
): Promise<void> {
  await scribe.create(email, when, {
    ...about,
    subject: "Re: A better chair",
    body_text: "Gladly. Call me tomorrow.",
    sender: people[0]!.email,
    status: "inbox",
    in_reply_to_id: mailId,
    date_sent: when.at.toISOString(),
  });
}
