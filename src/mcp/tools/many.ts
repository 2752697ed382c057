// What changes many records, or cannot be said by one record's fields.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { data, id, written } from "../arguments.ts";
import { writtenResult } from "../shape.ts";
import { type ToolCall, tool } from "../tool.ts";

export const mergeRecords = tool({
  name: "merge_records",
  doc: "Merges a lead into another lead, or a contact into another contact: everything moves to `destination`, and `source` is deleted.",
  scope: "write_destructive",
  input: { object_type: z.enum(["lead", "contact"]), source: id, destination: id },
  output: written,
  operations: ["lead.merge", "contact.merge"],
  run: async (call, { object_type, source, destination }) =>
    writtenResult(await call.perform(`${object_type}.merge`, { body: { source, destination } })),
});

const actions = ["delete", "edit", "email", "sequence_subscription"] as const;

/** A bulk action on more records than this needs their number, so that nobody starts it without having looked. */
const unconfirmedMax = 20;

export const startBulkAction = tool({
  name: "start_bulk_action",
  doc: "Deletes, edits, mails or enrolls many records in the background. `data` is the body of bulk_action: one of ids, lead_ids, contact_ids, query, s_query or all, and what to do. Look first with dry_run; for more than 20 records pass the n_objects it told as `confirm`.",
  scope: "write_destructive",
  input: { action: z.enum(actions), data, confirm: z.int().min(0).optional() },
  output: { ...written, n_objects: z.int(), n_leads: z.int(), objects: z.array(z.looseObject({})) },
  operations: actions.map((action) => `bulk_action.${action}`),
  async run(call, { action, data, confirm }) {
    const operation = `bulk_action.${action}`;
    if (!call.isDry) await checkConfirmed(call, operation, data, confirm);
    return writtenResult(await call.perform(operation, { body: data }));
  },
});

async function checkConfirmed(call: ToolCall, operation: string, data: Record<string, unknown>, confirm?: number): Promise<void> {
  const { body } = await call.perform(operation, { body: { ...data, dry_run: true }, part: "preview" });
  const { n_objects } = body as { n_objects: number };
  if (n_objects <= unconfirmedMax || confirm === n_objects) return;
  throw invalid({ confirm: `must be ${n_objects}, the number of records that this changes; look at them with dry_run` });
}
