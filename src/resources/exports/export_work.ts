// Writes the files of exports: a job is one export. Everything is read at one moment, with the present rights of who asked for it. An
// interrupted export begins anew, and what it had written is removed.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Ctx, may } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Problem } from "../../core/errors.ts";
import { asRefusal } from "../../db/refusals.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { ClaimLost, holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { whileHeld } from "../../jobs/while_held.ts";
import { asService, readingAtOnce } from "../../records/acting.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { keepOwn } from "../files/store_file.ts";
import { claimBytes, type Keeper, type KeptBytes, removeBytes } from "../files/stored_bytes.ts";
import { notify } from "../notifications/notify.ts";
import { ErasedSince, erasingsDone, refuseIfErasedSince } from "../shared/erased_since.ts";
import { exportResource } from "./export.ts";
import { exportJobs } from "./export_jobs.ts";
import { gzipped, Measure, type Measured } from "./packing.ts";
import { countSelected, type Export, selectedBy } from "./selection.ts";
import { mediaTypes } from "./table.ts";
import { bytesOf } from "./write_export.ts";

const keptDays = 7;
const attemptsMost = 3;
/** How often it is said how far it is. */
const reportMs = 1000;

export const exportWork: Work = {
  ...exportJobs,
  doc: "Writes the files of exports.",
  slots: 2,
  async run(core, job) {
    const made = await inside(core, job, begin);
    if (made === null) return;
    let written: Written | null = null;
    try {
      const found = (written = await whileHeld(core, job, (lost) => write(core, job, made, lost)));
      await inside(core, job, (ctx, row) => finish(ctx, row, found));
    } catch (error) {
      if (written !== null) await removeBytes(keeperOf(core, job), written.bytes.storage_key);
      if (error instanceof ClaimLost) throw error;
      if (error instanceof ErasedSince) return void (await inside(core, job, (ctx) => beginAnew(ctx, job)));
      const { status = 503, message, fields = {} } = asRefusal(error) as Partial<Problem> & Error;
      if (status >= 500 && job.failures + 1 < attemptsMost) throw error;
      const why = status < 500 ? message : `The file ${fields.file ?? "could not be written: resume it to begin anew"}`;
      await inside(core, job, (ctx, row) => fail(ctx, row, why));
    }
  },
  async giveUp(ctx, { object_id }) {
    const [row] = await lockToChange(ctx, exportResource, sql`t.id = ${object_id}`);
    if (row !== undefined) fail(ctx, row, "Several workers ended while they wrote the file: resume it to begin anew");
  },
};

/** The bytes, the number of rows in them, and what whoever downloads it gets. */
interface Written {
  bytes: KeptBytes;
  /** How many people had been erased. */
  erased: number;
  count: number;
  measured: Measured;
  saw_all_leads: boolean;
}

const keeperOf = ({ db, settings }: Core, { organization_id }: Job): Keeper => ({ db, settings, organization_id });

type Ended = "over" | "goes on";

/** A short transaction with the export and the claim. Null if there is nothing to do any more. */
async function inside(core: Core, job: Job, act: (ctx: Ctx, row: Export) => Promise<Ended> | Ended): Promise<Export | null> {
  return asService(core, job.organization_id, "", requestOf(job), async (ctx) => {
    const [row] = await lockToChange(ctx, exportResource, sql`t.id = ${job.object_id}`);
    await holdClaim(ctx, job);
    const isOver = row === undefined || row.status === "done" || row.status === "error" || (await act(ctx, row)) === "over";
    if (isOver) release(ctx, job, null);
    return isOver ? null : row;
  });
}

function begin(ctx: Ctx, row: Export): Ended {
  const date_started = row.date_started ?? ctx.now.toISOString();
  store.update(ctx, exportResource, row, { status: "started", date_started, n_docs_processed: 0 }, undefined, null);
  return "goes on";
}

function beginAnew(ctx: Ctx, job: Job): Ended {
  release(ctx, job, ctx.now);
  return "goes on";
}

async function write(core: Core, job: Job, made: Export, lost: AbortSignal): Promise<Written> {
  const actor = await actorOfMember(core.db, job.organization_id, made.created_by ?? "");
  if (actor === null || !actor.permissions.has("export")) throw noLonger;
  return readingAtOnce(core, actor, requestOf(job), async (ctx) => {
    const erased = await erasingsDone(ctx);
    const selected = await selectedBy(ctx, made);
    const n_docs = await countSelected(ctx, selected);
    const report = reporter(core, job, n_docs);
    let count = 0;
    await report(0);
    const content = bytesOf(ctx, made, selected, (more) => {
      lost.throwIfAborted();
      return report((count += more));
    });
    const saw_all_leads = may(ctx, "view_all_leads");
    const keep = (kept: AsyncIterable<Buffer>) => keepOwn(keeperOf(core, job), kept, mediaTypes[made.format]);
    if (made.compression === "none") {
      const bytes = await keep(content);
      return { bytes, erased, count, measured: bytes, saw_all_leads };
    }
    const measure = new Measure();
    const bytes = await keep(gzipped(measure.passed(content)));
    return { bytes, erased, count, measured: measure.result(), saw_all_leads };
  });
}

const noLonger = Object.assign(new Error("Who asked for it may not export any more"), { status: 403 });

/** Stores how far it is, once in a second. */
function reporter(core: Core, job: Job, n_docs: number): (n_docs_processed: number) => Promise<void> {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return async (n_docs_processed) => {
    if (performance.now() - reportedAt < reportMs) return;
    reportedAt = performance.now();
    await inside(core, job, (ctx, row) => {
      store.update(ctx, exportResource, row, { status: "in_progress", n_docs, n_docs_processed }, undefined, null);
      return "goes on";
    });
  };
}

async function finish(ctx: Ctx, row: Export, { bytes, erased, count, measured, saw_all_leads }: Written): Promise<Ended> {
  await refuseIfErasedSince(ctx, erased);
  await claimBytes(ctx, bytes.storage_key);
  const values = {
    status: "done",
    storage_key: bytes.storage_key,
    saw_all_leads,
    size: measured.size,
    checksum_sha256: measured.sha256,
    n_docs: count,
    n_docs_processed: count,
    date_completed: ctx.now.toISOString(),
    expires_at: new Date(ctx.now.getTime() + keptDays * 86_400_000).toISOString(),
  } as const;
  store.update(ctx, exportResource, row, values, undefined, "completed");
  tell(ctx, row, `Your export of ${count} records is ready`, null);
  return "over";
}

function fail(ctx: Ctx, row: Export, error: string): Ended {
  const values = { status: "error", error: error.slice(0, 1000), date_completed: ctx.now.toISOString() } as const;
  store.update(ctx, exportResource, row, values);
  tell(ctx, row, "Your export failed", error);
  return "over";
}

function tell(ctx: Ctx, { id, created_by, send_done_email }: Export, title: string, body: string | null): void {
  if (send_done_email)
    notify(ctx, [created_by], { type: "export_done", title, body, object_type: "export", object_id: id, actor_id: null });
}
