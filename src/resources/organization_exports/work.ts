// Writes the archives of workspaces. One that is interrupted begins anew, and what it had written is removed.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import { raw, sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { ClaimLost, holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { whileHeld } from "../../jobs/while_held.ts";
import { asSystem } from "../../records/acting.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { keepOwn } from "../files/store_file.ts";
import { claimBytes, type KeptBytes, removeBytes } from "../files/stored_bytes.ts";
import { ErasedSince, erasingsDone, refuseIfErasedSince } from "../shared/erased_since.ts";
import { organizationExport, organizationExportJobs } from "./organization_export.ts";

const keptDays = 7;
const attemptsMost = 3;

type Export = Row<typeof organizationExport>;

export const organizationExportWork: Work = {
  ...organizationExportJobs,
  doc: "Writes the archives of workspaces.",
  slots: 1,
  async run(core, job) {
    const { db, settings } = core;
    const keeper = { db, settings, organization_id: job.organization_id };
    let erased = 0;
    const goesOn = await inside(core, job, async (ctx, row) => {
      erased = await erasingsDone(ctx);
      const date_started = row.date_started ?? ctx.now.toISOString();
      store.update(ctx, organizationExport, row, { status: "running", date_started }, undefined, null);
    });
    if (!goesOn) return;
    let kept: KeptBytes | null = null;
    try {
      const write = (lost: AbortSignal) => keepOwn(keeper, archiveOf(core, job, lost), "application/x-tar");
      const bytes = (kept = await whileHeld(core, job, write));
      await inside(core, job, async (ctx, row) => {
        await refuseIfErasedSince(ctx, erased);
        await finish(ctx, job, row, bytes);
      });
    } catch (error) {
      if (kept !== null) await removeBytes(keeper, kept.storage_key);
      if (error instanceof ErasedSince) return void (await inside(core, job, (ctx) => release(ctx, job, ctx.now)));
      if (error instanceof ClaimLost || job.failures + 1 < attemptsMost) throw error;
      await inside(core, job, (ctx, row) => fail(ctx, job, row));
    }
  },
  async giveUp(ctx, job) {
    const [row] = await lockToChange(ctx, organizationExport, sql`t.id = ${job.object_id}`);
    if (row !== undefined) store.update(ctx, organizationExport, row, failure(ctx), undefined, null);
  },
};

/** A short transaction with the export and the claim. False if there is nothing to do any more. */
const inside = (core: Core, job: Job, act: (ctx: Ctx, row: Export) => Promise<void> | void): Promise<boolean> =>
  asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    const [row] = await lockToChange(ctx, organizationExport, sql`t.id = ${job.object_id}`);
    await holdClaim(ctx, job);
    const isOpen = row !== undefined && (row.status === "queued" || row.status === "running");
    if (isOpen) await act(ctx, row);
    else release(ctx, job, null);
    return isOpen;
  });

async function* archiveOf(core: Core, job: Job, lost: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of core.settings.archive(job.organization_id)) {
    lost.throwIfAborted();
    yield chunk as Uint8Array;
  }
}

async function finish(ctx: Ctx, job: Job, row: Export, { storage_key, size, sha256 }: KeptBytes): Promise<void> {
  await claimBytes(ctx, storage_key);
  const expires_at = new Date(ctx.now.getTime() + keptDays * 86_400_000).toISOString();
  const values = {
    status: "done",
    storage_key,
    size,
    checksum_sha256: sha256,
    expires_at,
    date_completed: ctx.now.toISOString(),
  } as const;
  store.update(ctx, organizationExport, row, values, undefined, null);
  release(ctx, job, null);
}

function fail(ctx: Ctx, job: Job, row: Export): void {
  store.update(ctx, organizationExport, row, failure(ctx), undefined, null);
  release(ctx, job, null);
}

const failure = (ctx: Ctx) =>
  ({
    status: "error",
    error: "The archive could not be written: start another, and tell whoever runs this service if that fails too",
    date_completed: ctx.now.toISOString(),
  }) as const;

/** The database has the bytes removed once no export names them. */
export const expiredOrganizationExports: Due<typeof organizationExport> = {
  of: organizationExport,
  when: (now) => sql`t.expires_at <= ${now}::timestamptz and t.storage_key is not null`,
  since: raw("t.expires_at"),
  act(ctx, rows) {
    for (const row of rows) store.update(ctx, organizationExport, row, { storage_key: null }, undefined, null);
  },
};
