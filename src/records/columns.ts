// The columns of a record, as statements name and fill them.
import type { Field } from "../core/field.ts";
import type { Resource } from "../core/resource.ts";
import { name, raw, type Sql } from "../db/sql.ts";

/** Every column of the alias `t` in the order of the definition, then the version. */
export const allColumns = (of: Resource): Sql =>
  raw([...of.columns.map(([key]) => `t.${name(key).sql}`), "t.version"].join(", "));

/** The parameter that stores a wire value. */
export function parameterOf(field: Field, value: unknown): unknown {
  return field.type === "json" && value !== null && value !== undefined ? JSON.stringify(value) : (value ?? null);
}
