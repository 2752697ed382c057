// Whether steps read or change the record that their run is about. A run whose record is gone goes on only where none of them does.
import { isObject } from "./config.ts";
import { ownByDefault } from "./filled_config.ts";
import type { Graph, Step } from "./graph_shape.ts";
import { mentionsIn } from "./references.ts";
import { stepTypesByName } from "./step_types.ts";
import type { StepType } from "./steps/step.ts";

/** The places in the config of a step that stand for the record, also by being left out. */
export function readsOfRecord({ type, config }: Pick<Step, "type" | "config">, at: string): string[] {
  const named = mentionsIn(config, at).filter(({ said, isTemplate }) =>
    (isTemplate ? /\{[{%][^}]*?(?<![\w.])record\b/ : /^record(\.|$)/).test(said),
  );
  const taken = Object.keys(stepTypesByName.get(type)?.config ?? {});
  const left = taken.filter((key) => ownByDefault.has(key) && config[key] == null);
  return [...named.map((one) => one.at), ...left.map((key) => `${at}.${key}`)];
}

/** It changes the record, because it names no other one. */
export const changesOwn = ({ does, config }: StepType, { target }: Record<string, unknown>): boolean =>
  (does?.verb === "update" || does?.verb === "delete") &&
  does.kind === undefined &&
  config.target !== undefined &&
  target == null;

/** Whether any step reads it that may follow from these, or that a goal goes on with. */
export function anyReadsRecord({ steps, goals = [] }: Graph, from: readonly (string | null)[]): boolean {
  const seen = new Set<string>();
  const next = [...from, ...goals.map((goal: any) => goal?.then?.goto ?? null)];
  while (next.length > 0) {
    const id = next.pop();
    const step = id == null || seen.has(id) ? undefined : steps[id];
    if (step === undefined) continue;
    if (readsOfRecord(step, id!).length > 0) return true;
    seen.add(id!);
    next.push(...Object.values(step.ports), isObject(step.config) ? ((step.config.step as string | undefined) ?? null) : null);
  }
  return false;
}
