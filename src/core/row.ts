// The database returns rows as lists of texts. Code that changes a record turns them into objects; code that only shows them
// does not.
import type { TextRow } from "../db/database.ts";
import { parseTextArray } from "../values/text_array.ts";
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
