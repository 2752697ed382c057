// Turns an upload into a table: column names, and rows of texts.
import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { parse } from "csv-parse";
import { invalid } from "../../core/errors.ts";
import { isExact } from "../../values/number.ts";

export interface Table {
  /** The name of the uploaded file. */
  name?: string | null;
  columns: { name: string; samples: string[] }[];
  n_rows: number;
  /** The rows in order, as JSON: lists of `pieceRows` rows. Each row is a list of cells, with no more cells than columns. */
  pieces: string[];
}

type Cells = readonly (string | null)[];

export const columnsMax = 100;
const rowsMax = 1_000_000;
const cellsMax = 20_000_000;
const cellMax = 100_000;
const samplesMax = 5;
const sampleMax = 100;
/** How many rows are stored together. */
export const pieceRows = 1000;
const chunkBytes = 16 * 1024;
/** The most rows with more or fewer cells than the header. The parser creates an error for each, which takes 30 µs. */
const unevenMax = 20_000;

/** Reads CSV whose first row has the names. `place` is the field to name in errors. */
export async function readCsv(bytes: Buffer, place: string): Promise<Table> {
  if (bytes.includes(0)) throw invalid({ [place]: "must not contain NUL" });
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(bytes.subarray(0, chunkBytes).toString("utf8")),
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: columnsMax * cellMax,
  });
  let table: Collected | undefined;
  try {
    for await (const line of Readable.from(chunks(bytes)).compose(parser) as AsyncIterable<string[]>) {
      if (table === undefined) table = new Collected(line, place);
      else table.add(line);
    }
  } catch (error) {
    if (error instanceof Error && "code" in error) throw invalid({ [place]: `is not CSV: ${error.message}` });
    throw error;
  }
  return (table ?? new Collected([], place)).done();
}

/** Yields to other requests between two chunks: 20 MB take a second or two. */
async function* chunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += chunkBytes) {
    yield bytes.subarray(from, from + chunkBytes);
    await nextTurn();
  }
}

/** The separator: the most frequent one of comma, semicolon and tab in the first line, outside of quotes. */
function delimiterOf(text: string): string {
  const [line = ""] = text.replace(/"(?:[^"]|"")*"/g, "").split(/\r?\n/, 1);
  const count = (mark: string) => line.split(mark).length;
  return [",", ";", "\t"].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

/** Reads a list of objects. Every key of any of them is a column. */
export async function readRows(rows: readonly Record<string, unknown>[], place: string): Promise<Table> {
  const names = [...namesIn(rows)];
  const table = new Collected(names, place);
  for (const [n, row] of rows.entries()) {
    table.add(names.map((name) => cellOf(row[name], `${place}.${n}.${name}`)));
    if (n % pieceRows === 0) await nextTurn();
  }
  return table.done();
}

/** The keys of all rows. Stops as soon as there are too many. */
function namesIn(rows: readonly Record<string, unknown>[]): Set<string> {
  const names = new Set<string>();
  for (const row of rows) {
    for (const name of Object.keys(row)) names.add(name);
    if (names.size > columnsMax) break;
  }
  return names;
}

