// Lists that are not of records, such as catalogs, the members of an organization, or the rows of an import. They have pages like any other
// list.
import { z } from "zod";
import { collect, type FieldErrors, refuse } from "../core/errors.ts";
import { cursorOf, readCursor } from "./cursor.ts";
import { limitDefault, limitMax, wholeNumber } from "./list_input.ts";

/** The parameters of such a list. */
export const pageInput = {
  _limit: z.string().optional().describe(`How many records at most: 0 to ${limitMax}, by default ${limitDefault}.`),
  _skip: z.string().optional().describe("How many records to skip."),
  _cursor: z.string().optional().describe("`cursor_next` of the page before: the records that follow it."),
};

/** The answer of such a list. */
export const pageOf = <S extends z.ZodType>(element: S) =>
  z.strictObject({
    data: z.array(element),
    has_more: z.boolean(),
    cursor_next: z.string().optional().describe("The `_cursor` of the next page; absent on the last one."),
  });

type Given = { _limit?: string; _skip?: string; _cursor?: string };

interface Page<T> {
  data: T[];
  has_more: boolean;
  cursor_next?: string;
}

/** A page of a list that is in memory as a whole: its cursor is a place in it. */
export function page<T>(all: readonly T[], given: Given): Page<T> {
  const { limit, skip, after } = readPage(given);
  const from = after + skip;
  return pageTo(all.slice(from, from + limit), { has_more: all.length > from + limit, last: from + limit });
}

/** What was read of a list, which ends at the place `last`. A cursor is only for the same list with the same filters. */
export const pageTo = <T>(data: T[], { has_more, last = 0 }: { has_more: boolean; last?: number }, filters = ""): Page<T> => ({
  data,
  has_more,
  ...(has_more && data.length > 0 && { cursor_next: cursorOf({ fingerprint: () => filters }, [String(last)]) }),
});

/** Which part of a list is asked for: what is behind the place `after`, without the first `skip`. */
export function readPage(given: Given, filters = ""): { limit: number; skip: number; after: number } {
  const errors: FieldErrors = {};
  const limit = collect(errors, () => wholeNumber(given._limit, "_limit", limitDefault, limitMax)) ?? limitDefault;
  const skip = collect(errors, () => wholeNumber(given._skip, "_skip", 0, Number.MAX_SAFE_INTEGER)) ?? 0;
  const after = collect(errors, () => placeIn(given, filters)) ?? 0;
  refuse(errors);
  return { limit, skip, after };
}

function placeIn(given: Given, filters: string): number {
  const [place] = readCursor(given, () => filters, { length: 1 }) ?? [];
  return wholeNumber(place ?? undefined, "_cursor", 0, Number.MAX_SAFE_INTEGER);
}
