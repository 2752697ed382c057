// What the text of a cell means for a kind of field. What does not fit is refused in words for the person who made the file.
import type { Ctx } from "../../core/context.ts";
import { bad } from "../../core/errors.ts";
import { times } from "../../values/decimal.ts";
import { currencyDigits } from "../../values/money.ts";
import { parsePhone } from "../../values/phone.ts";
import { parseDate, parseLocalTime } from "../../values/time.ts";
import { isActiveMember, user } from "../organization/user.ts";
import { fits, markIn, withoutMark } from "./currency_marks.ts";
import type { Options } from "./options.ts";

export type DecimalMark = "." | ",";

/** How the cells of a column are written. */
export interface Writing {
  decimal: DecimalMark;
  date_format: Options["date_format"];
  /** That of times without one. */
  zone: string;
  country: string;
  /** That of the amounts, in the row that is read. */
  currency: string;
  /** Amounts are in the smallest unit of the currency. */
  isMinor: boolean;
  /** What a choice offers; null for other kinds of field. */
  choices: readonly string[] | null;
}

type Read = (text: string, writing: Writing, ctx: Ctx) => unknown;

const reads: Readonly<Record<string, Read>> = {
  phone: (text, { country }) => phoneOf(text, country),
  number: (text, { decimal }) => numberOf(text.replace(/\s*%$/, ""), decimal),
  integer: (text, { decimal }) => wholeOf(numberOf(text.replace(/\s*%$/, ""), decimal)),
  money: amountOf,
  date: (text, { date_format }) => dateOf(text, date_format),
  datetime: (text, { date_format, zone }) => momentOf(text, date_format, zone),
  boolean: booleanOf,
  user: (text, _, ctx) => memberOf(text, ctx),
  choices: (text, { choices }) => choices?.find((one) => one.toLowerCase() === text.toLowerCase()) ?? text,
};

/** The value of a cell for a field of this type. Kinds that are text stay as they are, and what is a number already is not read as text. */
export function valueOf(type: string, given: string | number, writing: Writing, ctx: Ctx): unknown {
  if (typeof given === "number" && Object.hasOwn(ofNumbers, type)) return ofNumbers[type]!(given, writing);
  const read = Object.hasOwn(reads, type) ? reads[type] : undefined;
  return read === undefined ? String(given) : read(String(given), writing, ctx);
}

const ofNumbers: Readonly<Record<string, (value: number, writing: Writing) => number>> = {
  number: (value) => value,
  integer: wholeOf,
  money: (value, writing) => inUnits(plainAmount(value, currencyDigits(writing.currency)), writing),
};

export const phoneOf = (text: string, country: string): string =>
  parsePhone(text, country)?.phone ?? bad("is not a phone number");

export function booleanOf(text: string): boolean {
  return booleans.get(text.toLowerCase()) ?? bad("must be yes or no");
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "y", "1", "x", "on", "ja", "oui", "si", "sí"].map((word) => [word, true] as const),
  ...["false", "no", "n", "0", "off", "nein", "non"].map((word) => [word, false] as const),
]);

// --- numbers ---

const numbers: Readonly<Record<DecimalMark, RegExp>> = {
  ".": /^[+-]?(?:(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d+)?|\d+(?:\.\d+)?e[+-]?\d+)$/i,
  ",": /^[+-]?(?:(?:\d+|\d{1,3}(?:\.\d{3})+)?(?:,\d+)?|\d+(?:,\d+)?e[+-]?\d+)$/i,
};

