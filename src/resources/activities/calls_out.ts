// Makes a call: the member is rung first, in their browser or at their forwarding phone, and connected once they answer. As with
// texts, one transaction records that the provider is about to be called, and another stores the result. A call that was not
// placed soon after the request is never placed.

import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Actor, type Ctx, query } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { type Detection, NotDone, type PlacedCall, type Step } from "../../services/telephony.ts";
import { forwardedTo, whyNotCallTo } from "../telephony/callable.ts";
import { stoppedReason } from "../telephony/dialer_jobs.ts";
import { ourNumber, whyNotCallFrom } from "../telephony/own_numbers.ts";
import { onlineAmong } from "../telephony/presence.ts";
import { type Connected, connectedProvider } from "../telephony/provider.ts";
import { voicemailOf } from "../telephony/voicemail_drop.ts";
import { isRecorded } from "../telephony/whom_to_ring.ts";
import { call } from "./call.ts";
import { callJobs } from "./call_jobs.ts";
import { failCall } from "./call_verbs.ts";
import { knownAmong } from "./provider_ids.ts";

type Call = Row<typeof call>;

/** Whether the provider does not have it yet, as far as we know. */
export const isToPlace = ({ status, direction, provider_id }: Call): boolean =>
  status === "created" && direction === "outbound" && provider_id === null;

export const lockCall = async (ctx: Ctx, id: string): Promise<Call | null> =>
  (await lockToChange(ctx, call, sql`t.id = ${id}`))[0] ?? null;

export async function placeCall(core: Core, reading: Ctx, job: Job, found: Call): Promise<void> {
  const connected = await connectedProvider(reading);
  const member = await actorOfMember(core.db, job.organization_id, found.user_id ?? "");
  const inside = <T>(work: (ctx: Ctx) => Promise<T>): Promise<T> => asSystem(core, job.organization_id, requestOf(job), work);

  const begun = await inside((ctx) => begin(ctx, job, connected, member));
  if (begun === null) return;
  const outcome = await (begun.isNew ? place(begun) : lookUp(reading, begun)).catch((error) => {
    if (error instanceof NotDone) return error;
    throw error;
  });
  await inside((ctx) => end(ctx, job, begun, outcome));
}

// --- before ---

interface Begun {
  row: Call;
  connected: Connected;
  to: string;
  /** False when an earlier turn may have placed it. */
  isNew: boolean;
  detection: Detection | null;
}

/** By then nobody waits for it any more. */
const momentMs = 60_000;
/** By then an exchange has ended, and the provider also lists the calls that it placed. */
const settledMs = 30_000;

/** Records that the call is about to be placed. Null when there is nothing to request now. */
async function begin(ctx: Ctx, job: Job, connected: Connected | null, member: Actor | null): Promise<Begun | null> {
  const row = await lockCall(ctx, job.object_id);
  await holdClaim(ctx, job);
  if (row === null || !isToPlace(row)) return stop(ctx, job, row === null ? null : callJobs.firstLook(ctx.now));
  const isNew = row.sending_at === null;
  const settled = isNew ? 0 : Date.parse(row.sending_at!) + settledMs;
  if (settled > ctx.now.getTime()) return stop(ctx, job, new Date(settled));

  const to = row.call_method === "predictive" ? row.phone : await whereToRing(ctx, row);
  // It is made from a browser, or by nobody.
  if (isNew && (connected === null || to === null)) return stop(ctx, job, null);
  const reason = isNew ? await whyNot(ctx, row, member) : whyNoLookUp(row, connected);
  if (reason !== null) {
    await failCall(ctx, row, reason);
    return stop(ctx, job, null);
  }
  const detection = row.call_method === "predictive" ? detectionOf(row, connected!, await voicemailOf(ctx, row)) : null;
  const begun = { connected: connected!, to: to ?? "", isNew, detection };
  if (!isNew) return { ...begun, row };
  const asked = { sending_at: ctx.now.toISOString(), sending_account: connected!.provider.account };
  return { ...begun, row: store.update(ctx, call, row, asked, undefined, null) };
}

/** A machine is told from a person, so that no member waits for it to end. */
const detectionOf = ({ id }: Call, { addressOf }: Connected, voicemail: string | null): Detection => ({
  callback: addressOf("call", id, "answered_by"),
  waitsForEnd: voicemail !== null,
});

function stop(ctx: Ctx, job: Job, again: Date | null): null {
  release(ctx, job, again);
  return null;
}

/** The member's browser if they were online when they asked for the call, or else the forwarding phone of the number. Null for neither. */
async function whereToRing(ctx: Ctx, { user_id, local_phone, date_created }: Call): Promise<string | null> {
  const [online] = await onlineAmong(ctx, [user_id ?? ""], new Date(date_created));
  if (online !== undefined) return `client:${online}`;
  const number = ourNumber(ctx, local_phone ?? "");
  return number?.user_id === user_id ? (forwardedTo(ctx, number)[0] ?? null) : null;
}

