// The work for bulk actions: a job is one bulk action. It takes up to 200 items in a transaction, with what becomes of each, so
// that a killed worker loses nothing and the next one repeats nothing. Whoever asked for it is looked up again for each transaction.
import type { Actor, Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { type Job, release, type Work } from "../../jobs/job.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { type Asked, inItsName } from "../shared/in_its_name.ts";
import { bulkAction } from "./bulk_action.ts";
import { finalStates } from "./common.ts";
import type { BulkAction, Doing, Done } from "./doing.ts";
import { doings, neededFor } from "./kinds.ts";
import { bulkJobs } from "./names.ts";
import { finish, noteDone, stop } from "./progress.ts";
import { recheckOf, takeMatching } from "./recheck.ts";
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
      stop(ctx, row, "Several workers ended in the middle of it: resume it to go on with what is left");
  },
};

/** Returns whether the next items follow at once. The job is then still claimed. */
async function takeTurn(core: Core, job: Job, { most, mayGoOn }: Extent): Promise<boolean> {
  return inName(core, job, async (ctx, action, doing) => {
    const { condition, whyNot: noQuery } = await recheckOf(ctx, doing, action);
    const stopped = (await doing.stopped?.(ctx, action)) ?? noQuery;
    if (stopped !== null) return halt(ctx, job, action, stopped);
    const items = await nextItems(ctx, action.id, most);
    const own: Ctx = { ...ctx, meta: { ...ctx.meta, bulk_action_id: action.id } };
    const done = items.length === 0 ? [] : await takeMatching(own, doing, action, items, condition);
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
  await inName(core, job, async (ctx, action) => {
    const items = await nextItems(ctx, action.id, 1);
    if (items.length > 0) noteDone(ctx, action, items, [done]);
    return true;
  });
}

const asked: Asked<typeof bulkAction> = {
  of: bulkAction,
  isOpen: ({ status }) => !finalStates.has(status) && status !== "paused",
  askedBy: ({ run_by, created_by }) => run_by ?? created_by ?? "",
  whyNot: (ctx, row, actor) => whyNot(ctx, row as BulkAction, actor),
  stop: (ctx, row, why) => stop(ctx, row as BulkAction, why),
};

type Act = (ctx: Ctx, action: BulkAction, doing: Doing) => Promise<boolean>;

const inName = (core: Core, job: Job, act: Act): Promise<boolean> =>
  inItsName(core, job, asked, (ctx, row) => act(ctx, begun(ctx, row as BulkAction), doings[(row as BulkAction).kind]));

function whyNot(ctx: Ctx, action: BulkAction, actor: Actor | null): string | null {
  if (actor === null) return "Whoever asked for it is no longer an active member";
  if (actor.past_due) return "The account is past due";
  const lacks = neededFor(ctx, action).find((one) => !actor.permissions.has(one));
  return lacks === undefined ? null : `Whoever asked for it may not do it any more: it needs ${lacks}`;
}

function begun(ctx: Ctx, row: BulkAction): BulkAction {
  if (row.status === "processing") return row;
  const date_started = row.date_started ?? ctx.now.toISOString();
  return store.update(ctx, bulkAction, row, { status: "processing", date_started }) as BulkAction;
}
