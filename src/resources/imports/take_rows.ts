// Carries out rows of an import.
import type { Ctx } from "../../core/context.ts";
import { failedRow, type Import, type ImportRow, type Outcome } from "./import_rows.ts";
import { readRows } from "./read_rows.ts";
import { takeLeads } from "./take_leads.ts";
import { takeProducts } from "./take_products.ts";
import { takeTasks } from "./take_tasks.ts";

const takes = { lead: takeLeads, contact: takeLeads, opportunity: takeLeads, product: takeProducts, task: takeTasks } as const;

/** What becomes of each row. A row with a bad cell does nothing. */
export async function takeRows(ctx: Ctx, imp: Import, rows: readonly ImportRow[]): Promise<Outcome[]> {
  const reads = await readRows(ctx, imp, rows);
  const good = reads.filter(({ errors }) => errors.length === 0);
  const bad = reads.filter(({ errors }) => errors.length > 0);
  const done = good.length === 0 ? [] : await takes[imp.object_type](ctx, imp, good);
  const taken = new Map(good.filter((read) => read.taken.length > 0).map((read) => [read.row.n, read.taken]));
  const told = taken.size === 0 ? done : done.map((one) => ({ ...one, taken: taken.get(one.n) ?? [] }));
  return [...bad.map(({ row, errors }) => failedRow(row, errors)), ...told];
}
