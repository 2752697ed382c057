// What the values of a column seem to be, whatever it is mapped to.
import { decimalMarkOf, numberOf } from "./cell_values.ts";
import { withoutMark } from "./currency_marks.ts";

export const guessedTypes = [
  "text",
  "integer",
  "number",
  "date",
  "datetime",
  "boolean",
  "email",
  "phone",
  "url",
  "json",
] as const;
export type GuessedType = (typeof guessedTypes)[number];

const day = /^(?:\d{4}-\d\d-\d\d|\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d\d))$/;

/** The first one that all values fit. Digits with a zero in front are a code, such as a postal one. */
const kinds: readonly (readonly [GuessedType, (text: string, all: readonly string[]) => boolean])[] = [
  ["email", (text) => /^[^\s@,;]+@[^\s@,;]+\.\p{L}{2,}$/u.test(text)],
  ["url", (text) => /^(?:https?:\/\/|www\.)\S+$/i.test(text)],
  ["phone", (text) => /^(?:\+|00)\d[\d\s()./-]{6,}$/.test(text)],
  ["boolean", (text) => /^(?:true|false|yes|no|ja|nein|oui|non|sí|si)$/i.test(text)],
  ["date", (text) => day.test(text)],
  ["datetime", (text) => day.test(text.split(/[T ]/, 1)[0]!) && /[T ]\d{1,2}:\d\d/.test(text)],
  ["integer", (text) => /^-?(?:0|[1-9]\d*)$/.test(text)],
  ["number", isNumber],
];

/** Null for a column without values. */
export function guessedType(values: readonly string[], isNested = false): GuessedType | null {
  if (values.length === 0) return null;
  if (isNested) return "json";
  return kinds.find(([, fits]) => values.every((one) => fits(one, values)))?.[0] ?? "text";
}

function isNumber(text: string, all: readonly string[]): boolean {
  const plain = withoutMark(text).replace(/\s*%$/, "");
  if (/^[+-]?0\d/.test(plain)) return false;
  try {
    numberOf(plain, decimalMarkOf(all, 2));
    return true;
  } catch {
    return false;
  }
}
