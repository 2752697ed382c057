// Declares a resource's search by text: `search: searched({ words, beginnings, covers, alsoBy })`.
import type { Directory } from "../core/directory.ts";
import { type Field, text } from "../core/field.ts";
import type { Search } from "../core/search.ts";
import { same } from "../values/same.ts";
import { datesAlike, storedWords } from "./marked_words.ts";
import { textQuery } from "./text_filter.ts";
import { vector, withBeginnings } from "./words.ts";

/** Text whose words find the record, or a phone number, which is found by the parts that people dial. */
export interface Part {
  text?: string | null;
  phone?: string | null;
}

interface Words extends Partial<Pick<Search, "beginnings" | "covers" | "alsoBy">> {
  /** The words that find a record. Without them, a search reads the record's text. */
  words?: (row: any, directory: Directory) => readonly Part[];
  /** False when its lists have no `query`, because a record has no text. */
  query?: boolean;
}

export const searched = ({ words, beginnings = false, covers = [], alsoBy = {}, query = true }: Words = {}): Search => ({
  words: words === undefined ? null : wordsOf(words, beginnings),
  beginnings,
  covers,
  alsoBy,
  query: query ? textQuery : null,
});

/** The column `search`; never shown. */
function wordsOf(words: NonNullable<Words["words"]>, beginnings: boolean): Field {
  const derive = (row: any, directory: Directory, before?: any) => {
    const parts = words(row, directory);
    // Most changes leave the text alone, and its words cost more than everything else of an update.
    if (before?.search && datesAlike(row, before) && same(parts, words(before, directory))) return before.search;
    const found = vector(parts);
    return storedWords(beginnings ? withBeginnings(found) : found, row);
  };
  return { ...text({ readOnly: true, hidden: true, derive }), type: "tsvector" };
}
