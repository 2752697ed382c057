// A dry run of a long table: a job carries out some rows like those of the import, takes them back, and counts what became of them. So it
// holds nothing for long. Rows that have to do with each other are tried together; for that, they are first labeled.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { type Job, release } from "../../jobs/job.ts";
import { store } from "../../records/store.ts";
import { type Extent } from "../bulk_actions/turns.ts";
import { importResource } from "./import.ts";
import { failedRow, type Import, type ImportRow } from "./import_rows.ts";
import { joinLabels, labelRows } from "./links.ts";
import { tried, tryRows } from "./preview.ts";
import { added, begunPreview, type Preview } from "./preview_counts.ts";

export type Trial = NonNullable<Import["trial"]>;

const labelsAtOnce = 1000;
/** How far the rows of one label are tried together, in one transaction: it may hold nobody up for long. */
const togetherMost = 10_000;
const togetherMs = 15_000;

/** The import as it is to be tried. */
const asked = (imp: Import): Import => ({ ...imp, mapping: imp.trial!.mapping, options: imp.trial!.options });

/** Tries some rows. Returns whether more follow at once. */
export async function takeTrial(ctx: Ctx, job: Job, imp: Import, { most, mayGoOn }: Extent): Promise<boolean> {
  const isDone = await steps[imp.trial!.step](ctx, imp, most);
  if (isDone) {
    release(ctx, job, null);
    return false;
  }
  if (!mayGoOn) release(ctx, job, ctx.now);
  return mayGoOn;
}

const steps: Readonly<Record<Trial["step"], (ctx: Ctx, imp: Import, most: number) => Promise<boolean>>> = {
  async label(ctx, imp) {
    const rows = await rowsAfter(ctx, imp.id, imp.trial!.n);
    await labelRows(ctx, asked(imp), rows);
    const isLast = rows.length < labelsAtOnce;
    goOn(ctx, imp, isLast ? { step: "join" } : { n: rows.at(-1)!.n });
    return false;
  },
  async join(ctx, imp) {
    if (!(await joinLabels(ctx, imp.id))) goOn(ctx, imp, { step: "try", n: 0 });
    return false;
  },
  try: trySome,
};

function goOn(ctx: Ctx, imp: Import, change: Partial<Trial>): void {
  const preview = { ...previewOf(imp), status: "processing" as const };
  store.update(ctx, importResource, imp, { preview, trial: { ...imp.trial!, ...change } }, undefined, null);
}

async function trySome(ctx: Ctx, imp: Import, most: number): Promise<boolean> {
  const trial = asked(imp);
  const done = await tried(ctx, imp, async (own) => {
    const rows = await nextLabeled(own, imp.id, imp.trial!, most);
    let preview = added(previewOf(imp), await tryRows(own, trial, rows));
    const isDone = rows.length < most;
    let last = rows.at(-1);
    const until = performance.now() + togetherMs;
    // A row that is tried by itself, because it failed the others, is not followed by any.
    for (let count = rows.length; most > 1 && !isDone && count < togetherMost && performance.now() < until; ) {
      const more = await nextOfLabel(own, imp.id, last!, most);
      preview = added(preview, await tryRows(own, trial, more));
      last = more.at(-1) ?? last;
      count += more.length;
      if (more.length < most) break;
    }
    return { preview, last, isDone };
  });
  return note(ctx, imp, done.preview, done.last, done.isDone);
}

/** The next row cannot even be tried. */
export async function failTrialRow(ctx: Ctx, imp: Import, error: string): Promise<void> {
  const [row] = await nextLabeled(ctx, imp.id, imp.trial!, 1);
  if (row !== undefined) note(ctx, imp, added(previewOf(imp), [failedRow(row, [{ error }])]), row, false);
}

const previewOf = (imp: Import): Preview => imp.preview ?? begunPreview(imp.n_rows);

function note(ctx: Ctx, imp: Import, counted: Preview, last: Labeled | undefined, isDone: boolean): boolean {
  const preview = { ...counted, status: isDone ? ("done" as const) : ("processing" as const) };
  const trial = isDone || last === undefined ? null : { ...imp.trial!, key: last.key, n: last.n };
  store.update(ctx, importResource, imp, { preview, trial }, undefined, isDone ? "updated" : null);
  return isDone;
}

/** It cannot go on. */
export function stopTrial(ctx: Ctx, imp: Import, error: string): void {
  const preview = { ...previewOf(imp), status: "error" as const, error };
  store.update(ctx, importResource, imp, { preview, trial: null });
}

interface Labeled extends ImportRow {
  key: string;
}

async function rowsAfter(ctx: Ctx, importId: string, after: number): Promise<ImportRow[]> {
  const rows = await transactionOf(ctx).read({
    name: "import_row.after",
    text: `select n, cells from import_row where organization_id = $1 and import_id = $2 and n > $3 order by n limit $4`,
    values: [ctx.organization_id, importId, after, labelsAtOnce],
  });
  return rows.map(([n, cells]) => ({ n: Number(n), cells: JSON.parse(cells!) }));
}

const nextLabeled = (ctx: Ctx, importId: string, after: Place, most: number): Promise<Labeled[]> =>
  labeled(ctx, importId, "import_row.by_label", "(key, n) > ($3, $4)", after, most);

const nextOfLabel = (ctx: Ctx, importId: string, after: Place, most: number): Promise<Labeled[]> =>
  labeled(ctx, importId, "import_row.of_label", "key = $3 and n > $4", after, most);

type Place = Pick<Labeled, "key" | "n">;

async function labeled(
  ctx: Ctx,
  importId: string,
  name: string,
  condition: string,
  { key, n }: Place,
  most: number,
): Promise<Labeled[]> {
  const rows = await transactionOf(ctx).read({
    name,
    text: `select n, cells, key from import_row
           where organization_id = $1 and import_id = $2 and key is not null and ${condition} order by key, n limit $5`,
    values: [ctx.organization_id, importId, key, n, most],
  });
  return rows.map(([number, cells, its]) => ({ n: Number(number), cells: JSON.parse(cells!), key: its! }));
}
