// `PUT /import/{id}/` with `dry_run`: the rows are carried out like those of the import, and everything is taken back.
import { type Ctx, write } from "../../core/context.ts";
import type { Statement } from "../../db/database.ts";
import { attempted } from "../../records/rehearse.ts";
import { failed } from "../bulk_actions/doing.ts";
import { failedRow, type Import, type ImportRow, keepOutcomes, nextRows, type Outcome } from "./import_rows.ts";
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
      all.push(...(await tryRows(own, imp, rows)));
      if (rows.length < rowsAtOnce) return all;
    }
  });
  return { ...added(begunPreview(imp.n_rows), outcomes), status: "done" };
}

/** As the import does it: later rows find what these have brought, and where the database refuses something, they are taken one by one. */
export async function tryRows(own: Ctx, imp: Import, rows: readonly ImportRow[]): Promise<Outcome[]> {
  if (rows.length === 0) return [];
  try {
    return await attempted(own, async () => kept(own, imp, await takeRows(own, imp, rows)));
  } catch (error) {
    if (rows.length === 1) return kept(own, imp, [failedRow(rows[0]!, [{ error: failed(error).error! }])]);
    const all: Outcome[] = [];
    for (const row of rows) all.push(...(await tryRows(own, imp, [row])));
    return all;
  }
}

function kept(own: Ctx, imp: Import, outcomes: Outcome[]): Outcome[] {
  keepOutcomes(own, imp.id, outcomes);
  return outcomes;
}

/** Carries out rows like those of the import, and takes them back. */
export async function tried<T>(ctx: Ctx, imp: Import, take: (own: Ctx) => Promise<T>): Promise<T> {
  const own: Ctx = { ...ctx, meta: { ...ctx.meta, import_id: imp.id } };
  write(ctx, savepoint);
  const answer = await take(own);
  write(ctx, rollback);
  write(ctx, release);
  return answer;
}

const savepoint: Statement = { text: "savepoint dry_run", values: [], name: "dry_run.savepoint" };
const rollback: Statement = { text: "rollback to savepoint dry_run", values: [], name: "dry_run.rollback" };
const release: Statement = { text: "release savepoint dry_run", values: [], name: "dry_run.release" };
