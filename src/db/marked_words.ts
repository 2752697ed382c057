// Words in an index carry a mark of their organization. With the organization in a column of its own, a search would decode the
// list of all rows of the organization beside the few that have the word (at 600,000 rows 7 ms instead of 1), and the beginning
// of a word would be looked up among everybody's.

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

// A record's words say when it was made, so that the newest of thousands are found without reading all. Its quarter is a word that
// no text has (`@2026q4`; of a record that is dated ahead `@later`), and each beginning of a word names it (`^acm` is `^acm@2026q4`).

/** A `tsvector` literal with the quarter of a record. */
export function datedWords(literal: string, made: string, written: string): string {
  const of = made > written ? later : quarter(made.slice(0, 4), Number(made.slice(5, 7)));
  return `'${of}' ${literal.replace(beginning, `'$1${of}'`)}`;
}

/** A `tsquery` literal for records of any time. */
// Most name no beginning, and need no pattern to tell.
export const ofAnyTime = (literal: string): string => (literal.includes("'^") ? literal.replace(beginning, "'$1@':*") : literal);

/** A `tsquery` literal for records made this quarter, in the one before, or later. */
export function ofLate(literal: string, now: Date): string {
  // A clock that is ahead of ours is ahead by less than an hour.
  const ahead = new Date(now.getTime() + 3_600_000);
  const [year, month] = [ahead.getUTCFullYear(), ahead.getUTCMonth() + 1];
  const quarters = [later, quarter(year, month), month > 3 ? quarter(year, month - 3) : quarter(year - 1, 12)];
  const anyOf = (start: string) => `(${quarters.map((of) => `'${start}${of}'`).join(" | ")})`;
  const dated = literal.replace(beginning, (_, start: string) => anyOf(start));
  // Where all words must be there, one that names the quarter is enough; a word for all records of a quarter takes an index longer.
  return dated === literal || literal.includes(" | ") ? `${anyOf("")} & (${ofAnyTime(literal)})` : dated;
}

const beginning = /'(\^[^']+)'/g;
const later = "@later";
const quarter = (year: string | number, month: number): string => `@${year}q${Math.ceil(month / 3)}`;
