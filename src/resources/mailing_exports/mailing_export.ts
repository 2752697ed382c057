// A mailing export: contacts that are sent to a mailing platform.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { choice, integer, json, ref, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";

/** Why contacts are left out. */
export const exclusions = ["no_email", "unsubscribed", "bounced", "duplicate", "gone"] as const;
export type Exclusion = (typeof exclusions)[number];

export const mailingExport = resource({
  name: "mailing_export",
  prefix: "mexp",
  doc: "An export of contacts to a mailing platform.",
  // It names contacts that whoever asked for it may see.
  visible: (ctx: Ctx, alias) => (may(ctx, "view_all_leads") ? null : sql`${name(alias)}.created_by = ${ctx.actor.user_id}`),
  owned: { by: "created_by", own: "export", others: "manage_organization" },
  fields: {
    platform: text({ required: true, createOnly: true, max: 64, doc: "One of `GET /mailing_export/platforms/`." }),
    filters: json(z.record(z.string(), z.unknown()), {
      createOnly: true,
      default: {},
      doc: "The audience: a search query, or simple conditions.",
    }),
    config: json(z.record(z.string(), z.unknown()), {
      createOnly: true,
      default: {},
      doc: "Settings of the platform, such as a list.",
    }),
    match_count: integer({ readOnly: true, required: true, doc: "The number of contacts that the filters found." }),
    status: choice(["queued", "running", "completed", "failed", "canceled"], { readOnly: true, default: "queued" }),
    n_pushed: integer({ readOnly: true, default: 0, doc: "The number of contacts that the platform took." }),
    n_skipped: integer({ readOnly: true, default: 0, doc: "The number of contacts that were left out; `n_excluded` says why." }),
    n_excluded: json(z.partialRecord(z.enum(exclusions), z.int()), {
      readOnly: true,
      default: {} as Partial<Record<Exclusion, number>>,
      doc: "By reason; `duplicate` is another contact with the same address, `gone` one that is deleted or not visible any more.",
    }),
    n_failed: integer({ readOnly: true, default: 0, doc: "The number of contacts that the platform refused." }),
    errors: json(z.array(z.object({ contact_id: z.string(), error: z.string() })), {
      readOnly: true,
      default: [] as { contact_id: string; error: string }[],
      doc: "The first hundred contacts that the platform refused, and its reasons.",
    }),
    error: text({ readOnly: true, max: 1000, doc: "Why it failed, or what it waits for. One that failed can be resumed." }),
    run_by: text({ readOnly: true, hidden: true }),
    file_id: ref("file", { onDelete: "clear", onMove: "keep" }, { readOnly: true, doc: "The file of an export to `csv`." }),
    automation_run_id: text({ readOnly: true, doc: "The automation run that made it." }),
    receipt: text({ readOnly: true, hidden: true, max: 1000 }),
    tries: integer({ readOnly: true, hidden: true, default: 0 }),
    failing_since: timestamp({ readOnly: true, hidden: true }),
    batch_most: integer({ readOnly: true, hidden: true }),
    date_started: timestamp({ readOnly: true }),
    date_completed: timestamp({ readOnly: true }),
  },
});
