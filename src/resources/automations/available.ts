// Whether this release carries out everything that a plan names. What it does not is refused before the plan is in force, and never
// silently passed over.
import { conditionTypes } from "./condition_types.ts";
import { isQuery } from "./conditions.ts";
import { isObject } from "./config.ts";
import type { Plan } from "./fields.ts";
import { type Finding, finding } from "./findings.ts";
import { stepTypesByName } from "./step_types.ts";
import { triggerTypes } from "./trigger_types.ts";
import { startsRuns } from "./triggers/trigger_type.ts";

const triggers = new Map(triggerTypes.map((one) => [one.type, one]));
const conditions = new Map(conditionTypes.map((one) => [one.type, one]));
const notYet = "is not carried out yet: the catalog says in available what is";

export function problemsOfAvailability({ trigger, filter, graph }: Plan): Finding[] {
  const of = triggers.get(trigger.type);
  const found = of !== undefined && !startsRuns(of) ? [finding("trigger_type_not_available", "trigger.type", notYet)] : [];
  if (filter !== null) found.push(...ofConditions(filter, "filter"));
  found.push(...ofConditions(trigger.config.condition, "trigger.config.condition"));
  for (const [id, { type, config }] of Object.entries(graph.steps)) {
    const step = stepTypesByName.get(type);
    const at = `graph.steps.${id}`;
    if (step === undefined) continue;
    if (step.run === undefined) found.push(finding("step_type_not_available", `${at}.type`, notYet));
    const lacks = step.lacks?.(config);
    if (lacks != null) found.push(finding("config_not_available", `${at}.config`, lacks));
    for (const key of ["when", "where"]) found.push(...ofConditions(config[key], `${at}.config.${key}`));
    if (Array.isArray(config.cases))
      config.cases.forEach((one, i) =>
        found.push(...ofConditions(isObject(one) ? one.when : null, `${at}.config.cases.${i}.when`)),
      );
  }
  return found;
}

function ofConditions(node: unknown, at: string): Finding[] {
  if (Array.isArray(node)) return node.flatMap((one, i) => ofConditions(one, `${at}.${i}`));
  if (!isObject(node) || isQuery(node)) return [];
  if (typeof node.type === "string") {
    const of = conditions.get(node.type);
    return of !== undefined && of.meets === undefined ? [finding("condition_type_not_available", `${at}.type`, notYet)] : [];
  }
  return ["all", "any", "not"].flatMap((word) => ofConditions(node[word], `${at}.${word}`));
}
