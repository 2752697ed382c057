// Cursors. A cursor says where a page ended, and the next page begins after it.
import { type FieldErrors, refuse } from "../core/errors.ts";
import type { OrderKey } from "../core/search.ts";
import { and, or, raw, type Sql, sql } from "../db/sql.ts";
import { joined } from "./order.ts";

/** The cursor of a page: its last row's values of the sort keys. */
export const cursorOf = (input: { fingerprint: () => string }, values: readonly (string | null)[]): string =>
  Buffer.from(JSON.stringify([input.fingerprint(), ...values])).toString("base64url");

export function readCursor(
  given: { _cursor?: string; _skip?: string },
  fingerprint: () => string,
  order: { length: number },
): (string | null)[] | null {
  if (given._cursor === undefined || given._cursor === "") return null;
  const errors: FieldErrors = {};
  if (given._skip !== undefined && given._skip !== "0") errors._skip = "cannot be used together with _cursor";
  const values = decodeCursor(given._cursor, fingerprint(), order.length);
  if (values === null) errors._cursor = "is not a cursor of this list with these filters and this order";
  refuse(errors);
  return values;
}

export function decodeCursor(cursor: string, fingerprint: string, width: number): (string | null)[] | null {
  try {
    const [bound, ...values] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const wellFormed = values.every((value: unknown) => value === null || typeof value === "string");
    return bound === fingerprint && values.length === width && wellFormed ? values : null;
  } catch {
    return null;
  }
}

/** The rows after a cursor. Keys with one direction and no nulls are compared as one row, which an index answers. */
export function afterCursor(order: readonly OrderKey[], values: readonly (string | null)[]): Sql {
  const uniform = order.every((key) => key.descending === order[0]!.descending && !key.nullable);
  if (uniform) {
    const left = order.map((key) => key.sql);
    const right = order.map((key, i) => sql`${values[i]}::${raw(key.cast)}`);
    return sql`(${joined(left)}) ${raw(order[0]!.descending ? "<" : ">")} (${joined(right)})`;
  }
  return or(
    order.map((_, i) => and([...order.slice(0, i).map((key, j) => equal(key, values[j]!)), behind(order[i]!, values[i]!)])),
  );
}

const equal = (key: OrderKey, value: string | null): Sql =>
  value === null ? sql`${key.sql} is null` : sql`${key.sql} = ${value}::${raw(key.cast)}`;

/** The rows after a value. Nulls come last in both directions. */
function behind(key: OrderKey, value: string | null): Sql {
  if (value === null) return raw("false");
  const further = sql`${key.sql} ${raw(key.descending ? "<" : ">")} ${value}::${raw(key.cast)}`;
  return key.nullable ? sql`(${further} or ${key.sql} is null)` : further;
}
