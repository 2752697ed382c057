// The organization's credentials for another service, as stored. `credentials.ts` defines how they are shown and changed.
import { z } from "zod";
import { json, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";

export const credential = resource({
  name: "credential",
  prefix: "cred",
  doc: "The organization's credentials for another service.",
  // An event would tell every reader which services are used, and when their keys change.
  event: null,
  mcp: false,
  fields: {
    service: text({ required: true, readOnly: true }),
    shown_values: json(z.record(z.string(), z.unknown()), { readOnly: true, default: {} as Record<string, unknown> }),
    sealed_values: text({ filled: true, readOnly: true, hidden: true }),
    webhook_token: text({ filled: true, readOnly: true, hidden: true }),
    last_verified_at: timestamp({ readOnly: true }),
    last_error: text({ readOnly: true, max: 1000 }),
  },
});
