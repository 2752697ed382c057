// The rows of an import do not stay forever: what a revert needs goes when it is no longer possible, and the rows some weeks later.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { wake } from "../../jobs/job.ts";
import { store } from "../../records/store.ts";
import { importResource } from "./import.ts";
import { importJobs } from "./import_jobs.ts";
import type { Import } from "./import_rows.ts";

const revertHours = 48;
const keptDays = 37;
const rowsAtOnce = 5000;

const later = (from: Date, hours: number): string => new Date(from.getTime() + hours * 3_600_000).toISOString();

/** For so long, an import that is over can be reverted. */
export const revertibleUntil = (completed: Date): string => later(completed, revertHours);

/** For so long, rows that nobody works on are kept. */
export const keptUntil = (now: Date): string => later(now, keptDays * 24);

/** Only gives the imports a job: there may be a million rows. */
export const uncleared: Due<typeof importResource> = {
  of: importResource,
  when: (now) => sql`t.clears_at <= ${now}::timestamptz and t.clears_at is not null`,
  since: sql`t.clears_at`,
  onlyWakes: true,
  act(ctx, rows) {
    wake(
      ctx,
      importJobs,
      rows.map(({ id }) => id),
    );
  },
};

export const isDue = ({ clears_at }: Import, now: Date): boolean => clears_at !== null && Date.parse(clears_at) <= now.getTime();

/** Clears some rows. Returns whether more are left. */
export async function clearRows(ctx: Ctx, imp: Import): Promise<boolean> {
  const end = imp.date_completed === null ? ctx.now : new Date(keptUntil(new Date(imp.date_completed)));
  const forgetsOnly = ctx.now < end;
  const n = await clearSome(ctx, imp.id, forgetsOnly);
  if (n === rowsAtOnce) return true;
  store.update(ctx, importResource, imp, { clears_at: forgetsOnly ? end.toISOString() : null }, undefined, null);
  return false;
}

async function clearSome(ctx: Ctx, importId: string, forgetsOnly: boolean): Promise<number> {
  const some = (condition: string) =>
    `select n from import_row where organization_id = $1 and import_id = $2 ${condition} order by n limit $3`;
  const [rows] = await transactionOf(ctx).read({
    name: forgetsOnly ? "import_row.forget_some" : "import_row.delete_some",
    text: `with done as (${
      forgetsOnly
        ? `update import_row set kept = null where organization_id = $1 and import_id = $2 and n in (${some("and kept is not null")})`
        : `delete from import_row where organization_id = $1 and import_id = $2 and n in (${some("")})`
    } returning 1) select count(*) from done`,
    values: [ctx.organization_id, importId, rowsAtOnce],
  });
  return Number(rows![0]);
}
