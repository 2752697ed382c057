// The kind of record that `item` is for the steps of a loop, where it goes through what `record.find` finds or through a list of the
// record. Null where only the run knows.
import type { Ctx } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";
import { relationsOf } from "./conditions/relations.ts";
import { isObject } from "./config.ts";
import type { Graph } from "./graph_shape.ts";
import { bodiesOf } from "./structure_of_loops.ts";

/** By the ids of steps; those that no loop repeats are left out. */
export function itemsOfSteps(ctx: Ctx, { steps }: Graph, kinds: readonly Resource[]): Map<string, Resource | null> {
  const items = new Map<string, Resource | null>();
  // The innermost loop has the fewest steps.
  const bodies = [...bodiesOf(steps)].sort(([, one], [, other]) => other.size - one.size);
  for (const [loop, body] of bodies) for (const id of body) items.set(id, kindOf(ctx, steps, steps[loop]!.config.items, kinds));
  return items;
}

function kindOf(ctx: Ctx, steps: Graph["steps"], items: unknown, kinds: readonly Resource[]): Resource | null {
  const [, step, list] =
    /^(?:steps\.(\w+)\.output(?:\.records)?|record\.(\w+))$/.exec(isObject(items) ? String(items.$ref) : "") ?? [];
  if (step !== undefined) {
    const found = Object.hasOwn(steps, step) ? steps[step]! : null;
    return found?.type === "record.find" ? (ctx.registry.resource(String(found.config.object_type)) ?? null) : null;
  }
  const [of, ...others] = kinds;
  if (list === undefined || of === undefined || others.length > 0) return null;
  const relation = relationsOf(ctx, of).get(list);
  return relation?.link.outer === "id" ? relation.to : null;
}
