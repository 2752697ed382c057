// The verbs of subscriptions: who is taken into a sequence, and what members change of it afterwards.
import { type Ctx, userOf } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { isBounded, spendAhead } from "../../records/budgets.ts";
import { changedFields, emit } from "../../records/event.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { contact } from "../contacts/contact.ts";
import { isActiveMember } from "../organization/user.ts";
import { checkSender, senderFor, wayMissing } from "./choose_sender.ts";
import { atFirstStep, openAt } from "./due.ts";
import { finish } from "./endings.ts";
import { refuseAgain } from "./had_lately.ts";
import { otherWay, refuseSecond, takesNothing } from "./live_once.ts";
import { messagesOf } from "./messages_of.ts";
import { closeTask } from "./open_task.ts";
import { addressOf, checkOtherAddress } from "./recipient.ts";
import { replaceWay } from "./replace.ts";
import { changeOfStatus } from "./resume.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { skipStep } from "./skip_step.ts";
import { wakeStep } from "./step_jobs.ts";
import { zoneFor } from "./zone.ts";

type Subscription = Row<typeof sequenceSubscription>;
type Sequence = Row<typeof sequence>;

/** Its messages leave later, and count at once in the budget of whoever subscribes. */
export async function createSubscription(ctx: Ctx, given: Create<typeof sequenceSubscription>): Promise<Subscription> {
  const way = await subscribe(ctx, given, { byHand: true });
  if (isBounded(ctx)) await spendAhead(ctx, { messages: await messagesOf(ctx, way.sequence_id) }, { messages: 1 });
  return way;
}

export async function subscribe(
  ctx: Ctx,
  { on_conflict, force, skip_step, ...given }: Create<typeof sequenceSubscription>,
  how: { byHand: boolean },
): Promise<Subscription> {
  const status = given.status ?? "active";
  if (status !== "active" && status !== "paused") throw invalid({ status: "must be active or paused" });
  if (skip_step) throw invalid({ skip_step: "is for a subscription that exists" });
  const taken = await openSequence(ctx, given.sequence_id!, how);
  const person = await findRecord(ctx, contact, given.contact_id!);
  if (person === null) throw invalid({ contact_id: "does not exist" });
  const contact_email = await addressOf(ctx, person, taken, given.contact_email);
  checkAssignees(ctx, given.calls_assigned_to);
  const sender = await senderFor(ctx, taken, person, given);
  const them = { sequence_id: taken.id, contact_id: person.id, contact_email };
  const present = on_conflict === undefined ? undefined : await otherWay(ctx, them);
  if (present !== undefined && on_conflict === "skip") return seen(ctx, present);
  if (present !== undefined) await replaceWay(ctx, await seen(ctx, present));
  await refuseSecond(ctx, them);
  if (force !== true) await refuseAgain(ctx, taken, them);

  const start_date = given.start_date ?? ctx.now.toISOString();
  const zone = await zoneFor(ctx, taken, {
    contact_id: person.id,
    sender_account_id: sender.sender_account_id ?? null,
    created_by: userOf(ctx),
  });
  const way = store.insert(ctx, sequenceSubscription, {
    ...given,
    ...sender,
    contact_email,
    lead_id: person.lead_id,
    calls_assigned_to: given.calls_assigned_to ?? [userOf(ctx)].filter((id) => id !== null),
    status,
    ...(status === "paused" && { status_reason: "manual", paused_at: ctx.now.toISOString() }),
    error_message: await wayMissing(ctx, taken, { ...given, ...sender }),
    start_date,
    automation_run_id: causeOf(ctx, "automation_run_id"),
    bulk_action_id: causeOf(ctx, "bulk_action_id"),
    ...atFirstStep(ctx, taken, given.next_step_at ?? start_date, zone),
  });
  wakeStep(ctx, way);
  return way;
}

/** What subscribes many says so of everything that it writes. */
function causeOf({ meta }: Ctx, key: "automation_run_id" | "bulk_action_id"): string | null {
  const id = meta?.[key];
  return typeof id === "string" ? id : null;
}

/** What is named instead of a new one must be such as the caller may see. */
async function seen(ctx: Ctx, { id }: Subscription): Promise<Subscription> {
  const found = await findRecord(ctx, sequenceSubscription, id);
  if (found === null) throw invalid({ contact_email: takesNothing });
  return found;
}

