// A bulk action that shares many contacts with another organization.
import { z } from "zod";
import { choice, integer, json, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";

export const shareBulk = resource({
  name: "share_bulk",
  called: ["bulk share", "bulk shares"],
  prefix: "sharejob",
  path: "/contact/share_bulk",
  doc: "A run that shares many contacts with another organization.",
  event: null,
  owned: { by: "created_by", own: "view_all_leads", others: "manage_organization" },
  fields: {
    target_organization_id: text({ required: true, readOnly: true, doc: "The organization that gets copies." }),
    status: choice(["queued", "running", "completed", "failed"], { readOnly: true, default: "queued" }),
    selector: json(z.looseObject({}), {
      readOnly: true,
      required: true,
      doc: "How the contacts are selected: `all`, `query` or `contact_ids`.",
    }),
    n_total: integer({ readOnly: true, default: 0 }),
    n_processed: integer({ readOnly: true, default: 0 }),
    n_shared: integer({ readOnly: true, default: 0 }),
    n_skipped: integer({ readOnly: true, default: 0, doc: "The number of contacts that were already shared." }),
    n_failed: integer({ readOnly: true, default: 0 }),
    errors: json(z.array(z.object({ contact_id: z.string(), error: z.string() })), {
      readOnly: true,
      default: [] as { contact_id: string; error: string }[],
      doc: "The first hundred contacts that could not be shared.",
    }),
    error: text({ readOnly: true, max: 1000, doc: "Why it failed. It can be resumed." }),
    run_by: text({ readOnly: true, hidden: true }),
    date_started: timestamp({ readOnly: true }),
    date_completed: timestamp({ readOnly: true }),
  },
});
