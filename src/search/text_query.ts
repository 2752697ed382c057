/**
 * The text query of lists, bulk actions and exports, read into the same tree as `POST /data/search/`:
 *
 *     acme "west coast" status:won value>=1000 -tag:cold (city:Paris or city:Lyon) contact(title:CEO) sort:-date_updated
 *     calls>3 not has:opportunities custom."Deal size":[10 TO 20] status:(new or open) slice:1/3 sort:created desc
 *
 * People paste into it whatever they have, so that text is text wherever it can be: only a name or comparison without
 * its value, an open quotation mark, and parentheses that do not match are refused. Field names are not known here:
 * what they mean, and `has:`, `is:` and `slice:` with them, is said by `named_fields.ts`.
 */
import { MAX_DEPTH, MAX_NODES, MAX_VALUES, type Operator, type QueryNode, type TextMode } from "./nodes.ts";
import { PHONE_RUN } from "./words.ts";

export interface TextQuery {
  query: QueryNode;
  sort: TextSort[];
}
export interface TextSort {
  name: string;
  direction: "asc" | "desc";
}

/** `message` is a sentence for the person who wrote the query. `position` counts its characters from 0. */
export class TextQueryError extends Error {
  readonly position: number;

  constructor(problem: string, position: number) {
    super(`${problem} (at character ${position + 1})`);
    this.name = "TextQueryError";
    this.position = position;
  }
}

export function parseTextQuery(text: string): TextQuery {
  if (Buffer.byteLength(text) > MAX_BYTES) throw new TextQueryError("a text query may have at most 8 KB", 0);
  const reader: Reader = { text, at: 0, depth: 0, nodes: 0, sort: [], skipped: null };

  const found = anyOf(reader);
  if (see(reader, /\)/y)) throw new TextQueryError("this closing parenthesis has no opening one", reader.at);
  // The text was nothing but punctuation, which no record has as a word.
  const rest: QueryNode = reader.skipped === null ? EVERYTHING : textNode(reader.skipped, "beginning_of_words");
  return { query: found ?? rest, sort: reader.sort };
}

const MAX_BYTES = 8 * 1024;
const EVERYTHING: QueryNode = { type: "match_all", negate: false };

interface Reader {
  text: string;
  at: number;
  depth: number;
  nodes: number;
  sort: TextSort[];
  /** A word without letters or digits, as in `Smith & Sons`. */
  skipped: string | null;
}

// Null when there is nothing to search for: punctuation, `sort:`, the end.
type Found = QueryNode | null;

