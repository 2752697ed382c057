// A rule, on the wire an automation of the first generation: when an event comes and its conditions hold, it runs its actions. It
// is live as soon as it is saved.
import { z } from "zod";
import { boolean, choice, computed, input, json, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { byName } from "../../values/names.ts";
import { authorNames } from "../shared/names.ts";
import { type Action, actionTypes } from "./actions.ts";
import { duration } from "./catalog.ts";
import { fieldOperators } from "./condition_types.ts";
import { anyObject, generation, running, shownTrigger } from "./fields.ts";
import type { Graph } from "./graph.ts";
import { type Settings, settings } from "./settings.ts";
import type { Trigger } from "./trigger.ts";

/** Other names of the same comparisons. */
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
    return { field, operator: said as string, value: value ?? null };
  });

export type Condition = z.output<typeof condition>;

const action = z
  .strictObject({
    type: z.enum(actionTypes),
    config: anyObject.optional(),
    params: anyObject.optional(),
    delay: z
      .union([z.int().min(0).max(31_622_400), duration])
      .nullable()
      .optional(),
  })
  .transform(({ type, config, params, delay }) => ({ type, config: config ?? params ?? {}, delay: delay ?? null }));

export const rule = resource({
  name: "automation",
  prefix: "auto",
  only: { column: "generation", value: "1" },
  doc: "A rule: when this happens and that is so, do these things.",
  sort: { name: true, last_run_at: true },
  fields: {
    generation: generation("1"),
    name: text({ required: true }),
    description: text({ max: 10_000 }),
    status: choice(["active", "paused", "draft"], { default: "draft", doc: "Only an `active` one runs." }),
    is_active: input(z.boolean(), {
      shown: computed(["status"], z.boolean(), (status: string) => status === "active", "Whether the status is `active`."),
      doc: "In place of `status`: true for `active`, false for `paused`.",
    }),
    trigger: json(z.union([z.string(), anyObject]) as unknown as z.ZodType<Trigger>, {
      required: true,
      output: shownTrigger,
      doc: "What starts it: `{type, config}`, or the name of an event.",
    }),
    conditions: json(z.array(condition).max(100), {
      default: [] as Condition[],
      doc: "`[{field, operator, value}]` of the record it is about.",
    }),
    match: choice(["all", "any"], { default: "all", doc: "Whether all conditions must be met or one." }),
    actions: json(z.array(action).min(1).max(10) as unknown as z.ZodType<Action[]>, {
      required: true,
      doc: "What is done, in this order: `[{type, config, delay?}]`; a delay in seconds, or as `{amount, unit}`, is waited before.",
    }),
    run_once_per_record: boolean({ default: false, doc: "Whether it runs for each record once at most." }),
    ...running,
    run_count: computed(["runs_total"], z.int(), (count: number) => count, "How often it ran."),
    error_count: computed(["runs_failed"], z.int(), (count: number) => count, "How often it failed."),
    filter: json(anyObject as z.ZodType<object>, { readOnly: true, hidden: true }),
    graph: json(anyObject as unknown as z.ZodType<Graph>, {
      readOnly: true,
      hidden: true,
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
