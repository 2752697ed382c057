// Whether this release carries out everything that a plan names. What it does not is refused before the plan is in force, and never
// silently passed over.
import type { Plan } from "./fields.ts";
import { type Finding, finding } from "./findings.ts";
import { stepTypesByName } from "./step_types.ts";
import { triggerTypes } from "./trigger_types.ts";
import { startsRuns } from "./triggers/trigger_type.ts";

const triggers = new Map(triggerTypes.map((one) => [one.type, one]));
const notYet = "is not carried out yet: the catalog says in available what is";

export function problemsOfAvailability({ trigger, graph }: Plan): Finding[] {
  const of = triggers.get(trigger.type);
  const found = of !== undefined && !startsRuns(of) ? [finding("trigger_type_not_available", "trigger.type", notYet)] : [];
  const missing = of?.lacks?.(trigger.config);
  if (missing != null) found.push(finding("config_not_available", "trigger.config", missing));
  for (const [id, { type, config }] of Object.entries(graph.steps)) {
    const step = stepTypesByName.get(type);
    const at = `graph.steps.${id}`;
    if (step === undefined) continue;
    if (step.run === undefined) found.push(finding("step_type_not_available", `${at}.type`, notYet));
    const lacks = step.lacks?.(config);
    if (lacks != null) found.push(finding("config_not_available", `${at}.config`, lacks));
  }
  return found;
}