// `and`, `or` and `not` are operators when something follows. Otherwise they are words, as in `portland or`.
const AND = /and(?=[\s("“])\s*(?=[^\s)])/iy;
const OR = /(?:or(?=[\s("“])|\|\|)\s*(?=[^\s)])/iy;
const NOT = /not(?=[\s("“])\s*(?=[^\s)])|-(?=[\p{L}\p{N}("“_+*.'@#$€£])|!(?=[\p{L}("“])/iuy;

function anyOf(reader: Reader): Found {
  const found = [allOf(reader)];
  while (take(reader, OR)) found.push(allOf(reader));
  return group(reader, "or", found);
}

function allOf(reader: Reader): Found {
  const found: Found[] = [];
  while (!isEnd(reader) && !(found.length > 0 && see(reader, OR))) {
    if (found.length > 0) take(reader, AND);
    found.push(term(reader));
  }
  return group(reader, "and", found);
}

function term(reader: Reader): Found {
  let negate = false;
  while (take(reader, NOT)) negate = !negate;

  const sorts = reader.sort.length;
  const start = reader.at;
  const found = operand(reader, negate);
  if (negate && reader.sort.length > sorts)
    throw new TextQueryError("a sort cannot be negated; for the other direction write sort:-name", start);
  return found && { ...found, negate: found.negate !== negate };
}

function operand(reader: Reader, isNegated: boolean): Found {
  const start = reader.at;
  const phone = take(reader, isNegated ? PHONE_WITH_PLUS : PHONE) ?? "";
  if (phone.replace(/\D/g, "").length >= 7) return word(reader, phone, "beginning_of_words");

  reader.at = start;
  if (take(reader, /\(/y)) return inParentheses(reader, "this parenthesis");
  const quoted = quotation(reader);
  const name = quoted ?? (see(reader, ADDRESS) ? null : fieldName(reader));
  if (name !== null) {
    const listed = take(reader, /\s+(?:not\s+)?in\s*\(/iy);
    if (listed) return named(reader, name, "in", listValues(reader, name), /^\s+not/i.test(listed));
    const operator = take(reader, OPERATOR);
    if (operator) return fieldOf(reader, name, operator, start);
    if (quoted === null && take(reader, /\(/y)) return related(reader, name);
  }
  if (quoted !== null) return word(reader, quoted, "phrase");

  reader.at = start;
  return word(reader, take(reader, RAW)!, "beginning_of_words");
}

// A colon after a scheme is part of the address.
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/|(?:mailto|tel):\S/iy;
const NAME = /[\p{L}_](?:[\p{L}\p{M}\p{N}_.-]*[\p{L}\p{M}\p{N}_])?/uy;
const PLAIN_NAME = new RegExp(`^${NAME.source}$`, "u");
// Attached to the name, or with space on both sides: `Smith <smith@acme.com>` compares nothing.
const OPERATOR = /:?(?:>=|<=|<>|>|<)|!=|==|[=:]|\s+(?:>=|<=|<>|!=|==|=|[<>](?=[\s\d"“])|:(?=\s*[\d"“]))/y;
/** `custom."Deal size"`: text between quotation marks is part of the name. */
const QUOTED_PART = /\.(?="[^"]|“[^”])/y;
/** Up to a space or a parenthesis. A matching pair within the word is part of it: `/wiki/Acme_(company)`. */
const RAW = /(?:[^\s()]|\([^\s()]*\))+/y;
const PHONE = new RegExp(PHONE_RUN.source, "y");
const PHONE_WITH_PLUS = new RegExp(`(?=\\+)${PHONE_RUN.source}`, "y");

function fieldName(reader: Reader): string | null {
  const name = take(reader, NAME);
  return name !== null && take(reader, QUOTED_PART) ? `${name}.${quotation(reader)}` : name;
}

function inParentheses(reader: Reader, what: string): Found {
  const opened = reader.at - 1;
  if (++reader.depth > MAX_DEPTH) throw new TextQueryError(`parentheses may nest at most ${MAX_DEPTH} deep`, opened);

  const found = anyOf(reader);
  if (!take(reader, /\s*\)/y)) throw new TextQueryError(`${what} is never closed`, opened);
  reader.depth--;
  if (found === null) reader.skipped ??= "()";
  return found;
}

function related(reader: Reader, name: string): Found {
  const opened = reader.at - 1;
  const related_query = inParentheses(reader, `the parenthesis after ${name}`);
  if (related_query === null) throw new TextQueryError(`${name}( ) needs something to look for; ${name}(*) finds any`, opened);
  return count(reader, { type: "named_related", name, related_query, negate: false });
}

function fieldOf(reader: Reader, name: string, written: string, start: number): Found {
  const sign = written.trim().replace(/^:(?=.)/, "");
  const negate = sign === "!=" || sign === "<>";
  const operator = (negate || sign === "==" ? "=" : sign) as Operator;
  if (name.toLowerCase() === "sort" && operator === ":") return sortBy(reader, start);
  skipSpace(reader);
  if ((operator === ":" || operator === "=") && take(reader, /\(/y))
    return named(reader, name, operator, listValues(reader, name), negate);
  const ends = operator === ":" ? take(reader, RANGE) : null;
  if (ends !== null) return between(reader, name, ends);
  const single = see(reader, /'[^']*'(?=[\s)]|$)/y);
  if (single !== null)
    throw new TextQueryError(`double quotes are needed: ${asWritten(name)}${sign}"${single.slice(1, -1)}"`, reader.at);
  const value = quotation(reader) ?? take(reader, RAW);
  if (value === null)
    throw new TextQueryError(`${asWritten(name)}${sign} needs a value, such as ${asWritten(name)}${sign}"x"`, start);
  return named(reader, name, operator, [value], negate);
}

const RANGE = /\[\s*(?:"[^"]*"|[^"\s\]]+)\s+to\s+(?:"[^"]*"|[^"\s\]]+)\s*\]/iy;

/** `[10 TO 20]` with both its ends; `*` leaves one open. */
function between(reader: Reader, name: string, written: string): Found {
  const ends = written
    .slice(1, -1)
    .split(/\s+to\s+(?=\S)/i)
    .map((end) => end.trim().replaceAll('"', ""));
  const bounds = ([">=", "<="] as const).map((operator, i) =>
    ends[i] === "*" ? null : named(reader, name, operator, [ends[i]!], false),
  );
  return group(reader, "and", bounds) ?? named(reader, name, ":", ["*"], false);
}

/** A name with special characters was quoted, and is shown so. */
const asWritten = (name: string) => (PLAIN_NAME.test(name) ? name : JSON.stringify(name));

/** `sort:-created,name`, `sort:created desc`. */
function sortBy(reader: Reader, start: number): null {
  do {
    const minus = take(reader, /\s*-/y);
    const given = quotation(reader) ?? fieldName(reader);
    const [, sign, name] = /^\s*(-?)\s*(.*?)\s*$/s.exec(given ?? "")!;
    if (!name) throw new TextQueryError("sort: needs a field, such as sort:-date_created", start);
    const isDescending =
      take(reader, /(?:\s+|:)(?:asc|desc)(?![^\s),])/iy)
        ?.toLowerCase()
        .endsWith("desc") ?? false;
    reader.sort.push({ name, direction: minus || sign || isDescending ? "desc" : "asc" });
  } while (take(reader, /\s*,\s*(?=[^\s)])/y));
  return null;
}

function listValues(reader: Reader, name: string): string[] {
  const opened = reader.at - 1;
  const values: string[] = [];
  do {
    skipSpace(reader);
    const value = quotation(reader) ?? take(reader, LISTED)?.trim();
    if (value !== undefined) values.push(value);
  } while (take(reader, /\s*,|\s+or(?=[\s"“])/iy));

  if (!take(reader, /\s*\)/y)) throw new TextQueryError(`the list after ${asWritten(name)} is never closed`, opened);
  if (values.length > MAX_VALUES)
    throw new TextQueryError(`${asWritten(name)} in ( ) takes ${MAX_VALUES} values at most`, opened);
  if (values.length === 0) throw new TextQueryError(`${asWritten(name)} in ( ) needs at least one value`, opened);
  if (values.some((value) => /\s(?:and|not)\s/i.test(value)))
    throw new TextQueryError(`for several values write ${asWritten(name)} in (one, another)`, opened);
  return values;
}

/** One value of several, up to a comma or an `or`. */
const LISTED = /(?:(?!\s+or[\s"“])[^,()])+/iy;

function named(reader: Reader, name: string, operator: Operator, values: string[], negate: boolean): QueryNode {
  return count(reader, { type: "named_field", name, operator, values, negate });
}

function word(reader: Reader, value: string, mode: TextMode): Found {
  if (value === "*" && mode !== "phrase") return count(reader, EVERYTHING);
  if (/[\p{L}\p{N}]/u.test(value)) return count(reader, textNode(value, mode));
  reader.skipped ??= value;
  return null;
}

function textNode(value: string, mode: TextMode): QueryNode {
  return { type: "text", value, mode, negate: false };
}

/** The text between quotation marks, straight or curly; within straight ones `\"` and `\\` stand for `"` and `\`. */
function quotation(reader: Reader): string | null {
  const opening = see(reader, /["“]/y);
  if (opening === null) return null;
  const found = take(reader, opening === "“" ? /“[^”]*”/y : /"(?:[^"\\]|\\[^])*"/y);
  if (found === null) throw new TextQueryError("this quotation mark is never closed", reader.at);
  const inner = found.slice(1, -1);
  return opening === "“" ? inner : inner.replace(/\\(["\\])/g, "$1");
}

function group(reader: Reader, type: "and" | "or", found: Found[]): Found {
  const queries = found.filter((node) => node !== null);
  if (queries.length <= 1) return queries[0] ?? null;
  return count(reader, { type, queries, negate: false });
}

function count(reader: Reader, node: QueryNode): QueryNode {
  if (++reader.nodes > MAX_NODES) throw new TextQueryError(`a query may have at most ${MAX_NODES} parts`, reader.at);
  return node;
}

function isEnd(reader: Reader): boolean {
  skipSpace(reader);
  return reader.at === reader.text.length || reader.text[reader.at] === ")";
}

function skipSpace(reader: Reader): void {
  take(reader, /\s+/y);
}

/** What stands here, if it looks like this. Every pattern is sticky. */
function see(reader: Reader, pattern: RegExp): string | null {
  pattern.lastIndex = reader.at;
  return pattern.exec(reader.text)?.[0] ?? null;
}

function take(reader: Reader, pattern: RegExp): string | null {
  const found = see(reader, pattern);
  reader.at += found?.length ?? 0;
  return found;
}
