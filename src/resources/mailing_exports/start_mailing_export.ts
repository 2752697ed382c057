// `POST /mailing_export/`: counts the contacts at once, and a job pushes them.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { JsonText, operation } from "../../core/operation.ts";
import type { Create, Row } from "../../core/resource.ts";
import { wake } from "../../jobs/job.ts";
import { inputSchema } from "../../records/input.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { checkMailingExport } from "./check_mailing_export.ts";
import { mailingExport } from "./mailing_export.ts";
import { mailingExportJobs } from "./mailing_export_jobs.ts";

type Given = Create<typeof mailingExport>;

const preview = z.strictObject({ dry_run: z.literal(true), match_count: z.int() });
const { shape } = inputSchema(mailingExport, "create") as z.ZodObject;

export const createMailingExport = operation({
  name: "mailing_export.create",
  method: "POST",
  path: "/mailing_export/",
  doc: "Exports contacts to a mailing platform. Who has unsubscribed or cannot be reached is left out.",
  permission: "export",
  // It carries all contacts to an address of the caller's choice.
  mcp: false,
  group: "bulk",
  scope: "write_destructive",
  narrows: true,
  previews: true,
  status: 201,
  otherwise: { 200: "How many contacts it would have, with `dry_run`." },
  input: {
    ...shape,
    dry_run: z.boolean().default(false).describe("Only counts the contacts: nothing is stored or pushed."),
  },
  get output() {
    return z.union([outputSchema(mailingExport) as z.ZodObject, preview]);
  },
  async run(ctx, given) {
    const { dry_run, ...wanted } = given as Given & { dry_run: boolean };
    if (!dry_run) {
      const row = await startMailingExport(ctx, wanted);
      ctx.reply.headers.location = `/api/v1/mailing_export/${row.id}/`;
      return showWritten(ctx, mailingExport, row);
    }
    const { match_count } = await checkMailingExport(ctx, wanted);
    ctx.reply.status = 200;
    return new JsonText(JSON.stringify({ dry_run, match_count }));
  },
});

/** Stores an export, which begins with the transaction. */
export async function startMailingExport(
  ctx: Ctx,
  given: Given,
  automation_run_id: string | null = null,
): Promise<Row<typeof mailingExport>> {
  const row = store.insert(ctx, mailingExport, { ...(await checkMailingExport(ctx, given)), automation_run_id });
  if (row.status === "queued") wake(ctx, mailingExportJobs, [row.id]);
  return row;
}
