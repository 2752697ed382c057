// Records statements that the service itself sent, so that the floor and pgbench work on the same rows.
import type { Statement } from "../src/db/database.ts";

export interface Recorded {
  organizationId: string;
  /** Sent in one flight. Every id in the values with a recorded prefix is replaced by a new one. */
  create: Statement[];
  createdIds: string[];
  /** Finds the page for `recordedWord`. The last column of each row is the rendering, after a line of ids. */
  search: Statement;
}

export const recordedWord = "recordedword";

/** The name of the spans for the search of a whole word. */
const beginningOf = (word: string): string => `^${word.slice(0, 4)}@`;

/** The recorded search for another word. */
export function searchFor({ search }: Recorded, word: string): Statement {
  const another = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(another);
    if (typeof value !== "string") return value;
    return value.replaceAll(recordedWord, word).replaceAll(beginningOf(recordedWord), beginningOf(word));
  };
  return { ...search, values: search.values.map(another) };
}
