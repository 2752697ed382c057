// The verbs of subscriptions: they set the recipient and the sender and when the next step is due, and they pause and resume.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row, Values } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { changedFields, emit } from "../../records/event.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { emailKey } from "../../values/email.ts";
import { connectedAccount, isMailbox } from "../accounts/connected_account.ts";
import { checkAddress, identityOf, mailboxOf, sendersOf } from "../accounts/senders.ts";
import { contact } from "../contacts/contact.ts";
import { type SuppressionReason, suppressedAmong } from "../contacts/unsubscribed_email.ts";
import { lead } from "../leads/lead.ts";
import { isActiveMember, user } from "../organization/user.ts";
import { checkCallerId } from "../telephony/own_numbers.ts";
import { doubleWays, otherWay, refuseSecond } from "./live_once.ts";
import { afterDelay, atTimeOfDay, nextSlot } from "./schedule.ts";
import { sequence } from "./sequence.ts";
import { nothingDue, sequenceSubscription } from "./sequence_subscription.ts";
import { wakeStep } from "./step_jobs.ts";
import type { Step } from "./steps.ts";
import { zoneFor } from "./zone.ts";

type Subscription = Row<typeof sequenceSubscription>;
type Sequence = Row<typeof sequence>;
type Contact = Row<typeof contact>;
type Account = Row<typeof connectedAccount>;

export const createSubscription = (ctx: Ctx, given: Create<typeof sequenceSubscription>): Promise<Subscription> =>
  subscribe(ctx, given, { byHand: true });

export async function subscribe(
  ctx: Ctx,
  given: Create<typeof sequenceSubscription>,
  how: { byHand: boolean },
): Promise<Subscription> {
  const status = given.status ?? "active";
  if (status !== "active" && status !== "paused") throw invalid({ status: "must be active or paused" });
  const taken = await openSequence(ctx, given.sequence_id!, how);
  const person = await findRecord(ctx, contact, given.contact_id!);
  if (person === null) throw invalid({ contact_id: "does not exist" });
  const contact_email = await addressOf(ctx, person, taken, given.contact_email);
  checkAssignees(ctx, given.calls_assigned_to);
  const sender = await senderOf(ctx, { ...(await senderBy(ctx, taken, person, given)), ...given });
  await refuseSecond(ctx, { sequence_id: taken.id, contact_id: person.id, contact_email });

  const start_date = given.start_date ?? ctx.now.toISOString();
  const zone = await zoneFor(ctx, taken, {
    contact_id: person.id,
    sender_account_id: sender.sender_account_id ?? null,
    created_by: ctx.actor.user_id,
  });
  const way = store.insert(ctx, sequenceSubscription, {
    ...given,
    ...sender,
    contact_email,
    lead_id: person.lead_id,
    calls_assigned_to: given.calls_assigned_to ?? [ctx.actor.user_id],
    status,
    ...(status === "paused" && { status_reason: "manual", paused_at: ctx.now.toISOString() }),
    start_date,
    ...atFirstStep(taken, start_date, zone),
  });
  wakeStep(ctx, way);
  return way;
}

export async function updateSubscription(
  ctx: Ctx,
  before: Subscription,
  patch: Patch<typeof sequenceSubscription>,
): Promise<Subscription> {
  checkAssignees(ctx, patch.calls_assigned_to, before.calls_assigned_to);
  await checkSender(ctx, patch, before);
  const change = await changeOfStatus(ctx, before, patch.status ?? before.status);
  const after = store.update(ctx, sequenceSubscription, before, { ...patch, ...change });
  if (after.status !== before.status) {
    const changed = changedFields(sequenceSubscription, before, after);
    emit(ctx, sequenceSubscription, { action: after.status === "paused" ? "paused" : "resumed", before, after, changed });
    wakeStep(ctx, after);
  }
  return after;
}

// --- the sequence ---

