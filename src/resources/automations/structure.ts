// Whether a graph can be walked: it has steps, begins with one of them, reaches all of them, and turns back only through a wait.
import { isObject } from "./config.ts";
import { type Finding, finding } from "./findings.ts";
import type { Graph, Step } from "./graph_shape.ts";
import { reachedFrom, targetsOf } from "./graph_walk.ts";
import { problemsOfLoops } from "./structure_of_loops.ts";

export function problemsOfStructure({ start, steps, goals = [] }: Graph): Finding[] {
  const ids = Object.keys(steps);
  if (ids.length === 0) return [finding("no_steps", "graph.steps", "has no step: add one, and name it in start")];
  if (start === null) return [finding("start_missing", "graph.start", `is required: name the first step, such as ${ids[0]}`)];
  if (!Object.hasOwn(steps, start)) return [];

  const starts = [start, ...goals.flatMap(goalTarget)];
  const reached = reachedFrom(starts, steps);
  const lost = ids.filter((id) => !reached.has(id));
  const turning = ids.find((id) => returnsWithoutWaiting(id, steps));
  return [
    ...lost.map((id) => finding("step_unreachable", `graph.steps.${id}`, "is reached from no step: let a port lead to it")),
    ...(turning === undefined
      ? []
      : [finding("cycle_without_wait", `graph.steps.${turning}.ports`, "leads back to itself without a wait in between")]),
    ...problemsOfLoops(steps, starts),
  ];
}

export const goalTarget = (goal: unknown): string[] => {
  const then = isObject(goal) && isObject(goal.then) ? goal.then.goto : null;
  return typeof then === "string" ? [then] : [];
};

const isWait = ({ type }: Step): boolean => type.startsWith("wait.") || type === "approve";

/** A loop comes to its end by itself: its body is no way around. */
const onwardOf = (step: Step): string[] =>
  step.type === "loop" ? [step.ports.done].filter((one) => typeof one === "string") : targetsOf(step);

/** Whether a step comes back to itself by steps that do not wait. */
function returnsWithoutWaiting(id: string, steps: Graph["steps"]): boolean {
  if (isWait(steps[id]!)) return false;
  const hasty = Object.fromEntries(Object.entries(steps).filter(([, step]) => !isWait(step)));
  return reachedFrom(onwardOf(steps[id]!), hasty, onwardOf).has(id);
}
