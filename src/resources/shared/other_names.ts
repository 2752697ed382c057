// Bodies may call some fields by another name, as other services do: `price` for `unit_price`, `valid_until` for `expires_at`.
import { invalid } from "../../core/errors.ts";
import { type Field, type Input, input } from "../../core/field.ts";
import type { Resource } from "../../core/resource.ts";
import { same } from "../../values/same.ts";
import { refuseBoth } from "./resolve_label.ts";

/** Another name of a field, taken in bodies and never shown. `like` says what it takes. */
export function otherName<T>(of: string, like: Field<T>): Input<T> {
  const doc = `Another name of \`${of}\`.`;
  return input(like.nullable ? like.schema.nullable() : like.schema, { doc }) as Input<T>;
}

/**
 * The body with every field under its own name. `names` says of which field each is another name. Of both in one body, the one that
 * differs from what was `before` is meant; where both do, they are refused.
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