export async function updateSubscription(
  ctx: Ctx,
  before: Subscription,
  { skip_step, ...patch }: Patch<typeof sequenceSubscription>,
): Promise<Subscription> {
  checkAssignees(ctx, patch.calls_assigned_to, before.calls_assigned_to);
  await checkSender(ctx, patch, before);
  await checkOtherAddress(ctx, before, patch.contact_email);
  const { status = before.status, ...others } = patch;
  const due = await dueAsSaid(ctx, before, status, patch.next_step_at);
  if (status === "finished" && before.status !== "finished") {
    if (before.status !== "active" && before.status !== "paused")
      throw invalid({ status: `cannot be finished: it is ${before.status}` });
    await closeTask(ctx, before, "abandoned");
    return finish(ctx, before, { ...others, next_step_at: null, status_reason: "manual" });
  }
  const change = await changeOfStatus(ctx, { ...before, contact_email: patch.contact_email ?? before.contact_email }, status);
  const mended = isOtherSender(patch, before) ? { error_message: null } : {};
  const after = store.update(ctx, sequenceSubscription, before, { ...patch, ...mended, ...change, ...due });
  if (after.status !== before.status) {
    const changed = changedFields(sequenceSubscription, before, after);
    emit(ctx, sequenceSubscription, { action: after.status === "paused" ? "paused" : "resumed", before, after, changed });
  }
  wakeStep(ctx, after);
  return skip_step === true ? skipStep(ctx, after) : after;
}

/** What its messages lacked may be there now. The next one says if it is not. */
const isOtherSender = (patch: Patch<typeof sequenceSubscription>, before: Subscription): boolean =>
  (["sender_account_id", "sender_email", "from_phone_number_id"] as const).some(
    (key) => patch[key] != null && patch[key] !== before[key],
  );

/** The next step, at another time: in the hours of the sequence, and not while something waits to be sent or done. */
async function dueAsSaid(ctx: Ctx, way: Subscription, status: Subscription["status"], said: string | null | undefined) {
  if (said === undefined || said === way.next_step_at) return {};
  if (said === null) throw invalid({ next_step_at: "is required: pause the subscription to hold it" });
  if ((status !== "active" && status !== "paused") || way.current_step_id === null)
    throw invalid({ next_step_at: `cannot be set: no step is due, as it is ${way.status}` });
  if (way.waiting_message_id !== null || way.waiting_task_id !== null)
    throw invalid({ next_step_at: "cannot be set while its step is under way: skip_step leaves that out" });
  const [taken] = await findRecords(ctx, { ...sequence, visible: undefined }, [sql`t.id = ${way.sequence_id}`]);
  if (taken === undefined) throw invalid({ next_step_at: "cannot be set: its sequence is gone" });
  const next_step_at = openAt(ctx, taken, await zoneFor(ctx, taken, way), new Date(said)).toISOString();
  return { next_step_at, slot_at: null, ...(way.reply_awaited_until !== null && { reply_awaited_until: next_step_at }) };
}

/** The sequence, locked until the subscription is written, so that deleting the sequence also ends this subscription. */
async function openSequence(ctx: Ctx, id: string, { byHand }: { byHand: boolean }): Promise<Sequence> {
  const [found] = await findRecords(ctx, sequence, [sql`t.id = ${id}`], sql`for share of t`);
  if (found === undefined) throw invalid({ sequence_id: "does not exist" });
  if (found.status === "draft") throw invalid({ sequence_id: "is a draft: make it active first" });
  if (found.status === "archived") throw invalid({ sequence_id: "is archived: make it active first" });
  if (byHand && !found.allow_manual_enrollment)
    throw invalid({ sequence_id: "does not accept contacts by hand: its allow_manual_enrollment is false" });
  return found;
}

function checkAssignees(ctx: Ctx, given: readonly string[] | undefined, before: readonly string[] = []): void {
  given?.forEach((id, i) => {
    if (!before.includes(id) && !isActiveMember(ctx.directory, id))
      throw invalid({ [`calls_assigned_to.${i}`]: "is not a member" });
  });
}
