// `PUT /import/{id}/` with `dry_run`: the rows are carried out like those of the import, and everything is taken back.
import { type Ctx, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import type { Statement } from "../../db/database.ts";
import type { importResource } from "./import.ts";
import { type Import, keepOutcomes, nextRows, type Outcome } from "./import_rows.ts";
import { takeRows } from "./take_rows.ts";

/** A request waits for it. Of a longer table, the beginning is checked. */
const rowsMost = 5000;
const rowsAtOnce = 200;
const errorsMost = 100;

type Preview = NonNullable<Row<typeof importResource>["preview"]>;

/** What would become of the rows that are left. */
export async function previewOf(ctx: Ctx, imp: Import): Promise<Preview> {
  const own: Ctx = { ...ctx, meta: { ...ctx.meta, import_id: imp.id } };
  const all: Outcome[] = [];
  write(ctx, savepoint);
  while (all.length < rowsMost) {
    const rows = await nextRows(own, imp.id, rowsAtOnce);
    const outcomes = rows.length === 0 ? [] : await takeRows(own, imp, rows);
    keepOutcomes(own, imp.id, outcomes);
    all.push(...outcomes);
    if (rows.length < rowsAtOnce) break;
  }
  write(ctx, rollback);
  write(ctx, release);
  return summaryOf(all);
}

function summaryOf(all: readonly Outcome[]): Preview {
  const count = (status: Outcome["status"]) => all.filter((one) => one.status === status).length;
  const errors = all.toSorted((a, b) => a.n - b.n).flatMap(({ n, errors: own }) => own.map((one) => ({ row: n, ...one })));
  return {
    n_checked: all.length,
    created: count("created"),
    updated: count("updated"),
    skipped: count("skipped"),
    failed: count("failed"),
    errors: errors.slice(0, errorsMost),
  };
}

const savepoint: Statement = { text: "savepoint dry_run", values: [], name: "dry_run.savepoint" };
const rollback: Statement = { text: "rollback to savepoint dry_run", values: [], name: "dry_run.rollback" };
const release: Statement = { text: "release savepoint dry_run", values: [], name: "dry_run.release" };
