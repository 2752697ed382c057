// An import: a table of records to bring in, from a file or from rows in the body.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { choice, input, integer, json, text, timestamp } from "../../core/field.ts";
import type { Permission } from "../../core/permissions.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { mappingSchema } from "./mapping.ts";
import { optionsSchema } from "./options.ts";
import { dialect } from "./table.ts";
import { guessedTypes } from "./type_guess.ts";

export const objectTypes = ["lead", "contact", "opportunity", "product", "task"] as const;
export type ObjectType = (typeof objectTypes)[number];

export const statuses = [
  "draft",
  "queued",
  "processing",
  "paused",
  "done",
  "canceled",
  "error",
  "reverting",
  "reverted",
] as const;

/** What whoever makes and maps it must be allowed, and is still allowed while it runs. */
export const needsOf = (of: ObjectType): readonly Permission[] =>
  of === "product" ? ["bulk_import", "manage_customizations"] : ["bulk_import"];

/** The same for taking it back, which deletes records. */
export const needsToRevert = (of: ObjectType): readonly Permission[] =>
  of === "product" || of === "task" ? needsOf(of) : [...needsOf(of), "delete_leads"];

const rowErrors = z.array(z.object({ row: z.int(), column: z.string().optional(), error: z.string() }));

const mappedValues = z.array(
  z.object({
    column: z.string(),
    value: z.string(),
    target: z.string(),
    status_id: z.string(),
    status_label: z.string(),
    n_rows: z.int(),
  }),
);

const preview = z.object({
  status: z
    .enum(["queued", "processing", "done", "error"])
    .describe(
      "A table of more than 1,000 rows is checked by a job. Rows that have to do with each other are tried together, up to 10,000 of them or for 15 seconds; its first rows are counted once all have been looked at.",
    ),
  n_rows: z.int(),
  n_checked: z.int().describe("How many rows have been checked: all, once it is done."),
  created: z.int(),
  updated: z.int(),
  skipped: z.int(),
  failed: z.int(),
  mapped_values: mappedValues.optional().describe("As the import has it."),
  errors: rowErrors.describe("Those of the first rows, at most a hundred."),
  error: z.string().optional().describe("Why it stopped."),
});

/** A dry run on its way: what it tries, in whose name, and the row that it has come to. */
const trial = z.object({
  mapping: mappingSchema,
  options: optionsSchema,
  by: z.string(),
  /** The rows get labels, labels that have something in common become one, and the rows of each label are tried. */
  step: z.enum(["label", "join", "try"]),
  key: z.string(),
  n: z.int(),
});

const reverted = z.object({
  n_deleted: z.int(),
  n_restored: z.int(),
  n_kept: z.int(),
  kept: z.array(z.object({ object_id: z.string(), reason: z.string() })),
});

