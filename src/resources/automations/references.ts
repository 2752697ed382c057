// Whether what a step refers to is there when it runs: results of steps before it, and the item of the loop that it is in.
import { isObject, isWithinSchema } from "./config.ts";
import { type Finding, finding, warning } from "./findings.ts";
import type { Graph } from "./graph_shape.ts";
import { reachedFrom } from "./graph_walk.ts";
import { goalTarget } from "./structure.ts";
import { repeatedSteps } from "./structure_of_loops.ts";

export function problemsOfReferences({ start, steps, goals = [] }: Graph): Finding[] {
  const starts = [start!, ...goals.flatMap(goalTarget)];
  const repeated = repeatedSteps(steps);
  return Object.entries(steps).flatMap(([id, { config }]) =>
    mentionsIn(config, `graph.steps.${id}.config`).flatMap((mention) => [
      ...(repeated.has(id) ? [] : problemsOfItem(mention)),
      ...problemsOfSteps(mention, id, starts, steps),
    ]),
  );
}

export interface Mention {
  at: string;
  said: string;
  /** Text has nothing where a value is missing. A reference fails. */
  isTemplate: boolean;
}

/** Every reference and template within a value. */
export function mentionsIn(value: unknown, at: string): Mention[] {
  if (Array.isArray(value)) return value.flatMap((one, i) => mentionsIn(one, `${at}.${i}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    typeof one === "string" && ["$ref", "ref", "$template"].includes(key) && !isWithinSchema(one)
      ? [{ at: `${at}.${key}`, said: one, isTemplate: key === "$template" }]
      : mentionsIn(one, `${at}.${key}`),
  );
}

/** A template may have an item of its own, by its own `for`. */
function problemsOfItem({ at, said, isTemplate }: Mention): Finding[] {
  if (isTemplate || !/^item(_index)?(\.|$)/.test(said)) return [];
  return [finding("ref_not_available_here", at, "names the item of a loop, and no loop repeats this step: move it into one")];
}

/** The results of steps that it names must be there on every way to it. */
function problemsOfSteps({ at, said, isTemplate }: Mention, id: string, starts: string[], steps: Graph["steps"]): Finding[] {
  const found = isTemplate
    ? said.matchAll(/\{[{%][^}]*?\bsteps\.([a-z][a-z0-9_]*)/g)
    : said.matchAll(/^steps\.([a-z][a-z0-9_]*)/g);
  return [...new Set([...found].map(([, named]) => named!))].flatMap((named) => {
    if (!Object.hasOwn(steps, named) || isOnEveryWay(named, id, starts, steps)) return [];
    const say = isTemplate ? warning : finding;
    return [
      say("ref_not_available_here", at, `names ${named}, which has not run on every way to this step: let all ways pass it`),
    ];
  });
}

const isOnEveryWay = (named: string, id: string, starts: readonly string[], steps: Graph["steps"]): boolean => {
  const without = Object.fromEntries(Object.entries(steps).filter(([one]) => one !== named));
  return named !== id && !reachedFrom(starts, without).has(id);
};
