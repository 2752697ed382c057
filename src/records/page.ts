// Lists that are in memory as a whole, such as catalogs or the members of an organization. They have pages like any other list.
import { z } from "zod";
import { collect, type FieldErrors, refuse } from "../core/errors.ts";
import { limitDefault, limitMax, wholeNumber } from "./list_input.ts";

/** The parameters of such a list. */
export const pageInput = {
  _limit: z.string().optional().describe(`How many records at most: 0 to ${limitMax}, by default ${limitDefault}.`),
  _skip: z.string().optional().describe("How many records to skip."),
};

/** The answer of such a list. */
export const pageOf = <S extends z.ZodType>(element: S) => z.strictObject({ data: z.array(element), has_more: z.boolean() });

type Given = { _limit?: string; _skip?: string };

export function page<T>(all: readonly T[], given: Given): { data: T[]; has_more: boolean } {
  const { limit, skip } = readPage(given);
  return { data: all.slice(skip, skip + limit), has_more: all.length > skip + limit };
}

/** Which part of a list is asked for. */
export function readPage(given: Given): { limit: number; skip: number } {
  const errors: FieldErrors = {};
  const limit = collect(errors, () => wholeNumber(given._limit, "_limit", limitDefault, limitMax)) ?? limitDefault;
  const skip = collect(errors, () => wholeNumber(given._skip, "_skip", 0, Number.MAX_SAFE_INTEGER)) ?? 0;
  refuse(errors);
  return { limit, skip };
}
