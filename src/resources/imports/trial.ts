// A dry run of a long table: a job carries out the rows of some leads like those of the import, takes them back, and counts what became
// of them. So it holds nothing for long. All rows of one lead are tried together; for that, each row is first given its key.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import { type Job, release } from "../../jobs/job.ts";
import { store } from "../../records/store.ts";
import { type Extent } from "../bulk_actions/turns.ts";
import { keysOf } from "./find_leads.ts";
import { importResource } from "./import.ts";
import { failedRow, type Import, type ImportRow, type Outcome } from "./import_rows.ts";
import { tryRows } from "./preview.ts";
import { added, begunPreview, type Preview } from "./preview_counts.ts";
import { readRows } from "./read_rows.ts";

export type Trial = NonNullable<Import["trial"]>;

const keysAtOnce = 1000;
/** The most rows of one lead that are tried together. */
const groupMost = 5000;

/** The import as it is to be tried. */
const asked = (imp: Import): Import => ({ ...imp, mapping: imp.trial!.mapping, options: imp.trial!.options });

/** Tries some rows. Returns whether more follow at once. */
export async function takeTrial(ctx: Ctx, job: Job, imp: Import, { most, mayGoOn }: Extent): Promise<boolean> {
  const { key, n } = imp.trial!;
  const isDone = key === null ? await giveKeys(ctx, imp, n) : await trySome(ctx, imp, { key, n }, most);
  if (isDone) {
    release(ctx, job, null);
    return false;
  }
  if (!mayGoOn) release(ctx, job, ctx.now);
  return mayGoOn;
}

async function giveKeys(ctx: Ctx, imp: Import, after: number): Promise<false> {
  const rows = await rowsAfter(ctx, imp.id, after);
  const reads = await readRows(ctx, asked(imp), rows);
  const keys = keysOf(asked(imp), reads);
  write(ctx, {
    name: "import_row.keyed",
    text: `update import_row r set key = m.key from json_to_recordset($3::json) m(n integer, key text)
           where r.organization_id = $1 and r.import_id = $2 and r.n = m.n and r.key is distinct from m.key`,
    values: [ctx.organization_id, imp.id, JSON.stringify(rows.map(({ n }, i) => ({ n, key: keys[i] ?? `row ${n}` })))],
  });
  const isLast = rows.length < keysAtOnce;
  const trial: Trial = { ...imp.trial!, ...(isLast ? { key: "", n: 0 } : { n: rows.at(-1)!.n }) };
  store.update(ctx, importResource, imp, { trial }, undefined, null);
  return false;
}

async function trySome(ctx: Ctx, imp: Import, after: { key: string; n: number }, most: number): Promise<boolean> {
  const rows = await nextKeyed(ctx, imp.id, after, most);
  const outcomes = rows.length === 0 ? [] : await tryRows(ctx, asked(imp), rows);
  return note(ctx, imp, rows.at(-1), outcomes, rows.length < most);
}

/** The next row cannot even be tried. */
export async function failTrialRow(ctx: Ctx, imp: Import, error: string): Promise<void> {
  const { key, n } = imp.trial!;
  const [row] = await nextKeyed(ctx, imp.id, { key: key ?? "", n }, 1);
  if (row !== undefined) note(ctx, imp, row, [failedRow(row, [{ error }])], false);
}

function note(ctx: Ctx, imp: Import, last: Keyed | undefined, outcomes: readonly Outcome[], isDone: boolean): boolean {
  const before: Preview = imp.preview ?? begunPreview(imp.n_rows);
  const preview = { ...added(before, outcomes), status: isDone ? ("done" as const) : ("processing" as const) };
  const trial = isDone || last === undefined ? null : { ...imp.trial!, key: last.key, n: last.n };
  store.update(ctx, importResource, imp, { preview, trial }, undefined, isDone ? "updated" : null);
  return isDone;
}

/** It cannot go on. */
export function stopTrial(ctx: Ctx, imp: Import, error: string): void {
  const preview = { ...(imp.preview ?? begunPreview(imp.n_rows)), status: "error" as const, error };
  store.update(ctx, importResource, imp, { preview, trial: null });
}

interface Keyed extends ImportRow {
  key: string;
}

async function rowsAfter(ctx: Ctx, importId: string, after: number): Promise<ImportRow[]> {
  const rows = await transactionOf(ctx).read({
    name: "import_row.after",
    text: `select n, cells from import_row where organization_id = $1 and import_id = $2 and n > $3 order by n limit $4`,
    values: [ctx.organization_id, importId, after, keysAtOnce],
  });
  return rows.map(([n, cells]) => ({ n: Number(n), cells: JSON.parse(cells!) }));
}

/** The next rows by key, with all others of the last key. */
async function nextKeyed(ctx: Ctx, importId: string, { key, n }: { key: string; n: number }, most: number): Promise<Keyed[]> {
  const rows = await transactionOf(ctx).read({
    name: "import_row.by_key",
    text: `with page as (
             select n, cells, key from import_row
             where organization_id = $1 and import_id = $2 and key is not null and (key, n) > ($3, $4) order by key, n limit $5),
           last as (select key, n from page order by key desc, n desc limit 1)
           select n, cells, key from page
           union all (select r.n, r.cells, r.key from import_row r join last l on r.key = l.key and r.n > l.n
             where r.organization_id = $1 and r.import_id = $2 and $5 > 1 order by r.n limit $6)
           order by key, n`,
    values: [ctx.organization_id, importId, key, n, most, groupMost],
  });
  return rows.map(([number, cells, its]) => ({ n: Number(number), cells: JSON.parse(cells!), key: its! }));
}
