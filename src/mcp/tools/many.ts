// What changes many records, or cannot be said by one record's fields.
import { z } from "zod";
import { data, id, written } from "../arguments.ts";
import { writtenResult } from "../shape.ts";
import { tool } from "../tool.ts";

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

const actions = ["delete", "edit", "email", "enrich", "sequence_subscription"] as const;

export const startBulkAction = tool({
  name: "start_bulk_action",
  doc: "Deletes, edits, mails, enrolls or looks up many records in the background. `data` is the body of bulk_action: one of ids, lead_ids, contact_ids, query, s_query or all, and what to do. For more than 20 records pass the n_records that dry_run tells as `confirm`.",
  scope: "write_destructive",
  input: { action: z.enum(actions), data },
  output: { ...written, n_objects: z.int(), n_leads: z.int(), objects: z.array(z.looseObject({})) },
  operations: actions.map((action) => `bulk_action.${action}`),
  run: async (call, { action, data }) => writtenResult(await call.perform(`bulk_action.${action}`, { body: data })),
});
