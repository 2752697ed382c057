// Sends a text. One transaction checks whether it may be sent and records that sending starts. Then the provider is called, and
// another transaction stores the result. A text that was started and has no result is never simply sent again: it is looked up at
// the provider first.

import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Actor, type Ctx, query } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Resource } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { asService, readingAs, systemActor } from "../../records/acting.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { type CarriedText, NotDone, NotTheProvider } from "../../services/telephony.ts";
import { suppressedAmong } from "../contacts/unsubscribed_email.ts";
import { file, linkOf } from "../files/file.ts";
import { isHiddenFrom } from "../leads/hidden_from.ts";
import { takenBack } from "../sequences/still_wanted.ts";
import { whyNotFrom } from "../telephony/own_numbers.ts";
import { type Connected, connectedProvider, notConnected } from "../telephony/provider.ts";
import type { Attachment } from "./attachments.ts";
import type { Text } from "./carried.ts";
import { channelMessage } from "./channel_message.ts";
import { hasFailed, hasLeft, hasToWait, jobsOf, noteSending, pastDue, type Reason, releaserOf } from "./leaving.ts";
import { isLeaving, type MessageState } from "./message_states.ts";
import { endLate, isTooLate } from "./outbox_by_clock.ts";
import { canGetTexts } from "./own_side.ts";
import { knownAmong } from "./provider_ids.ts";
import { awakeFrom } from "./quiet_hours.ts";
import { sms } from "./sms.ts";
import { takePlace } from "./text_pace.ts";

export const smsWork = workFor(sms, "Texts that leave.");
export const channelMessageWork = workFor(channelMessage, "Messages that leave on channels which the telephony provider serves.");

function workFor(of: Resource, doc: string): Work {
  return {
    ...jobsOf(of),
    doc,
    slots: 16,
    run: (core, job) => takeTurn(core, of, job),
    async giveUp(ctx, job) {
      const text = await lockText(ctx, of, job.object_id);
      if (text === null || !waits(text)) return;
      const words = "several workers ended while sending it";
      await hasFailed(ctx, of, text, text.sending_at === null ? because("crashed", words) : perhapsSent(words));
    },
  };
}

async function takeTurn(core: Core, of: Resource, job: Job): Promise<void> {
  const reading = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const found = (await findRecord(reading, of, job.object_id)) as Text | null;
  const by = found === null ? "" : releaserOf(found);
  const connected = await connectedProvider(reading);
  const member = by === "" ? null : await actorOfMember(core.db, job.organization_id, by);
  const inside = <T>(work: (ctx: Ctx) => Promise<T>): Promise<T> =>
    asService(core, job.organization_id, by, requestOf(job), work);

  const begun = await inside((ctx) => begin(ctx, of, job, { connected, member, by }));
  if (begun === null) return;
  const outcome = await (begun.isNew ? send(begun) : lookUp(reading, begun)).catch((error) => {
    if (error instanceof NotDone) return error;
    throw error;
  });
  await inside((ctx) => end(ctx, of, job, begun, outcome));
}

const waits = ({ status }: Text): boolean => isLeaving(status as MessageState);

const because = (error_class: string, error_message: string): Reason => ({ error_class, error_message });

/** Nobody can know whether it was sent. */
const perhapsSent = (why: string): Reason =>
  because("unknown", `It may have been sent, because ${why}: ask whether it arrived before you send it again`);

// --- before sending ---

interface Begun {
  text: Text;
  /** Where the provider fetches what is attached. */
  media: readonly string[];
  connected: Connected;
  /** False when an earlier turn may have sent it. */
  isNew: boolean;
}

interface Means {
  connected: Connected | null;
  /** The sender, with their present rights. Null for a user who is no longer a member. */
  member: Actor | null;
  by: string;
}

/** An exchange ends after half of this time, and by then the provider also lists the texts that it took. */
const settledMs = 30_000;

