// A run: one time an automation ran, or is running, for one record. The worker makes them.
import { z } from "zod";
import { boolean, choice, integer, json, label, ref, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { anyObject } from "./fields.ts";
import { visibleAsRecord } from "./visibility.ts";

const readOnly = true;
const stays = { onDelete: "clear", onMove: "clear" } as const;
const problem = z.looseObject({ code: z.string(), message: z.string() });

export const automationRun = resource({
  name: "automation_run",
  prefix: "arun",
  path: "/automation_runs",
  doc: "One time an automation ran, or is running, for one record.",
  visible: visibleAsRecord,
  // What went wrong is what somebody looks for.
  order: "failures,-date_created",
  sort: { failures: { sql: (t) => sql`(case when ${name(t)}.status = 'failed' then 0 else 1 end)`, type: "number" } },
  filters: {
    record_id: { doc: "Only runs for this record.", sql: (_ctx, value, t) => sql`${name(t)}.object_id = ${value}` },
  },
  fields: {
    automation_id: ref("any_automation", { onDelete: "cascade", onMove: "keep" }, { readOnly, required: true, doc: "What ran." }),
    automation_name: label("automation_id", "any_automation", "name"),
    version_id: ref(
      "automation_version",
      { onDelete: "clear", onMove: "keep" },
      { readOnly, doc: "By which version; null for a draft." },
    ),
    version_number: integer({ readOnly }),
    generation: integer({ readOnly, default: 2, doc: "Of the automation." }),
    status: choice(["queued", "running", "waiting", "completed", "failed", "cancelled"], { readOnly, required: true }),
    trigger_type: text({ readOnly, required: true }),
    event_id: text({ readOnly, max: 64, doc: "What started it." }),
    object_type: text({ readOnly, doc: "With `object_id`: the record it is about." }),
    object_id: text({ readOnly, max: 64 }),
    lead_id: ref("lead", stays, { readOnly }),
    contact_id: ref("contact", stays, { readOnly }),
    opportunity_id: ref("opportunity", stays, { readOnly }),
    input: json(anyObject, { readOnly, default: {} }),
    output: json(anyObject, { readOnly }),
    error: json(problem, { readOnly, doc: "`{step_id, code, message}`." }),
    is_replay: boolean({ readOnly, default: false }),
    is_simulation: boolean({ readOnly, default: false }),
    started_at: timestamp({ readOnly }),
    finished_at: timestamp({ readOnly }),
    wait_until: timestamp({ readOnly, doc: "Until when it waits at most." }),
    duration_ms: integer({ readOnly }),
    current_node_id: text({ readOnly, doc: "The step it is at." }),
    attempt: integer({ readOnly, default: 1 }),
  },
});

export const automationStepRun = resource({
  name: "automation_step_run",
  prefix: "astep",
  doc: "One step of a run.",
  event: null,
  fields: {
    run_id: ref("automation_run", { onDelete: "cascade", onMove: "keep" }, { readOnly, required: true }),
    node_id: text({ readOnly, required: true, doc: "The step's name in the graph." }),
    type: text({ readOnly, required: true }),
    name: text({ readOnly }),
    status: choice(["pending", "running", "waiting", "succeeded", "failed", "skipped", "cancelled", "stubbed"], {
      readOnly,
      required: true,
    }),
    input: json(z.unknown(), { readOnly, doc: "Its config as it was filled in; secrets are masked." }),
    output: json(z.unknown(), { readOnly }),
    error: json(problem, { readOnly }),
    attempt: integer({ readOnly, default: 1 }),
    started_at: timestamp({ readOnly }),
    finished_at: timestamp({ readOnly }),
    wait_until: timestamp({ readOnly }),
    branch: text({ readOnly, doc: "The port it went on by." }),
  },
});
