// Deletes an organization: at once nobody can access it, and a job then deletes its data. However much that is, no transaction
// takes longer than a second or two, because readers of everybody's events wait for it.
import { type Ctx, query, write } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work, wake } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import { announceChange } from "../../records/change.ts";
import { pgTimestamp } from "../../values/time.ts";
import { areGrantsLeft, giveBackAllGrants } from "../accounts/oauth/grants.ts";
import { oauthRevocation } from "../accounts/oauth/revoke.ts";
import { eraseRest, stepsOf } from "./erase.ts";

/** A job runs this long, then other jobs get their turn. */
const turnMs = 10_000;
/** After several workers ended in the middle of the job. */
const restMs = 600_000;
/** Google and Microsoft have so long to take back what members granted. Then the tokens are erased with everything else. */
const revokingMs = 3_600_000;
const revokingPauseMs = 10_000;

export const erasure: Work = {
  kind: "erasure",
  doc: "Removes the rows of deleted organizations.",
  slots: 2,
  async run(core, job) {
    const until = performance.now() + turnMs;
    if (!(await inTurn(core, job, isDeleted))) return inTurn(core, job, async (ctx) => release(ctx, job, null));
    if (await inTurn(core, job, async (ctx) => waitsForProviders(ctx, job))) return;
    for (const step of await inTurn(core, job, stepsOf))
      while (await inTurn(core, job, step))
        if (performance.now() > until) return inTurn(core, job, async (ctx) => release(ctx, job, ctx.now));
    await inTurn(core, job, eraseRest);
  },
  // Nobody is left to be notified, and the rows must be deleted.
  async giveUp(ctx) {
    wake(ctx, erasure, [ctx.organization_id], new Date(ctx.now.getTime() + restMs));
  },
};

const inTurn = <T>(core: Core, job: Job, work: (ctx: Ctx) => Promise<T>): Promise<T> =>
  asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    await holdClaim(ctx, job);
    return work(ctx);
  });

/** Only an archive that somebody changed brings such a job to an organization that is open. */
async function isDeleted(ctx: Ctx): Promise<boolean> {
  const [row] = await query(ctx, {
    text: "select from organization where id = $1 and organization_id = $1 and erased_at is not null",
    values: [ctx.organization_id],
  });
  return row !== undefined;
}

/** The credentials that grants are given back with stand in the organization's own rows. */
async function waitsForProviders(ctx: Ctx, job: Job): Promise<boolean> {
  const [row] = await query(ctx, {
    text: "select erased_at from organization where id = $1 and organization_id = $1",
    values: [ctx.organization_id],
  });
  const isLate = ctx.now.getTime() - Date.parse(pgTimestamp(row![0]!)) > revokingMs;
  if (isLate || !(await areGrantsLeft(ctx))) return false;
  release(ctx, job, new Date(ctx.now.getTime() + revokingPauseMs));
  return true;
}

/** Closes an organization for everybody: its keys, members, links and background work end with this transaction. */
export async function beginErasure(ctx: Ctx): Promise<void> {
  const here = ctx.organization_id;
  write(ctx, { text: "update organization set erased_at = $2 where id = $1 and organization_id = $1", values: [here, ctx.now] });
  write(ctx, { text: "delete from api_key where organization_id = $1", values: [here] });
  write(ctx, { text: "update membership set status = 'inactive' where organization_id = $1", values: [here] });
  write(ctx, { text: "delete from consumer where organization_id = $1", values: [here] });
  write(ctx, { text: "delete from job where organization_id = $1", values: [here] });
  wake(ctx, oauthRevocation, await giveBackAllGrants(ctx));
  wake(ctx, erasure, [here]);
  announceChange(ctx);
}
