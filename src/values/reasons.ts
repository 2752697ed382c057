// Turns schema errors into `field-errors`: a dotted path, and a reason in plain words.
import type { z } from "zod";
import { editDistance } from "./edit_distance.ts";

/** At most 100 fields are named. A body with more errors than that usually has a single cause. */
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

/** Without a known type, the value matches no member of the union. Otherwise the member says what it must be. */
function unionReason({ input, message, ...issue }: z.core.$ZodIssueInvalidUnion): string {
  const types = "options" in issue ? (issue.options as unknown[]) : [];
  if (!message.startsWith("Invalid ")) return message;
  if (types.length === 0) return innerReason({ ...issue, input }) ?? "is not in a form known here";
  const { type } = input as { type?: unknown };
  return type === undefined ? "is required" : notAmong(type, types.map(String));
}

/** Where only one member of the union can be meant: a closed set of words, or an object with a wrong value inside. */
function innerReason({ input, errors }: { input?: unknown; errors: z.core.$ZodIssue[][] }): string | null {
  const isMeant = ({ code, path }: z.core.$ZodIssue) =>
    typeof input === "string" ? code === "invalid_value" && path.length === 0 : path.length > 0;
  const [issue] = errors.find((one) => one.length > 0 && one.every(isMeant)) ?? [];
  if (issue === undefined) return null;
  const inner = issue.path.reduce<any>((value, key) => value?.[key], input);
  return [issue.path.join("."), reasonOf({ ...issue, input: inner })].join(" ").trim();
}

const missing = (issue: z.core.$ZodIssue): boolean => issue.input === undefined;

/** What follows the refusal of a name: the name that was probably meant, and the known ones, the nearest first. */
export function hint(given: string, known: Iterable<string>): string {
  const { near, listed, rest } = nearest(given, known);
  if (listed.length === 0) return "";
  const names = `${rest > 0 ? "the nearest are" : "known are"} ${listed.join(", ")}`;
  return near === null ? `; ${names}` : `; did you mean ${near}? ${names[0]!.toUpperCase()}${names.slice(1)}`;
}

/** Why a value outside a closed set is refused. */
export function notAmong(given: unknown, known: Iterable<string>): string {
  // A value that is not text resembles none of them.
  const { listed, rest } = nearest(typeof given === "string" ? given : "", known);
  if (listed.length === 0) return "has none to choose from yet";
  return `must be one of ${rest > 0 ? `${listed.length + rest}, such as ` : ""}${listed.join(", ")}`;
}

// Nobody reads a longer list.
const listedMax = 12;

/** Up to `listedMax` known names, the nearest first, and the first of them if it is near enough to be meant. */
function nearest(given: string, known: Iterable<string>): { near: string | null; listed: string[]; rest: number } {
  // No known name is longer, and comparing long text with all names takes time.
  const sought = given.slice(0, 100).toLowerCase();
  const distances = new Map([...known].map((one) => [one, editDistance(sought, one.toLowerCase())]));
  const listed = [...distances.keys()].sort((a, b) => distances.get(a)! - distances.get(b)!).slice(0, listedMax);
  const isNear = listed.length > 0 && distances.get(listed[0]!)! <= Math.max(2, Math.floor(sought.length / 3));
  return { near: isNear ? listed[0]! : null, listed, rest: distances.size - listed.length };
}
