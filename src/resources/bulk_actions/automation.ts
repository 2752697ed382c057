// Starts an automation for many records: by hand, or by publishing it for those that are there already.
import { z } from "zod";
import { choice, json, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { common, kind } from "./common.ts";

export const bulkAutomation = resource({
  ...kind("automation"),
  doc: "Starts an automation for many records.",
  fields: {
    ...common(),
    automation_id: text({ readOnly: true, max: 64, doc: "The automation." }),
    object_type: text({ readOnly: true, max: 64, doc: "The kind of its records." }),
    run_kind: choice(["bulk", "backfill"], {
      readOnly: true,
      doc: "The kind of its runs: `bulk` by `POST /automations/{id}/run/`, `backfill` by publishing with `enroll_existing`.",
    }),
    input: json(z.record(z.string(), z.unknown()), { readOnly: true, doc: "What its runs are given." }),
  },
});
