// Dials ahead: a predictive dialer has more people called than members wait for, because not everybody answers. Entries, calls and
// their jobs are written in one transaction, and each call is then placed like any other, so that nobody is rung twice.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Create, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work, wake } from "../../jobs/job.ts";
import { actingAs, readingAs, systemActor } from "../../records/acting.ts";
import { createRecord, findRecord } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { NotDone } from "../../services/telephony.ts";
import { call } from "../activities/call.ts";
import { callJobs } from "../activities/call_jobs.ts";
import { dialer } from "./dialer.ts";
import { type Counts, dial, endDialed, endLeases, type Found, findNext, ringing } from "./dialer_entries.ts";
import { dialerJobs } from "./dialer_jobs.ts";
import { agentsOf, callingNumber, noteWay } from "./dialing_ahead.ts";
import { connectedProvider } from "./provider.ts";
import { withDueCalls } from "./sequence_calls.ts";

type Dialer = Row<typeof dialer>;

export const dialerWork: Work = {
  ...dialerJobs,
  doc: "Has people called ahead for members who wait at a predictive dialer.",
  slots: 4,
  async run(core, job) {
    const reading = await readingAs(core, systemActor(job.organization_id), requestOf(job));
    const found = await findRecord(reading, dialer, job.object_id);
    // It calls what its member may see now, and nobody once they have left.
    const member = found === null ? null : await actorOfMember(core.db, job.organization_id, found.user_id);
    if (found !== null && found.status !== "active") await stopRinging(reading, found);
    await inTurn(core, job, member ?? systemActor(job.organization_id), member !== null);
  },
  // The next member who asks for a lead wakes it again.
  async giveUp() {},
};

/** The dialer was stopped, and phones still ring. The provider tells of each when it has stopped. */
async function stopRinging(ctx: Ctx, of: Dialer): Promise<void> {
  const ids = (await ringing(ctx, of)).filter((id) => id !== null);
  const connected = ids.length === 0 ? null : await connectedProvider(ctx);
  if (connected === null) return;
  try {
    for (const id of ids) await connected.provider.stopRinging(id);
  } catch (error) {
    // They ring for half a minute at most, and members who wait take those that are answered.
    if (!(error instanceof NotDone)) throw error;
  }
}

const inTurn = (core: Core, job: Job, actor: Ctx["actor"], isMember: boolean): Promise<void> =>
  actingAs(core, actor, requestOf(job), async (ctx) => {
    const [of] = await lockToChange(ctx, dialer, sql`t.id = ${job.object_id}`);
    await holdClaim(ctx, job);
    const dials = of !== undefined && isMember && of.type === "predictive" && of.status === "active";
    release(ctx, job, dials ? await dialAhead(ctx, await withDueCalls(ctx, await noteWay(ctx, of))) : null);
  });

/** The most calls that one turn places. */
const most = 50;
/** By then somebody else may be free. */
const againMs = 30_000;

/** Returns when to look again. */
async function dialAhead(ctx: Ctx, of: Dialer): Promise<Date | null> {
  const counts = { n_called: of.n_called + (await endDialed(ctx, of)) + (await endLeases(ctx, of)), n_skipped: of.n_skipped };
  const agents = of.effective_type === "predictive" ? await agentsOf(ctx, of.id) : [];
  const lines = Math.min(most, Math.floor(agents.length * of.pacing) - (await ringing(ctx, of)).length);
  const dialed: Found[] = [];
  let next: Found | Date | null = null;
  while (dialed.length < lines) {
    const found = await findNext(ctx, of);
    counts.n_skipped += found.n_skipped;
    next = found.next;
    if (next === null || next instanceof Date) break;
    await dialOne(ctx, of, next);
    dialed.push(next);
  }
  noteProgress(ctx, of, counts, dialed);
  if (agents.length === 0) return null;
  const again = new Date(ctx.now.getTime() + againMs);
  return next instanceof Date && next < again ? next : again;
}

async function dialOne(ctx: Ctx, of: Dialer, found: Found): Promise<void> {
  const { lead_id, contact_id, phone } = found;
  const row = await createRecord(ctx, call, {
    source: "Internal",
    status: "created",
    direction: "outbound",
    phone: phone.phone,
    lead_id,
    contact_id,
    local_phone: callingNumber(ctx, of, phone.phone),
    // Fields that callers may only read are set by the service.
    ...({ call_method: "predictive", dialer_id: of.id } as Create<typeof call>),
  });
  dial(ctx, of, found, row.id);
  wake(ctx, callJobs, [row.id]);
}

function noteProgress(ctx: Ctx, of: Dialer, { n_called, n_skipped }: Counts, dialed: readonly Found[]): void {
  const last = dialed.at(-1);
  const moved = last && { current_lead_id: last.lead_id, last_lead_id: dialed.at(-2)?.lead_id ?? of.current_lead_id };
  const position = Math.max(of.position, ...dialed.map((one) => one.position));
  if (last === undefined && n_called === of.n_called && n_skipped === of.n_skipped) return;
  store.update(ctx, dialer, of, { ...moved, position, n_called, n_skipped });
}
