// Whether the loops of a graph can be walked: the steps of a body lead back to their loop, and nothing else leads into them.
import { type Finding, finding } from "./findings.ts";
import type { Graph, Step } from "./graph_shape.ts";
import { reachedFrom } from "./graph_walk.ts";

type Steps = Graph["steps"];

export function problemsOfLoops(steps: Steps, starts: readonly string[]): Finding[] {
  const loops = Object.keys(steps).filter((id) => steps[id]!.type === "loop");
  return loops.flatMap((id) => problemsOf(id, steps, starts));
}

function problemsOf(id: string, steps: Steps, starts: readonly string[]): Finding[] {
  const { each = null, done = null } = steps[id]!.ports;
  if (each === null || each === id)
    return [finding("loop_body_escapes", `graph.steps.${id}.ports.each`, "must lead to the first step that is repeated")];
  const without = Object.fromEntries(Object.entries(steps).filter(([one]) => one !== id));
  const after = reachedFrom(done === null ? [] : [done], without);
  const before = reachedFrom(starts, without);
  if (after.has(each) || before.has(each))
    return [finding("loop_port_overlap", `graph.steps.${id}.ports.each`, "leads to a step that also runs outside of the loop")];
  const outside = new Set([...after, ...before]);
  const within = Object.fromEntries(Object.entries(without).filter(([one]) => !outside.has(one)));
  return [...reachedFrom([each], within)].flatMap((one) => escapesOf(id, one, steps[one]!, outside));
}

/** The steps that each loop repeats, in a graph whose loops can be walked. */
export function bodiesOf(steps: Steps): Map<string, ReadonlySet<string>> {
  const bodies = new Map<string, ReadonlySet<string>>();
  for (const [id, { type, ports }] of Object.entries(steps)) {
    const { [id]: _, ...without } = steps;
    if (type === "loop" && typeof ports.each === "string") bodies.set(id, reachedFrom([ports.each], without));
  }
  return bodies;
}

/** The steps that some loop repeats. */
export const repeatedSteps = (steps: Steps): ReadonlySet<string> =>
  new Set([...bodiesOf(steps).values()].flatMap((body) => [...body]));

/** The ports by which a step of the body of a loop leaves it. Steps that end the run have none. */
function escapesOf(loop: string, id: string, { ports, type, config }: Step, outside: ReadonlySet<string>): Finding[] {
  const targets = Object.entries(ports).map(([port, target]): [string, string | null] => [`ports.${port}`, target]);
  if (type === "goto") targets.push(["config.step", String(config.step)]);
  return targets
    .filter(([, target]) => target === null || outside.has(target))
    .map(([port, target]) => {
      const where = target === null ? "ends the run" : `leads to ${target}, which also runs outside`;
      const mend = `let it lead back to ${loop}, or to a step stop`;
      return finding("loop_body_escapes", `graph.steps.${id}.${port}`, `${where} while ${loop} repeats this step: ${mend}`);
    });
}
