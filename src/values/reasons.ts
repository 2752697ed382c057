// Turns what a schema found wrong into `field-errors`: a dotted place, and a reason in small, plain words.
import type { z } from "zod";
import { editDistance } from "./edit_distance.ts";

/** At most 100 places are named: a body with more wrong has one thing wrong. */
export function reasons(error: z.ZodError, at = ""): Record<string, string> {
  const fields: Record<string, string> = {};
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
      return missing(issue) ? "is required" : notAmong(issue.input, issue.values.map(String));
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
      return unionReason(issue);
    default:
      return issue.message;
  }
}

/** Without a type that is known, a member of a union is none of them; else it says itself what it must be. */
function unionReason({ input, message, ...issue }: z.core.$ZodIssueInvalidUnion): string {
  const types = "options" in issue ? (issue.options as unknown[]) : [];
  if (!message.startsWith("Invalid ")) return message;
  if (types.length === 0) return "is not in a form known here";
  const { type } = input as { type?: unknown };
  return type === undefined ? "is required" : notAmong(type, types.map(String));
}

const missing = (issue: z.core.$ZodIssue): boolean => issue.input === undefined;

/** What follows the refusal of a name: which one was probably meant, and the known ones, the nearest first. */
export function hint(given: string, known: Iterable<string>): string {
  const { near, listed, rest } = nearest(given, known);
  if (listed.length === 0) return "";
  const names = `${rest > 0 ? "the nearest are" : "known are"} ${listed.join(", ")}`;
  return near === null ? `; ${names}` : `; did you mean ${near}? ${names[0]!.toUpperCase()}${names.slice(1)}`;
}

/** Why a value is refused that is none of a closed set. */
export function notAmong(given: unknown, known: Iterable<string>): string {
  // What is no text resembles none of them.
  const { listed, rest } = nearest(typeof given === "string" ? given : "", known);
  if (listed.length === 0) return "has none to choose from yet";
  return `must be one of ${rest > 0 ? `${listed.length + rest}, such as ` : ""}${listed.join(", ")}`;
}

// As many as somebody reads.
const listedMax = 12;

/** The known names by their distance, as many as are listed, and the first of them where it is near enough to be meant. */
function nearest(given: string, known: Iterable<string>): { near: string | null; listed: string[]; rest: number } {
  // A longer one is none of ours, and comparing it with all of them takes its time.
  const sought = given.slice(0, 100).toLowerCase();
  const distances = new Map([...known].map((one) => [one, editDistance(sought, one.toLowerCase())]));
  const listed = [...distances.keys()].sort((a, b) => distances.get(a)! - distances.get(b)!).slice(0, listedMax);
  const isNear = listed.length > 0 && distances.get(listed[0]!)! <= Math.max(2, Math.floor(sought.length / 3));
  return { near: isNear ? listed[0]! : null, listed, rest: distances.size - listed.length };
}