/** The sequence, locked until the subscription is written, so that deleting the sequence also ends this subscription. */
async function openSequence(ctx: Ctx, id: string, { byHand }: { byHand: boolean }): Promise<Sequence> {
  const [found] = await findRecords(ctx, sequence, [sql`t.id = ${id}`], sql`for share of t`);
  if (found === undefined) throw invalid({ sequence_id: "does not exist" });
  if (found.status === "draft") throw invalid({ sequence_id: "is a draft: make it active first" });
  if (byHand && !found.allow_manual_enrollment)
    throw invalid({ sequence_id: "does not accept contacts by hand: its allow_manual_enrollment is false" });
  return found;
}

/** The first step and when it is due. Without steps, nothing is due. */
export function atFirstStep(taken: Sequence, start_date: string, zone: string): Values<typeof sequenceSubscription> {
  const [first] = taken.steps;
  const { steps_version } = taken;
  if (first === undefined) return { steps_version, current_step_id: null, next_step_at: null };
  return { steps_version, current_step_id: first.id, next_step_at: dueAfter(taken, first, new Date(start_date), zone) };
}

/** When a step is due, counted from a moment. */
export function dueAfter(taken: Sequence, { delay, at }: Step, since: Date, zone: string): string {
  return dueAt(taken, atTimeOfDay(afterDelay(since, delay, zone), at ?? null, zone), zone);
}

const dueAt = ({ schedule }: Sequence, earliest: Date, zone: string): string => nextSlot(schedule, zone, earliest).toISOString();

// --- the recipient ---

async function addressOf(ctx: Ctx, person: Contact, taken: Sequence, asked: string | null | undefined): Promise<string | null> {
  const writes = taken.steps.some((step) => step.step_type === "email");
  const own = asked ? person.emails.find((one) => emailKey(one.email) === emailKey(asked)) : person.emails[0];
  if (asked && own === undefined) throw invalid({ contact_email: "is not an address of this contact" });
  if (own === undefined && writes)
    throw invalid({ contact_email: "is required: the sequence writes e-mails and the contact has no address" });
  if (own === undefined) return null;
  const reason = await whyNot(ctx, own.email, taken.id);
  if ((writes || asked) && reason !== null) throw invalid({ contact_email: reasons[reason] });
  return own.email;
}

/** Why a sequence may not write to an address. Null when it may. */
export async function whyNot(ctx: Ctx, address: string, sequence_id: string): Promise<SuppressionReason | null> {
  const [reason] = (await suppressedAmong(ctx, [address], { channel: "email", scope: sequence_id })).values();
  return reason ?? null;
}

const reasons = {
  unsubscribed: "has unsubscribed",
  bounced: "cannot be reached: mail to it bounced",
  complained: "has reported mail as spam",
};

// --- the sender ---

type Sender = Pick<
  Values<typeof sequenceSubscription>,
  "sender_account_id" | "sender_name" | "sender_email" | "from_phone_number_id"
>;

/** Missing values come from the account, or without an account from the caller. */
async function senderOf(ctx: Ctx, given: Sender): Promise<Sender> {
  const { sender_account_id: id } = given;
  const account = id === undefined ? await usualAccount(ctx) : id === null ? null : await mailbox(ctx, id);
  await checkSender(ctx, given, { sender_account_id: id });
  const senders = await sendersOf(ctx, ctx.actor.user_id);
  const identity = account && identityOf(ctx, senders, account);
  const me = ctx.directory.get(user, ctx.actor.user_id);
  return {
    sender_account_id: account?.id ?? null,
    sender_name: given.sender_name ?? identity?.name ?? me?.name ?? null,
    sender_email: given.sender_email ?? identity?.email ?? me?.email ?? null,
  };
}

