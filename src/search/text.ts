// Text conditions in their two forms: against a vector of words, which an index answers, and against any SQL text.
import type { Ctx } from "../core/context.ts";
import { markedWords, ofAnyTime, ofLate } from "../db/marked_words.ts";
import { and, raw, type Sql, sql } from "../db/sql.ts";
import type { TextMode } from "./nodes.ts";
import { narrowingQuery, phrasePatterns, phraseQuery, prefixPatterns, prefixQuery, wordPatterns, wordQuery } from "./words.ts";

/** `contains`: the words side by side, of which the last may go on. It is what `name:x` asks. */
export type SoughtMode = TextMode | "exact_value" | "contains";

export interface Sought {
  value: string;
  mode: SoughtMode;
}

/** The vector has what is sought. `byThree` where it is one `withBeginnings`, `late` where only what was made lately is wanted. */
export function inVector(
  ctx: Ctx,
  vector: Sql,
  { value, mode }: Sought,
  { byThree, late }: { byThree: boolean; late: boolean },
): Sql {
  const asked = { full_words: wordQuery, phrase: phraseQuery }[mode as string];
  const query = asked ? asked(value) : prefixQuery(value, byThree);
  return matches(ctx, vector, query && (late ? ofLate(query, ctx.now) : ofAnyTime(query)));
}

/** Every record whose text has what is sought is among those whose vector passes this. */
export function maybeInVector(ctx: Ctx, vector: Sql, { value, mode }: Sought): Sql {
  return matches(ctx, vector, narrowingQuery(value, mode === "full_words" || mode === "phrase" || mode === "exact_value"));
}

const matches = (ctx: Ctx, vector: Sql, query: string | null): Sql =>
  query === null ? raw("false") : sql`${vector} @@ ${markedWords(query, ctx.organization_id)}::text::tsquery`;

/** The text has what is sought, whatever its case and accents. */
export function inText(text: Sql, { value, mode }: Sought): Sql {
  if (mode === "exact_value") return sql`sort_key(${text}) = sort_key(${value}::text)`;
  const patterns = patternsOf[mode](value);
  if (patterns === null) return raw("false");
  // Classes of characters follow the database's own collation; in "C" only ASCII has letters.
  return and(patterns.map((pattern) => sql`sort_key(${text}) collate "default" ~ ${pattern}`));
}

const patternsOf: Record<Exclude<SoughtMode, "exact_value">, (text: string) => string[] | null> = {
  full_words: wordPatterns,
  phrase: (text) => phrasePatterns(text),
  beginning_of_words: prefixPatterns,
  contains: (text) => phrasePatterns(text, { open: true }),
};
