/**
 * What counts as a word, for both sides of text search: `vector` for stored text, the `…Query` functions for searched text. Both
 * split text in the same way, so PostgreSQL needs no dictionary, no `unaccent` and no configuration.
 */

/** Lower-case words without accents: `Ötzi@Acme-Corp.com` is `otzi acme corp com`. */
export function words(text: string): string[] {
  return plain(text).match(WORD)?.map(cut) ?? [];
}

/**
 * The words under which a phone number is found: all digits, the national digits, the last seven.
 *
 * People type a number from one of three places: the country code, the area code, or the local part, and stop anywhere;
 * with these three, a prefix match finds each. Every suffix would find more, at four times the index and with years
 * and prices matching the middle of numbers.
 */
export function phoneWords(phone: string): string[] {
  const digits = phone.replace(/\D/g, "");
  if (digits.length < 3) return [];

  const national = phone.trim().startsWith("+") ? digits.replace(COUNTRY_CODE, "") : digits;
  return [...new Set([digits, national, digits.slice(-7)].map(cut))].filter((word) => word.length >= 3);
}

/** A `tsvector` literal. A phrase never runs from one part into the next. */
export function vector(parts: readonly { text?: string | null; phone?: string | null }[]): string {
  const places = new Map<string, number[]>();
  const add = (word: string, place: number) => {
    const known = places.get(word) ?? [];
    if (known.length === 0 && places.size < MAX_WORDS) places.set(word, known);
    if (known.length < MAX_PLACES_OF_A_WORD) known.push(Math.min(place, MAX_PLACE));
  };

  let place = 0;
  for (const { text, phone } of parts) {
    for (const word of words(text ?? "")) add(word, ++place);
    place += 1;
    for (const word of phoneWords(phone ?? "")) add(word, (place += 2));
    place += 1;
  }
  return [...places].map(([word, at]) => `${quoted(word)}:${[...new Set(at)].join(",")}`).join(" ");
}

/**
 * The same, with the first three and four letters of each word as words that no text has: `^acm`, `^acme`. To find what begins
 * with them, an index would otherwise collect the records of all such words: for three letters 400 words in a million leads, for
 * four letters 80.
 */
export function withBeginnings(vector: string): string {
  const words = [...vector.matchAll(/'([^']+)'/g)].map(([, word]) => word!);
  return [vector, ...new Set(words.flatMap(beginnings))].join(" ");
}

function beginnings(word: string): string[] {
  const [four, three] = BEGINNING.exec(word) ?? [];
  return [...new Set([three, four])].flatMap((letters) => (letters === undefined ? [] : beginning(letters)));
}

const beginning = (letters: string): string => quoted(`^${letters}`);

// No word contains a quote or a backslash, which would have to be escaped.
const quoted = (word: string): string => `'${word}'`;

/** How the last word of a group is looked up. */
type Ending = (word: string) => string;

const whole: Ending = quoted;
const begun: Ending = (word) => `${quoted(word)}:*`;
const beginningOrBegun: Ending = (word) => (NOTHING_BUT_BEGINNING.test(word) ? beginning(word) : begun(word));

/** A `tsquery` literal: every word given begins a word of the text. Null matches nothing. `hasBeginnings` of a vector `withBeginnings`. */
export const prefixQuery = (text: string, hasBeginnings = false): string | null =>
  everyPiece(text, hasBeginnings ? beginningOrBegun : begun);

/** Every searched word is a word of the text. */
export const wordQuery = (text: string): string | null => everyPiece(text, whole);

/** The searched words are in the text side by side and in this order. */
export const phraseQuery = (text: string): string | null =>
  either(sideBySide(words(text.replace(SCHEME, "")), whole), PHONE.test(text) ? dialled(text, whole) : []);

/** Every searched word begins a word of the text (or is one), at any place. A finer condition can be looked up by this. */
export function narrowingQuery(text: string, isWhole: boolean): string | null {
  const wanted = [...new Set(words(text))].slice(0, MAX_SOUGHT);
  return wanted.length === 0 ? null : wanted.map(isWhole ? whole : begun).join(" & ");
}

/** The same three for text without a vector: POSIX patterns that must all match it in the form of `sort_key`. Null matches nothing. */
export const prefixPatterns = (text: string): string[] | null => everyWord(text, (word) => begins(word));

export const wordPatterns = (text: string): string[] | null => everyWord(text, (word) => begins(word) + ends(word));

/** With `open`, the last word may go on. */
export function phrasePatterns(text: string, { open = false } = {}): string[] | null {
  const found = words(text).slice(0, MAX_PATTERN);
  if (found.length === 0) return null;
  const between = (word: string) => (SPACELESS_WORD.test(word) ? `${APART}*` : `${APART}+`);
  const rest = found.slice(1).map((word) => between(word) + word);
  return [begins(found[0]!) + rest.join("") + (open ? "" : ends(found.at(-1)!))];
}

/** A run of digit groups as people write phone numbers: `+1 (800) 444-5555`. */
export const PHONE_RUN = /\+?(?:\d+|\(\d+\)\d*)(?:[\s./-]+\d+|[\s./-]*\(\d+\)\d*)*(?![^\s),;])/;
const PHONE = new RegExp(`^\\s*${PHONE_RUN.source}\\s*$`);
const PIECE = new RegExp(`(?<!\\S)${PHONE_RUN.source}|\\S+`, "g");

