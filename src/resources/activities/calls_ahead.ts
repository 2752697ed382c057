// A call that a predictive dialer placed: whoever answers is connected to a member who waits for calls. If nobody is free within two
// seconds, they hear who called and that nobody is there, and the call counts as abandoned.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import type { CallState, Step } from "../../services/telephony.ts";
import { organizationOf } from "../organization/organization.ts";
import { agentOf, takeAgent } from "../telephony/dialing_ahead.ts";
import type { Connected } from "../telephony/provider.ts";
import { isRecorded } from "../telephony/whom_to_ring.ts";
import type { call } from "./call.ts";
import { isLive } from "./call_verbs.ts";
import { type CarriedCall, ends, isKnown, outcomes } from "./carried_call.ts";
import { leaveMessage } from "./machines.ts";

export type CallAhead = Row<typeof call> & { kind: "call"; call_method: "predictive" };

type Status = CallAhead["status"];

export const isAhead = (carried: CarriedCall): carried is CallAhead =>
  carried.kind === "call" && carried.call_method === "predictive";

/** How it ended with nobody answering. `cancel` would count as abandoned, and nobody was. */
export const endsOfAhead = (state: CallState): Status => (state === "canceled" ? "no-answer" : (outcomes[state] ?? "failed"));

/** How many seconds somebody who answered waits. */
const waitsFor = 2;
/** How long the member's browser rings. */
const ringsFor = 5;

/** They have answered, so many seconds ago. A repeated request gets the same response. */
export async function connect(ctx: Ctx, carried: CallAhead, { addressOf }: Connected, waited: number): Promise<Step[]> {
  if (carried.answered_by !== null) return leaveMessage(ctx, carried);
  if (!isLive(carried)) return [{ do: "hang_up" }];
  const address = (...parts: string[]) => addressOf("call", carried.id, ...parts);
  const agent = await takeAgent(ctx, carried);
  if (agent === null)
    return waited < waitsFor ? [{ do: "wait", seconds: 1, next: address("waited", String(waited + 1)) }] : abandon(ctx, carried);

  if (carried.user_id !== agent) await isKnown(ctx, carried, { user_id: agent });
  return [
    {
      do: "ring",
      clients: [{ to: agent, callback: address("state", agent) }],
      phones: [],
      shows: carried.local_phone!,
      seconds: ringsFor,
      next: address("rung"),
      recording: isRecorded(ctx, [agent]) ? address("recorded", "recording") : null,
    },
  ];
}

/** They have hung up while they waited. False when a member was rung: the report that they talked may still come. */
export async function hungUpWaiting(ctx: Ctx, carried: CallAhead): Promise<boolean> {
  if ((await agentOf(ctx, carried)) !== null) return false;
  await ends(ctx, carried, "cancel", null, { error_message: "They hung up before a member was free" });
  return true;
}

/** Nobody takes the call. */
export async function abandon(ctx: Ctx, carried: CallAhead): Promise<Step[]> {
  if (carried.answered_by !== null) return leaveMessage(ctx, carried);
  await ends(ctx, carried, "cancel", null, { error_message: "Nobody was free to take it" });
  const { name } = organizationOf(ctx.directory);
  const words = `This is ${name}. We called you, but nobody is free to talk just now. We are sorry. You can reach us at this number. Goodbye.`;
  return [{ do: "say", words }, { do: "hang_up" }];
}
