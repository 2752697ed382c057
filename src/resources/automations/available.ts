// Whether this release carries out everything that a plan names. What it does not is refused before the plan is in force, and never
// silently passed over.
import type { Plan } from "./fields.ts";
import { type Finding, finding } from "./findings.ts";
import { stepTypesByName } from "./step_types.ts";
import { triggerTypes } from "./trigger_types.ts";

const triggers = new Map(triggerTypes.map((one) => [one.type, one]));

export function problemsOfAvailability({ trigger, graph }: Plan): Finding[] {
  const found: Finding[] = [];
  const missing = triggers.get(trigger.type)?.lacks?.(trigger.config);
  if (missing != null) found.push(finding("config_not_available", "trigger.config", missing));
  for (const [id, { type, config }] of Object.entries(graph.steps)) {
    const step = stepTypesByName.get(type);
    const at = `graph.steps.${id}`;
    if (step === undefined) continue;
    const lacks = step.lacks?.(config);
    if (lacks != null) found.push(finding("config_not_available", `${at}.config`, lacks));
  }
  return found;
}
