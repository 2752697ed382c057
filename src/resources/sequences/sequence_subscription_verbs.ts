// Subscribing a contact, and pausing and resuming: who is written to by whom, and when the next step is due.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row, Values } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { changedFields, emit } from "../../records/event.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { emailKey } from "../../values/email.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import { checkAddress, mailboxOf } from "../accounts/senders.ts";
import { contact } from "../contacts/contact.ts";
import { unsubscribedAmong } from "../contacts/unsubscribed_email.ts";
import { isActiveMember, user } from "../organization/user.ts";
import { checkCallerId } from "../telephony/own_numbers.ts";
import { nextSlot } from "./schedule.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";

type Subscription = Row<typeof sequenceSubscription>;
type Sequence = Row<typeof sequence>;
type Contact = Row<typeof contact>;
type Account = Row<typeof connectedAccount>;

export async function createSubscription(ctx: Ctx, given: Create<typeof sequenceSubscription>): Promise<Subscription> {
  const status = given.status ?? "active";
  if (status !== "active" && status !== "paused") throw invalid({ status: "must be active or paused" });
  const taken = await openSequence(ctx, given.sequence_id!);
  const person = await findRecord(ctx, contact, given.contact_id!);
  if (person === null) throw invalid({ contact_id: "does not exist" });
  const contact_email = await addressOf(ctx, person, taken, given.contact_email);
  checkAssignees(ctx, given.calls_assigned_to);
  const sender = await senderOf(ctx, given);
  await refuseSecond(ctx, taken.id, person.id, "contact_id");

  const start_date = given.start_date ?? ctx.now.toISOString();
  return store.insert(ctx, sequenceSubscription, {
    ...given,
    ...sender,
    contact_email,
    lead_id: person.lead_id,
    calls_assigned_to: given.calls_assigned_to ?? [ctx.actor.user_id],
    status,
    ...(status === "paused" && { status_reason: "manual", paused_at: ctx.now.toISOString() }),
    start_date,
    ...atFirstStep(taken, start_date),
  });
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
  }
  return after;
}

// --- the sequence ---

/** The sequence, held until the subscription is written, so that it cannot be deleted without ending it. */
async function openSequence(ctx: Ctx, id: string): Promise<Sequence> {
  const [found] = await findRecords(ctx, sequence, [sql`t.id = ${id}`], sql`for share of t`);
  if (found === undefined) throw invalid({ sequence_id: "does not exist" });
  if (found.status === "draft") throw invalid({ sequence_id: "is a draft: make it active first" });
  if (!found.allow_manual_enrollment)
    throw invalid({ sequence_id: "does not take contacts by hand: its allow_manual_enrollment is false" });
  return found;
}

/** The first step and when it is due; as long as there is none, nothing is. */
export function atFirstStep(taken: Sequence, start_date: string): Values<typeof sequenceSubscription> {
  const [first] = taken.steps;
  const { steps_version } = taken;
  if (first === undefined) return { steps_version, current_step_id: null, next_step_at: null };
  const earliest = new Date(Date.parse(start_date) + first.delay * 1000);
  return { steps_version, current_step_id: first.id, next_step_at: dueAt(taken, earliest) };
}

const dueAt = ({ schedule, timezone }: Sequence, earliest: Date): string => nextSlot(schedule, timezone, earliest).toISOString();

/** A contact is on one way through a sequence at a time; the table's key says so too, for two requests at once. */
async function refuseSecond(ctx: Ctx, sequenceId: string, contactId: string, field: string): Promise<void> {
  const [other] = await findRecords(
    ctx,
    sequenceSubscription,
    [sql`t.sequence_id = ${sequenceId}`, sql`t.contact_id = ${contactId}`, sql`t.status in ('active', 'paused')`],
    sql`limit 1`,
  );
  if (other !== undefined) throw invalid({ [field]: "is in this sequence already" });
}

// --- who is written to ---

async function addressOf(ctx: Ctx, person: Contact, taken: Sequence, asked: string | null | undefined): Promise<string | null> {
  const writes = taken.steps.some((step) => step.step_type === "email");
  const own = asked ? person.emails.find((one) => emailKey(one.email) === emailKey(asked)) : person.emails[0];
  if (asked && own === undefined) throw invalid({ contact_email: "is not an address of this contact" });
  if (own === undefined && writes)
    throw invalid({ contact_email: "is required: the sequence writes e-mails and the contact has no address" });
  if (own === undefined) return null;
  const unsubscribed = await unsubscribedAmong(ctx, [own.email]);
  if ((writes || asked) && unsubscribed.size > 0) throw invalid({ contact_email: "has unsubscribed" });
  return own.email;
}

// --- who writes ---

