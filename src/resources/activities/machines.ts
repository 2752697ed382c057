// A machine has answered a call: it was recognized in a call of a dialer, or the member says so. For our members the call is over at that
// moment: the provider takes the phone off them, and plays a message into a mailbox, or hangs up.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, wake } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import { NotDone, type Step } from "../../services/telephony.ts";
import { signedRoute } from "../telephony/called.ts";
import { connectedProvider } from "../telephony/provider.ts";
import { voicemailOf } from "../telephony/voicemail_drop.ts";
import type { call } from "./call.ts";
import { callJobs } from "./call_jobs.ts";
import { callGoesOn, isLive } from "./call_verbs.ts";
import { lockCall } from "./calls_out.ts";

type Call = Row<typeof call>;

export const callAnsweredBy = signedRoute({
  name: "provider.call_answered_by",
  parts: ["call", "{id}", "answered_by"],
  doc: "Who has answered a call of a dialer: a person or a machine.",
  async run({ core, organization_id, connected, occasion, params, form }) {
    const told = connected.provider.readAnswer(form);
    const { id, by } = told;
    if (by === "person") return null;
    await asSystem(core, organization_id, occasion, async (ctx) => {
      const row = await lockCall(ctx, params.id!);
      // The report was repeated, or the call is gone.
      if (row?.answered_by === null) await isMachine(ctx, row, by, id);
    });
    return null;
  },
});

export const callToMachine = signedRoute({
  name: "provider.call_to_machine",
  parts: ["call", "{id}", "machine"],
  doc: "A phone that a machine has answered was taken off the member: what the machine hears.",
  async run({ core, organization_id, connected, occasion, params }) {
    const steps = await asSystem(core, organization_id, occasion, async (ctx) => {
      const row = await lockCall(ctx, params.id!);
      return row === null ? [{ do: "hang_up" } as const] : leaveMessage(ctx, row);
    });
    return connected.provider.instruct(steps);
  },
});

/** What follows from the status: a member may have hung up before the report. */
const replaced: readonly Call["disposition"][] = [null, "answered", "abandoned"];

/** For our member the call is over. */
export async function isMachine(ctx: Ctx, row: Call, answered_by: "machine" | "mailbox", machine_leg: string): Promise<Call> {
  wake(ctx, callJobs, [row.id]);
  const disposition = replaced.includes(row.disposition) ? "vm-answer" : row.disposition;
  const values = { disposition, answered_by, machine_leg };
  if (row.status !== "in-progress") return callGoesOn(ctx, row, isLive(row) ? "no-answer" : row.status, values);
  const duration = Math.round((ctx.now.getTime() - Date.parse(row.date_answered!)) / 1000);
  return callGoesOn(ctx, row, "completed", { ...values, duration });
}

/** For the phone of a machine. A repeated request gets the same response. */
export async function leaveMessage(ctx: Ctx, row: Call): Promise<Step[]> {
  const message = row.answered_by === "mailbox" ? await voicemailOf(ctx, row) : null;
  const disposition = message !== null && row.disposition === "vm-answer" ? "vm-left" : row.disposition;
  await callGoesOn(ctx, row, row.status, { machine_leg: null, disposition });
  return message === null ? [{ do: "hang_up" }] : [{ do: "play", url: message }, { do: "hang_up" }];
}

/** After so long the mailbox has hung up. */
const mailboxMs = 5 * 60_000;
const againMs = 2_000;

/** A turn of the call's job: the provider takes the phone off the member. */
export async function takeOff(core: Core, reading: Ctx, job: Job, { id, machine_leg }: Call): Promise<void> {
  const connected = await connectedProvider(reading);
  const problem = await connected?.provider
    .redirectCall(machine_leg!, connected.addressOf("call", id, "machine"))
    .then(() => null, orFailure);
  await asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    const row = await lockCall(ctx, id);
    await holdClaim(ctx, job);
    const isLater = problem instanceof NotDone && problem.kind !== "refused";
    const again = row?.machine_leg != null && isLater && Date.parse(row.date_created) + mailboxMs > ctx.now.getTime();
    if (row?.machine_leg != null && !again) await callGoesOn(ctx, row, row.status, { machine_leg: null });
    release(ctx, job, again ? new Date(ctx.now.getTime() + againMs) : null);
  });
}

function orFailure(error: unknown): NotDone {
  if (error instanceof NotDone) return error;
  throw error;
}