/** A number as people, programs and spreadsheets write it; large and small ones as `1.5E+21` or `1e-7`. */
export function numberOf(text: string, mark: DecimalMark): number {
  const digits = text.replace(/[\s'’]/g, "");
  if (!/\d/.test(digits) || !numbers[mark].test(digits))
    return bad(`is not a number with a decimal ${mark === "," ? "comma" : "point"}`);
  const value = Number(mark === "," ? digits.replaceAll(".", "").replace(",", ".") : digits.replaceAll(",", ""));
  return Number.isFinite(value) ? value : bad("is too large a number");
}

function amountOf(text: string, writing: Writing): number {
  checkMark(text, writing.currency);
  return inUnits(numberOf(withoutMark(text), writing.decimal), writing);
}

function inUnits(amount: number, { currency, isMinor }: Writing): number {
  const digits = currencyDigits(currency);
  if (!isMinor && Number(amount.toFixed(digits)) !== amount)
    return bad(`has more than the ${digits} decimals of ${currency}: round it, or say the decimal mark in options.decimal`);
  if (!isMinor) return times(10 ** digits, amount);
  return Number.isSafeInteger(amount) ? amount : bad("must be a whole number of the currency's smallest unit");
}

/** Programs calculate in binary fractions: 12.340000000000002 is 12.34. */
function plainAmount(value: number, digits: number): number {
  const plain = Number(value.toFixed(digits));
  return Math.abs(plain - value) <= Math.abs(value) * 1e-15 ? plain : value;
}

function wholeOf(value: number): number {
  return Number.isInteger(value) ? value : bad("must be a whole number");
}

/** An amount in another currency is never taken for one in this. */
export function checkMark(text: string, currency: string): void {
  const mark = markIn(text);
  if (mark !== null && !fits(mark, currency))
    bad(`is marked ${mark}, where amounts are in ${currency}: say the currency in a column or in options.currency`);
}

/**
 * The decimal mark that some values of a column show; a point if none does. Where an amount has two decimals at most, points before three
 * digits in all of its values are those of thousands.
 */
export function decimalMarkOf(samples: readonly string[], digits: number | null): DecimalMark {
  const written = samples.map((one) => withoutMark(one).replace(/[\s'’%]/g, ""));
  const pointed = written.filter((one) => one.includes("."));
  if (digits !== null && digits < 3 && pointed.length > 0 && pointed.every((one) => /^[+-]?[1-9]\d{0,2}(\.\d{3})+$/.test(one)))
    return ",";
  return written.some((one) => numbers[","].test(one) && !numbers["."].test(one)) ? "," : ".";
}

// --- dates ---

/** A format such as `DD.MM.YYYY` or `M/D/YY`: each part once, with one mark between them. */
export const isDateFormat = (text: string): boolean =>
  /^(?:DD?|MM?|YY(?:YY)?)([./-])(?:DD?|MM?|YY(?:YY)?)\1(?:DD?|MM?|YY(?:YY)?)$/.test(text) &&
  new Set(text.split(/[./-]/).map(([letter]) => letter)).size === 3;

/** The order of the parts, from a format such as `DD.MM.YYYY`. */
export function dateOf(text: string, format: string | null | undefined): string {
  const [day = text] = text.split(/[T ]/, 1);
  const parts = day.split(/[./-]/);
  const names = (format ?? "YYYY-MM-DD").split(/[./-]/);
  const of = (letter: string) => parts[names.findIndex((name) => name.startsWith(letter))] ?? "";
  const written = `${fourDigits(of("Y"))}-${of("M").padStart(2, "0")}-${of("D").padStart(2, "0")}`;
  const date = parts.length === 3 ? parseDate(written) : null;
  return date ?? parseDate(text, { cutTime: true }) ?? bad(notSuchADate(format));
}

const notSuchADate = (format: string | null | undefined): string =>
  format
    ? `is not a date such as ${format}`
    : "is not a date such as 2026-01-02: say in options.date_format how dates are written";

/** How the values of a column write dates, if a day after the 12th or a point shows it, or the country that was said. */
export function dateFormatOf(samples: readonly string[], country: string | null | undefined): Options["date_format"] {
  const dates = samples.flatMap((one) => [...one.trim().matchAll(/^(\d{1,2})([./-])(\d{1,2})\2(?:\d{4}|\d{2})(?![\d./-])/g)]);
  if (dates.length === 0) return null;
  if (dates.every(([, , mark]) => mark === ".")) return "DD.MM.YYYY";
  const [dayFirst, dayLater] = [dates.some(([, first]) => Number(first) > 12), dates.some(([, , , next]) => Number(next) > 12)];
  if (dayFirst !== dayLater) return dayFirst ? "DD/MM/YYYY" : "MM/DD/YYYY";
  return country ? (orders.get(firstPartIn(country)) ?? null) : null;
}

const orders: ReadonlyMap<string | undefined, Options["date_format"]> = new Map([
  ["day", "DD/MM/YYYY"],
  ["month", "MM/DD/YYYY"],
]);

const firstPartIn = (country: string): string | undefined =>
  new Intl.DateTimeFormat(new Intl.Locale(`und-${country}`).maximize()).formatToParts(0).find(({ type }) => type !== "literal")
    ?.type;

const fourDigits = (year: string): string => (/^\d\d$/.test(year) ? `20${year}` : year);

function momentOf(text: string, format: Options["date_format"], zone: string): string {
  const [, day = text, time = "00:00"] = /^(\S+?)[T ](\d{1,2}:\d{2}.*)$/.exec(text) ?? [];
  const moment = parseLocalTime(text, zone) ?? parseLocalTime(`${dateOf(day, format)}T${inDay(time)}`, zone);
  return moment ?? bad("is not a time such as 2026-01-02 15:30");
}

/** Whether some of these are times that say neither a time zone nor an offset. */
export const writesLocalTimes = (samples: readonly string[]): boolean =>
  samples.some((one) => /[T ]\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?$/i.test(one.trim()));

/** A time of day with two digits for the hour, of 24. */
function inDay(time: string): string {
  const [, hour, rest, half] = /^(\d{1,2})(:\d{2}(?::\d{2})?)\s*([ap])\.?m\.?$/i.exec(time.trim()) ?? [];
  if (hour === undefined) return time.padStart(time.indexOf(":") === 1 ? time.length + 1 : 0, "0");
  return `${String((Number(hour) % 12) + (half!.toLowerCase() === "p" ? 12 : 0)).padStart(2, "0")}${rest}`;
}

// --- members ---

/** An id is left to the record: the owner who has left may stay its owner. */
function memberOf(text: string, ctx: Ctx): string {
  if (ctx.directory.get(user, text) !== undefined) return text;
  const found = ctx.directory.memo("active members by words", () => membersByWords(ctx)).get(text.toLowerCase()) ?? [];
  if (found.length > 1) return bad("is the name of several members: write the e-mail address");
  return found[0] ?? bad("is not the name or e-mail address of an active member");
}

function membersByWords(ctx: Ctx): Map<string, string[]> {
  const words = new Map<string, Set<string>>();
  for (const { id, name, email } of ctx.directory.list(user)) {
    if (!isActiveMember(ctx.directory, id)) continue;
    for (const word of [id, name, email].map((one) => one.toLowerCase())) words.set(word, (words.get(word) ?? new Set()).add(id));
  }
  return new Map([...words].map(([word, ids]) => [word, [...ids]]));
}
