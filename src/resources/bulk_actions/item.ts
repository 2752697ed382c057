// An item of a bulk action: one record, and what became of it.

import { z } from "zod";
import { may } from "../../core/context.ts";
import { boolean, choice, integer, json, ref, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";

export const itemStates = ["pending", "succeeded", "skipped", "failed"] as const;

export const bulkActionItem = resource({
  name: "bulk_action_item",
  called: ["record of a bulk action", "records of a bulk action"],
  prefix: "bitem",
  path: "/bulk_action/{bulk_action_id}/items",
  parent: "bulk_action_id",
  doc: "A record that a bulk action covers, and what became of it. Kept for 37 days.",
  event: null,
  mcp: false,
  visible: (ctx, alias) =>
    may(ctx, "view_all_leads")
      ? null
      : sql`exists (select from bulk_action b where b.organization_id = ${ctx.organization_id}
          and b.id = ${name(alias)}.bulk_action_id and b.created_by = ${ctx.actor.user_id})`,
  order: "ord",
  sort: { ord: true },
  fields: {
    bulk_action_id: ref(
      "bulk_action",
      { onDelete: "keep", onMove: "keep" },
      { readOnly: true, required: true, doc: "The bulk action." },
    ),
    ord: integer({ readOnly: true, required: true, doc: "Its place in the order of processing, from 1." }),
    object_id: text({ readOnly: true, required: true, doc: "The record." }),
    lead_id: text({ readOnly: true, doc: "The record's lead." }),
    status: choice(itemStates, {
      readOnly: true,
      default: "pending",
      doc: "`skipped` needed nothing, or is not there any more; `failed` was refused.",
    }),
    error: text({ readOnly: true, max: 1000, doc: "Why it was skipped or failed, or what an undo could not bring back." }),
    opens_lead: boolean({ readOnly: true, hidden: true, default: false }),
    address: text({ readOnly: true, hidden: true }),
    kept: json(z.unknown(), { readOnly: true, hidden: true }),
    created_by: text({ readOnly: true, hidden: true }),
    updated_by: text({ readOnly: true, hidden: true }),
  },
});
