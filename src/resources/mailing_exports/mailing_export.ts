// A mailing export: contacts that are sent to a mailing service.
import { z } from "zod";
import { choice, integer, json, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";

export const mailingExport = resource({
  name: "mailing_export",
  prefix: "mexp",
  doc: "An export of contacts to a mailing service.",
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
    status: choice(["queued", "running", "completed", "failed"], { readOnly: true, default: "queued" }),
    n_pushed: integer({ readOnly: true, default: 0 }),
    n_skipped: integer({ readOnly: true, default: 0, doc: "The number of contacts without an address, or unsubscribed." }),
    n_failed: integer({ readOnly: true, default: 0 }),
    errors: json(z.array(z.object({ contact_id: z.string(), error: z.string() })), {
      readOnly: true,
      default: [] as { contact_id: string; error: string }[],
    }),
    date_started: timestamp({ readOnly: true }),
    date_completed: timestamp({ readOnly: true }),
  },
});
