// POST /mailing_export/{id}/cancel/: whoever was not pushed stays here. Its job sees that before the next batch.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { checkOwner, lockRecord, showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { mailingExport } from "./mailing_export.ts";
import { isOver } from "./progress.ts";

export const cancelMailingExport = operation({
  name: "mailing_export.cancel",
  method: "POST",
  path: "/mailing_export/{id}/cancel/",
  doc: "Cancels a mailing export that is not over. Who was pushed stays with the platform; a batch that is on its way may still arrive.",
  permission: "export",
  scope: "write_destructive",
  input: { id: z.string() },
  get output() {
    return outputSchema(mailingExport);
  },
  async run(ctx, { id }) {
    const before = await lockRecord(ctx, mailingExport, id);
    checkOwner(ctx, mailingExport, before, "update");
    if (isOver(before)) throw invalid({ status: `is ${before.status}: it is over` });

    const values = { status: "canceled", error: null, date_completed: ctx.now.toISOString() } as const;
    return showWritten(ctx, mailingExport, store.update(ctx, mailingExport, before, values));
  },
});