const BEGINNING = /^(.{3}).?/su;
const NOTHING_BUT_BEGINNING = /^.{3,4}$/su;
const MAX_LENGTH = 64;
const MAX_PATTERN = 100;
const MAX_SOUGHT = 1_000; // PostgreSQL's stack overflows near 10,000
const MAX_WORDS = 4_000;
const MAX_PLACE = 16_383; // PostgreSQL's own
const MAX_PLACES_OF_A_WORD = 255; // PostgreSQL's own

// oxlint-disable-next-line no-control-regex -- these are ASCII too
const ASCII = /^[\0-\x7f]*$/;
/**
 * In Unicode these are not a letter plus an accent, but people type them so. ʻ and ʼ are letters there, but serve as apostrophes.
 */
const PLAIN = new Map(
  "ß:ss æ:ae œ:oe ø:o ł:l đ:d ð:d þ:th ħ:h ŧ:t ı:i ŋ:n ς:σ ʻ:' ʼ:'".split(" ").map((pair) => pair.split(":") as [string, string]),
);
const TO_PLAIN = new RegExp(`[${[...PLAIN.keys()].join("")}]`, "gu");
// Accents of European, Hebrew and Arabic script. In Hindi or Thai a mark is a vowel, in Japanese another syllable.
const ACCENTS =
  // oxlint-disable-next-line no-misleading-character-class -- each mark is meant by itself
  /[\u{300}-\u{36f}\u{591}-\u{5bd}\u{5bf}-\u{5c7}\u{640}\u{64b}-\u{65f}\u{670}\u{1ab0}-\u{1aff}\u{1dc0}-\u{1dff}\u{20d0}-\u{20ff}]/gu;

function plain(text: string): string {
  // Most text is ASCII, which the following does not change.
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD") // K: full-width and ligature letters become plain ones
    .toLowerCase()
    .replace(ACCENTS, "")
    .replace(TO_PLAIN, (letter) => PLAIN.get(letter)!)
    .normalize("NFC");
}

// Scripts without spaces between words: each character is a word, so that a search may start at any of them.
const SPACELESS = ["Han", "Hira", "Kana", "Thai", "Laoo", "Khmr", "Mymr"].map((script) => `\\p{scx=${script}}`).join("");
const WORD = new RegExp(
  `[[\\p{L}\\p{N}]&&[${SPACELESS}]]\\p{M}*|[[\\p{L}\\p{N}]--[${SPACELESS}]][[\\p{L}\\p{N}\\p{M}]--[${SPACELESS}]]*`,
  "gv",
);

const SPACELESS_WORD = new RegExp(`^[${SPACELESS}]`, "v");

// Words hold letters, digits and marks only, so nothing in a pattern needs quoting.
const APART = "[^[:alnum:]]";
const begins = (word: string): string => (SPACELESS_WORD.test(word) ? word : `(^|${APART})${word}`);
const ends = (word: string): string => (SPACELESS_WORD.test(word) ? "" : `(${APART}|$)`);

function everyWord(text: string, pattern: (word: string) => string): string[] | null {
  const wanted = [...new Set(words(text))].slice(0, MAX_PATTERN);
  return wanted.length === 0 ? null : wanted.map(pattern);
}

/** Both sides cut words, so a very long word is still found. Never in the middle of a character. */
function cut(word: string): string {
  return word.length <= MAX_LENGTH ? word : word.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, "");
}

function everyPiece(text: string, ending: Ending): string | null {
  const pieces = (text.match(PIECE) ?? []).map((piece) => pieceQuery(piece, ending));
  const wanted = [...new Set(pieces)].filter((piece) => piece !== null);
  return wanted.length === 0 ? null : wanted.slice(0, MAX_SOUGHT).join(" & ");
}

/** Text written without a space stays together: `bob@acme.com`, `jean-paul`, `東京`. */
function pieceQuery(piece: string, ending: Ending): string | null {
  if (!PHONE.test(piece)) return sideBySide(words(piece.replace(SCHEME, "")), ending);
  const groups = piece.split(/\s+/).map((group) => sideBySide(words(group), ending));
  return either(groups.filter((group) => group !== null).join(" & "), dialled(piece, ending));
}

// `http` or `https`, with `www.` or without: people copy one and search for the other.
const SCHEME = /^(?:https?:\/\/(?:www\.)?|mailto:|tel:)/i;

// ITU-T E.164: one digit for the zones 1 and 7, else two or three.
const COUNTRY_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** The digits of a phone number, and without the zeros that are dialled before it (`020…`, `0044…`). */
function dialled(text: string, ending: Ending): string[] {
  const digits = text.replace(/\D/g, "");
  if (digits.length < 5) return [];
  const written = [digits, digits.replace(/^0+(?=\d)/, "")];
  return written.map((word) => ending(cut(word)));
}

function sideBySide(words: string[], ending: Ending): string | null {
  const found = words.slice(0, MAX_SOUGHT);
  if (found.length <= 1) return found.map(ending)[0] ?? null;
  // Only the last word can be incomplete. A prefix scan on `com` in `acme.com` would read half the index. Beginnings have no
  // positions.
  const last = ending === beginningOrBegun ? begun : ending;
  return [...found.slice(0, -1).map(quoted), last(found.at(-1)!)].join(" <-> ");
}

function either(first: string | null, others: string[]): string | null {
  if (first === null) return null;
  const all = [...new Set([first, ...others])];
  return all.length === 1 ? first : `(${all.join(" | ")})`;
}
