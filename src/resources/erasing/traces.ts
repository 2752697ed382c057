// Finds a person's values in any text, as they are written there, and replaces them.
import { parsePhone, phoneDigits } from "../../values/phone.ts";
import type { Person } from "./person.ts";

export const erased = "[erased]";

export interface Traces {
  /** A regular expression for PostgreSQL that finds every trace, and perhaps a little more. Empty for a person without values. */
  candidates: string;
  isIn(text: string): boolean;
  /** The text without the traces. */
  without(text: string, instead?: string): string;
}

export function tracesOf({ names, emails, phones, urls }: Omit<Person, "contact_ids">): Traces {
  const sources = [...emails.map(emailSource), ...urls.map(urlSource), ...names.map(nameSource), ...phones.map(phoneSource)];
  const candidates = sources.join("|");
  // Neither in the middle of a longer word, nor the beginning of a longer address.
  const exact = new RegExp(`(?<![\\p{L}\\p{N}_.%+-])(?:${candidates})(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])`, "giu");
  return {
    candidates,
    isIn: (text) => candidates !== "" && text.search(exact) >= 0,
    without: (text, instead = erased) => (candidates === "" ? text : text.replace(exact, () => instead)),
  };
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** As it is in text, in a link, in HTML. */
const emailSource = (email: string): string =>
  [...email].map((one) => (one === "@" ? "(?:@|%40|&#64;)" : one === "+" ? "(?:\\+|%2B)" : charOf(one))).join("");

/** JSON and HTML write some characters otherwise. */
const charOf = (one: string): string => (/["'&<>\\]/.test(one) ? ".{1,6}" : literal(one));

const nameSource = (name: string): string =>
  name
    .split(/\s+/)
    .map((word) => [...word].map(charOf).join(""))
    .join("(?:\\s|&nbsp;|%20|\\+)+");

/** Without the scheme, which people leave out. */
const urlSource = (url: string): string => [...url.replace(/^https?:\/\//i, "").replace(/\/$/, "")].map(charOf).join("");

/** The digits, however they are grouped: with the country, or as people in that country write them. */
function phoneSource(phone: string): string {
  const grouped = (digits: string) => [...digits].join("[ ().\\/-]{0,3}");
  const digits = phoneDigits(phone.replace(/x.*$/, ""));
  if (!phone.startsWith("+")) return grouped(digits);
  const country = phoneDigits(parsePhone(phone, "US")?.phone_formatted.split(" ")[0] ?? "");
  const national = digits.slice(country.length);
  return `(?:(?:\\+|%2B|00)?${grouped(digits)}|0?${grouped(national)})`;
}