/** Records that sending starts. Null when there is nothing to request now; the job is then scheduled. */
async function begin(ctx: Ctx, of: Resource, job: Job, means: Means): Promise<Begun | null> {
  // Locks the text before the job, in the same order as a request that puts it into the outbox.
  const text = await lockText(ctx, of, job.object_id);
  await holdClaim(ctx, job);
  if (text === null || !waits(text)) return stop(ctx, job, null);
  if (releaserOf(text) !== means.by) return stop(ctx, job, ctx.now);
  const due = text.sending_at === null ? Date.parse(text.send_after!) : Date.parse(text.sending_at) + settledMs;
  if (due > ctx.now.getTime()) return stop(ctx, job, new Date(due));

  const { connected } = means;
  const isNew = text.sending_at === null;
  if (isNew && (await takenBack(ctx, of, text))) return stop(ctx, job, null);
  if (isNew && isTooLate(ctx, text.send_after!)) {
    await endLate(ctx, of, text);
    return stop(ctx, job, null);
  }
  const reason = isNew ? await whyNot(ctx, text, means) : whyNoLookUp(text, connected);
  if (reason !== null || connected === null) {
    await hasFailed(ctx, of, text, reason ?? perhapsSent(notConnected));
    return stop(ctx, job, null);
  }
  if (!isNew) return { text, media: [], connected, isNew };
  if (means.member!.past_due) {
    if (text.error_message !== pastDue.error_message) await hasToWait(ctx, of, text, pastDue);
    return stop(ctx, job, new Date(ctx.now.getTime() + latestMs));
  }

  const awake = await awakeFrom(ctx, text);
  if (awake > ctx.now) return stop(ctx, job, awake);
  const turn = text.turn_at === null ? await takePlace(ctx, text, means.by) : new Date(text.turn_at);
  if (turn > ctx.now) {
    store.update(ctx, of, text, { turn_at: turn.toISOString() }, undefined, null);
    return stop(ctx, job, turn);
  }
  const media = await mediaOf(ctx, text);
  if (media === null) {
    await hasFailed(ctx, of, text, because("attachment", "An attached file no longer exists: attach it again"));
    return stop(ctx, job, null);
  }
  return { media, text: noteSending(ctx, of, text, { sending_account: connected.provider.account }) as Text, connected, isNew };
}

function stop(ctx: Ctx, job: Job, again: Date | null): null {
  release(ctx, job, again);
  return null;
}

/** Checked again now: since it was put into the outbox, the sender may have lost the right to send it, or the number. */
async function whyNot(ctx: Ctx, text: Text, { connected, member, by }: Means): Promise<Reason | null> {
  const { channel = "sms", local_phone, remote_phone } = text;
  if (channel !== "sms" && channel !== "whatsapp")
    return because("channel", `Nothing here sends on ${channel}: send it there, and log it as sent`);
  if (connected === null) return because("no_provider", notConnected);
  if (member === null) return because("no_member", "Its sender is no longer a member: somebody else has to send it");
  if (!member.permissions.has("calling"))
    return because("not_allowed", "Its sender may not send texts: their role lacks the permission calling");
  if (await isHiddenFrom(ctx, by, text.lead_id))
    return because("not_allowed", "Its sender does not see the lead any more: somebody else has to send it");
  if (!remote_phone) return because("no_number", "There is no number to send it to: set remote_phone");
  if (!canGetTexts(remote_phone))
    return because("no_number", `${remote_phone} gets no texts: set remote_phone to a number such as +12125551234`);
  const suppressed = await suppressedAmong(ctx, [remote_phone], { channel: "sms", scope: "single" });
  if (suppressed.size > 0)
    return because("suppressed", "The recipient opted out of texts: they can text START to one of your numbers to opt in again");
  const words = whyNotFrom(ctx, local_phone, by, { channel, withMedia: text.attachments.length > 0 });
  return words === null ? null : because("number", words);
}

/** Makes new links to stored files, because old ones may have expired. Null when a file is gone or its link has expired. */
async function mediaOf(ctx: Ctx, { attachments }: { attachments: readonly Attachment[] }): Promise<string[] | null> {
  const ids = attachments.flatMap(({ file_id }) => file_id ?? []);
  const files = new Map(
    (ids.length === 0 ? [] : await findRecords(ctx, file, [sql`t.id = any(${ids})`])).map((one) => [one.id, one]),
  );
  const links = attachments.map(({ file_id, url }) => {
    if (file_id === null) return url;
    const found = files.get(file_id);
    return found === undefined ? null : linkOf(ctx, found);
  });
  return links.every((one) => one !== null) ? links : null;
}

const whyNoLookUp = ({ sending_account }: Text, connected: Connected | null): Reason | null =>
  connected?.provider.account === sending_account
    ? null
    : perhapsSent("the provider did not respond, and is no longer connected");

// --- the provider ---

/** The text at the provider. Null when the provider never got it. */
type Outcome = CarriedText | NotDone | null;

const addressOf = (phone: string | null, { channel }: Text): string => (channel === undefined ? phone! : `${channel}:${phone}`);

const send = ({ text, media, connected }: Begun): Promise<Outcome> =>
  connected.provider.sendText({
    from: addressOf(text.local_phone, text),
    to: addressOf(text.remote_phone, text),
    text: text.text ?? "",
    media,
    callback: connected.addressOf("message", text.id, attemptOf(text)),
  });

/** Identifies one attempt to send a text in the provider's calls. */
export const attemptOf = ({ sending_at }: Pick<Text, "sending_at">): string => Date.parse(sending_at!).toString(36);

