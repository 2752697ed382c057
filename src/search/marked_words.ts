// Words as the index stores them: each has a mark of its organization, and each beginning of a word has the month of its record.

import { markOf } from "../values/id.ts";

interface Dated {
  date_created: string;
  date_updated: string;
}

/** The content of a record's column `search` for its words. */
export const storedWords = (vector: string, row: Dated & { organization_id: string }): string =>
  markedWords(datedWords(vector, row.date_created, row.date_updated), row.organization_id);

// If the organization were a separate column, a search would decode the list of all its rows beside the few with the word (7 ms
// instead of 1 at 600,000 rows), and the beginning of a word would be looked up among everybody's.

/** A `tsvector` or `tsquery` literal with every word marked. Words contain no quotes, spaces or parentheses. */
export function markedWords(literal: string, organizationId: string): string {
  const mark = markOf(organizationId);
  // Every second part is a word.
  return literal
    .split("'")
    .map((part, i) => (i % 2 === 1 ? mark + part : part))
    .join("'");
}

// By the month, the newest of thousands are found without reading all (decision 9): `^acm` becomes `^acm@202611`, or `^acm@later`
// for a date in the future.

/** The same words would be stored for both. */
export const datesAlike = (one: Dated, other: Dated): boolean =>
  one.date_created === other.date_created && isAhead(one) === isAhead(other);

const isAhead = ({ date_created, date_updated }: Dated): boolean => date_created > date_updated;

/** A `tsvector` literal whose beginnings of words contain the month of the record. */
const datedWords = (literal: string, made: string, written: string): string =>
  literal.replace(beginning, `'$1${made > written ? later : month(made.slice(0, 4), Number(made.slice(5, 7)))}'`);

/** A `tsquery` literal for records of any time. */
// Most contain no beginning, which needs no pattern to find out.
export const ofAnyTime = (literal: string): string => (literal.includes("'^") ? literal.replace(beginning, "'$1@':*") : literal);

/** `tsquery` literals for the same words in other times. Each record matches one of them. */
export interface Spans {
  /** Records with a date in the future. Null where times are not distinguished. */
  ahead: string | null;
  /** One span after the other back from now, and finally all earlier times. */
  back: string[];
}

/** The months of each span. Three letters begin many words, so few months may fill a page; four letters begin fewer. */
const back = { three: [1, 2, 3, 6], four: [3, 9] };

/** The same literal by spans of time, if one beginning of a word is in all records that it finds. */
export function bySpans(literal: string, now: Date): Spans {
  const start = beginningIn(literal);
  if (start === null) return { ahead: null, back: [ofAnyTime(literal)] };
  const isBeginning = literal.includes("'^");
  const of = (times: readonly string[]) =>
    isBeginning ? literal.replace(beginning, (_, each: string) => anyOf(each, times)) : `${anyOf(start, times)} & ${literal}`;
  const lengths = [...start].length === "^acm".length ? back.three : back.four;
  const months = monthsUntil(
    now,
    lengths.reduce((sum, length) => sum + length),
  );
  let at = 0;
  const spans = lengths.map((length) => of(months.slice(at, (at += length))));
  return { ahead: of([later]), back: [...spans, `${ofAnyTime(literal)} & !${anyOf(start, [later, ...months])}`] };
}

const anyOf = (start: string, times: readonly string[]): string => `(${times.map((time) => `'${start}${time}'`).join(" | ")})`;

/** The longest of the first word that has one, if all words are required. */
function beginningIn(literal: string): string | null {
  if (literal.includes(" | ")) return null;
  const words = literal.split("'").filter((_, i) => i % 2 === 1);
  const [found] = words.flatMap((word) => /^\^?(.{3}.?)/su.exec(word)?.[1] ?? []);
  return found === undefined ? null : `^${found}`;
}

/** The most records, the newest first. */
function monthsUntil(now: Date, count: number): string[] {
  // A clock that is ahead of ours is less than an hour ahead.
  const ahead = new Date(now.getTime() + 3_600_000);
  return Array.from({ length: count }, (_, i) => {
    const of = new Date(Date.UTC(ahead.getUTCFullYear(), ahead.getUTCMonth() - i));
    return month(of.getUTCFullYear(), of.getUTCMonth() + 1);
  });
}

const beginning = /'(\^[^']+)'/g;
const later = "@later";
const month = (year: string | number, of: number): string => `@${year}${String(of).padStart(2, "0")}`;
