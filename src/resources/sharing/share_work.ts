// The work for sharing many contacts: a job is one run. Each contact is shared once, with the rights that whoever asked for it has in both
// organizations at that moment.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { type Job, release, type Work } from "../../jobs/job.ts";
import { findRecord } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { type Done, each, gone, type Item } from "../bulk_actions/doing.ts";
import { errorsMost, writeDone } from "../bulk_actions/progress.ts";
import { nextItems } from "../bulk_actions/snapshot.ts";
import { type Extent, takeTurns } from "../bulk_actions/turns.ts";
import { contact } from "../contacts/contact.ts";
import { share } from "../contacts/share.ts";
import { seesAllInBoth } from "../contacts/sharing.ts";
import { enterAsMember } from "../shared/elsewhere.ts";
import { type Asked, inItsName } from "../shared/in_its_name.ts";
import { refusalOf } from "../shared/refused_words.ts";
import { shareBulk } from "./share_bulk.ts";
import { shareJobs } from "./share_jobs.ts";

type ShareBulk = Row<typeof shareBulk>;

export const shareWork: Work = {
  ...shareJobs,
  doc: "Shares many contacts with other organizations.",
  slots: 2,
  run: (core, job) =>
    takeTurns(
      job,
      (extent) => takeTurn(core, job, extent),
      (done) => endItem(core, job, done),
    ),
  async giveUp(ctx, { object_id }) {
    const [row] = await lockToChange(ctx, shareBulk, sql`t.id = ${object_id}`);
    if (row !== undefined && isOpen(row))
      fail(ctx, row, "Several workers ended in the middle of it: resume it to go on with what is left");
  },
};

const isOpen = ({ status }: ShareBulk): boolean => status === "queued" || status === "running";

/** Returns whether the next items follow at once. The job is then still claimed. */
async function takeTurn(core: Core, job: Job, { most, mayGoOn }: Extent): Promise<boolean> {
  return inItsName(core, job, asked, async (ctx, row) => {
    const refusal = await whyNot(ctx, row);
    if (refusal !== null) {
      fail(ctx, row, refusal);
      release(ctx, job, null);
      return false;
    }
    const items = await nextItems(ctx, row.id, most);
    const done = await each(ctx, items, (own, item) => shareItem(own, row, item));
    const after = noteDone(ctx, row, items, done);
    if (done.length === items.length && items.length < most) {
      store.update(ctx, shareBulk, after, { status: "completed", date_completed: ctx.now.toISOString() });
      release(ctx, job, null);
      return false;
    }
    if (!mayGoOn) release(ctx, job, ctx.now);
    return mayGoOn;
  });
}

async function shareItem(ctx: Ctx, row: ShareBulk, { object_id }: Item): Promise<Done> {
  const { target_organization_id } = row;
  if ((await findRecord(ctx, contact, object_id)) === null) return gone;
  const { isNew } = await share(ctx, object_id, { organization_id: target_organization_id }).catch(async (problem) => {
    // Whoever lost the rights meanwhile is told by the next turn. The contact is left for when it is resumed.
    if ((await whyNot(ctx, row)) !== null) throw new Error("the rights are lost", { cause: problem });
    throw problem;
  });
  return isNew ? { status: "succeeded" } : { status: "skipped", error: "is shared there already" };
}

async function endItem(core: Core, job: Job, done: Done): Promise<void> {
  await inItsName(core, job, asked, async (ctx, row) => {
    const items = await nextItems(ctx, row.id, 1);
    if (items.length > 0) noteDone(ctx, row, items, [done]);
    return true;
  });
}

function noteDone(ctx: Ctx, row: ShareBulk, items: readonly Item[], done: readonly Done[]): ShareBulk {
  const values = { status: "running", date_started: row.date_started ?? ctx.now.toISOString() } as const;
  if (done.length === 0) return store.update(ctx, shareBulk, row, values);
  const { count, failures } = writeDone(ctx, items, done);
  const errors = failures.map(({ object_id, error }) => ({ contact_id: object_id, error }));
  return store.update(ctx, shareBulk, row, {
    ...values,
    n_processed: row.n_processed + done.length,
    n_shared: row.n_shared + count("succeeded"),
    n_skipped: row.n_skipped + count("skipped"),
    n_failed: row.n_failed + count("failed"),
    errors: [...row.errors, ...errors].slice(0, errorsMost),
  });
}

const asked: Asked<typeof shareBulk> = {
  of: shareBulk,
  isOpen,
  askedBy: ({ run_by, created_by }) => run_by ?? created_by ?? "",
  whyNot: (_ctx, _row, actor) => (actor === null ? "Whoever asked for it is no longer an active member" : null),
  stop: fail,
};

/** Why it may not go on; null if it may. */
async function whyNot(ctx: Ctx, { target_organization_id }: ShareBulk): Promise<string | null> {
  if (ctx.actor.past_due) return "The account is past due";
  try {
    await enterAsMember(ctx, target_organization_id, "organization_id", seesAllInBoth);
    return null;
  } catch (problem) {
    const refusal = refusalOf(problem);
    if (refusal === null) throw problem;
    return refusal.words;
  }
}

function fail(ctx: Ctx, row: ShareBulk, error: string): void {
  store.update(ctx, shareBulk, row, { status: "failed", error, date_completed: ctx.now.toISOString() });
}
