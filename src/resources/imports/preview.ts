// `PUT /import/{id}/` with `dry_run`: the rows are carried out like those of the import, and everything is taken back.
import { type Ctx, write } from "../../core/context.ts";
import type { Statement } from "../../db/database.ts";
import { type Import, type ImportRow, keepOutcomes, nextRows, type Outcome } from "./import_rows.ts";
import { added, begunPreview, type Preview } from "./preview_counts.ts";
import { takeRows } from "./take_rows.ts";

/** A request waits for so many rows. Longer tables are a job. */
export const rowsAtOnceMost = 1000;
const rowsAtOnce = 200;

/** What would become of the rows of a short table. */
export async function previewOf(ctx: Ctx, imp: Import): Promise<Preview> {
  const outcomes = await tried(ctx, imp, async (own) => {
    const all: Outcome[] = [];
    for (;;) {
      const rows = await nextRows(own, imp.id, rowsAtOnce);
      const some = rows.length === 0 ? [] : await takeRows(own, imp, rows);
      keepOutcomes(own, imp.id, some);
      all.push(...some);
      if (rows.length < rowsAtOnce) return all;
    }
  });
  return { ...added(begunPreview(imp.n_rows), outcomes), status: "done" };
}

/** What would become of some rows. */
export const tryRows = (ctx: Ctx, imp: Import, rows: readonly ImportRow[]): Promise<Outcome[]> =>
  tried(ctx, imp, (own) => takeRows(own, imp, rows));

async function tried(ctx: Ctx, imp: Import, take: (own: Ctx) => Promise<Outcome[]>): Promise<Outcome[]> {
  const own: Ctx = { ...ctx, meta: { ...ctx.meta, import_id: imp.id } };
  write(ctx, savepoint);
  const outcomes = await take(own);
  write(ctx, rollback);
  write(ctx, release);
  return outcomes;
}

const savepoint: Statement = { text: "savepoint dry_run", values: [], name: "dry_run.savepoint" };
const rollback: Statement = { text: "rollback to savepoint dry_run", values: [], name: "dry_run.rollback" };
const release: Statement = { text: "release savepoint dry_run", values: [], name: "dry_run.release" };
