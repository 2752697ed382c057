// Conditions on text, in two forms: on a column of words, which an index answers, and on any SQL text.
import type { Ctx } from "../core/context.ts";
import { and, name, type Place, raw, type Sql, sql } from "../db/sql.ts";
import { bySpans, markedWords, ofAnyTime, type Spans } from "./marked_words.ts";
import type { LetterMode, SoughtMode } from "./nodes.ts";
import { narrowingQuery, phrasePatterns, phraseQuery, prefixPatterns, prefixQuery, wordPatterns, wordQuery } from "./words.ts";

export interface Sought {
  value: string;
  mode: SoughtMode;
}

/** The words to look up in the index, as texts of `tsquery`; null finds nothing. */
export interface Words {
  any: string | null;
}

/** The words, and the same by the time at which the records were created. */
export interface DatedWords extends Words {
  spans: () => Spans;
}

/** The words to search for. `hasBeginnings` if the stored words have beginnings too (`withBeginnings`). */
export function wordsFor(ctx: Ctx, { value, mode }: Sought, hasBeginnings: boolean): DatedWords {
  const asked = { full_words: wordQuery, phrase: phraseQuery }[mode as string];
  const query = asked ? asked(value) : prefixQuery(value, hasBeginnings);
  const marked = (literal: string) => markedWords(literal, ctx.organization_id);
  return {
    any: query && marked(ofAnyTime(query)),
    spans() {
      if (query === null) return { ahead: null, back: [] };
      if (!hasBeginnings) return { ahead: null, back: [marked(query)] };
      const { ahead, back } = bySpans(query, ctx.now);
      return { ahead: ahead && marked(ahead), back: back.map(marked) };
    },
  };
}

/** Words that every matching record has. Other records may have them too. */
export function narrowingWords(ctx: Ctx, { value, mode }: Sought): Words {
  const query = narrowingQuery(value, mode === "full_words" || mode === "phrase" || mode === "exact_value");
  return { any: query && markedWords(query, ctx.organization_id) };
}

/** The words that a statement searches for, or the placeholder for them in a cached one. */
export type SoughtWords = Words["any"] | Place<any> | Sql;

/** True if the column of words of this alias has them. */
export const hasWords = (alias: string, words: SoughtWords): Sql => sql`${name(alias)}.search @@ ${words}::text::tsquery`;

/** True if the text contains the searched text, ignoring case and accents. */
export function inText(text: Sql, { value, mode }: Sought): Sql {
  if (mode === "exact_value") return sql`sort_key(${text}) = sort_key(${value}::text)`;
  if (isOfLetters(mode)) return lettersOf[mode](sql`sort_key(${text})`, sql`sort_key(${value}::text)`);
  const patterns = patternsOf[mode](value);
  if (patterns === null) return raw("false");
  // Classes of characters follow the database's own collation; in "C" only ASCII has letters.
  return and(patterns.map((pattern) => sql`sort_key(${text}) collate "default" ~ ${pattern}`));
}

/** No index of words narrows it: the letters may begin or end in the middle of one. */
export const isOfLetters = (mode: SoughtMode): mode is LetterMode => Object.hasOwn(lettersOf, mode);

const lettersOf: Record<LetterMode, (text: Sql, letters: Sql) => Sql> = {
  has_letters: (text, letters) => sql`position(${letters} in ${text}) > 0`,
  begins_with: (text, letters) => sql`starts_with(${text}, ${letters})`,
  ends_with: (text, letters) => sql`right(${text}, length(${letters})) = ${letters}`,
};

const patternsOf: Record<Exclude<SoughtMode, "exact_value" | LetterMode>, (text: string) => string[] | null> = {
  full_words: wordPatterns,
  phrase: (text) => phrasePatterns(text),
  beginning_of_words: prefixPatterns,
  contains: (text) => phrasePatterns(text, { open: true }),
};