type Sender = Pick<
  Values<typeof sequenceSubscription>,
  "sender_account_id" | "sender_name" | "sender_email" | "from_phone_number_id"
>;

/** What is not said is that of the account; without an account, the caller's own. */
async function senderOf(ctx: Ctx, given: Sender): Promise<Sender> {
  const { sender_account_id: id } = given;
  const account = id === undefined ? await usualAccount(ctx) : id === null ? null : await mailbox(ctx, id);
  await checkSender(ctx, given, { sender_account_id: id });
  const identity = account?.identities[0];
  const me = ctx.directory.get(user, ctx.actor.user_id);
  return {
    sender_account_id: account?.id ?? null,
    sender_name: given.sender_name ?? identity?.name ?? me?.name ?? null,
    sender_email: given.sender_email ?? identity?.email ?? account?.email ?? me?.email ?? null,
  };
}

async function usualAccount(ctx: Ctx): Promise<Account | null> {
  const own = [sql`t.user_id = ${ctx.actor.user_id}`, sql`t._type in ('google', 'microsoft', 'custom_email')`];
  return (await findRecords(ctx, connectedAccount, own, sql`order by t.is_default desc, t.id limit 1`))[0] ?? null;
}

const mailbox = (ctx: Ctx, id: string): Promise<Account> => mailboxOf(ctx, ctx.actor.user_id, id, "sender_account_id");

/** Whoever subscribes or changes it sends as themselves, or as those who let them. */
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

/** What never begins again by hand: the address is bad, or its owner wants no more. */
const forGood = new Set(["email-bounced", "unsubscribed"]);

async function changeOfStatus(
  ctx: Ctx,
  before: Subscription,
  status: Subscription["status"],
): Promise<Values<typeof sequenceSubscription>> {
  if (status === before.status) return {};
  if (status !== "active" && status !== "paused") throw invalid({ status: "must be active or paused" });
  if (status === "paused") {
    if (before.status !== "active") throw invalid({ status: `cannot be paused: it is ${before.status}` });
    return { status, status_reason: "manual", paused_at: ctx.now.toISOString() };
  }
  return { status, status_reason: null, paused_at: null, finished_at: null, ...(await resumedAt(ctx, before)) };
}

/** Goes on where it stood, at its time or, when that is over, now. */
async function resumedAt(ctx: Ctx, before: Subscription): Promise<Values<typeof sequenceSubscription>> {
  if (forGood.has(before.status_reason ?? "")) throw invalid({ status: `cannot be resumed: ${before.status_reason}` });
  const [taken] = await findRecords(ctx, ofAnybody, [sql`t.id = ${before.sequence_id}`], sql`for share of t`);
  if (taken === undefined) throw invalid({ status: "cannot be resumed: its sequence is gone" });
  if (before.contact_email !== null && (await unsubscribedAmong(ctx, [before.contact_email])).size > 0)
    throw invalid({ status: "cannot be resumed: the address has unsubscribed" });
  if (before.status !== "paused") await refuseSecond(ctx, before.sequence_id, before.contact_id, "status");
  const { steps_version } = taken;
  if (before.current_step_id === null) {
    if (before.status !== "paused") throw invalid({ status: "cannot be resumed: no step is left" });
    return { steps_version };
  }
  const due = Date.parse(before.next_step_at ?? ctx.now.toISOString());
  return { steps_version, next_step_at: dueAt(taken, new Date(Math.max(due, ctx.now.getTime()))) };
}

/** Who is in a private sequence may go on in it, whoever says so. */
const ofAnybody: typeof sequence = { ...sequence, visible: undefined };

// --- merging ---

/** Two contacts become one: of two ways through the same sequence, that of the contact that stays goes on. */
export async function endDoubleSubscriptions(ctx: Ctx, gone: string, kept: string): Promise<void> {
  const living = await findRecords(
    ctx,
    sequenceSubscription,
    [sql`t.contact_id = any(${[gone, kept]})`, sql`t.status in ('active', 'paused')`],
    sql`order by t.id for update of t`,
  );
  const staying = new Set(living.filter((one) => one.contact_id === kept).map((one) => one.sequence_id));
  for (const one of living) {
    if (one.contact_id === gone && staying.has(one.sequence_id)) finish(ctx, one, { status_reason: "manual" });
  }
}

/** The end of the way: nothing more is due. */
export function finish(ctx: Ctx, before: Subscription, values: Values<typeof sequenceSubscription> = {}): void {
  const after = store.update(ctx, sequenceSubscription, before, {
    status: "finished",
    status_reason: null,
    paused_at: null,
    next_step_at: null,
    finished_at: ctx.now.toISOString(),
    ...values,
  });
  const changed = changedFields(sequenceSubscription, before, after);
  emit(ctx, sequenceSubscription, { action: "finished", before, after, changed });
}