/** The allowed difference between our clock and the provider's. */
const skewMs = 60_000;

/** The provider does not store our ids. So it is the oldest text with the same numbers and words that is no other known text. */
async function lookUp(ctx: Ctx, { text, connected: { provider } }: Begun): Promise<Outcome> {
  const since = Date.parse(text.sending_at!) - skewMs;
  const words = (text.text ?? "").trim();
  const texts = await provider.textsBetween(addressOf(text.local_phone, text), addressOf(text.remote_phone, text));
  const alike = texts.filter((one) => one.failure === null && one.taken_at.getTime() >= since && one.text.trim() === words);
  const ids = alike.map(({ id }) => id);
  const known = await knownAmong(ctx, ids);
  return alike.findLast(({ id }) => !known.has(id)) ?? null;
}

// --- after sending ---

async function end(ctx: Ctx, of: Resource, job: Job, { isNew }: Begun, outcome: Outcome): Promise<void> {
  const text = await lockText(ctx, of, job.object_id);
  await holdClaim(ctx, job);
  // The text was deleted in the meantime, or the provider's report came before its response.
  const isOver = text === null || !waits(text);
  release(ctx, job, isOver ? null : await write(ctx, of, text, isNew, outcome));
}

/** Returns when to look again. Null when the text is done. */
async function write(ctx: Ctx, of: Resource, text: Text, isNew: boolean, outcome: Outcome): Promise<Date | null> {
  if (outcome === null) {
    store.update(ctx, of, text, { sending_at: null, sending_account: null }, undefined, null);
    return ctx.now;
  }
  if (!(outcome instanceof NotDone)) {
    if (!isNew && (await isTaken(ctx, text, outcome))) return ctx.now;
    await textLeft(ctx, of, text, outcome);
    return null;
  }
  const reason = because(outcome.kind, outcome.message);
  const isLate = isTooLate(ctx, text.send_after!);
  // A lookup without a response leaves the question open.
  if (outcome.kind === "unknown" || !isNew) {
    const isOver = isLate || (outcome instanceof NotTheProvider && isLongStrange(ctx, text));
    if (!isOver) return waitOn(ctx, of, text, reason, { sending_at: text.sending_at }, settledMs);
    await hasFailed(ctx, of, text, perhapsSent(isLate ? "the provider has not responded for three days" : outcome.message));
    return null;
  }
  if (outcome.kind === "later" && !isLate) return waitOn(ctx, of, text, reason, { sending_account: null });
  await hasFailed(ctx, of, text, reason);
  return null;
}

/** An outage may last for days, but an address that is not the provider's is corrected by somebody, who has to be told. */
const isLongStrange = ({ now }: Ctx, { sending_at }: Text): boolean => now.getTime() - Date.parse(sending_at!) >= strangeMostMs;

const strangeMostMs = 3_600_000;

/** When two workers look for the same words at once, the second finds the text of the first, and looks again. */
async function isTaken(ctx: Ctx, { local_phone, remote_phone }: Text, { id }: CarriedText): Promise<boolean> {
  const pair = ["text", ctx.organization_id, local_phone, remote_phone].join(" ");
  await query(ctx, statement(sql`select pg_advisory_xact_lock(hashtextextended(${pair}, 0))`));
  return (await knownAmong(ctx, [id])).size > 0;
}

/** The provider has it. */
export async function textLeft(
  ctx: Ctx,
  of: Resource,
  text: Text,
  { id, state, cost, failure }: Pick<CarriedText, "id" | "state" | "failure"> & { cost?: string | null },
): Promise<void> {
  const values = { provider_id: id, delivery_status: state, sending_account: null, ...(cost && of === sms && { cost }) };
  if (failure === null) await hasLeft(ctx, of, text, { ...values, error_message: null });
  else await hasFailed(ctx, of, text, because("undelivered", failure), { values });
}

const [soonestMs, latestMs] = [10_000, 3_600_000];

/** Each pause is half of the time it has already waited, at most an hour. Jitter spreads the texts over time. */
async function waitOn(ctx: Ctx, of: Resource, text: Text, reason: Reason, values: object, leastMs = soonestMs): Promise<Date> {
  await hasToWait(ctx, of, text, reason, values);
  const waited = ctx.now.getTime() - Date.parse(text.send_after!);
  const pause = Math.min(latestMs, Math.max(leastMs, waited / 2)) * (1 + Math.random() / 4);
  return new Date(ctx.now.getTime() + pause);
}

export async function lockText(ctx: Ctx, of: Resource, id: string): Promise<Text | null> {
  return ((await lockToChange(ctx, of, sql`t.id = ${id}`))[0] ?? null) as Text | null;
}
