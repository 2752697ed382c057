// Other names of fields in bodies, as other services call them: `price` for `unit_price`, `valid_until` for `expires_at`.
import { invalid } from "../../core/errors.ts";
import { type Field, type Input, input } from "../../core/field.ts";
import type { Resource } from "../../core/resource.ts";
import { same } from "../../values/same.ts";
import { refuseBoth } from "./resolve_label.ts";

/** Another name of a field, accepted in bodies and never shown. `like` is the field's type. */
export function otherName<T>(of: string, like: Field<T>): Input<T> {
  const doc = `Another name of \`${of}\`.`;
  return input(like.nullable ? like.schema.nullable() : like.schema, { doc }) as Input<T>;
}

/**
 * The body with every field under its own name. `names` maps each other name to its field. If a body has both, the one that
 * differs from the stored value (`before`) counts. If both differ, they are refused.
 */
export function ownNames<T extends object, K extends keyof T & string>(
  of: Resource,
  given: T,
  names: Readonly<Record<K, keyof T & string>>,
  before: Record<string, unknown> = {},
): Omit<T, K> {
  const values = { ...given } as Record<string, unknown>;
  for (const [other, own] of Object.entries(names) as [K, string][]) {
    const { [other]: value } = values;
    delete values[other];
    if (value === undefined) continue;
    const { nullable } = of.fields[own] as Field;
    if (value === null && !nullable) throw invalid({ [other]: "must not be null" });
    const said = value === "" && nullable ? null : value;
    if (same(said, before[own]) && values[own] !== undefined) continue;
    refuseBoth({ ...values, [other]: said }, own, other, before);
    values[own] = said;
  }
  return values as Omit<T, K>;
}
