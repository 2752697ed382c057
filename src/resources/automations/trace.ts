// What conditions found, for whoever asks why: a list that is filled while they are asked.
import { z } from "zod";
import { isObject } from "./config.ts";
import type { Values } from "./facts.ts";

export const found = z.strictObject({
  condition: z.string().describe("Its type."),
  ref: z.string().nullable().describe("What it looked at, where it names something."),
  op: z.string().nullable(),
  actual: z.unknown().describe("What it found; null where it says only whether it holds."),
  expected: z.unknown().describe("What it asked for."),
  result: z.boolean(),
  text: z.string().describe("The same in words."),
});
export type Found = z.output<typeof found>;
export type Trace = Found[];

const foundMost = 50;
const lengthMost = 500;

/** Adds what a condition found. Of very many, the first are kept. */
export function trace(into: Trace, { type, ...leaf }: Values, actual: unknown, result: boolean): void {
  if (into.length >= foundMost) return;
  const { ref, field, path, op, value, ...rest } = leaf;
  const about = text(ref) ?? text(field) ?? text(path);
  const expected = shortened(value ?? (Object.keys(rest).length === 0 ? null : rest));
  const one = { condition: String(type), ref: about, op: text(op), actual: shortened(actual), expected, result };
  into.push({ ...one, text: inWords(one) });
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Long values are cut, and long lists and objects are left out. */
function shortened(value: unknown): unknown {
  if (typeof value === "string") return value.length > lengthMost ? `${value.slice(0, lengthMost)}…` : value;
  return value !== undefined && JSON.stringify(value).length <= lengthMost ? value : null;
}

function inWords({ condition, ref, op, actual, expected, result }: Omit<Found, "text">): string {
  const asked = [op, expected === null ? null : JSON.stringify(expected)].filter((one) => one !== null).join(" ");
  const was = actual === null && ref === null ? "" : ` is ${JSON.stringify(actual)};`;
  return `${ref === null ? condition : ref}${was} ${asked === "" ? "" : `asked: ${asked}; `}${result ? "met" : "not met"}`;
}

/** One line for all of them. */
export const tracedInWords = (given: unknown): string =>
  Array.isArray(given)
    ? given
        .filter(isObject)
        .map((one) => one.text)
        .join(", ")
    : "";
