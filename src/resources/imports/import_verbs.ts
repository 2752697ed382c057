// The verbs of imports.
import { type Ctx, may, transactionOf, userOf } from "../../core/context.ts";
import { invalid, notAllowed, Problem } from "../../core/errors.ts";
import type { Extras } from "../../core/operation.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { wake } from "../../jobs/job.ts";
import { spendAhead } from "../../records/budgets.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { checkMapping } from "./check_mapping.ts";
import { keptUntil } from "./clear_rows.ts";
import { withKnownIds } from "./ids_here.ts";
import { ignoredOf } from "./ignored.ts";
import { importResource, needsOf, type ObjectType } from "./import.ts";
import { importJobs } from "./import_jobs.ts";
import { stepOn } from "./import_steps.ts";
import { type Mapping, mappingOf } from "./mapping.ts";
import { checkOptions, type Options } from "./options.ts";
import { suggestionsFor } from "./own_exports.ts";
import { previewOf, rowsAtOnceMost } from "./preview.ts";
import { begunPreview } from "./preview_counts.ts";
import { suggestedMap } from "./statuses.ts";
import type { Table } from "./table.ts";
import { guessedType } from "./type_guess.ts";

type Import = Row<typeof importResource>;

/** The table is stored row by row. The draft shows what was found in it. */
export async function createImport(ctx: Ctx, given: Create<typeof importResource>, extras?: Extras): Promise<Import> {
  const {
    csv,
    rows,
    content_base64,
    content_url,
    file_id,
    encoding,
    sheet,
    mapping,
    dry_run,
    action,
    options = {},
    ...values
  } = given;
  const table: Table | undefined = extras?.ready;
  if (table === undefined) throw new Error("the table of an import is read before its transaction: see read_table.ts");
  if (mapping) throw invalid({ mapping: "can be set when the columns are known: create the import first, then update it" });
  if (dry_run) throw invalid({ dry_run: "needs a mapping: create the import first, then update it" });
  if (action) throw invalid({ action: "is for an import that is queued or running" });
  await checkOptions(ctx, options);

  const object_type = values.object_type ?? "lead";
  const fits = suggestionsFor(ctx.directory, object_type, table.columns, await withKnownIds(ctx, table.columns));
  const whyNot = ignoredOf(ctx, object_type);
  const row = store.insert(ctx, importResource, {
    ...values,
    name: values.name ?? table.name ?? "Import",
    options,
    columns: table.columns.map(({ values: found, ...column }, index) => {
      const [fit, ignored] = [fits[index]!, whyNot(column.name)];
      const map = suggestedMap(ctx.directory, fit.suggested, found);
      return {
        index,
        ...column,
        type_guess: guessedType(found, column.nested),
        ...fit,
        ...(map && { suggested_transform: { map } }),
        ...(fit.suggested === null && ignored !== null && { ignored }),
      };
    }),
    dialect: table.dialect,
    n_rows: table.n_rows,
    clears_at: keptUntil(ctx.now),
  });
  await keepRows(ctx, row.id, table);
  return row;
}

/** Each piece is awaited, so that only one is in memory. */
async function keepRows(ctx: Ctx, importId: string, table: Table): Promise<void> {
  let from = 0;
  for await (const { rows, json } of table.pieces()) {
    await transactionOf(ctx).read({
      name: "import_row.insert",
      text: `insert into import_row (organization_id, import_id, n, cells)
             select $1, $2, $3 + r.n, r.cells from jsonb_array_elements($4::jsonb) with ordinality r(cells, n)`,
      values: [ctx.organization_id, importId, from, json],
    });
    from += rows;
  }
}

/** Setting a mapping queues a draft, or the rows that are left of an import that stopped. An import that is running cannot be changed. */
export async function updateImport(ctx: Ctx, before: Import, patch: Patch<typeof importResource>): Promise<Import> {
  const { mapping: given, dry_run, action, ...values } = patch;
  const mapping = given ? mappingOf(given) : before.mapping;
  const options: Options = values.options ?? before.options;
  const mapped = given !== undefined && !same(mapping, before.mapping);
  if ((mapped || !same(options, before.options)) && before.status !== "draft" && before.status !== "error")
    throw invalid({ status: `is ${before.status}: a mapping can only be set while the import is a draft` });
  if (given === null && before.mapping !== null) throw invalid({ mapping: "must not be null" });
  if (values.options || mapped) await checkOptions(ctx, options);
  if (action === "resume") checkOverwriting(ctx, before, before.options);
  if (action) return stepOn(ctx, named(ctx, before, values), action);
  if (dry_run) return checkRows(ctx, before, mapping, options);
  if (!given || (!mapped && before.status !== "error")) return store.update(ctx, importResource, before, values);

  checkReady(ctx, before, mapping!, options);
  checkOverwriting(ctx, before, options);
  await spendAhead(ctx, { writes: before.n_rows - before.n_processed });
  wake(ctx, importJobs, [before.id]);
  const queued = { status: "queued", error: null, date_completed: null, clears_at: null, ...withoutTrial(before) } as const;
  return store.update(ctx, importResource, before, { ...values, ...queued, mapping, run_by: userOf(ctx) });
}

const named = (ctx: Ctx, before: Import, values: Patch<typeof importResource>): Import =>
  Object.keys(values).length === 0 ? before : store.update(ctx, importResource, before, values);

/** A dry run that is on its way is of no more use. */
const withoutTrial = ({ trial }: Import) => (trial === null ? {} : { trial: null, preview: null });

/** Shows what the mapping and the options would do. Neither is stored. */
async function checkRows(ctx: Ctx, before: Import, mapping: Import["mapping"], options: Options): Promise<Import> {
  if (before.status !== "draft") throw invalid({ status: `is ${before.status}: a dry run is for drafts` });
  if (mapping === null) throw invalid({ mapping: "is required for a dry run" });
  checkReady(ctx, before, mapping, options);
  if (before.n_rows <= rowsAtOnceMost) {
    const preview = await previewOf(ctx, { ...before, mapping, options });
    return store.update(ctx, importResource, before, { preview, trial: null }, undefined, null);
  }
  wake(ctx, importJobs, [before.id]);
  const trial = { mapping, options, by: ctx.actor.user_id, step: "label" as const, key: "", n: 0 };
  return store.update(ctx, importResource, before, { preview: begunPreview(before.n_rows), trial }, undefined, null);
}

/** What may change many records at once needs a wider scope, as bulk work does. What only creates records needs none. */
function checkOverwriting(ctx: Ctx, { object_type }: Import, { on_match = "update" }: Options): void {
  if (on_match !== "update" || object_type === "task" || ctx.actor.scopes.has("write_destructive")) return;
  throw new Problem(
    403,
    "An import that changes the records it finds needs the scope write_destructive: set options.on_match to skip or create.",
  );
}

function checkReady(ctx: Ctx, before: Import, mapping: Mapping, options: Options): void {
  checkNeeds(ctx, before.object_type);
  checkMapping(ctx.directory, before, mapping, options);
  if (before.clears_at === null)
    throw invalid({ status: "is past using: the rows were deleted after 37 days; import the file again" });
}

function checkNeeds(ctx: Ctx, of: ObjectType): void {
  const lacks = needsOf(of).find((one) => !may(ctx, one));
  if (lacks !== undefined) throw notAllowed(lacks);
}
