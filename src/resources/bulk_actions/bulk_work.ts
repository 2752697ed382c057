// The work for bulk actions: a job is one bulk action. It takes up to 200 items in a transaction, with what becomes of each, so
// that a killed worker loses nothing and the next one repeats nothing. Whoever asked for it is looked up again for each transaction.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import type { Actor, Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { actingAs, asService, readingAs, systemActor } from "../../records/acting.ts";
import { findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { bulkAction } from "./bulk_action.ts";
import { finalStates } from "./common.ts";
import type { BulkAction, Doing, Done } from "./doing.ts";
import { doings } from "./kinds.ts";
import { bulkJobs } from "./names.ts";
import { finish, noteDone, stop } from "./progress.ts";
import { nextItems } from "./snapshot.ts";
import { type Extent, takeTurns } from "./turns.ts";

export const bulkWork: Work = {
  ...bulkJobs,
  doc: "Carries out bulk actions.",
  slots: 4,
  run: (core, job) =>
    takeTurns(
      job,
      (extent) => takeTurn(core, job, extent),
      (done) => endItem(core, job, done),
    ),
  async giveUp(ctx, { object_id }) {
    const [row] = await lockToChange(ctx, bulkAction, sql`t.id = ${object_id}`);
    if (row !== undefined && !finalStates.has(row.status))
      stop(ctx, row, "Several workers ended in the middle of it: start another for what is left");
  },
};

/** Returns whether the next items follow at once. The job is then still claimed. */
async function takeTurn(core: Core, job: Job, { most, mayGoOn }: Extent): Promise<boolean> {
  return inItsName(core, job, async (ctx, action, doing) => {
    const stopped = (await doing.stopped?.(ctx, action)) ?? null;
    if (stopped !== null) return halt(ctx, job, action, stopped);
    const items = await nextItems(ctx, action.id, most);
    const own: Ctx = { ...ctx, meta: { ...ctx.meta, bulk_action_id: action.id } };
    const done = items.length === 0 ? [] : await doing.take(own, action, items);
    const after = noteDone(ctx, action, items, done);
    if (done.length === items.length && items.length < most) return finish(ctx, job, after);
    if (!mayGoOn) release(ctx, job, ctx.now);
    return mayGoOn;
  });
}

function halt(ctx: Ctx, job: Job, action: BulkAction, why: string): false {
  stop(ctx, action, why);
  release(ctx, job, null);
  return false;
}

/** What became of the first item that is left. */
async function endItem(core: Core, job: Job, done: Done): Promise<void> {
  await inItsName(core, job, async (ctx, action) => {
    const items = await nextItems(ctx, action.id, 1);
    if (items.length > 0) noteDone(ctx, action, items, [done]);
    return true;
  });
}

type Act = (ctx: Ctx, action: BulkAction, doing: Doing) => Promise<boolean>;

/** A transaction with the bulk action and the claim, with the present rights of whoever asked for it. */
async function inItsName(core: Core, job: Job, act: Act): Promise<boolean> {
  const reading = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const [found] = await findRecords(reading, bulkAction, [sql`t.id = ${job.object_id}`]);
  const actor = await actorOfMember(core.db, job.organization_id, found?.created_by ?? "");
  const why = found === undefined ? null : whyNot(reading, found as BulkAction, actor);
  const inside = (work: (ctx: Ctx) => Promise<boolean>) =>
    why === null && actor !== null
      ? actingAs(core, actor, requestOf(job), work)
      : asService(core, job.organization_id, "", requestOf(job), work);

  return inside(async (ctx) => {
    const [row] = await lockToChange(ctx, bulkAction, sql`t.id = ${job.object_id}`);
    await holdClaim(ctx, job);
    if (row !== undefined && !finalStates.has(row.status) && row.status !== "paused") {
      if (why === null) return act(ctx, begun(ctx, row), doings[row.kind]);
      return halt(ctx, job, row, why);
    }
    release(ctx, job, null);
    return false;
  });
}

/** Why it may not go on; null if it may. */
function whyNot(ctx: Ctx, action: BulkAction, actor: Actor | null): string | null {
  const doing = doings[action.kind];
  const more = doing.needs?.(ctx, action) ?? "member";
  if (actor === null) return "Whoever asked for it is no longer an active member";
  if (actor.past_due) return "The account is past due";
  const lacks = [doing.permission, more].find((one) => one !== "member" && !actor.permissions.has(one));
  return lacks === undefined ? null : `Whoever asked for it may not do it any more: it needs ${lacks}`;
}

function begun(ctx: Ctx, row: BulkAction): BulkAction {
  if (row.status === "processing") return row;
  const date_started = row.date_started ?? ctx.now.toISOString();
  return store.update(ctx, bulkAction, row, { status: "processing", date_started }) as BulkAction;
}
