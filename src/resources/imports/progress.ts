// How far an import is: its counters, and its end.
import type { Ctx } from "../../core/context.ts";
import { type Job, release } from "../../jobs/job.ts";
import { store } from "../../records/store.ts";
import { notify } from "../notifications/notify.ts";
import { revertibleUntil } from "./clear_rows.ts";
import { importResource } from "./import.ts";
import type { Import, Outcome } from "./import_rows.ts";
import { withMapped } from "./mapped_values.ts";

/** The import names its first errors. The list of its rows has all of them. */
const errorsMost = 100;

/** Counts what became of rows. */
export function noteOutcomes(ctx: Ctx, imp: Import, outcomes: readonly Outcome[]): Import {
  const count = (status: Outcome["status"]) => outcomes.filter((one) => one.status === status).length;
  const errors = outcomes.toSorted((a, b) => a.n - b.n).flatMap(({ n, errors: own }) => own.map((one) => ({ row: n, ...one })));
  const values = {
    n_processed: imp.n_processed + outcomes.length,
    n_created: imp.n_created + count("created"),
    n_updated: imp.n_updated + count("updated"),
    n_skipped: imp.n_skipped + count("skipped"),
    n_failed: imp.n_failed + count("failed"),
    mapped_values: withMapped(imp.mapped_values, outcomes),
    errors: [...imp.errors, ...errors].slice(0, errorsMost),
  };
  return store.update(ctx, importResource, imp, values, undefined, null);
}

/** All rows are done. */
export function finish(ctx: Ctx, job: Job, imp: Import): false {
  const values = { status: "done", date_completed: ctx.now.toISOString(), clears_at: revertibleUntil(ctx.now) } as const;
  store.update(ctx, importResource, imp, values, undefined, "completed");
  tell(
    ctx,
    imp,
    `Your import ${imp.name} is done`,
    `${imp.n_created} created, ${imp.n_updated} updated, ${imp.n_skipped} skipped, ${imp.n_failed} failed.`,
  );
  release(ctx, job, null);
  return false;
}

/** It cannot go on. The rows that are left stay as they are. */
export function stop(ctx: Ctx, imp: Import, error: string): void {
  store.update(ctx, importResource, imp, {
    status: "error",
    error,
    date_completed: ctx.now.toISOString(),
    clears_at: revertibleUntil(ctx.now),
  });
  tell(ctx, imp, `Your import ${imp.name} stopped`, error);
}

const tell = (ctx: Ctx, { id, created_by, run_by }: Import, title: string, body: string): unknown =>
  notify(ctx, [run_by ?? created_by], { type: "import_done", title, body, object_type: "import", object_id: id, actor_id: null });
