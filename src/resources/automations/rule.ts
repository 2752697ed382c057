// A rule, on the wire an automation of the first generation. When an event comes and its conditions hold, it runs its actions. It
// is live as soon as it is saved.
import { z } from "zod";
import { boolean, choice, computed, input, json, lookedUp, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { byName } from "../../values/names.ts";
import { authorNames } from "../shared/names.ts";
import { type Action, actionTypes, spelled } from "./actions.ts";
import { duration } from "./catalog.ts";
import { fieldOperators } from "./conditions/condition.ts";
import { anyObject, byLastRun, generation, isActive, running, runTotal, shownTrigger } from "./fields.ts";
import { shownFinding } from "./findings.ts";
import type { Graph } from "./graph_shape.ts";
import { warningsOfLiteralWords } from "./literal_words.ts";
import { shownToWriters, told } from "./request_secrets.ts";
import { placeInRule } from "./rule_places.ts";
import { type Settings, settings } from "./settings.ts";
import type { Trigger } from "./trigger.ts";

/** Other names for the same comparisons. */
const otherNames: Readonly<Record<string, string>> = byName({ equals: "is", eq: "is", not_equals: "is_not", neq: "is_not" });

const operator = z
  .string()
  .transform((name) => otherNames[name] ?? name)
  .pipe(z.enum(fieldOperators));

const condition = z
  .strictObject({
    field: z.string().min(1).max(255),
    operator: operator.optional(),
    op: operator.optional(),
    value: z.unknown().optional(),
  })
  .transform(({ field, operator, op, value }, check) => {
    const said = operator ?? op;
    if (said === undefined) check.addIssue({ code: "custom", path: ["operator"], message: "is required" });
    const spelling = { operator: operator === undefined ? "op" : "operator" };
    return { field, operator: said as string, value: value ?? null, [spelled]: spelling };
  });

export interface Condition {
  field: string;
  operator: string;
  value: unknown;
  [spelled]?: { operator: string };
}

const action = z
  .strictObject({
    type: z.enum(actionTypes),
    config: anyObject.optional(),
    params: anyObject.optional(),
    delay: z
      .union([z.int().min(0).max(31_536_000), duration])
      .nullable()
      .optional(),
  })
  .transform(({ type, config, params, delay }) => {
    const spelling = { config: config === undefined && params !== undefined ? "params" : "config" };
    return { type, config: config ?? params ?? {}, delay: delay ?? null, [spelled]: spelling };
  });

export const rule = resource({
  name: "automation",
  prefix: "auto",
  only: { column: "generation", value: "1" },
  doc: "A rule: when an event happens and the conditions hold, it runs its actions.",
  sort: { name: true, ...byLastRun },
  acts: { while: isActive, states: ["status"], without: ["name", "description"] },
  fields: {
    generation: generation("1"),
    name: text({ required: true }),
    description: text({ max: 10_000 }),
    status: choice(["active", "paused", "draft"], {
      default: "active",
      doc: "Only an `active` automation runs: from when it is saved, unless it says otherwise.",
    }),
    is_active: input(z.boolean(), {
      shown: computed(["status"], z.boolean(), (status: string) => status === "active", "Whether the status is `active`."),
      doc: "Another way to set `status`: true for `active`, false for `paused`.",
    }),
    trigger: json(z.union([z.string(), anyObject]) as unknown as z.ZodType<Trigger>, {
      required: true,
      output: shownTrigger,
      doc: "The trigger: `{type, config}`, or the name of an event.",
    }),
    conditions: json(z.array(condition).max(100), {
      default: [] as Condition[],
      doc: "`[{field, operator, value}]` of the record it is about.",
    }),
    match: choice(["all", "any"], { default: "all", doc: "Whether all conditions must be met or only one." }),
    actions: json(z.array(action).min(1).max(10) as unknown as z.ZodType<Action[]>, {
      required: true,
      shown: shownToWriters("actions", z.array(action)),
      told,
      doc: "The actions, in order: `[{type, config, delay?}]`. A delay before an action is in seconds, or `{amount, unit}`. What `call_webhook` sends, and where to, is shown to those who may write automations.",
    }),
    run_once_per_record: boolean({ default: false, doc: "Whether it runs at most once for each record." }),
    ...running,
    run_count: runTotal("runs_total", "How often it ran."),
    error_count: runTotal("runs_failed", "How often it failed."),
    run_as_user_id: computed(
      ["settings"],
      z.string().nullable(),
      ({ run_as_user_id }: Settings) => run_as_user_id,
      "In whose name it acts; null for that of who put it in force, who sees all leads.",
    ),
    warnings: lookedUp(
      ["trigger", "conditions", "actions", "graph"],
      z.array(shownFinding),
      (_directory, trigger: Trigger, conditions: Condition[], actions: Action[], graph: Graph) =>
        warningsOfLiteralWords(graph).map((one) => ({
          ...one,
          path: placeInRule(one.path, one.message, { trigger, conditions, actions }),
          step_id: null,
        })),
      "What its actions take as it is written and may not be meant so.",
    ),
    filter: json(anyObject as z.ZodType<object>, { readOnly: true, hidden: true }),
    graph: json(anyObject as unknown as z.ZodType<Graph>, {
      readOnly: true,
      hidden: true,
      told,
      default: { start: null, steps: {} } as Graph,
    }),
    settings: json(settings as unknown as z.ZodType<Settings>, {
      readOnly: true,
      hidden: true,
      default: settings.parse({}) as Settings,
    }),
    ...authorNames,
  },
});
