// `POST /export/lead/` and `POST /export/opportunity/`: the export is stored, and a job writes its file.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { JsonText, type Operation, operation } from "../../core/operation.ts";
import type { Create } from "../../core/resource.ts";
import { wake } from "../../jobs/job.ts";
import { inputSchema } from "../../records/input.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { selectionInput } from "../shared/selection.ts";
import { checkLeadExport, checkOpportunityExport } from "./check_export.ts";
import { layoutOf } from "./columns.ts";
import { exportResource } from "./export.ts";
import { exportJobs } from "./export_jobs.ts";
import { countSelected, type Export, selectedBy } from "./selection.ts";

const {
  params,
  s_query: _,
  query: __,
  sort,
  results_limit,
  ...common
} = (inputSchema(exportResource, "create") as z.ZodObject).shape as Record<string, z.ZodType>;
const dry_run = z.boolean().default(false).describe("Only says what would be exported: nothing is stored.");
const { s_query, query } = selectionInput;

const preview = z.strictObject({
  dry_run: z.literal(true),
  n_docs: z.int().describe("How many rows the file would have."),
  columns: z.array(z.string()).nullable().describe("The columns of a table; null for JSON."),
});

/** What it would be stored with. */
const defaults = Object.fromEntries(
  Object.entries(exportResource.fields).flatMap(([key, field]) =>
    field.source === "column" ? [[key, typeof field.default === "function" ? null : (field.default ?? null)]] : [],
  ),
);

type Given = Create<typeof exportResource>;

export const exportLeads = start("lead", "Exports leads, or their contacts or opportunities, to a file.", checkLeadExport, {
  ...common,
  s_query,
  query,
  sort: sort!,
  results_limit: results_limit!,
});

export const exportOpportunities = start("opportunity", "Exports opportunities to a file.", checkOpportunityExport, {
  ...common,
  params: params!,
  results_limit: results_limit!,
});

function start(object: string, doc: string, check: typeof checkLeadExport, input: Record<string, z.ZodType>): Operation {
  return operation({
    name: `export.${object}`,
    method: "POST",
    path: `/export/${object}/`,
    doc,
    permission: "export",
    group: "bulk",
    narrows: true,
    previews: true,
    pastDue: true,
    status: 201,
    otherwise: { 200: "What would be exported, with `dry_run`." },
    input: { ...input, dry_run },
    get output() {
      const shown = outputSchema(exportResource) as z.ZodObject;
      return z.union([shown, preview]);
    },
    async run(ctx, given) {
      const { dry_run: isDry, ...wanted } = given as Given & { dry_run: boolean };
      const values = await check(ctx, wanted);
      if (isDry) return previewOf(ctx, values);
      const row = store.insert(ctx, exportResource, values);
      wake(ctx, exportJobs, [row.id]);
      ctx.reply.headers.location = `/api/v1/export/${row.id}/`;
      return showWritten(ctx, exportResource, row);
    },
  });
}

async function previewOf(ctx: Ctx, values: object): Promise<JsonText> {
  const asked = { ...(defaults as Partial<Export>), ...values } as Export;
  ctx.reply.status = 200;
  const n_docs = await countSelected(ctx, await selectedBy(ctx, asked));
  const isTable = asked.format === "csv" || asked.format === "xlsx";
  const columns = isTable ? layoutOf(ctx, asked).columns.map(({ header }) => header) : null;
  return new JsonText(JSON.stringify({ dry_run: true, n_docs, columns }));
}
