// What the provider reports about a running call, and what it requests. Reports may be repeated and come in any order: a call
// only moves forwards, and unclear reports are looked up a little later.
import type { Ctx } from "../../core/context.ts";
import { wake } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import type { Step, ToldCall } from "../../services/telephony.ts";
import { isActiveMember } from "../organization/organization.ts";
import { type Called, signedRoute } from "../telephony/called.ts";
import { ourNumber } from "../telephony/own_numbers.ts";
import { callJobs } from "./call_jobs.ts";
import { isLive } from "./call_verbs.ts";
import { abandon, connect, endsOfAhead, hungUpWaiting, isAhead } from "./calls_ahead.ts";
import { takeMessage } from "./calls_in.ts";
import { ringOther } from "./calls_out.ts";
import { type CarriedCall, ends, isAnswered, lockCarried, outcomes, talks } from "./carried_call.ts";

export const callPlaced = signedRoute({
  name: "provider.call_placed",
  parts: ["call", "{id}", "placed"],
  doc: "Whoever makes a call is there: whom it rings.",
  run: (called) => hear(called, begins, [{ do: "hang_up" }]),
});

export const callWaited = signedRoute({
  name: "provider.call_waited",
  parts: ["call", "{id}", "waited", "{seconds}"],
  doc: "Somebody who was called ahead has waited for a member to be free: whom the call rings.",
  run: (called) => hear(called, begins, [{ do: "hang_up" }]),
});

export const callState = signedRoute({
  name: "provider.call_state",
  parts: ["call", "{id}", "state", "{leg}"],
  doc: "How far a call has got: the whole, or one that it rang, to a member, by their id, or to a phone.",
  run: (called) => hear(called, legIs, []),
});

export const callRung = signedRoute({
  name: "provider.call_rung",
  parts: ["call", "{id}", "rung"],
  doc: "Nobody rings any more: what the call does next.",
  run: (called) => hear(called, afterRinging, [{ do: "hang_up" }]),
});

export const callAccepted = signedRoute({
  name: "provider.call_accepted",
  parts: ["call", "{id}", "accept"],
  doc: "A phone that a call went on to was picked up: whether somebody takes it.",
  run: (called) => hear(called, accept, [{ do: "hang_up" }]),
});

export const callOver = signedRoute({
  name: "provider.call_over",
  parts: ["call", "{id}", "over"],
  doc: "The caller has left a message.",
  run: ({ connected }) => connected.provider.instruct([{ do: "hang_up" }]),
});

export const callEnded = signedRoute({
  name: "provider.call_ended",
  parts: ["call", "ended"],
  doc: "A call to a number of ours has ended.",
  run: (called) => hear(called, lookSoon, []),
});

interface Heard {
  told: ToldCall;
  carried: CarriedCall;
  called: Called;
}

/** In one transaction with the report. `otherwise` when the call no longer exists. */
async function hear(called: Called, note: (ctx: Ctx, heard: Heard) => Promise<Step[]>, otherwise: Step[]): Promise<string> {
  const { core, organization_id, connected, occasion, params, form } = called;
  const told = connected.provider.readCall(form);
  const steps = await asSystem(core, organization_id, occasion, async (ctx) => {
    const named = { provider_id: told.parent ?? told.id, id: params.id ?? "", account: connected.provider.account };
    const carried = await lockCarried(ctx, named);
    return carried === null ? otherwise : note(ctx, { told, carried, called });
  });
  return connected.provider.instruct(steps);
}

async function legIs(ctx: Ctx, heard: Heard): Promise<Step[]> {
  const { told, carried, called } = heard;
  if (called.params.leg === "whole") return wholeIs(ctx, heard);
  const by = whoIs(ctx, heard);
  if (told.state === "talking") await talks(ctx, carried, by);
  if (told.state === "completed" && told.seconds !== 0) await ends(ctx, carried, "completed", told.seconds, by);
  return [];
}

/** A member who takes a call, or the phone of whoever was called. */
function whoIs(ctx: Ctx, { told, carried, called }: Heard): Parameters<typeof talks>[2] {
  const { leg = "" } = called.params;
  if (leg === "other") return { other_leg: told.id };
  return carried.direction === "inbound" && isActiveMember(ctx.directory, leg) ? { user_id: leg } : {};
}

/** An outgoing call: the phone of the member who makes it, or of whom a dialer called ahead. */
async function wholeIs(ctx: Ctx, heard: Heard): Promise<Step[]> {
  const { told, carried } = heard;
  if (told.state === "completed") return isAhead(carried) && (await hungUpWaiting(ctx, carried)) ? [] : lookSoon(ctx, heard);
  if (isAhead(carried)) {
    if (outcomes[told.state] !== undefined) await ends(ctx, carried, endsOfAhead(told.state), null, {});
    return [];
  }
  const error_message = "The member who should make it did not answer";
  if (outcomes[told.state] !== undefined) await ends(ctx, carried, "cancel", null, { error_message });
  return [];
}

/** The member has answered, or whom a dialer called ahead. A repeated request gets the same response. */
async function begins(ctx: Ctx, { carried, called }: Heard): Promise<Step[]> {
  if (isAhead(carried)) return connect(ctx, carried, called.connected, Number(called.params.seconds ?? 0));
  return carried.kind === "call" && isLive(carried) ? ringOther(ctx, carried, called.connected) : [{ do: "hang_up" }];
}

/** Confirms by a key, which a mailbox never presses. */
async function accept(ctx: Ctx, { told, carried, called }: Heard): Promise<Step[]> {
  if (told.key === "1") {
    await talks(ctx, carried, {});
    return [];
  }
  const words = "You have a call. Press 1 to take it.";
  if (told.key === null) {
    const next = called.connected.addressOf("call", called.params.id!, "accept");
    return [{ do: "ask_for_key", words, next }, { do: "hang_up" }];
  }
  return [{ do: "hang_up" }];
}

async function afterRinging(ctx: Ctx, { told, carried, called }: Heard): Promise<Step[]> {
  const { rang } = told;
  if (rang?.isAnswered || isAnswered(carried)) {
    await ends(ctx, carried, "completed", rang?.seconds ?? null, {});
    return [{ do: "hang_up" }];
  }
  if (isAhead(carried)) return abandon(ctx, carried);
  if (carried.direction === "outbound") {
    await ends(ctx, carried, outcomes[rang?.state ?? "failed"] ?? "failed", null, {});
    return [{ do: "hang_up" }];
  }
  await ends(ctx, carried, "no-answer", null, {});
  const number = ourNumber(ctx, carried.local_phone ?? "") ?? { voicemail_greeting_url: null };
  const { addressOf } = called.connected;
  return takeMessage(number, (...parts) => addressOf("call", called.params.id!, ...parts));
}

/** The report does not say whether somebody answered. Who did may be reported later. */
async function lookSoon(ctx: Ctx, { carried }: Heard): Promise<Step[]> {
  if (carried.kind === "call" && isLive(carried)) wake(ctx, callJobs, [carried.id], callJobs.soon(ctx.now, isAhead(carried)));
  return [];
}
