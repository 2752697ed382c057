// The work on a record that somebody asked for, such as an import: each transaction holds the record and the claim of its job, and has the
// present rights of whoever asked.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import type { Actor, Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release } from "../../jobs/job.ts";
import { actingAs, asService, readingAs, systemActor } from "../../records/acting.ts";
import { findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";

/** A kind of record that jobs work on. */
export interface Asked<R extends Resource> {
  of: R;
  isOpen(row: Row<R>): boolean;
  /** Who asked for it; null for the service itself. */
  askedBy(row: Row<R>): string | null;
  /** Why it may not go on; null if it may. `actor` is null when whoever asked is no longer an active member. */
  whyNot(ctx: Ctx, row: Row<R>, actor: Actor | null): string | null;
  /** It may not go on. */
  stop(ctx: Ctx, row: Row<R>, why: string): void;
  /** What is left to do when it is over, and when its job comes again. */
  afterwards?(ctx: Ctx, row: Row<R>): Promise<Date | null>;
}

/** Calls `act` in such a transaction while the record is open. Returns what it returns, or false. */
export async function inItsName<R extends Resource>(
  core: Core,
  job: Job,
  asked: Asked<R>,
  act: (ctx: Ctx, row: Row<R>) => Promise<boolean>,
): Promise<boolean> {
  const { of, isOpen, whyNot, stop, afterwards } = asked;
  const [found, actor] = await authorOf(core, job, asked);
  const reading = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const why = found === undefined ? null : whyNot(reading, found, actor);
  const inside = (work: (ctx: Ctx) => Promise<boolean>) =>
    why === null && actor !== null
      ? actingAs(core, actor, requestOf(job), work)
      : asService(core, job.organization_id, "", requestOf(job), work);

  return inside(async (ctx) => {
    const [row] = await lockToChange(ctx, of, sql`t.id = ${job.object_id}`);
    await holdClaim(ctx, job);
    if (row !== undefined && isOpen(row)) {
      if (why === null) return act(ctx, row);
      stop(ctx, row, why);
    }
    release(ctx, job, row === undefined || isOpen(row) ? null : ((await afterwards?.(ctx, row)) ?? null));
    return false;
  });
}

/** The record, and whoever asked for it with their present rights. */
export async function authorOf<R extends Resource>(
  core: Core,
  job: Job,
  { of, askedBy }: Pick<Asked<R>, "of" | "askedBy">,
): Promise<[Row<R> | undefined, Actor | null]> {
  const reading = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const [found] = await findRecords(reading, of, [sql`t.id = ${job.object_id}`]);
  if (found === undefined) return [undefined, null];
  const id = askedBy(found);
  return [found, id === null ? systemActor(job.organization_id) : await actorOfMember(core.db, job.organization_id, id)];
}