/** The mailbox that the sequence chooses, where whoever subscribes the contact names none and may send from it. */
async function senderBy(ctx: Ctx, { sender }: Sequence, person: Contact, given: Sender): Promise<Sender> {
  if (sender === null || given.sender_account_id !== undefined) return {};
  const { accounts } = await sendersOf(ctx, ctx.actor.user_id);
  const usable = accounts.filter((one) => isMailbox(one._type) && one.send_status !== "disabled");
  if (sender.mode === "owner") {
    const owner = (await findRecord(ctx, lead, person.lead_id))?.owner_id;
    const own = owner ? usable.find((one) => one.user_id === owner) : undefined;
    return own === undefined ? {} : { sender_account_id: own.id };
  }
  const among = usable.filter(({ id }) => sender.account_ids.includes(id));
  const chosen = sender.mode === "fixed" ? among.find(({ id }) => id === sender.account_ids[0]) : await leastBusy(ctx, among);
  return chosen === undefined ? {} : { sender_account_id: chosen.id };
}

async function leastBusy(ctx: Ctx, among: readonly Account[]): Promise<Account | undefined> {
  const rows = await query(
    ctx,
    statement(sql`select t.sender_account_id, count(*) from sequence_subscription t where t.organization_id = ${ctx.organization_id}
      and t.sender_account_id = any(${among.map(({ id }) => id)}) and t.status in ('active', 'paused') group by t.sender_account_id`),
  );
  const load = new Map(rows.map(([id, count]) => [id!, Number(count)]));
  return [...among].sort((a, b) => (load.get(a.id) ?? 0) - (load.get(b.id) ?? 0) || (a.id < b.id ? -1 : 1))[0];
}

async function usualAccount(ctx: Ctx): Promise<Account | null> {
  const own = [sql`t.user_id = ${ctx.actor.user_id}`, sql`t._type in ('google', 'microsoft', 'custom_email')`];
  return (await findRecords(ctx, connectedAccount, own, sql`order by t.is_default desc, t.id limit 1`))[0] ?? null;
}

const mailbox = (ctx: Ctx, id: string): Promise<Account> => mailboxOf(ctx, ctx.actor.user_id, id, "sender_account_id");

/** Members send as themselves, or as members who allow it. */
async function checkSender(ctx: Ctx, given: Sender, before: Sender): Promise<void> {
  const { sender_account_id, sender_email, from_phone_number_id } = given;
  const me = ctx.actor.user_id;
  if (sender_account_id && sender_account_id !== before.sender_account_id) await mailbox(ctx, sender_account_id);
  if (sender_email && sender_email !== before.sender_email) await checkAddress(ctx, me, sender_email, "sender_email");
  if (from_phone_number_id !== before.from_phone_number_id) checkCallerId(ctx, from_phone_number_id, me, "from_phone_number_id");
}

function checkAssignees(ctx: Ctx, given: readonly string[] | undefined, before: readonly string[] = []): void {
  given?.forEach((id, i) => {
    if (!before.includes(id) && !isActiveMember(ctx.directory, id))
      throw invalid({ [`calls_assigned_to.${i}`]: "is not a member" });
  });
}

// --- pausing and resuming ---

/** Subscriptions that cannot be resumed: the address is invalid, or its owner has opted out. */
const forGood = new Set(["email-bounced", "unsubscribed", "complained"]);

async function changeOfStatus(
  ctx: Ctx,
  before: Subscription,
  status: Subscription["status"],
): Promise<Values<typeof sequenceSubscription>> {
  if (status === before.status) return {};
  if (status !== "active" && status !== "paused") throw invalid({ status: "must be active or paused" });
  if (status === "paused") {
    if (before.status !== "active") throw invalid({ status: `cannot be paused: it is ${before.status}` });
    return { status, status_reason: ctx.meta.bulk_action_id ? "bulk-action" : "manual", paused_at: ctx.now.toISOString() };
  }
  return { ...goingOn, ...(await resumedAt(ctx, before)) };
}

const goingOn = {
  status: "active",
  status_reason: null,
  paused_at: null,
  resume_at: null,
  finished_at: null,
  error_message: null,
  held_since: null,
  slot_at: null,
} as const;

