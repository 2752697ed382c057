// The config of a step or a condition with its references and templates filled in. What they came to is checked like what is written
// there.
import type { TypeDefinition } from "./catalog.ts";
import { isObject } from "./config.ts";
import { type Facts, filledIn, type Values } from "./facts.ts";
import { faultOf, StepFailure } from "./step_failure.ts";

/** Left out, these are the record that the run is about. What refers to another one and is empty is a mistake, and not that record. */
export const ownByDefault: ReadonlySet<string> = new Set(["target", "lead_id", "opportunity_id", "contact", "record"]);

const namesNobody = (written: unknown, value: unknown): boolean =>
  isObject(written) && (value == null || (isObject(value) && (value.id ?? null) === null));

/** Required values must be there, and all must be what the type takes. */
export function filledConfig(of: TypeDefinition, config: Values, facts: Facts): Record<string, any> {
  const filled = filledIn(config, facts) as Record<string, any>;
  for (const [key, { required, schema }] of Object.entries(of.config)) {
    const value = filled[key];
    const isMissing = value === null || value === undefined;
    if ((required && isMissing) || (ownByDefault.has(key) && namesNobody(config[key], value)))
      throw new StepFailure("unresolved_ref", faultOf(config[key]), `${key} has no value: what it refers to is empty`);
    if (!isMissing && !schema.safeParse(value).success)
      throw new StepFailure("config_invalid", faultOf(config[key]), `${key} has a value that ${of.type} does not take`);
  }
  return filled;
}
