// Steps that are not carried out: they leave by their first port, and leave nothing for later steps.
import type { Plan } from "./fields.ts";
import type { Rehearsed } from "./run_parts.ts";
import { stepTypesByName } from "./step_types.ts";

/** Every step with an effect. What decides and what waits is carried out. */
export const stubsOf = ({ graph }: Pick<Plan, "graph">): Rehearsed => ({
  instead: (stepId, type) => (hasEffect(type) ? { port: firstPortOf(type, graph.steps[stepId]?.config ?? {}) } : null),
  rather: (_, outcome) => outcome,
});

export const hasEffect = (type: string): boolean => (stepTypesByName.get(type)?.side_effect ?? "none") !== "none";

export function portsOf(type: string, config: Record<string, unknown>): readonly string[] {
  const ports = stepTypesByName.get(type)?.ports ?? [];
  return typeof ports === "function" ? ports(config) : ports;
}

const firstPortOf = (type: string, config: Record<string, unknown>): string | undefined => portsOf(type, config)[0];
