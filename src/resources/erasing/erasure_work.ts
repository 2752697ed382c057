// The work of erasing a person, in steps, each some transactions of a second at most. What is done twice after a kill finds nothing to do.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work, wake } from "../../jobs/job.ts";
import { asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { removeFiles } from "../files/remove_files.ts";
import { deleteSome } from "./delete_records.ts";
import { type FileFound, lookAtFiles } from "./erase_files.ts";
import { type ErasingPlace, erasure, erasureJobs } from "./erasure.ts";
import { hashesOf, type Receipt } from "./receipt.ts";
import { removeCopies } from "./remove_copies.ts";
import { rewriteSome, tablesWithWords } from "./rewrite_rows.ts";
import { type Traces, tracesOf } from "./traces.ts";

type Erasure = Row<typeof erasure>;

/** A job runs this long, then other jobs get their turn. */
const turnMs = 10_000;
/** The most rows that one transaction looks at. */
const rowsMost = 2000;
/** After several workers ended in the middle of the job. */
const restMs = 600_000;

export const personErasureWork: Work = {
  ...erasureJobs,
  doc: "Erases people who asked for it.",
  slots: 2,
  async run(core, job) {
    const until = performance.now() + turnMs;
    while (await takeStep(core, job, performance.now() < until));
  },
  // It has to be done.
  async giveUp(ctx, { object_id }) {
    wake(ctx, erasureJobs, [object_id], new Date(ctx.now.getTime() + restMs));
  },
};

const isOpen = ({ status }: Erasure): boolean => status === "queued" || status === "running";

/** Returns whether another step follows at once. */
async function takeStep(core: Core, job: Job, mayGoOn: boolean): Promise<boolean> {
  const files = await filesOf(core, job);
  return asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    const [row] = await lockToChange(ctx, erasure, sql`t.id = ${job.object_id}`);
    await holdClaim(ctx, job);
    const next = row !== undefined && isOpen(row) && (await step(ctx, row, files));
    if (!next) release(ctx, job, null);
    else if (!mayGoOn) release(ctx, job, ctx.now);
    return next && mayGoOn;
  });
}

/** What the next files hold. Bytes may lie far away, so they are not read within a transaction. */
async function filesOf(core: Core, job: Job): Promise<FileFound[]> {
  const reading = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const [row] = await findRecords(reading, erasure, [sql`t.id = ${job.object_id}`]);
  if (row === undefined || !isOpen(row) || row.place?.step !== "files") return [];
  return lookAtFiles(reading, row.place.after?.[0] ?? "", tracesOf(row.person!));
}

/** Does a part. Returns whether more is to be done. */
async function step(ctx: Ctx, row: Erasure, files: readonly FileFound[]): Promise<boolean> {
  const receipt = structuredClone(row.receipt!);
  if (row.place?.step === "copies") return end(ctx, row, receipt);
  const person = row.person!;
  const traces = tracesOf(person);
  const place = await (row.place?.step === "files" ? eraseFiles(ctx, row, receipt, files) : stepped(ctx, row, receipt, traces));
  const isForgotten = place.step === "copies";
  store.update(ctx, erasure, row, {
    receipt: isForgotten ? { ...receipt, values: hashesOf(person, receipt.salt) } : receipt,
    place,
    status: "running",
    date_started: row.date_started ?? ctx.now.toISOString(),
    ...(isForgotten && { person: null }),
  });
  return true;
}

/** A transaction of its own: what is made of the records from now on does not find the person any more, and what was made before is removed. */
async function end(ctx: Ctx, row: Erasure, receipt: Receipt): Promise<boolean> {
  const { removed, under_way } = await removeCopies(ctx);
  count(receipt.files, "removed", removed);
  count(receipt.files, "begun_anew", under_way);
  store.update(ctx, erasure, row, { receipt, place: null, status: "completed", date_completed: ctx.now.toISOString() });
  return false;
}

async function stepped(ctx: Ctx, row: Erasure, receipt: Receipt, traces: Traces): Promise<ErasingPlace> {
  const place = row.place ?? { step: "records" };
  if (place.step === "records") {
    const deleted = await deleteSome(ctx, row.person!);
    for (const [kind, n] of Object.entries(deleted ?? {})) count(receipt.deleted, kind, n);
    return deleted === null ? { step: "exports" } : { step: "records" };
  }
  if (place.step === "exports") {
    count(receipt.files, "removed", (await removeCopies(ctx)).removed);
    return traces.candidates === "" ? { step: "copies" } : { step: "files", after: null };
  }
  return eraseRows(ctx, receipt, traces, place);
}

const count = (counts: Record<string, number>, key: string, n: number): void => {
  if (n > 0) counts[key] = (counts[key] ?? 0) + n;
};

const keptMost = 100;

async function eraseFiles(ctx: Ctx, row: Erasure, receipt: Receipt, files: readonly FileFound[]): Promise<ErasingPlace> {
  const last = files.at(-1);
  if (last === undefined) return { step: "rows" };
  for (const file of files) {
    if (file.is === "clean") continue;
    if (file.is === "unread") count(receipt.files, "unread", 1);
    else if (row.keep_files) {
      count(receipt.files, "kept", 1);
      if (receipt.kept_file_ids.length < keptMost) receipt.kept_file_ids.push(file.id);
    } else count(receipt.files, "removed", await removeFiles(ctx, [file.id]));
  }
  return { step: "files", after: [last.id] };
}

/** All tables, one after the other, and once more: meanwhile others may have written, and what records cannot say is replaced in place. */
async function eraseRows(ctx: Ctx, receipt: Receipt, traces: Traces, place: ErasingPlace): Promise<ErasingPlace> {
  const tables = await tablesWithWords(ctx);
  let at = place.table === undefined ? 0 : tables.findIndex(({ name }) => name >= place.table!);
  let { after = null } = place;
  let left = rowsMost;
  while (at >= 0 && at < tables.length) {
    const table = tables[at]!;
    const piece = await rewriteSome(ctx, table, { after, most: left, plain: place.step === "again" }, traces);
    count(receipt.rewritten, table.name, piece.rewritten);
    left -= piece.seen;
    after = piece.after;
    if (after === null) at++;
    if (left <= 0 && at < tables.length) return { step: place.step, table: tables[at]!.name, after };
  }
  return place.step === "rows" ? { step: "again" } : { step: "copies" };
}
