// A workflow, on the wire an automation of the second generation: a graph of steps that is edited as a draft and then published.
import { z } from "zod";
import type { Directory } from "../../core/directory.ts";
import { choice, computed, input, integer, json, lookedUp, type Moment, onDemand, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { same } from "../../values/same.ts";
import { authorNames } from "../shared/names.ts";
import { anyObject, byLastRun, generation, isActive, type Plan, running, runTotals, shownGraph, shownTrigger } from "./fields.ts";
import type { Graph } from "./graph_shape.ts";
import { hookColumns, hookUrl, showHook, shownHook } from "./hooks/hook.ts";
import { asRead, shownToWriters, told } from "./request_secrets.ts";
import { type Settings, settings } from "./settings.ts";
import type { Trigger } from "./trigger.ts";

const plan = { trigger: shownTrigger, filter: anyObject.nullable(), graph: shownGraph, settings: anyObject };
const parts = ["trigger", "filter", "graph", "settings"] as const;

const draft = z.object({
  ...plan,
  revision: z.int(),
  date_updated: z.iso.datetime().nullable(),
  updated_by: z.string().nullable(),
});

export const workflow = resource({
  name: "automations",
  prefix: "autm",
  table: "automation",
  only: { column: "generation", value: "2" },
  doc: "A graph of steps that runs when something happens. It is edited as a draft and published when it is ready.",
  sort: { name: true, ...byLastRun },
  // What is edited is a draft.
  acts: { while: isActive, states: ["status"], without: ["name", "description", ...parts, "trigger_type", "object_type"] },
  fields: {
    generation: generation("2"),
    name: text({ required: true }),
    description: text({ max: 10_000 }),
    status: choice(["draft", "active", "paused"], {
      default: "draft",
      doc: "It changes by publishing and pausing; a value other than the present one is refused. A `draft` was never published.",
    }),
    trigger: json(z.union([z.string(), anyObject]) as unknown as z.ZodType<Trigger>, {
      required: true,
      output: shownTrigger,
      doc: "The trigger: `{type, config}`, or the name of an event.",
    }),
    filter: json(anyObject as z.ZodType<object>, {
      doc: "The records it runs for: a tree of conditions, or a search query; null for all.",
    }),
    graph: json(anyObject as unknown as z.ZodType<Graph>, {
      default: { start: null, steps: {} } as Graph,
      output: shownGraph,
      shown: shownToWriters("graph", shownGraph),
      told,
      doc: "What is done: `{start, steps, goals?, exits?}`, each step saying at its ports where it goes on. What `http.request` sends, and where to, is shown to those who may write automations.",
    }),
    settings: json(settings as unknown as z.ZodType<Settings>, {
      default: settings.parse({}) as Settings,
      output: anyObject,
      doc: "How often it runs for a record, how many runs are allowed at once, and at what hours.",
    }),
    ...running,
    published: json(z.object(plan) as unknown as z.ZodType<Plan>, {
      readOnly: true,
      shown: shownToWriters("published", z.object(plan).nullable()),
      told,
      doc: "The active version; null before it is published.",
    }),
    draft: lookedUp(
      ["organization_id", "id", ...parts, "published", "draft_revision", "draft_updated_at", "draft_updated_by"],
      draft.nullable() as z.ZodType<unknown>,
      draftOf,
      "What is edited, where it differs from what is in force.",
    ),
    has_unpublished_changes: computed(
      [...parts, "published"],
      z.boolean(),
      (trigger, filter, graph, settings, published) => !same({ trigger, filter, graph, settings }, published),
      "Whether the draft differs from the active version.",
    ),
    if_revision: input(z.int(), {
      doc: "The `draft.revision` that the change is meant for. If the draft has another revision, the change is refused.",
    }),
    // Neither in lists nor in events: who knows the address may start the automation.
    webhook: onDemand(
      lookedUp(hookColumns, shownHook.nullable(), showHook, "For other services that start it, once it is published."),
    ),
    webhook_url: onDemand(lookedUp(hookColumns, z.string().nullable(), hookUrl, "The `url` of `webhook`.")),
    stats: runTotals,
    draft_revision: integer({ readOnly: true, hidden: true, default: 1 }),
    draft_updated_at: timestamp({ readOnly: true, hidden: true }),
    draft_updated_by: text({ readOnly: true, hidden: true }),
    hook_hash: text({ readOnly: true, hidden: true }),
    sealed_hook_token: text({ readOnly: true, hidden: true }),
    sealed_hook_secret: text({ readOnly: true, hidden: true }),
    sealed_hook_previous: text({ readOnly: true, hidden: true }),
    hook_previous_until: timestamp({ readOnly: true, hidden: true }),
    hook_refused: integer({ readOnly: true, hidden: true, default: 0 }),
    ...authorNames,
  },
});

function draftOf(
  _directory: Directory,
  organization_id: string,
  id: string,
  trigger: Trigger,
  filter: object | null,
  graph: Graph,
  settings: Settings,
  published: Plan | null,
  revision: number,
  date_updated: string | null,
  updated_by: string | null,
  moment: Moment,
) {
  const plan = { trigger, filter, graph, settings };
  return same(plan, published) ? null : { ...asRead(moment, { organization_id, id }, plan), revision, date_updated, updated_by };
}
