// Turns what a schema found wrong into `field-errors`: a dotted place, and a reason in small, plain words.
import type { z } from "zod";
import type { FieldErrors } from "./errors.ts";

/** At most 100 places are named: a body with more wrong has one thing wrong. */
export function reasons(error: z.ZodError, at = ""): FieldErrors {
  const fields: FieldErrors = {};
  for (const issue of error.issues.slice(0, 100)) {
    for (const key of issue.code === "unrecognized_keys" ? issue.keys : [""]) {
      const place = [at, ...issue.path, key].filter((part) => part !== "").join(".");
      if (!Object.hasOwn(fields, place)) fields[place] = reasonOf(issue);
    }
  }
  return fields;
}

const words: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  date: "a date",
};

function reasonOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return missing(issue)
        ? "is required"
        : issue.expected === "int" && typeof issue.input === "number"
          ? "must be a whole number"
          : `must be ${words[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return missing(issue) ? "is required" : `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_big":
      return issue.origin === "string"
        ? `must be ${issue.maximum} characters or fewer`
        : issue.origin === "array"
          ? `must have ${issue.maximum} or fewer`
          : `must be ${issue.inclusive ? `${issue.maximum} or less` : `less than ${issue.maximum}`}`;
    case "too_small":
      return issue.origin === "string" || issue.origin === "array"
        ? issue.minimum === 1
          ? "must not be empty"
          : `must have at least ${issue.minimum}`
        : `must be ${issue.inclusive ? `${issue.minimum} or more` : `more than ${issue.minimum}`}`;
    case "unrecognized_keys":
      return "is not known here";
    case "invalid_union":
      return "is not in a form known here";
    default:
      return issue.message;
  }
}

const missing = (issue: z.core.$ZodIssue): boolean => issue.input === undefined;

// A longer one is none of ours, and comparing it with all of them takes its time.
const nameMax = 300;

/** The known name that is nearest to `name`, or null when none is near. */
export function nearest(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  if (name.length > nameMax) return null;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** As many of the known names as somebody reads, the nearest to `name` first. */
export function nearestNames(name: string, known: readonly string[]): string[] {
  const distances = new Map(known.map((one) => [one, editDistance(name.toLowerCase(), one.toLowerCase())]));
  const sorted = [...distances.keys()].sort((a, b) => distances.get(a)! - distances.get(b)!);
  return sorted.slice(0, namesMax);
}
const namesMax = 12;

/** Why a value is refused that is none of a closed set. */
export function notAmong(name: string, known: readonly string[]): string {
  const { size } = new Set(known);
  const named = nearestNames(name.slice(0, 100), known);
  return `must be one of ${size > named.length ? `${size}, such as ` : ""}${named.join(", ")}`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