const tooLate = "It was not placed within a minute";

async function whyNot(ctx: Ctx, row: Call, member: Actor | null): Promise<string | null> {
  if (row.call_method === "predictive" && !(await isDialing(ctx, row))) return stoppedReason;
  if (Date.parse(row.date_created) + momentMs < ctx.now.getTime()) return tooLate;
  if (member === null) return "The member who should make it is no longer a member";
  if (!member.permissions.has("calling"))
    return "The member who should make it may not make calls: their role lacks the permission calling";
  if (member.past_due) return "The account of the organization is past due";
  return whyNotCallFrom(ctx, row.local_phone, member.user_id) ?? whyNotCall(ctx, row.phone);
}

function whyNotCall(ctx: Ctx, phone: string | null): string | null {
  const reason = whyNotCallTo(ctx, phone ?? "");
  return reason && `${phone} ${reason}`;
}

/** Whether the dialer that wants a call placed ahead still does. */
async function isDialing(ctx: Ctx, { dialer_id }: Call): Promise<boolean> {
  const [row] = await query(ctx, {
    name: "dialer.status",
    text: "select status from dialer where organization_id = $1 and id = $2",
    values: [ctx.organization_id, dialer_id],
  });
  return row?.[0] === "active";
}

const whyNoLookUp = ({ sending_account }: Call, connected: Connected | null): string | null =>
  connected?.provider.account === sending_account ? null : "The provider did not respond, and is no longer connected";

// --- the provider ---

/** Null when the provider never got it. */
type Outcome = PlacedCall | NotDone | null;

const ringsFor = 25;

const place = ({ row, connected: { provider, addressOf }, to, detection }: Begun): Promise<Outcome> =>
  provider.placeCall({
    from: row.local_phone!,
    to,
    seconds: ringsFor,
    next: addressOf("call", row.id, "placed"),
    callback: addressOf("call", row.id, "state", "whole"),
    detection,
  });

/** The clock of the provider is not ours. */
const skewMs = 60_000;

/** The provider does not store our ids. So it is the oldest call with the same numbers that is no other known call. */
async function lookUp(ctx: Ctx, { row, connected: { provider }, to }: Begun): Promise<Outcome> {
  const since = Date.parse(row.sending_at!) - skewMs;
  const calls = (await provider.callsBetween(row.local_phone!, to)).filter(({ placed_at }) => placed_at.getTime() >= since);
  const ids = calls.map(({ id }) => id);
  const known = await knownAmong(ctx, ids);
  return calls.findLast(({ id }) => !known.has(id)) ?? null;
}

// --- after ---

async function end(ctx: Ctx, job: Job, { isNew }: Begun, outcome: Outcome): Promise<void> {
  const row = await lockCall(ctx, job.object_id);
  await holdClaim(ctx, job);
  // It was deleted meanwhile, or the provider has told us before its answer came.
  if (row === null || !isToPlace(row)) return release(ctx, job, row === null ? null : callJobs.firstLook(ctx.now));
  release(ctx, job, await note(ctx, row, isNew, outcome));
}

const soonMs = 5_000;

/** Answers when somebody has to look again; null where it is over. */
async function note(ctx: Ctx, row: Call, isNew: boolean, outcome: Outcome): Promise<Date | null> {
  if (outcome === null) {
    await failCall(ctx, row, tooLate);
    return null;
  }
  if (!(outcome instanceof NotDone)) {
    isPlaced(ctx, row, outcome.id);
    return callJobs.firstLook(ctx.now);
  }
  const again = (ms: number) => new Date(ctx.now.getTime() + ms);
  // A lookup without a response leaves the question open. A timer ends calls without any report for an hour.
  if (outcome.kind === "unknown" || !isNew) return again(settledMs);
  if (outcome.kind === "refused") {
    await failCall(ctx, row, outcome.message);
    return null;
  }
  store.update(ctx, call, row, { sending_at: null, sending_account: null }, undefined, null);
  return again(soonMs);
}

/** The provider has it. */
export const isPlaced = (ctx: Ctx, row: Call, provider_id: string): Call =>
  store.update(ctx, call, row, { provider_id, sending_at: null, sending_account: null }, undefined, null);

// --- what it does ---

const remoteRingsFor = 60;

/** The member has answered: now the other side is rung. Where the dialer has a message for mailboxes, they are listened for. */
export async function ringOther(ctx: Ctx, row: Call, connected: Connected): Promise<Step[]> {
  const address = (...parts: string[]) => connected.addressOf("call", row.id, ...parts);
  const voicemail = await voicemailOf(ctx, row);
  const detection = voicemail === null ? null : detectionOf(row, connected, voicemail);
  const other = { to: row.phone!, callback: address("state", "other"), detection };
  return [
    {
      do: "ring",
      clients: [],
      phones: [other],
      shows: row.local_phone!,
      seconds: remoteRingsFor,
      next: address("rung"),
      recording: isRecorded(ctx, [row.user_id]) ? address("recorded", "recording") : null,
    },
  ];
}
