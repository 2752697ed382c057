// The fields that automations of both generations have in common. One table has the rows of both.
import { z } from "zod";
import { computed, integer, text, timestamp } from "../../core/field.ts";
import type { Graph } from "./graph_shape.ts";
import type { Settings } from "./settings.ts";
import type { Trigger } from "./trigger.ts";

/** What an automation does: its trigger, its records, its steps, and how often it runs. */
export interface Plan {
  trigger: Trigger;
  filter: object | null;
  graph: Graph;
  settings: Settings;
}

export const shownTrigger = z.object({ type: z.string(), config: z.record(z.string(), z.unknown()) });
export const shownGraph = z.looseObject({ start: z.string().nullable(), steps: z.record(z.string(), z.looseObject({})) });
export const anyObject = z.looseObject({});

/** The generation, which tells the rows of the table apart. */
export const generation = (is: "1" | "2") =>
  text({
    required: true,
    readOnly: true,
    shown: computed(["generation"], z.literal(Number(is)), () => Number(is), "Which kind of automation."),
  });

export const running = {
  trigger_type: text({ derive: (row: { trigger: Trigger }) => row.trigger.type, doc: "The type of its trigger." }),
  object_type: text({
    derive: (row: { trigger: Trigger }) => (row.trigger.config.object_type as string | undefined) ?? null,
    doc: "The kind of record it is about.",
  }),
  active_version_id: text({ readOnly: true, doc: "The active version." }),
  in_flight: text({ readOnly: true, hidden: true }),
  active_version: integer({ readOnly: true, doc: "Its number." }),
  last_run_at: timestamp({ readOnly: true, doc: "When it ran last." }),
  runs_total: integer({ readOnly: true, hidden: true, default: 0 }),
  runs_failed: integer({ readOnly: true, hidden: true, default: 0 }),
};
