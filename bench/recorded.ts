// Statements that the service itself sent, so that the floor and pgbench pay for the same rows.
import type { Statement } from "../src/db/database.ts";

export interface Recorded {
  organizationId: string;
  /** In one flight; every id in the values that begins with a recorded prefix is made anew. */
  create: Statement[];
  createdIds: string[];
  /** What finds the page for `recordedWord`; of each row the last column is the rendering, behind a line of ids. */
  search: Statement;
}

export const recordedWord = "recordedword";

/** What a search of a whole word names its spans by. */
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