/** Reads a file: CSV, JSON with a list of objects, or JSON with an object in each line. */
export async function readFileText(given: Buffer, place: string): Promise<Table> {
  if (given.subarray(0, 4).equals(workbookMark)) throw invalid({ [place]: "is a workbook: save its sheet as CSV" });
  const bytes = asUtf8(given);
  const [, mark] = /^\ufeff?\s*([[{])/.exec(bytes.subarray(0, chunkBytes).toString("utf8")) ?? [];
  if (mark === undefined) return readCsv(bytes, place);
  return readRows(parseList(bytes.toString("utf8").replace(/^\ufeff/, ""), mark === "{", place), place);
}

const workbookMark = Buffer.from("PK\u0003\u0004");

/** A mark says UTF-16. What is no UTF-8 either is Windows-1252, which spreadsheets write. */
function asUtf8(bytes: Buffer): Buffer {
  const mark = bytes.subarray(0, 2).toString("hex");
  if (mark !== "fffe" && mark !== "feff" && isUtf8(bytes)) return bytes;
  const encoding = mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : "windows-1252";
  return Buffer.from(new TextDecoder(encoding).decode(bytes));
}

function parseList(text: string, inLines: boolean, place: string): Record<string, unknown>[] {
  try {
    const list = inLines ? linesOf(text).map(parsed) : (parsed(text) as unknown[]);
    if (list.every((one) => typeof one === "object" && one !== null && !Array.isArray(one)))
      return list as Record<string, unknown>[];
  } catch {
    // The error below names it together with the other formats.
  }
  throw invalid({ [place]: "must be CSV, or JSON with a list of objects or an object in each line" });
}

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

/** Keeps the text of numbers that JSON would change. Few files have any, and the check takes time. */
const parsed = (text: string): unknown => (/\d{16}/.test(text) ? JSON.parse(text, asWritten) : JSON.parse(text));

const asWritten = (_key: string, value: unknown, at?: { source?: string }): unknown =>
  typeof value === "number" && !isExact(value) ? at?.source : value;

function cellOf(value: unknown, place: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "object") throw invalid({ [place]: "must be text, a number, true, false or null" });
  const text = String(value);
  if (text.includes("\0") || !text.isWellFormed()) throw invalid({ [place]: "must not contain NUL or half of a surrogate pair" });
  return text;
}

/**
 * Collects a table. Rows are turned into text at once: as arrays of strings, the rows of a file of 20 MB took half a gigabyte.
 */
class Collected {
  private readonly names: string[];
  private readonly samples: Set<string>[];
  private readonly pieces: string[] = [];
  private readonly place: string;
  private open: Cells[] = [];
  private rows = 0;
  private cells = 0;
  private uneven = 0;

  constructor(header: readonly string[], place: string) {
    if (header.length > columnsMax) throw invalid({ [place]: `must have ${columnsMax} columns or fewer` });
    this.names = distinct(header);
    this.samples = header.map(() => new Set());
    this.place = place;
  }

  add(given: Cells): void {
    if (given.length !== this.names.length && ++this.uneven > unevenMax)
      this.refuse(`must have as many cells in each row as there are column names; more than ${unevenMax} rows differ`);
    const row = given.slice(0, this.names.length);
    this.rows++;
    this.cells += row.length;
    if (this.rows > rowsMax) this.refuse(`must have ${rowsMax} rows or fewer`);
    if (this.cells > cellsMax) this.refuse(`must have ${cellsMax} cells or fewer`);
    for (const [i, cell] of row.entries()) {
      if (cell === null) continue;
      if (cell.length > cellMax) this.refuse(`row ${this.rows} has a cell of more than ${cellMax} characters`);
      this.sample(this.samples[i]!, cell);
    }
    if (this.open.push(row) === pieceRows) this.close();
  }

  done(): Table {
    if (this.names.length === 0 || this.rows === 0) this.refuse("must have a row of names and a row of values");
    this.close();
    const columns = this.names.map((name, i) => ({ name, samples: [...this.samples[i]!] }));
    return { columns, n_rows: this.rows, pieces: this.pieces };
  }

  private sample(samples: Set<string>, cell: string): void {
    if (samples.size === samplesMax) return;
    const text = cell.trim();
    if (text !== "") samples.add(shortened(text, sampleMax));
  }

  private close(): void {
    if (this.open.length > 0) this.pieces.push(JSON.stringify(this.open));
    this.open = [];
  }

  private refuse(reason: string): never {
    throw invalid({ [this.place]: reason });
  }
}

/** Column names must differ: a column without a name gets its number, and a second `Name` becomes `Name 2`. */
function distinct(header: readonly string[]): string[] {
  const taken = new Set<string>();
  return header.map((raw, i) => {
    const name = shortened(raw.trim(), 200) || `Column ${i + 1}`;
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name} ${n}`;
    taken.add(free);
    return free;
  });
}

/** A cut must not leave half a surrogate pair. */
const shortened = (text: string, max: number): string => text.slice(0, max).toWellFormed();
