// The config of a step or a condition with its references and templates filled in. What they came to is checked like what is written
// there.
import type { TypeDefinition } from "./catalog.ts";
import { type Facts, filledIn, type Values } from "./facts.ts";
import { StepFailure } from "./step_failure.ts";

/** Required values must be there, and all must be what the type takes. */
export function filledConfig(of: TypeDefinition, config: Values, facts: Facts): Record<string, any> {
  const filled = filledIn(config, facts) as Record<string, any>;
  for (const [key, { required, schema }] of Object.entries(of.config)) {
    const value = filled[key];
    if (value === null || value === undefined) {
      if (required) throw new StepFailure("unresolved_ref", "config", `${key} has no value: what it refers to is empty`);
    } else if (!schema.safeParse(value).success)
      throw new StepFailure("config_invalid", "config", `${key} has a value that ${of.type} does not take`);
  }
  return filled;
}
