// Filters on custom fields, and how their values are stored in the column `custom`.
import type { Ctx } from "../core/context.ts";
import { bad } from "../core/errors.ts";
import type { Resource } from "../core/resource.ts";
import { name, or, type Sql, sql } from "../db/sql.ts";
import { hint } from "../values/reasons.ts";
import { compare, type Operator, onDay, parameter, readBoolean, readValues, suffixes } from "./comparisons.ts";
import { type CustomField, customFieldsOf } from "./custom_fields.ts";
import { expandGroups } from "./groups.ts";

/** The condition of a filter such as `custom.cf_…__gt=5`, on the alias `t`. */
export function customCondition(ctx: Ctx, of: Resource, wireName: string, operator: Operator, value: string): Sql {
  const fields = of.custom === undefined ? new Map<string, CustomField>() : customFieldsOf(ctx.directory, of.custom);
  const field = fields.get(wireName);
  if (field !== undefined) return customCompare(ctx, wireName, field, operator, value);
  const [, known, given] = /^(.+)__([^_]+)$/s.exec(wireName) ?? [];
  return bad(fields.has(known ?? "") ? `${given} is not an operator${hint(given!, suffixes)}` : "is not a custom field here");
}

function customCompare(ctx: Ctx, wireName: string, field: CustomField, operator: Operator, value: string): Sql {
  if (operator === "isnull") return readBoolean(value) ? sql`not t.custom ? ${wireName}` : sql`t.custom ? ${wireName}`;
  if (operator === "eq" || operator === "in") {
    const given = operator === "in" ? readValues(value) : [value];
    const values = field.type === "user" ? expandGroups(ctx, given) : given;
    const day = (one: string) => (field.type === "datetime" ? onDay(customText("t", wireName), "text", one, ctx) : null);
    return or(values.map((one) => day(one) ?? customEquals("t", wireName, field, customValue(field, one, ctx))));
  }
  if (field.type === "number") return compare(customNumber("t", wireName), "number", operator, value, ctx);
  if (field.type !== "date" && field.type !== "datetime") bad("cannot be compared: use =, __in or __isnull");
  return compare(customText("t", wireName), "text", operator, customValue(field, value, ctx) as string, ctx);
}

/** Equality in a form that the index on `custom` answers. */
export function customEquals(alias: string, wireName: string, field: { accepts_multiple_values: boolean }, value: unknown): Sql {
  const wanted = JSON.stringify({ [wireName]: field.accepts_multiple_values ? [value] : value });
  return sql`${name(alias)}.custom @> ${wanted}::jsonb`;
}

/** A custom value as a number. A value of another type, written while the field's type changed, counts as missing. */
export const customNumber = (alias: string, wireName: string): Sql =>
  sql`case when jsonb_typeof(${name(alias)}.custom->${wireName}) = 'number' then (${name(alias)}.custom->>${wireName})::double precision end`;

/** A custom value as text. Dates and times sort in their wire form, and every value can be text. */
export const customText = (alias: string, wireName: string): Sql => sql`(${name(alias)}.custom->>${wireName}) collate "C"`;

function customValue(field: CustomField, value: string, ctx: Ctx): unknown {
  if (field.type === "number") return Number(parameter("number", value, ctx));
  if (field.type === "boolean") return readBoolean(value);
  if (field.type === "datetime") return parameter("timestamp", value, ctx);
  if (field.type === "date") return parameter("date", value, ctx);
  return value;
}