/** Continues at its step, at its time or, when that has passed, now. */
async function resumedAt(ctx: Ctx, before: Subscription): Promise<Values<typeof sequenceSubscription>> {
  if (forGood.has(before.status_reason ?? "")) throw invalid({ status: `cannot be resumed: ${before.status_reason}` });
  const [taken] = await findRecords(ctx, ofAnybody, [sql`t.id = ${before.sequence_id}`], sql`for share of t`);
  if (taken === undefined) throw invalid({ status: "cannot be resumed: its sequence is gone" });
  const reason = before.contact_email === null ? null : await whyNot(ctx, before.contact_email, before.sequence_id);
  if (reason !== null) throw invalid({ status: `cannot be resumed: the address ${reasons[reason]}` });
  if (before.status !== "paused") await refuseSecond(ctx, before, "status");
  if (before.current_step_id === null && before.status !== "paused")
    throw invalid({ status: "cannot be resumed: no step is left" });
  return atItsStep(ctx, taken, before);
}

async function atItsStep(ctx: Ctx, taken: Sequence, way: Subscription): Promise<Values<typeof sequenceSubscription>> {
  const { steps_version } = way.keeps_steps ? way : taken;
  if (way.current_step_id === null) return { steps_version };
  const due = Date.parse(way.next_step_at ?? ctx.now.toISOString());
  const earliest = new Date(Math.max(due, ctx.now.getTime()));
  return { steps_version, next_step_at: dueAt(taken, earliest, await zoneFor(ctx, taken, way)) };
}

/** The contact is back from an absence. Null when nobody may write to them any more. */
export async function back(ctx: Ctx, before: Subscription): Promise<Subscription | null> {
  const values = await reopened(ctx, before, { ...goingOn, next_step_at: before.next_step_at });
  if (values === null) return null;
  const after = store.update(ctx, sequenceSubscription, before, values);
  wakeStep(ctx, after);
  return after;
}

/** The values that restore an earlier state (`was`). Null when that is no longer possible. */
export async function reopened(
  ctx: Ctx,
  before: Subscription,
  was: Pick<Subscription, "status" | "status_reason" | "paused_at" | "resume_at" | "next_step_at">,
): Promise<Values<typeof sequenceSubscription> | null> {
  const [taken] = await findRecords(ctx, ofAnybody, [sql`t.id = ${before.sequence_id}`], sql`for share of t`);
  const { contact_email, sequence_id } = before;
  if (taken === undefined || (contact_email !== null && (await whyNot(ctx, contact_email, sequence_id)) !== null)) return null;
  if (before.status !== "paused" && (await otherWay(ctx, before)) !== undefined) return null;
  const { status, status_reason, paused_at, resume_at, next_step_at } = was;
  const step = await atItsStep(ctx, taken, { ...before, next_step_at });
  return { status, status_reason, paused_at, resume_at, finished_at: null, ...step };
}

/** A subscription to a private sequence may continue, whoever resumes it. */
const ofAnybody: typeof sequence = { ...sequence, visible: undefined };

// --- merging ---

/** Two contacts are merged: of two subscriptions to the same sequence, that of the kept contact goes on. */
export async function endDoubleSubscriptions(ctx: Ctx, gone: string, kept: string): Promise<void> {
  for (const one of await doubleWays(ctx, gone, kept)) finish(ctx, one, { status_reason: "replaced" });
}

/** Finishes a subscription: nothing more is due. */
export function finish(ctx: Ctx, before: Subscription, values: Values<typeof sequenceSubscription> = {}): void {
  const after = store.update(ctx, sequenceSubscription, before, {
    status: "finished",
    status_reason: null,
    ...nothingDue,
    finished_at: ctx.now.toISOString(),
    ...values,
  });
  const changed = changedFields(sequenceSubscription, before, after);
  emit(ctx, sequenceSubscription, { action: "finished", before, after, changed });
}
