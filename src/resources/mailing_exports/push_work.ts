// The work for mailing exports: a job is one export. A turn records the next batch, gives it to the platform, and stores what became of
// it. A batch without a result is given to the platform again: it updates who is there already, so nobody is there twice. Whoever asked
// for the export, and whom they may see, is looked up again for each batch.
import type { Actor, Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { whileHeld } from "../../jobs/while_held.ts";
import { asService } from "../../records/acting.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { insertFile } from "../files/store_file.ts";
import { removeBytes } from "../files/stored_bytes.ts";
import { ErasedSince, refuseIfErasedSince } from "../shared/erased_since.ts";
import { type Asked, authorOf, inItsName } from "../shared/in_its_name.ts";
import { openPlatform } from "./clients.ts";
import { keeperOf, writeFile } from "./contact_file.ts";
import { type Item, markItems, nextItems, takeAudience } from "./items.ts";
import { mailingExport } from "./mailing_export.ts";
import { mailingExportJobs } from "./mailing_export_jobs.ts";
import { complete, counted, fail, isOver, type MailingExport } from "./progress.ts";
import { type Answer, type Batch, send, settle } from "./push_batch.ts";
import { sortItems } from "./recipients.ts";

/** After so long, others get the place. */
const turnsForMs = 2000;

export const mailingExportWork: Work = {
  ...mailingExportJobs,
  doc: "Pushes contacts to mailing platforms.",
  slots: 4,
  async run(core, job) {
    const until = performance.now() + turnsForMs;
    for (let goesOn = true; goesOn; ) {
      const batch = await begin(core, job);
      if (batch === null) return;
      if (batch === "file") return endWithFile(core, job);
      const answer = await whileHeld(core, job, () => send(batch));
      goesOn = await keepAnswer(core, job, batch, answer, until);
    }
  },
  async giveUp(ctx, { object_id }) {
    const [row] = await lockToChange(ctx, mailingExport, sql`t.id = ${object_id}`);
    if (row !== undefined && !isOver(row))
      fail(ctx, row, "Several workers ended in the middle of it: resume it to go on with whom is left");
  },
};

/** What became of a batch is stored, whatever became of the right to send the next one. Returns whether that follows at once. */
const keepAnswer = (core: Core, job: Job, batch: Batch, answer: Answer, until: number): Promise<boolean> =>
  asService(core, job.organization_id, "", requestOf(job), async (ctx) => {
    const [row] = await lockToChange(ctx, mailingExport, sql`t.id = ${job.object_id}`);
    await holdClaim(ctx, job);
    const again = row === undefined ? null : settle(ctx, row, batch, answer);
    const goesOn = again !== null && again <= ctx.now && performance.now() < until;
    if (!goesOn) release(ctx, job, again);
    return goesOn;
  });

/** Null when there is nothing to send. */
async function begin(core: Core, job: Job): Promise<Batch | "file" | null> {
  let batch: Batch | "file" | null = null;
  await inName(core, job, async (ctx, row) => {
    const platform = await openPlatform(ctx, row);
    if (platform === null) {
      fail(ctx, row, "Its credentials are gone: store them again, and resume it");
      return release(ctx, job, null);
    }
    if (row.status === "queued") await takeAudience(ctx, row);
    const begun = startedRow(ctx, row);
    const items = await nextItems(ctx, row.id, Math.min(platform.most, row.batch_most ?? platform.most));
    if (items.length === 0 && row.platform === "csv") batch = "file";
    else if (items.length > 0) batch = { platform, ...(await recordBatch(ctx, begun, items)) };
    else {
      complete(ctx, begun);
      release(ctx, job, null);
    }
  });
  return batch;
}

function startedRow(ctx: Ctx, row: MailingExport): MailingExport {
  if (row.status === "running") return row;
  const values = { status: "running", date_started: ctx.now.toISOString() } as const;
  return store.update(ctx, mailingExport, row, values, undefined, null);
}

/** Stores who is about to be sent and who is left out, before anything is sent. */
async function recordBatch(ctx: Ctx, row: MailingExport, items: readonly Item[]): Promise<Omit<Batch, "platform">> {
  const { receipt } = row;
  if (receipt !== null) return { items, recipients: [], receipt, key: "" };
  const { recipients, excluded } = await sortItems(ctx, row.id, items);
  markItems(ctx, row.id, [
    ...recipients.map(({ ord, recipient }) => ({ ord, status: "sending" as const, address: recipient.email })),
    ...excluded.map(({ ord, reason }) => ({ ord, status: "skipped" as const, error: reason })),
  ]);
  if (excluded.length > 0) {
    const results = { pushed: 0, excluded: excluded.map(({ reason }) => reason), failures: [] };
    store.update(ctx, mailingExport, row, counted(row, results), undefined, null);
  }
  const sent = recipients.map(({ ord, recipient: { contact_id, email } }) => ({
    ord,
    contact_id,
    status: "sending" as const,
    address: email,
  }));
  return {
    items: sent,
    recipients: recipients.map(({ recipient }) => recipient),
    receipt,
    key: `${row.id}.${sent[0]?.ord ?? 0}`,
  };
}

/** Everybody was taken: what they are now is written to a file. */
async function endWithFile(core: Core, job: Job): Promise<void> {
  const [found, actor] = await authorOf(core, job, asked);
  if (found === undefined || actor === null) return void (await inName(core, job, async (ctx) => release(ctx, job, null)));
  const [bytes, erased] = await whileHeld(core, job, () => writeFile(core, actor, job, found));
  let isKept = false;
  try {
    await inName(core, job, async (ctx, row) => {
      await refuseIfErasedSince(ctx, erased);
      const name = `contacts-${ctx.now.toISOString().slice(0, 10)}.csv`;
      const { id } = await insertFile(ctx, bytes, { name, is_system: true, share_expires_at: ctx.now.toISOString() });
      complete(ctx, row, id);
      release(ctx, job, null);
      isKept = true;
    });
  } catch (error) {
    if (!(error instanceof ErasedSince)) throw error;
    await inName(core, job, async (ctx) => release(ctx, job, ctx.now));
  } finally {
    if (!isKept) await removeBytes(keeperOf(core, job), bytes.storage_key);
  }
}

/** What an automation starts without naming a member has all rights. */
const asked: Asked<typeof mailingExport> = {
  of: mailingExport,
  isOpen: (row) => !isOver(row),
  askedBy: ({ run_by, created_by }) => run_by ?? created_by,
  whyNot: (_ctx, _row, actor) => whyNot(actor),
  stop: fail,
};

const inName = (core: Core, job: Job, act: (ctx: Ctx, row: MailingExport) => Promise<void>): Promise<boolean> =>
  inItsName(core, job, asked, async (ctx, row) => {
    await act(ctx, row);
    return true;
  });

/** Why it may not go on; null if it may. */
function whyNot(actor: Actor | null): string | null {
  if (actor === null) return "Whoever asked for it is no longer an active member";
  if (actor.past_due) return "The account is past due";
  return actor.permissions.has("export") ? null : "Whoever asked for it may not export any more";
}