export const importResource = resource({
  name: "import",
  prefix: "impo",
  doc: "A table of records to import. It starts as a draft that shows its columns. A mapping of columns to fields queues it.",
  // Samples of its columns show data that restricted members may not see.
  visible: (ctx: Ctx, alias) => (may(ctx, "view_all_leads") ? null : sql`${name(alias)}.created_by = ${ctx.actor.user_id}`),
  sort: { name: true },
  fields: {
    name: text({ filled: true, doc: "By default the name of the file, or else `Import`." }),
    object_type: choice(objectTypes, { createOnly: true, default: "lead", doc: "The kind of record in a row." }),
    csv: input(z.string(), {
      createOnly: true,
      doc: "The table as CSV, with the names in the first row, separated by commas, semicolons or tabs. A table is sent in exactly one way; `file` in a form is another.",
    }),
    rows: input(z.array(z.record(z.string(), z.unknown())), {
      createOnly: true,
      doc: "The table as a list of objects.",
    }),
    content_base64: input(z.string(), {
      createOnly: true,
      doc: "The table as a file in base64: CSV, a workbook (.xlsx), or JSON with a list of objects or an object in each line.",
    }),
    content_url: input(z.string().max(8192), { createOnly: true, doc: "A public address to fetch that file from." }),
    file_id: input(z.string(), { createOnly: true, doc: "A file that was uploaded before." }),
    encoding: input(z.string().max(50), {
      createOnly: true,
      doc: "The encoding of a text file by a name of the WHATWG Encoding Standard, such as `shift_jis`. By default it is found, and shown in `dialect`.",
    }),
    sheet: input(z.string().max(255), {
      createOnly: true,
      doc: "The sheet of a workbook to import; by default the first one that is not hidden.",
    }),
    dialect: json(dialect, { readOnly: true, doc: "What was found about the file; null for `rows` and `csv`." }),
    status: choice(statuses, { readOnly: true, default: "draft", doc: "`draft` until there is a mapping, then `queued`." }),
    columns: json(
      z.array(
        z.object({
          index: z.int(),
          name: z.string(),
          samples: z.array(z.string()),
          type_guess: z
            .enum(guessedTypes)
            .nullish()
            .describe("What its values seem to be, by those of the first rows; null where it has none."),
          suggested: z.string().nullable(),
          unit: z
            .literal("minor")
            .optional()
            .describe("Money in it is in the smallest unit of its currency: it is a column of an export of this service."),
          suggested_transform: z
            .object({ map: z.record(z.string(), z.string()) })
            .optional()
            .describe(
              "The statuses that values of a status column are taken for by their kind: active, won or lost. A mapping may have it, changed, as `transform`.",
            ),
          nested: z.literal(true).optional().describe("Some of its values are lists or objects, shown as JSON."),
          ignored: z.string().optional().describe("Why an import leaves it out, such as a value that only reads show."),
        }),
      ),
      { readOnly: true, required: true, doc: "The columns found, with some of their values and the target that seems to fit." },
    ),
    mapping: json(mappingSchema, {
      doc: "The target of each column by its name; null skips a column. Or a list of `{column, target}`, which may say more. Setting it queues the import.",
    }),
    options: json(optionsSchema, {
      default: {},
      doc: "How rows match existing records, and what happens to those. With `on_match` `update`, which it is by default, to begin needs a key of the scope `write_destructive`.",
    }),
    dry_run: input(z.boolean(), {
      doc: "With a mapping: only checks the rows, and shows the result as `preview`. The import stays a draft.",
    }),
    preview: json(preview, { readOnly: true, doc: "What the last dry run found, or has found so far." }),
    trial: json(trial, { readOnly: true, hidden: true }),
    action: input(z.enum(["pause", "resume", "cancel"]), {
      doc: "Pauses it before its next rows, resumes it, or ends it. What is done stays done, and can be reverted.",
    }),
    n_rows: integer({ readOnly: true, required: true }),
    n_processed: integer({ readOnly: true, default: 0 }),
    n_created: integer({ readOnly: true, default: 0 }),
    n_updated: integer({ readOnly: true, default: 0 }),
    n_skipped: integer({ readOnly: true, default: 0 }),
    n_failed: integer({ readOnly: true, default: 0 }),
    errors: json(rowErrors, {
      readOnly: true,
      default: [] as { row: number; column?: string; error: string }[],
      doc: "The first hundred errors in rows.",
    }),
    mapped_values: json(mappedValues, {
      readOnly: true,
      default: [] as { column: string; value: string; target: string; status_id: string; status_label: string; n_rows: number }[],
      doc: "Values of status columns that are no status here, the status of their kind (active, won or lost) that they were taken for, and in how many rows. A record that had a status of this kind has kept it.",
    }),
    error: text({
      readOnly: true,
      max: 1000,
      doc: "Why it stopped. Setting the mapping again goes on with the rows that are left.",
    }),
    reverted: json(reverted, {
      readOnly: true,
      doc: "What was taken back, and the first hundred records that stay with the reason.",
    }),
    reverted_by: text({ readOnly: true, hidden: true }),
    run_by: text({ readOnly: true, hidden: true }),
    date_started: timestamp({ readOnly: true }),
    date_completed: timestamp({ readOnly: true }),
    clears_at: timestamp({ readOnly: true, hidden: true }),
  },
});
