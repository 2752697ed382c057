// From what a caller sends to a table: names of columns, and rows of texts.
import { isUtf8 } from "node:buffer";
import { parse } from "csv-parse";
import { invalid } from "../../core/errors.ts";

export interface Table {
  /** Of the file it came in. */
  name?: string | null;
  names: string[];
  /** As many cells as there are columns; null where a row is short. */
  rows: (string | null)[][];
}

export const columnsMax = 100;
const rowsMax = 1_000_000;
const cellMax = 100_000;

/** Reads CSV with a row of names first; `place` is the field that is refused. */
export async function readCsv(text: string, place: string): Promise<Table> {
  if (text.includes("\0")) throw invalid({ [place]: "must not contain NUL" });
  const parser = parse(text, {
    bom: true,
    delimiter: delimiterOf(text),
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: columnsMax * cellMax,
  });
  const lines: string[][] = [];
  try {
    for await (const line of parser) {
      if (lines.length > rowsMax) throw invalid({ [place]: `must have ${rowsMax} rows or fewer` });
      lines.push(line);
    }
  } catch (error) {
    if (error instanceof Error && "code" in error) throw invalid({ [place]: `is not CSV: ${error.message}` });
    throw error;
  }
  const [header = [], ...rows] = lines;
  return tableOf(header, rows, place);
}

/** The one of comma, semicolon and tab that the first line has most, outside of quotes. */
function delimiterOf(text: string): string {
  const [line = ""] = text.replace(/"(?:[^"]|"")*"/g, "").split(/\r?\n/, 1);
  const count = (mark: string) => line.split(mark).length;
  return [",", ";", "\t"].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

/** Reads a list of objects: every key of any of them is a column. */
export function readRows(rows: readonly Record<string, unknown>[], place: string): Table {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const texts = rows.map((row, n) => names.map((name) => cellOf(row[name], `${place}.${n}.${name}`)));
  return tableOf(names, texts, place);
}

/** Reads a file: CSV, or JSON that is a list of objects. */
export async function readFileText(bytes: Buffer, place: string): Promise<Table> {
  if (!isUtf8(bytes)) throw invalid({ [place]: "must be text in UTF-8" });
  const text = bytes.toString("utf8");
  return /^\ufeff?\s*\[/.test(text) ? readRows(parseList(text.replace(/^\ufeff/, ""), place), place) : readCsv(text, place);
}

function parseList(text: string, place: string): Record<string, unknown>[] {
  try {
    const list = JSON.parse(text) as unknown[];
    if (list.every((one) => typeof one === "object" && one !== null && !Array.isArray(one)))
      return list as Record<string, unknown>[];
  } catch {
    // Said below, with what else a file may be.
  }
  throw invalid({ [place]: "must be CSV, or JSON that is a list of objects" });
}

function cellOf(value: unknown, place: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "object") throw invalid({ [place]: "must be text, a number, true, false or null" });
  const text = String(value);
  if (text.includes("\0") || !text.isWellFormed()) throw invalid({ [place]: "must not contain NUL or half of a surrogate pair" });
  return text;
}

function tableOf(header: readonly string[], rows: readonly (string | null)[][], place: string): Table {
  const width = header.length;
  if (width === 0 || rows.length === 0) throw invalid({ [place]: "must have a row of names and a row of values" });
  if (width > columnsMax) throw invalid({ [place]: `must have ${columnsMax} columns or fewer` });
  const cells = rows.map((row) => Array.from({ length: width }, (_, i) => row[i] ?? null));
  for (const [n, row] of cells.entries()) {
    if (row.some((cell) => cell !== null && cell.length > cellMax))
      throw invalid({ [place]: `row ${n + 1} has a cell of more than ${cellMax} characters` });
  }
  return { names: distinct(header), rows: cells };
}

/** Columns are told apart by their names: one without gets its number, and the second `Name` is `Name 2`. */
function distinct(header: readonly string[]): string[] {
  const taken = new Set<string>();
  return header.map((raw, i) => {
    const name = raw.trim().slice(0, 200) || `Column ${i + 1}`;
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name} ${n}`;
    taken.add(free);
    return free;
  });
}
