// What a mapping does to the text of a cell before it becomes a value. Each step takes a text and gives one, in the form that every
// field understands, so that steps can follow each other and fit any target.
import { z } from "zod";
import { bad } from "../../core/errors.ts";
import { parseCountry } from "../../values/country.ts";
import { currencyDigits } from "../../values/money.ts";
import { notAmong } from "../../values/reasons.ts";
import { booleanOf, checkMark, dateOf, isDateFormat, numberOf, phoneOf, type Writing } from "./cell_values.ts";
import { withoutMark } from "./currency_marks.ts";

/** The words for steps, as `GET /import/presets/` shows them. */
export const transforms = [
  { transform: "trim", doc: "Takes spaces off both ends, and leaves one between words." },
  { transform: "lower", doc: "Small letters." },
  { transform: "upper", doc: "Capital letters." },
  { transform: "title", doc: "A capital letter at the beginning of each word." },
  { transform: "e164", doc: "A phone number with its country's code. `e164:DE` reads numbers without one as German." },
  { transform: "date:<format>", doc: "A date that is written like `DD.MM.YYYY`, with the parts in any order." },
  { transform: "number", doc: "A number. `number:,` has a decimal comma, `number:.` a decimal point." },
  { transform: "money_minor", doc: "An amount in the smallest unit of the currency, such as cents." },
  { transform: "bool", doc: "True or false, from yes, no, x, 1, 0 and their like." },
  { transform: "split:<separator>", doc: "Several values from one cell, for a target that takes a list." },
  { transform: { split: "<separator>", part: 1 }, doc: "One of these values: the first is 1, the last is -1." },
  { transform: { map: { "<text>": "<value>" } }, doc: "Other values for these texts, ignoring case; null leaves the cell out." },
] as const;

const step = z.union([
  z.string().max(100),
  z.strictObject({ map: z.record(z.string(), z.string().max(10_000).nullable()) }),
  z.strictObject({
    split: z.string().min(1).max(20),
    part: z
      .int()
      .min(-100)
      .max(100)
      .refine((part) => part !== 0, "counts from 1, or back from -1"),
  }),
]);

export const transformSchema = z.union([step, z.array(step).min(1).max(10)]);
export type Transform = z.output<typeof transformSchema>;
type Step = z.output<typeof step>;

/** The texts of a cell: usually one, none if a map leaves it out, or several after `split`. */
type Apply = (texts: readonly string[], writing: Writing) => string[];

/** A step for each text by itself. */
const each =
  (change: (text: string, writing: Writing) => string): Apply =>
  (texts, writing) =>
    texts.map((text) => change(text, writing));

/** What follows a word: `date:DD.MM.YYYY` has the argument `DD.MM.YYYY`. Null where the argument is none. */
const words: Readonly<Record<string, (argument: string) => Apply | null>> = {
  trim: plain((text) => text.replaceAll(/\s+/g, " ").trim()),
  lower: plain((text) => text.toLowerCase()),
  upper: plain((text) => text.toUpperCase()),
  title: plain((text) => text.toLowerCase().replaceAll(/(?<![\p{L}\p{M}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase())),
  bool: plain((text) => String(booleanOf(text))),
  number: (mark) => (mark === "" || mark === "," || mark === "." ? asNumber(mark || null) : null),
  money_minor: plain((text, { currency, decimal }) => minor(text, currency, decimal)),
  e164(given) {
    const own = given === "" ? null : parseCountry(given);
    return given !== "" && own === null ? null : each((text, { country }) => phoneOf(text, own ?? country));
  },
  date: (format) => (isDateFormat(format) ? each((text) => dateOf(text, format)) : null),
  split: (separator) => (separator === "" ? null : (texts) => texts.flatMap((text) => pieces(text, separator))),
};

function plain(change: (text: string, writing: Writing) => string): (argument: string) => Apply | null {
  return (argument) => (argument === "" ? each(change) : null);
}

const asNumber = (mark: "," | "." | null): Apply =>
  each((text, { decimal }) => String(numberOf(withoutMark(text).replace(/\s*%$/, ""), mark ?? decimal)));

function minor(text: string, currency: string, decimal: Writing["decimal"]): string {
  checkMark(text, currency);
  const amount = numberOf(withoutMark(text), decimal);
  if (!Number.isSafeInteger(amount)) bad("must be a whole number of the currency's smallest unit");
  const digits = currencyDigits(currency);
  return (amount / 10 ** digits).toFixed(digits);
}

const pieces = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map((one) => one.trim())
    .filter((one) => one !== "");

/** Why a step that was given is none. */
export function transformError(transform: Transform | undefined): string | null {
  const unknown = listOf(transform).find((one) => typeof one === "string" && applyOf(one) === null);
  const known = transforms.map(({ transform: one }) => (typeof one === "string" ? one : JSON.stringify(one)));
  return unknown === undefined ? null : notAmong(unknown, known);
}

function applyOf(text: string): Apply | null {
  const [, word = "", argument = ""] = /^([^:]*):?(.*)$/s.exec(text)!;
  return Object.hasOwn(words, word) ? words[word]!(argument) : null;
}

const listOf = (transform: Transform | undefined): Step[] =>
  transform === undefined ? [] : Array.isArray(transform) ? transform : [transform];

/** Whether a cell may become several values. */
export const splits = (transform: Transform | undefined): boolean =>
  listOf(transform).some((one) => typeof one === "string" && one.startsWith("split:"));

/** Whether its numbers and dates are written as every field understands them. */
export const writesPlainly = (transform: Transform | undefined): boolean =>
  listOf(transform).some((one) => typeof one === "string" && /^(?:number|money_minor|date)/.test(one));

/** The steps as one function. What is a number already is one without a step, and has a point for steps that read it. */
export function transformOf(transform: Transform | undefined): (value: string | number, writing: Writing) => (string | number)[] {
  const steps = listOf(transform).map(stepOf);
  const ofNumbers = listOf(transform)
    .filter((one) => typeof one !== "string" || !/^number\b/.test(one))
    .map(stepOf);
  return (value, writing) => {
    if (typeof value === "string") return steps.reduce((texts, apply) => apply(texts, writing), [value]);
    const text = String(value);
    const texts = ofNumbers.reduce((all, apply) => apply(all, { ...writing, decimal: "." }), [text]);
    return texts.map((one) => (one === text ? value : one));
  };
}

function stepOf(one: Step): Apply {
  if (typeof one === "string") return applyOf(one)!;
  if ("map" in one) {
    const values = new Map(Object.entries(one.map).map(([from, to]) => [wordOf(from), to ?? ""]));
    return (texts) => texts.map((text) => values.get(wordOf(text)) ?? text).filter((text) => text !== "");
  }
  const { split, part } = one;
  return (texts) => texts.flatMap((text) => pieces(text, split).at(part > 0 ? part - 1 : part) ?? []);
}

const wordOf = (text: string): string => text.trim().toLowerCase();
