// What one result did not hold is in the next: long texts from a character on, and lists of records from a row on.

/** No tool cuts a text that is shorter, so such a one was seen whole. */
const shortMax = 120;

export interface From {
  text_from: number;
  rows_from: number;
}

export function readOn<T>(value: T, from: From): T {
  return from.text_from === 0 && from.rows_from === 0 ? value : (later(value, from, true) as T);
}

/** Rows are counted in the outermost lists. Those within a row were seen with it, or are read with the record that the row is. */
function later(value: unknown, { text_from, rows_from }: From, isOutermost: boolean): unknown {
  if (typeof value === "string") return text_from > 0 && value.length > shortMax ? value.slice(text_from) : value;
  if (Array.isArray(value)) {
    const rows = isOutermost && value.some(isRow) ? value.slice(rows_from) : value;
    return rows.map((one) => later(one, { text_from, rows_from }, false));
  }
  if (!isRow(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, later(one, { text_from, rows_from }, isOutermost)]));
}

const isRow = (value: unknown): value is object => typeof value === "object" && value !== null;
