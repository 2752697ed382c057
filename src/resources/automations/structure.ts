// Whether a graph can be walked: it has steps, begins with one of them, reaches all of them, and turns back only through a wait.
import { isObject } from "./config.ts";
import { type Finding, finding } from "./findings.ts";
import type { Graph, Step } from "./graph_shape.ts";

export function problemsOfStructure({ start, steps, goals = [] }: Graph): Finding[] {
  const ids = Object.keys(steps);
  if (ids.length === 0) return [finding("no_steps", "graph.steps", "has no step: add one, and name it in start")];
  if (start === null) return [finding("start_missing", "graph.start", `is required: name the first step, such as ${ids[0]}`)];
  if (!Object.hasOwn(steps, start)) return [];

  const reached = reachedFrom([start, ...goals.flatMap(goalTarget)], steps);
  const lost = ids.filter((id) => !reached.has(id));
  const turning = ids.find((id) => returnsWithoutWaiting(id, steps));
  return [
    ...lost.map((id) => finding("step_unreachable", `graph.steps.${id}`, "is reached from no step: let a port lead to it")),
    ...(turning === undefined
      ? []
      : [finding("cycle_without_wait", `graph.steps.${turning}.ports`, "leads back to itself without a wait in between")]),
  ];
}

const goalTarget = (goal: unknown): string[] => {
  const then = isObject(goal) && isObject(goal.then) ? goal.then.goto : null;
  return typeof then === "string" ? [then] : [];
};

export const targetsOf = ({ type, ports, config }: Step): string[] =>
  [...Object.values(ports ?? {}), type === "goto" ? config.step : null].filter((one): one is string => typeof one === "string");

function reachedFrom(starts: readonly string[], steps: Graph["steps"]): Set<string> {
  const reached = new Set<string>();
  for (const open = [...starts]; open.length > 0; ) {
    const id = open.pop()!;
    if (reached.has(id) || !Object.hasOwn(steps, id)) continue;
    reached.add(id);
    open.push(...targetsOf(steps[id]!));
  }
  return reached;
}

const isWait = ({ type }: Step): boolean => type.startsWith("wait.") || type === "approve" || type === "loop";

/** Whether a step comes back to itself by steps that do not wait. */
function returnsWithoutWaiting(id: string, steps: Graph["steps"]): boolean {
  if (isWait(steps[id]!)) return false;
  const hasty = Object.fromEntries(Object.entries(steps).filter(([, step]) => !isWait(step)));
  return reachedFrom(targetsOf(steps[id]!), hasty).has(id);
}
