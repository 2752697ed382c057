// The address of an automation, for those who may write automations. Who knows it may start the automation with its publisher's rights, so
// it is shown where one automation is answered, and neither in lists nor in events, which every member reads.
import { z } from "zod";
import { type Ctx, may } from "../../../core/context.ts";
import type { JsonText } from "../../../core/operation.ts";
import type { Row } from "../../../core/resource.ts";
import { outputSchema } from "../../../records/output_schema.ts";
import { findRecord } from "../../../records/records.ts";
import { recordWith } from "../../../records/single.ts";
import type { Alone } from "../../../records/standard_operation.ts";
import { workflow } from "../workflow.ts";
import { hookTrigger, openHook, verificationOf } from "./hook.ts";

export const shownHook = z.object({
  url: z.string().describe("The address that other services call by POST."),
  verification: z.string().nullable().describe("How the active version verifies calls; null when it has another trigger."),
  secret_hint: z.string().describe("The last characters of the secret."),
  refused: z.int().describe("How many calls were refused because their signature was missing or wrong."),
});

/** A workflow as it is answered by itself. */
export const workflowAlone = (): z.ZodObject =>
  (outputSchema(workflow) as z.ZodObject).extend({
    webhook: shownHook
      .nullable()
      .describe("For other services that start it, once it is published. Null for who may not write automations."),
    webhook_url: z.string().nullable().describe("The `url` of `webhook`."),
  });

export const withHook: Alone = {
  output: workflowAlone,
  async add(ctx, id, record, fields) {
    const wanted = (["webhook", "webhook_url"] as const).filter((key) => fields === null || fields.includes(key));
    if (wanted.length === 0) return record;
    const webhook = await hookOf(ctx, id);
    const values = { webhook, webhook_url: webhook?.url ?? null };
    return recordWith(record, wanted.map((key) => `,"${key}":${JSON.stringify(values[key])}`).join(""));
  },
};

export const addHook = (ctx: Ctx, id: string, record: JsonText): Promise<JsonText> => withHook.add(ctx, id, record, null);

async function hookOf(ctx: Ctx, id: string): Promise<z.output<typeof shownHook> | null> {
  const row = may(ctx, "manage_email_sequences") ? await findRecord(ctx, workflow, id) : null;
  return row === null ? null : hookOfRow(ctx, row);
}

function hookOfRow({ settings }: Ctx, row: Row<typeof workflow>): z.output<typeof shownHook> | null {
  const { sealed_hook_token: token, sealed_hook_secret: secret, published } = row;
  if (token === null || secret === null) return null;
  const { secrets, base_url } = settings;
  return {
    url: `${base_url}/hooks/${openHook(secrets, row, "sealed_hook_token", token)}`,
    verification: published?.trigger.type === hookTrigger ? verificationOf(published).mode : null,
    secret_hint: `…${openHook(secrets, row, "sealed_hook_secret", secret).slice(-4)}`,
    refused: Number(row.hook_refused),
  };
}
