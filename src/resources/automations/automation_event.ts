// An event that was offered to automations. It is kept for some time, to be looked at and replayed.
import { z } from "zod";
import { json, lookedUp, type Moment, ref, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, or, sql } from "../../db/sql.ts";
import { checkAmong, readValues } from "../../records/comparisons.ts";
import { byHand } from "./names.ts";
import { found } from "./trace.ts";
import { visibleAsEvent } from "./visibility.ts";

const readOnly = true;

const results = ["started", "filtered", "skipped", "no_match_edge"] as const;

const evaluation = z.strictObject({
  automation_id: z.string(),
  version_id: z.string().nullable(),
  result: z.enum(results),
  reason: z.string().nullable(),
  run_id: z.string().nullable(),
  conditions: z.array(found).optional().describe("What the conditions of its filter and its trigger found."),
});
export type Evaluation = z.output<typeof evaluation>;

const seesAll = ({ actor }: Moment): boolean => actor.permissions.has("view_all_leads");

/** Conditions may have looked at records that not everybody sees. */
const shownEvaluations = lookedUp(
  ["evaluations"],
  z.array(evaluation),
  (_directory, all: Evaluation[], moment: Moment) => (seesAll(moment) ? all : all.map(({ conditions: _, ...rest }) => rest)),
  "What each automation made of it: `started`, `filtered`, `skipped`, or `no_match_edge` where its condition held before, and why. What conditions found is shown to members who see all leads.",
);

/** Of another run, it holds what that read; of a start by hand, what the run was given. */
const shownPayload = lookedUp(
  ["type", "payload"],
  z.record(z.string(), z.unknown()).nullable(),
  (_directory, type: string, payload: Record<string, unknown>, moment: Moment) =>
    (type.startsWith("automation_run.") || type === byHand) && !seesAll(moment) ? null : payload,
  "What came with it. Of the end of another run and of a start by hand, it is shown to members who see all leads, and null for others.",
);

export const automationEvent = resource({
  name: "automation_event",
  prefix: "aevt",
  path: "/automation_events",
  doc: "An event that automations received, kept for a while to inspect and to replay.",
  event: null,
  visible: visibleAsEvent,
  filters: {
    automation_id: {
      doc: "Only events that this automation was offered or owns.",
      sql: (_ctx, value, alias) =>
        sql`(${name(alias)}.automation_id = ${value} or ${name(alias)}.matched_automation_ids @> ${[value]}::text[])`,
    },
    event: {
      doc: "The same as `type`: only events of this name, or of several separated by commas.",
      sql: (_ctx, value, alias) => sql`${name(alias)}.type = any(${readValues(value)})`,
    },
    result: {
      doc: `Only events that some automation has ${results.join(", ")}; several separated by commas.`,
      sql(_ctx, value, alias) {
        const wanted = readValues(value);
        checkAmong(wanted, results);
        return or(wanted.map((result) => sql`${name(alias)}.evaluations @> ${JSON.stringify([{ result }])}::jsonb`));
      },
    },
  },
  fields: {
    type: text({ readOnly, required: true, doc: "The name of the event, or `webhook.received`, `schedule.tick`, `manual.run`." }),
    source: text({ readOnly, doc: "What brought it: `event`, `webhook`, `schedule` or `manual`." }),
    automation_id: text({ readOnly, max: 64, doc: "For a webhook: the automation that owns it." }),
    object_type: text({ readOnly, doc: "With `object_id`: the record it is about." }),
    object_id: text({ readOnly, max: 64 }),
    lead_id: ref("lead", { onDelete: "clear", onMove: "clear" }, { readOnly }),
    payload: json(z.record(z.string(), z.unknown()), { readOnly, default: {}, shown: shownPayload }),
    matched_automation_ids: texts({ readOnly, default: [] as string[], doc: "The automations that received it." }),
    evaluations: json(z.array(evaluation), {
      readOnly,
      default: [] as Evaluation[],
      shown: shownEvaluations,
    }),
    run_ids: texts({ readOnly, default: [] as string[], doc: "The runs that it started." }),
  },
});
