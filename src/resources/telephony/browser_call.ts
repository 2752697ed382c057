// A member calls from their browser. The provider asks what to do; the call is recorded in the member's name, or a call that
// `POST /dialer/call/` made and that waits for a browser is taken up.
import { z } from "zod";
import { actorOfMember } from "../../auth/unscoped_work.ts";
import type { Ctx } from "../../core/context.ts";
import { reasonsOf } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { actingAs } from "../../records/acting.ts";
import { findRecords } from "../../records/records.ts";
import type { Step, ToldCall } from "../../services/telephony.ts";
import { call } from "../activities/call.ts";
import { callJobs } from "../activities/call_jobs.ts";
import { isPlaced, isToPlace, lockCall, ringOther } from "../activities/calls_out.ts";
import { whyNotCallTo } from "./callable.ts";
import { isFirst, signedRoute } from "./called.ts";
import { callInput, noteCall } from "./dial.ts";
import { whyNotCallFrom } from "./own_numbers.ts";
import type { Connected } from "./provider.ts";

type Call = Row<typeof call>;

export const browserCall = signedRoute({
  name: "provider.browser_call",
  parts: ["call", "browser"],
  doc: "A member calls from their browser: whom the call rings.",
  async run({ core, organization_id, connected, occasion, form }) {
    const { provider } = connected;
    const told = provider.readCall(form);
    const member = await actorOfMember(core.db, organization_id, told.from.replace(/^client:/, ""));
    if (member === null || !member.permissions.has("calling") || member.past_due)
      return provider.instruct(refusal("You may not make calls here."));
    const steps = await actingAs(core, member, occasion, (ctx) => begin(ctx, connected, told, form)).catch(inWords);
    return provider.instruct(steps);
  },
});

const refusal = (words: string): Step[] => [{ do: "say", words }, { do: "hang_up" }];

/** The caller hears what a client of the API would read. */
function inWords(error: unknown): Step[] {
  const [[field, reason] = ["", ""]] = Object.entries(reasonsOf(error));
  return refusal(`${field.replaceAll("_", " ")} ${reason}`);
}

async function begin(ctx: Ctx, connected: Connected, told: ToldCall, form: Record<string, string>): Promise<Step[]> {
  if (!(await isFirst(ctx, told.id))) {
    const [known] = await findRecords(ctx, call, [sql`t.provider_id = ${told.id}`]);
    return known === undefined ? [{ do: "hang_up" }] : ringOther(ctx, known, connected);
  }
  const row = form.call_id ? await waitingCall(ctx, form.call_id) : await noteCall(ctx, asked.parse(form));
  if (row === null) return refusal("This call cannot be taken up any more.");
  const reason = whyNotCallFrom(ctx, row.local_phone, ctx.actor.user_id) ?? whyNotCallTo(ctx, row.phone!);
  if (reason !== null) return refusal(reason);

  wake(ctx, callJobs, [row.id], callJobs.firstLook(ctx.now));
  return ringOther(ctx, isPlaced(ctx, row, told.id), connected);
}

/** The provider adds fields of its own. */
const asked = z.object(callInput);

/** The member's own, if the provider was not asked for it. */
async function waitingCall(ctx: Ctx, id: string): Promise<Call | null> {
  const row = await lockCall(ctx, id);
  const isMine = row?.user_id === ctx.actor.user_id && row.sending_at === null && isToPlace(row);
  return isMine ? row : null;
}
