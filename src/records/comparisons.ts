// Values of filters: how their text is read, and how a column is compared with them.

import type { Ctx } from "../core/context.ts";
import { bad, invalid } from "../core/errors.ts";
import { or, raw, type Sql, sql } from "../db/sql.ts";
import { isExact, notExact } from "../values/number.ts";
import { notAmong } from "../values/reasons.ts";
import { endOfDay, parseDate, parseTimestamp } from "../values/time.ts";
import { zoneOf } from "./clock.ts";

/** The most values that one filter takes. */
export const inMax = 100;

/** Suffixes of a field's name: `value__gt`. A name without a suffix asks for equality. */
export const suffixes = ["in", "gt", "gte", "lt", "lte", "isnull"] as const;
export type Operator = "eq" | (typeof suffixes)[number];

export const casts: Record<string, string> = {
  text: "text",
  integer: "bigint",
  number: "double precision",
  boolean: "boolean",
  timestamp: "timestamptz",
  date: "date",
};
const symbols: Record<string, string> = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" };

/** Compares an SQL expression with a filter's text. */
export function compare(expression: Sql, type: string, operator: Operator, value: string, ctx: Ctx): Sql {
  if (operator === "isnull") return readBoolean(value) ? sql`${expression} is null` : sql`${expression} is not null`;
  if (type === "timestamp" && (operator === "eq" || operator === "in")) {
    const values = operator === "in" ? readValues(value) : [value];
    const at = (one: string) => sql`${expression} = ${parameter(type, one, ctx)}::timestamptz`;
    return or(values.map((one) => onDay(expression, "timestamptz", one, ctx) ?? at(one)));
  }
  if (operator === "in") {
    const values = readValues(value);
    return sql`${expression} = any(${values.map((one) => parameter(type, one, ctx))}::${raw(casts[type]!)}[])`;
  }
  return sql`${expression} ${raw(symbols[operator]!)} ${parameter(type, value, ctx)}::${raw(casts[type]!)}`;
}

/** Compares an instant with a calendar day: the whole day where the caller is, of 23 or 25 hours when the clock changes. */
export function onDay(expression: Sql, cast: "timestamptz" | "text", value: string, ctx: Ctx): Sql | null {
  const day = parseDate(value);
  if (day === null) return null;
  const start = parameter("timestamp", value, ctx);
  const end = endOfDay(day, zoneOf(ctx.directory, ctx));
  return sql`(${expression} >= ${start}::${raw(cast)} and ${expression} < ${end}::${raw(cast)})`;
}

export const splitList = (value: string): string[] =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** The values of an `__in` filter. */
export function readValues(value: string): string[] {
  const values = splitList(value);
  if (values.length > inMax) throw invalid({ "": `must have ${inMax} values or fewer` });
  return values;
}

export function parameter(type: string, value: string, ctx: Ctx): unknown {
  switch (type) {
    case "integer":
      if (!/^-?\d+$/.test(value)) throw invalid({ "": "must be a whole number" });
      return exact(value);
    case "number":
      if (!/^-?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(value)) throw invalid({ "": "must be a number" });
      return exact(value);
    case "boolean":
      return readBoolean(value);
    case "timestamp":
      return parseTimestamp(value, zoneOf(ctx.directory, ctx)) ?? bad("must be a time such as 2026-01-02T03:04:05.678Z");
    case "date":
      return parseDate(value, { cutTime: true }) ?? bad("must be a date such as 2026-01-02");
    default:
      return value;
  }
}

const exact = (value: string): string => (isExact(Number(value)) ? value : bad(notExact));

/** Accepts `True` and `False` too, which Python sends. */
export function readBoolean(value: string): boolean {
  if (/^(true|1)$/i.test(value)) return true;
  if (/^(false|0)$/i.test(value)) return false;
  throw invalid({ "": "must be true or false" });
}

/** Refuses a value that the field can never have, because an empty list would look like an answer. */
export function checkAmong(values: readonly string[], known: readonly string[]): void {
  const unknown = values.find((one) => !known.includes(one));
  if (unknown !== undefined) throw invalid({ "": notAmong(unknown, known) });
}
