// What sources find: facts for fields of the record, and the whole of it for people to read.
import { oneLine } from "../../values/one_line.ts";
import type { Result, sources } from "./enrichment.ts";

/** A value for a field, in the form that a request would give it. */
export interface Fact {
  field: string;
  value: unknown;
  source: (typeof sources)[number];
  /** From 0 to 1. */
  confidence: number;
}

export interface Found {
  facts: Fact[];
  result: Result;
  /** Why a source could not be asked, in words. */
  away?: string | null;
}

/** Facts that are less sure are not written. */
export const leastConfidence = 0.5;

/** The fields that a record of this kind can get. */
export const fieldsOf = {
  lead: ["name", "url", "industry", "description", "phones", "addresses"],
  contact: ["name", "title", "emails", "phones", "urls", "timezone"],
} as const satisfies Record<string, readonly string[]>;

/** Earlier sources come first, and say what is in the result. */
export function joined(found: readonly Found[]): Found {
  const result: Result = {};
  for (const { result: more } of found) {
    if (more.person !== undefined) result.person = { ...more.person, ...result.person };
    if (more.organization !== undefined) result.organization = { ...more.organization, ...result.organization };
  }
  const away = found.find((one) => one.away != null)?.away ?? null;
  return { facts: found.flatMap(({ facts }) => facts), result, away };
}

/** Text that somebody else wrote as one line that every database and header takes. Null if it is none. */
export function plain(value: unknown, max = 255): string | null {
  if (typeof value !== "string") return null;
  const line = oneLine(value.slice(0, 10_000).toWellFormed(), max);
  return line === "" ? null : line;
}

/** The members that have a value. */
export const given = <T>(values: Record<string, T | null | undefined>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, T] => entry[1] != null));

/** Facts of one source, without those that have no value. */
export const factsOf = (source: Fact["source"], confidence: number, values: Record<string, unknown>): Fact[] =>
  Object.entries(given(values)).map(([field, value]) => ({ field, value, source, confidence }));
