// Where the steps of a graph lead.
import type { Graph, Step } from "./graph_shape.ts";

export const targetsOf = ({ type, ports, config }: Step): string[] =>
  [...Object.values(ports ?? {}), type === "goto" ? config.step : null].filter((one): one is string => typeof one === "string");

export function reachedFrom(starts: readonly string[], steps: Graph["steps"], onward = targetsOf): Set<string> {
  const reached = new Set<string>();
  for (const open = [...starts]; open.length > 0; ) {
    const id = open.pop()!;
    if (reached.has(id) || !Object.hasOwn(steps, id)) continue;
    reached.add(id);
    open.push(...onward(steps[id]!));
  }
  return reached;
}
