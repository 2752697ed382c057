// How a value of a person may be written: sources of regular expressions that mean the same in PostgreSQL and in JavaScript. Parts of a
// repetition begin differently, so that no text makes them slow.
import { parsePhone, phoneDigits } from "../../values/phone.ts";

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
export const anyOf = (forms: Iterable<string>): string => `(?:${[...new Set(forms)].join("|")})`;

const tag = "<[^<>]*>";
/** Characters that show nothing: a soft hyphen, marks of no width and of direction. */
const unseen = "\\u00ad\\u200b-\\u200f\\u2060\\ufeff";
const spaces = "\\s\\u00a0\\u2000-\\u200a\\u202f\\u3000";
const entity = "&(?:nbsp|ensp|emsp|thinsp|shy|gt|#160|#xa0|#173|#8203|#62);";
/** JSON in text writes white space so. */
const escape = "\\\\+(?:[nrt]|u00a0|u200b|u003e)";

// --- characters ---

/** The same letter composed and with its accent apart, in either case, in links, in JSON and in HTML. */
function charOf(one: string): string {
  if (one.codePointAt(0)! > 127) return accented(one);
  // JSON and HTML write some characters otherwise, and there are several kinds of apostrophes and hyphens.
  if (/["'&<>\\]/.test(one)) return ".{1,6}";
  if (one === "-") return "[\\u2010\\u2011-]";
  if (one === "/") return "(?:\\\\?\\/|%2F)";
  return literal(one);
}

function accented(one: string): string {
  const cases = [one, one.toLowerCase(), one.toUpperCase()];
  const plain = cases.flatMap((each) => [each.normalize("NFC"), each.normalize("NFD")]);
  const escaped = plain.map((each) =>
    each.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
  return anyOf([...[...plain, ...plain.map(encodeURIComponent), ...escaped].map(literal), "&#?\\w{1,8};"]);
}

const spelled = (text: string): string => [...text.normalize("NFC")].map(charOf).join("");

// --- values ---

/** As it is in text, in a link, in HTML. */
export const emailSource = (email: string): string =>
  [...email].map((one) => (one === "@" ? "(?:@|%40|&#64;)" : one === "+" ? "(?:\\+|%2B)" : charOf(one))).join("");

/** White space of any kind, as it is in text, quoted text, links, JSON and HTML. */
const gap = `(?:[${spaces}${unseen}>+]|${entity}|%20|%0[AD]|${escape}|${tag})+`;
const quotes = `(?:\\\\?["'])?`;
/** One sign, as in names of files, handles and columns. */
const joint = `${quotes}[._,;|-]${quotes}`;
const between = `(?:${gap}|${joint})`;

const wordsOf = (name: string): string[] => name.trim().split(/\s+/).map(spelled);

/** With any space between the words, or one sign. */
export const nameSource = (name: string): string => wordsOf(name).join(between);

/** With the family name first. After a semicolon and a space follows the next of a list. */
export function turnedSource(name: string): string {
  const words = wordsOf(name);
  const comma = `${quotes}(?:;|,(?:${gap})?)${quotes}`;
  const splits = new Set([1, words.length - 1]);
  return anyOf([...splits].map((at) => words.slice(at).join(between) + comma + words.slice(0, at).join(between)));
}

/** Without the scheme, which people leave out. */
export const urlSource = (url: string): string =>
  `(?:www\\.)?${spelled(url.replace(/^https?:\/\/(?:www\.)?/i, "").replace(/\/$/, ""))}`;

/** The digits, however they are grouped: with the country, or as people in that country write them. */
export function phoneSource(phone: string): string {
  const grouped = (digits: string) => [...digits].join(betweenDigits);
  const digits = phoneDigits(phone.replace(/x.*$/, ""));
  if (!phone.startsWith("+")) return grouped(digits);
  const country = phoneDigits(parsePhone(phone, "US")?.phone_formatted.split(" ")[0] ?? "");
  const national = digits.slice(country.length);
  return `(?:(?:\\+|%2B|00)?${grouped(digits)}|0?${grouped(national)})`;
}

const betweenDigits = `(?:[ ().\\/\\u00a0\\u2009-\\u2011\\u202f${unseen}-]|&(?:nbsp|#160|#xa0);|%20|\\\\+u00a0|${tag}){0,3}`;

// --- hints ---

/** A part that every spelling has, which PostgreSQL finds ten times as fast: the longest stretch of plain letters. */
export function nameHint(name: string): string {
  const stretches = name.normalize("NFC").match(/[a-z0-9]{3,}/gi) ?? [];
  return stretches.sort((a, b) => b.length - a.length)[0] ?? anyOf([nameSource(name), turnedSource(name)]);
}

/** The last digits, whatever is between them. */
export function phoneHint(phone: string): string {
  const last = phoneDigits(phone.replace(/x.*$/, "")).slice(-4);
  return [...last].join("(?:[^0-9]|&#160|%20|u00a0)*");
}
