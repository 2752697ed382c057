// Words as the index has them: each carries a mark of its organization, and each beginning of a word the month of its record.

/** What the column `search` of a record holds for its words. */
export const storedWords = (
  vector: string,
  row: { organization_id: string; date_created: string; date_updated: string },
): string => markedWords(datedWords(vector, row.date_created, row.date_updated), row.organization_id);

// With the organization in a column of its own, a search would decode the list of all rows of the organization beside the few that have
// the word (at 600,000 rows 7 ms instead of 1), and the beginning of a word would be looked up among everybody's.

/** A `tsvector` or `tsquery` literal with every word marked. Words hold no quotes, spaces or parentheses. */
export function markedWords(literal: string, organizationId: string): string {
  // The end of an id is its random part.
  const mark = organizationId.slice(-8);
  // Every second part is a word.
  return literal
    .split("'")
    .map((part, i) => (i % 2 === 1 ? mark + part : part))
    .join("'");
}

// By the month the newest of thousands are found without reading all (decision 9): `^acm` is `^acm@202611`, or `^acm@later` of a record
// that is dated ahead.

/** A `tsvector` literal whose beginnings of words say when the record was made. */
const datedWords = (literal: string, made: string, written: string): string =>
  literal.replace(beginning, `'$1${made > written ? later : month(made.slice(0, 4), Number(made.slice(5, 7)))}'`);

/** A `tsquery` literal for records of any time. */
// Most name no beginning, and need no pattern to tell.
export const ofAnyTime = (literal: string): string => (literal.includes("'^") ? literal.replace(beginning, "'$1@':*") : literal);

/** `tsquery` literals that ask for the same of other times. Each record meets one of them. */
export interface Spans {
  /** Records that are dated ahead; null where times are not told apart. */
  ahead: string | null;
  /** One span after the other back from now, and at last all other times. */
  back: string[];
}

/** Months of each span. Three letters begin many words, so that few months may fill a page; four begin fewer. */
const back = { three: [1, 2, 3, 6], four: [3, 9] };

/** The same literal by spans of time, where one beginning of a word is in all records that it finds. */
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

/** The longest of the first word that has one, if all words must be there. */
function beginningIn(literal: string): string | null {
  if (literal.includes(" | ")) return null;
  const words = literal.split("'").filter((_, i) => i % 2 === 1);
  const [found] = words.flatMap((word) => /^\^?(.{3}.?)/su.exec(word)?.[1] ?? []);
  return found === undefined ? null : `^${found}`;
}

/** So many, the newest first. */
function monthsUntil(now: Date, count: number): string[] {
  // A clock that is ahead of ours is ahead by less than an hour.
  const ahead = new Date(now.getTime() + 3_600_000);
  return Array.from({ length: count }, (_, i) => {
    const of = new Date(Date.UTC(ahead.getUTCFullYear(), ahead.getUTCMonth() - i));
    return month(of.getUTCFullYear(), of.getUTCMonth() + 1);
  });
}

const beginning = /'(\^[^']+)'/g;
const later = "@later";
const month = (year: string | number, of: number): string => `@${year}${String(of).padStart(2, "0")}`;
