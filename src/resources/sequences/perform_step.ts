// Makes what a due step is: a message that leaves by itself, or a task for a member.
import { createHash } from "node:crypto";
import type { Ctx } from "../../core/context.ts";
import type { Create, Row } from "../../core/resource.ts";
import { createRecord, findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { domainOf } from "../../values/email.ts";
import { sendersOf, usualMailbox } from "../accounts/senders.ts";
import { channelMessage } from "../activities/channel_message.ts";
import { email } from "../activities/email.ts";
import { mobileOf } from "../activities/own_side.ts";
import { addressLine } from "../activities/recipients.ts";
import { sms } from "../activities/sms.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { task } from "../tasks/task.ts";
import { emailTemplate } from "../templates/email_template.ts";
import { fillEmail, fillText } from "../templates/fill.ts";
import { failWay, StepHeld } from "./endings.ts";
import { goOn } from "./go_on.ts";
import { writeElsewhere } from "./other_address.ts";
import { takePlace } from "./quota.ts";
import { isAddressOf } from "./recipient.ts";
import type { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { ownerOfLead, type Step, type Wording } from "./steps.ts";
import { noteStep } from "./steps_taken.ts";
import { awaitReply } from "./wait_reply.ts";

type Contact = Row<typeof contact>;

export interface DueStep {
  of: Row<typeof sequence>;
  way: Row<typeof sequenceSubscription>;
  step: Step;
  /** The zone of the sequence's hours. */
  zone: string;
}

/** Returns when to look at the subscription again. Null when what it made will wake it. */
export async function performStep(ctx: Ctx, due: DueStep): Promise<Date | null> {
  const person = (await findRecord(ctx, { ...contact, visible: undefined } as typeof contact, due.way.contact_id))!;
  const perform = {
    email: sendEmail,
    sms: sendSms,
    channel_message: sendChannelMessage,
    call: giveCall,
    task: giveTask,
    linkedin_task: giveTask,
    wait_reply: waitForReply,
  };
  return perform[due.step.step_type](ctx, due, person);
}

/** What a message or a task of a sequence knows of it. */
const origin = ({ of, way }: DueStep) => ({
  lead_id: way.lead_id,
  contact_id: way.contact_id,
  sequence_id: of.id,
  sequence_subscription_id: way.id,
});

// --- messages ---

async function sendEmail(ctx: Ctx, due: DueStep, person: Contact): Promise<Date | null> {
  const { way } = due;
  if (way.contact_email === null) return lacksAddress(ctx, due, "The contact has no e-mail address");
  if (!isAddressOf(person, way.contact_email)) return writeElsewhere(ctx, way, person);
  const account = await mailboxFor(ctx, due);
  const domain = domainOf(way.contact_email);
  const place = await takePlace(ctx, { ...due, account, domain });
  if (!place.now) return comeBack(ctx, due, place);

  const { wording, variant } = wordingOf(due);
  const letter = await letterOf(ctx, due, person, wording);
  const sender = way.sender_email === null ? undefined : addressLine({ email: way.sender_email, name: way.sender_name });
  const mail = {
    ...origin(due),
    ...letter,
    sender,
    email_account_id: account.id,
    to: [addressLine({ email: way.contact_email, name: person.name })],
    status: "outbox",
    tracking: due.step.tracking ?? due.of.tracking,
  };
  const { id } = await createRecord(ctx, email, mail as unknown as Create<typeof email>);
  return waitFor(ctx, due, id, variant);
}

/** One of its variants, by their weights: always the same for a subscription. */
function wordingOf({ way, step }: DueStep): { wording: Wording; variant: string | null } {
  const { variants } = step;
  if (!variants?.length) return { wording: step, variant: null };
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  let left = createHash("sha256").update(`${way.id} ${step.id}`).digest().readUInt32BE(0) % total;
  const chosen = variants.find(({ weight }) => (left -= weight) < 0)!;
  return { wording: chosen, variant: chosen.id };
}

/** After so long, the message of a step tries whether its mailbox works again: perhaps nothing else is sent by it. */
const triedAfterMs = 86_400_000;

/** The mailbox must work before anything is written by it. */
async function mailboxFor(ctx: Ctx, { way }: DueStep) {
  const senders = await sendersOf(ctx, ctx.actor.user_id);
  const from = { sender: way.sender_email, email_account_id: way.sender_account_id, send_as_id: null };
  const account = usualMailbox(ctx, senders, from);
  if (account === null)
    throw new StepHeld(
      "account-invalid",
      "There is no mailbox to send from: connect one, or change the sender of the subscription",
    );
  const isTried = way.held_since !== null && ctx.now.getTime() - Date.parse(way.held_since) >= triedAfterMs;
  if (account.send_status === "error" && !isTried)
    throw new StepHeld("account-failures", `The mailbox ${account.email} does not work: ${account.latest_smtp_error}`);
  return account;
}

/** Its words, filled in for the contact. An answer keeps the subject of its thread. */
async function letterOf(
  ctx: Ctx,
  { of, way, step }: DueStep,
  person: Contact,
  { email_template_id, subject: own, body: text }: Wording,
) {
  const anyTemplate = { ...emailTemplate, visible: undefined } as typeof emailTemplate;
  const template = email_template_id ? await findRecord(ctx, anyTemplate, email_template_id) : null;
  if (email_template_id && template === null)
    throw new StepHeld("internal-error", "The template of its step is gone: give the step another one");
  const at = (await findRecord(ctx, lead, way.lead_id))!;
  const words = template ?? { subject: own ?? "", body: text ?? "" };
  const { subject, body } = await fillEmail(ctx, words, at, person, { vars: way.vars ?? {} });
  const threading = step.threading ?? (of.thread_mode === "reply_in_thread" ? "old_thread" : "new_thread");
  const answered = threading === "old_thread" && way.latest_email_id ? await findRecord(ctx, email, way.latest_email_id) : null;
  return {
    template_id: template?.id ?? null,
    subject: answered === null ? subject.slice(0, 1000) : answerTo(answered.subject),
    body_html: body,
    attachments: [...(template?.attachments ?? []), ...(step.attachments ?? [])],
    ...(answered !== null && { in_reply_to_id: answered.id }),
  };
}

const answerTo = (subject: string): string => (/^re:/i.test(subject) ? subject : `Re: ${subject}`.slice(0, 1000));

async function sendSms(ctx: Ctx, due: DueStep, person: Contact): Promise<Date | null> {
  const { way, step } = due;
  const remote_phone = mobileOf(person);
  if (remote_phone === null) return lacksAddress(ctx, due, "The contact has no phone number");
  const place = await takePlace(ctx, { ...due, account: null, domain: null });
  if (!place.now) return comeBack(ctx, due, place);

  const number = ctx.directory.find("phone_number", step.from_phone_number_id ?? way.from_phone_number_id ?? "");
  const at = (await findRecord(ctx, lead, way.lead_id))!;
  const filled = step.text ? await fillText(ctx, step.text, at, person, { vars: way.vars ?? {} }) : null;
  const words = filled === null ? { template_id: step.sms_template_id } : { text: filled };
  const text = {
    ...origin(due),
    ...words,
    remote_phone,
    ...(number !== undefined && { local_phone: (number as unknown as { number: string }).number }),
    status: "outbox",
  };
  const { id } = await createRecord(ctx, sms, text as unknown as Create<typeof sms>);
  return waitFor(ctx, due, id);
}

async function sendChannelMessage(ctx: Ctx, due: DueStep, person: Contact): Promise<Date | null> {
  const { way, step } = due;
  const remote_phone = mobileOf(person);
  if (remote_phone === null) return lacksAddress(ctx, due, "The contact has no phone number");
  const place = await takePlace(ctx, { ...due, account: null, domain: null });
  if (!place.now) return comeBack(ctx, due, place);

  const at = (await findRecord(ctx, lead, way.lead_id))!;
  const text = await fillText(ctx, step.text ?? "", at, person, { vars: way.vars ?? {} });
  const message = { ...origin(due), text, channel: "whatsapp", remote_phone, status: "outbox" };
  const { id } = await createRecord(ctx, channelMessage, message as unknown as Create<typeof channelMessage>);
  return waitFor(ctx, due, id);
}

function lacksAddress(ctx: Ctx, { way }: DueStep, words: string): null {
  failWay(ctx, way, "no-address", words);
  return null;
}

function comeBack(
  ctx: Ctx,
  { way }: DueStep,
  { at, values }: Extract<Awaited<ReturnType<typeof takePlace>>, { now: false }>,
): Date {
  store.update(ctx, sequenceSubscription, way, { ...values, next_step_at: at.toISOString() });
  return at;
}

function waitFor(ctx: Ctx, { way, step }: DueStep, id: string, variant: string | null = null): null {
  noteStep(ctx, way, { step_id: step.id, outcome: "begun", object_id: id, variant });
  store.update(ctx, sequenceSubscription, way, {
    waiting_message_id: id,
    next_step_at: null,
    error_message: null,
    held_since: null,
    slot_at: null,
    throttled_since: null,
  });
  return null;
}

// --- tasks ---

/** Nobody is asked to call whoever wants no calls: dialers leave them out, and a required step would wait for ever. */
const giveCall = async (ctx: Ctx, due: DueStep, person: Contact): Promise<Date | null> =>
  person.do_not_call ? goOn(ctx, due.way, "skipped") : giveTask(ctx, due, person);

/** A required task, or one with a time of its own, is waited for. Others are given, and the next step follows. */
async function giveTask(ctx: Ctx, due: DueStep, person: Contact): Promise<Date | null> {
  const { way, step } = due;
  const chosen = step.assigned_to === ownerOfLead ? (await findRecord(ctx, lead, way.lead_id))?.owner_id : step.assigned_to;
  const assigned_to = chosen ?? way.calls_assigned_to[0] ?? way.created_by ?? undefined;
  const body = {
    ...origin(due),
    _type: step.step_type === "call" ? "call" : "todo",
    text: await taskText(ctx, due, person),
    assigned_to,
    ...(step.priority && { priority: step.priority }),
  };
  const { id } = await createRecord(ctx, task, body as unknown as Create<typeof task>);
  noteStep(ctx, way, { step_id: step.id, outcome: "begun", object_id: id });
  if (!step.required && step.step_allowed_delay === null) return goOn(ctx, way, "done");
  store.update(ctx, sequenceSubscription, way, {
    waiting_task_id: id,
    next_step_at: null,
    error_message: null,
    held_since: null,
  });
  return step.step_allowed_delay === null ? null : new Date(ctx.now.getTime() + step.step_allowed_delay * 1000);
}

/** What a member has to do, filled in for the contact. With a message on LinkedIn goes the contact's page there. */
async function taskText(ctx: Ctx, { way, step }: DueStep, person: Contact): Promise<string> {
  const at = (await findRecord(ctx, lead, way.lead_id))!;
  const words = step.text ? await fillText(ctx, step.text, at, person, { vars: way.vars ?? {} }) : (step.note ?? "");
  if (step.step_type !== "linkedin_task") return words;
  const page = person.urls.find(({ url }) => isLinkedIn(url))?.url;
  return [words || `Write to ${person.name ?? "the contact"} on LinkedIn`, ...(page === undefined ? [] : [page])].join("\n");
}

const isLinkedIn = (url: string): boolean => /^https?:\/\/([^/]+\.)?linkedin\.com\//i.test(url);

const waitForReply = async (ctx: Ctx, { way, step }: DueStep): Promise<Date> => awaitReply(ctx, way, step);
