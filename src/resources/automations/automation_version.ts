// A version: an automation as it was published. It never changes.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { boolean, integer, json, type LookedUp, ref, related, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { anyObject, type Plan, seenRuns, shownGraph, shownTrigger } from "./fields.ts";
import { shownToWriters } from "./request_secrets.ts";

const kept = <T>(schema: z.ZodType, shown?: LookedUp) => json(schema as z.ZodType<T>, { readOnly: true, required: true, shown });

/** Those that the caller may see. */
const livingOf = (alias: string, ctx: Ctx): Sql =>
  sql`(select to_json(count(*)) ${seenRuns(ctx, alias, "automation_id")} and r.version_id = ${name(alias)}.id
    and r.status in ('queued', 'running', 'waiting', 'held'))`;

export const automationVersion = resource({
  name: "automation_version",
  prefix: "autv",
  doc: "A published version of an automation, or a draft as it was replayed.",
  event: null,
  fields: {
    automation_id: ref(
      "any_automation",
      { onDelete: "cascade", onMove: "keep" },
      { required: true, readOnly: true, doc: "The automation it is a version of." },
    ),
    number: integer({ readOnly: true, doc: "1 for the first; null for a draft that was replayed." }),
    trigger: kept<Plan["trigger"]>(shownTrigger),
    filter: json(anyObject as z.ZodType<object>, { readOnly: true }),
    graph: kept<Plan["graph"]>(shownGraph, shownToWriters("graph", shownGraph, "automation_id")),
    settings: kept<Plan["settings"]>(anyObject),
    runs_in_flight: related(z.int(), livingOf, "How many runs follow it that are not over.", { always: true }),
    is_active: boolean({ required: true, readOnly: true, doc: "Whether it is the active version." }),
    published_at: timestamp({ readOnly: true }),
    published_by: text({ readOnly: true, max: 64, doc: "Who published it." }),
    change_note: text({ readOnly: true, max: 10_000, doc: "The publisher's note." }),
  },
});
