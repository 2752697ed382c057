// Words in an index carry a mark of their organization. With the organization in a column of its own, a search would decode the
// list of all rows of the organization beside the few that have the word (at 600,000 rows 7 ms instead of 1), and the beginning
// of a word would be looked up among everybody's.

/** A `tsvector` or `tsquery` literal with every word marked. Words hold no quotes, spaces or parentheses. */
export function markedWords(literal: string, organizationId: string): string {
  // The end of an id is its random part.
  const mark = organizationId.slice(-8);
  return literal.replace(/(^|[ (])'/g, `$1'${mark}`);
}

/**
 * The quarter a record was made in, as a word beside its others that no text has (`@2026q4`; of one that is dated ahead `@later`): of
 * the thousands in which three letters begin a word, the newest are found without reading all.
 */
export const quarterWord = (made: string, written: string): string => (made > written ? later : quarter(made));

/** The words of whatever was made this quarter, in the one before, or later. A clock that is ahead of ours is ahead by less than an hour. */
export function latestQuarterWords(now: Date): string[] {
  const ahead = new Date(now.getTime() + 3_600_000);
  const before = new Date(Date.UTC(ahead.getUTCFullYear(), ahead.getUTCMonth() - 3));
  return [later, ...[ahead, before].map((instant) => quarter(instant.toISOString()))];
}

const later = "'@later'";
const quarter = (instant: string): string => `'@${instant.slice(0, 4)}q${Math.ceil(Number(instant.slice(5, 7)) / 3)}'`;
