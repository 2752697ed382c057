// Finds a person's values in any text, as they are written there, and replaces them.
import type { Person } from "./person.ts";
import { anyOf, emailSource, nameHint, nameSource, phoneHint, phoneSource, turnedSource, urlSource } from "./spellings.ts";

export const erased = "[erased]";

export interface Traces {
  /** Regular expressions for PostgreSQL. Both find every trace, `hints` fast and much else too, `candidates` little else. Empty for a person without values. */
  hints: string;
  candidates: string;
  isIn(text: string): boolean;
  /** The text without the traces. */
  without(text: string, instead?: string): string;
}

export function tracesOf({ names, emails, phones, urls }: Omit<Person, "contact_ids">): Traces {
  const kinds = [
    { sources: emails.map(emailSource), hints: emails.map(emailSource), whole: ofAddress },
    { sources: urls.map(urlSource), hints: urls.map(urlSource), whole: ofAddress },
    { sources: names.map(nameSource), hints: names.map(nameHint), whole: ofName },
    { sources: names.map(turnedSource), hints: [], whole: ofTurned },
    { sources: phones.map(phoneSource), hints: phones.map(phoneHint), whole: ofPhone },
  ].filter(({ sources }) => sources.length > 0);
  const candidates = kinds.flatMap(({ sources }) => sources).join("|");
  const exact = new RegExp(kinds.map(({ sources, whole }) => whole(`(?:${sources.join("|")})`)).join("|"), "giu");
  const hints = kinds.flatMap((kind) => kind.hints).join("|");
  const hint = new RegExp(hints, "iu");
  const mayHave = (text: string) => hints !== "" && hint.test(text);
  return {
    hints,
    candidates,
    isIn: (text) => mayHave(text) && text.search(exact) >= 0,
    without: (text, instead = erased) => (mayHave(text) ? text.replace(exact, (found) => instead + tagsIn(found)) : text),
  };
}

/** Markup stays balanced. */
const tagsIn = (found: string): string => (found.match(/<[^<>]*>/g) ?? []).join("");

/** What ends in a letter or digit and is none: white space in JSON, separators in links. */
const signs = "(?<=\\\\[nrtbf]|\\\\u00[0-9a-f]{2}|%(?:0[9AD]|2[0-9CF]|3[A-F]))";

const alone = (before: string, source: string, after: string): string => `(?:(?<!${before})|${signs})${source}(?!${after})`;

/** Neither in the middle of a longer word, nor the beginning of a longer address. */
const ofAddress = (source: string): string => alone("[\\p{L}\\p{N}_.%+-]", source, "[\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}]");

/** Neither a part of a longer name, nor of an address or a domain, which may be those of others. */
const ofName = (source: string): string =>
  alone("[\\p{L}\\p{M}\\p{N}]|\\p{L}-|[\\p{L}\\p{N}]@|//|www\\.", source, "[\\p{L}\\p{M}\\p{N}]|-\\p{L}|@|%40");

/** Between two more names it is a list of people: `Bob Lee, Ann Smith`. */
const ofTurned = (source: string): string =>
  anyOf([`(?<!(?-i:\\p{Lu})[\\p{L}.]* )${ofName(source)}`, `${ofName(source)}(?! (?-i:\\p{Lu}))`]);

/** Not in a longer number; an extension may follow. */
const ofPhone = (source: string): string => alone("[\\p{L}\\p{N}+]", source, "\\p{N}|(?!x\\s?\\d|ext)\\p{L}");
