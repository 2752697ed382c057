// Follows a call until it ends. It places the call, and asks the provider when no report has come for long, because reports can
// be lost.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { findRecord } from "../../records/records.ts";
import { type CarriedCall as Found, NotDone } from "../../services/telephony.ts";
import { connectedProvider } from "../telephony/provider.ts";
import { call } from "./call.ts";
import { callJobs } from "./call_jobs.ts";
import { failCall, isLive } from "./call_verbs.ts";
import { endsOfAhead, isAhead } from "./calls_ahead.ts";
import { isToPlace, lockCall, placeCall } from "./calls_out.ts";
import { type CarriedCall, ends, outcomes, talks } from "./carried_call.ts";
import { takeOff } from "./machines.ts";

type Status = Row<typeof call>["status"];

export const callWork: Work = {
  ...callJobs,
  doc: "Has the telephony provider place calls, and asks it about those that nothing was heard of for long.",
  slots: 8,
  run: takeTurn,
  async giveUp(ctx, job) {
    const row = await lockCall(ctx, job.object_id);
    if (row !== null && isToPlace(row)) await failCall(ctx, row, "several workers ended while placing it");
  },
};

async function takeTurn(core: Core, job: Job): Promise<void> {
  const ctx = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const before = await findRecord(ctx, call, job.object_id);
  if (before !== null && isToPlace(before)) return placeCall(core, ctx, job, before);
  if (before !== null && before.machine_leg !== null) return takeOff(core, ctx, job, before);
  const found = before === null ? null : await lookUp(ctx, before);
  await asSystem(core, job.organization_id, requestOf(job), async (inside) => {
    const row = await lockCall(inside, job.object_id);
    await holdClaim(inside, job);
    const goesOn = row !== null && isLive(row) && !(await note(inside, { ...row, kind: "call" }, found));
    release(inside, job, goesOn ? callJobs.firstLook(inside.now) : null);
  });
}

/** `unknown` when the provider has no such call. Null when nobody can say now. */
async function lookUp(ctx: Ctx, row: Row<typeof call>): Promise<Found | "unknown" | null> {
  const connected = row.provider_id !== null && isLive(row) ? await connectedProvider(ctx) : null;
  if (connected === null) return null;
  try {
    return (await connected.provider.callOf(row.provider_id!)) ?? "unknown";
  } catch (error) {
    if (error instanceof NotDone) return null;
    throw error;
  }
}

/** True when it has ended. */
async function note(ctx: Ctx, carried: CarriedCall & { kind: "call" }, found: Found | "unknown" | null): Promise<boolean> {
  if (found === null) return false;
  if (found === "unknown") {
    await ends(ctx, carried, carried.status === "in-progress" ? "completed" : "failed", 0, {});
    return true;
  }
  const talk = found.rang.find(({ state, seconds }) => state === "completed" && seconds > 0);
  const isOver = found.state !== "ringing" && found.state !== "talking";
  const talking = found.rang.find(({ state }) => state === "talking");
  if (!isOver && talking !== undefined)
    await talks(ctx, carried, carried.direction === "outbound" ? { other_leg: talking.id } : {});
  if (isOver && talk === undefined) await ends(ctx, carried, unanswered(carried, found), null, {});
  if (isOver && talk !== undefined) await ends(ctx, carried, "completed", talk.seconds, {});
  return isOver;
}

/** A call of ours that rang nobody was not answered by the member who should make it, or had nobody there who takes it. */
function unanswered(carried: CarriedCall & { kind: "call" }, { state, rang }: Found): Status {
  const { direction } = carried;
  const [last] = rang;
  if (isAhead(carried)) return state === "completed" ? "cancel" : endsOfAhead(state);
  return direction === "inbound" ? "no-answer" : last === undefined ? "cancel" : (outcomes[last.state] ?? "failed");
}
