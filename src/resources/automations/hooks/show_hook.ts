// The address of an automation, for those who may write automations. Who knows it may start the automation with its publisher's rights, so
// it is shown to who has these rights where one automation is answered, and neither in lists nor in events, which every member reads.
import { z } from "zod";
import type { Ctx } from "../../../core/context.ts";
import type { JsonText } from "../../../core/operation.ts";
import { outputSchema } from "../../../records/output_schema.ts";
import { findRecord } from "../../../records/records.ts";
import { recordWith } from "../../../records/single.ts";
import type { Alone } from "../../../records/standard_operation.ts";
import { workflow } from "../workflow.ts";
import { showHook, shownHook } from "./hook.ts";

/** A workflow as it is answered by itself. */
export const workflowAlone = (): z.ZodObject =>
  (outputSchema(workflow) as z.ZodObject).extend({
    webhook: shownHook
      .nullable()
      .describe(
        "For other services that start it, once it is published. Null for who may not write automations, or lacks the rights that it has.",
      ),
    webhook_url: z.string().nullable().describe("The `url` of `webhook`."),
  });

export const withHook: Alone = {
  output: workflowAlone,
  async add(ctx, id, record, fields) {
    // Whoever names it has it already.
    if (fields !== null) return record;
    const webhook = await hookOf(ctx, id);
    return recordWith(record, `,"webhook":${JSON.stringify(webhook)},"webhook_url":${JSON.stringify(webhook?.url ?? null)}`);
  },
};

export const addHook = (ctx: Ctx, id: string, record: JsonText): Promise<JsonText> => withHook.add(ctx, id, record, null);

async function hookOf(ctx: Ctx, id: string): Promise<z.output<typeof shownHook> | null> {
  const row = await findRecord(ctx, workflow, id);
  if (row === null) return null;
  const { organization_id, sealed_hook_token, sealed_hook_secret, hook_refused, published } = row;
  return showHook(ctx.directory, organization_id, id, sealed_hook_token, sealed_hook_secret, hook_refused, published, ctx);
}
