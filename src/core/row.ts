// Rows come from the database as arrays of text. Writes turn them into records; reads never do.
import type { Row as TextRow } from "../db/database.ts";
import { name, raw, type Sql } from "../db/sql.ts";
import { pgTimestamp } from "../values/time.ts";
import type { ColumnType, Field } from "./field.ts";
import type { Resource, Row } from "./resource.ts";

const readers: Record<ColumnType, (text: string) => unknown> = {
  text: (value) => value,
  integer: Number,
  number: Number,
  boolean: (value) => value === "t",
  timestamp: pgTimestamp,
  date: (value) => value,
  json: (value) => JSON.parse(value),
  texts: parseTextArray,
  tsvector: (value) => value,
};

/** The wire value of a column's text. */
export const valueOf = (field: Field, text: string | null): unknown => (text === null ? null : readers[field.type](text));

/** Reads `select <all columns>, version` in the order of `resource.columns`. */
export function rowReader<R extends Resource>(resource: R): (texts: TextRow) => Row<R> {
  const columns = resource.columns.map(([key, field]) => [key, readers[field.type]] as const);
  return (texts) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < columns.length; i++) {
      const [key, reader] = columns[i]!;
      const value = texts[i]!;
      row[key] = value === null ? null : reader(value);
    }
    row.version = Number(texts[columns.length]);
    return row as Row<R>;
  };
}

/** Every column of the alias `t` in the order of the definition, then the version. */
export const allColumns = (of: Resource): Sql =>
  raw([...of.columns.map(([key]) => `t.${name(key).sql}`), "t.version"].join(", "));

/** The parameter that stores a wire value. */
export function parameterOf(field: Field, value: unknown): unknown {
  return field.type === "json" && value !== null && value !== undefined ? JSON.stringify(value) : (value ?? null);
}

/** PostgreSQL's `{a,"b c",NULL}`; only arrays of text without nulls are stored. */
export function parseTextArray(text: string): string[] {
  const values: string[] = [];
  for (const match of text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/gs)) {
    values.push(match[1] === undefined ? match[2]! : match[1].replace(/\\(.)/gs, "$1"));
  }
  return values;
}

/** True when two wire values are the same value; objects are the same when their members are, in any order. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && same((a as any)[key], (b as any)[key]));
}
