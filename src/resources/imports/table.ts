// A table as it is read: column names, and rows of cells. However large it is, only a piece of it is in memory.
import { open } from "node:fs/promises";
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { type Storage, TooLarge } from "../../services/storage.ts";

export const dialect = z.strictObject({
  format: z.enum(["csv", "json", "jsonl", "xlsx"]),
  encoding: z.string().optional(),
  certain: z
    .literal(false)
    .optional()
    .describe("The encoding is a guess by the letters: look at the samples, and name `encoding` if they are wrong."),
  delimiter: z.string().optional().describe("What separates the cells of CSV."),
  sheet: z.string().optional().describe("The sheet of a workbook."),
});

/** What kind of file the table came from. */
export type Dialect = z.output<typeof dialect>;

export interface Table {
  /** The name of the uploaded file. */
  name?: string | null;
  /** Null for rows of a request. */
  dialect: Dialect | null;
  columns: FoundColumn[];
  n_rows: number;
  /** The rows in order: JSON lists of rows. Each row is a list of cells; one with more cells than columns is an error of its own. */
  pieces(): AsyncIterable<Piece>;
  /** Forgets the rows. */
  drop(): Promise<void>;
}

export interface FoundColumn {
  name: string;
  samples: string[];
  /** All values of a column that has few different ones, or else some. */
  values: string[];
  nested?: true;
}

interface Piece {
  rows: number;
  json: string;
}

/** What is a number in JSON or in a workbook stays one: as text it would be read by the decimal mark of its column. */
export type CellValue = string | number | null;
export type Cells = readonly CellValue[];

/** What a file consists of. */
export interface Lines {
  /** The column names; more may be found while reading. Null if the first line has them. */
  names: string[] | null;
  /** The columns with cells of JSON; more may be found while reading. */
  nested?: ReadonlySet<number>;
  cells: AsyncIterable<Cells>;
}

export const columnsMax = 100;
export const cellMax = 100_000;
/** A cell of JSON, such as all people of a lead. */
const nestedMax = 10 * cellMax;
/** No line of a table can be longer. */
export const lineMax = columnsMax * cellMax;
const rowsMax = 1_000_000;
const cellsMax = 20_000_000;
const samplesMax = 5;
const sampleMax = 100;
/** A column with more different values is none of states. */
const valuesMax = 50;
/** What is stored together: so many rows, or so many characters. */
const pieceRows = 1000;
const pieceChars = 1024 ** 2;
/** The rows take more bytes than their file: quotes around each cell. */
const keptBytesMax = 1024 ** 3;
/** The most rows with more cells than the header: a table with more is read wrongly. Cells that are missing at the end are empty. */
const longerMax = 20_000;

/** Reads lines to their end. The rows are kept in a temporary file. `place` is the field to name in errors. */
export async function collect(storage: Storage, place: string, lines: Lines, from: Dialect | null): Promise<Table> {
  const collected = new Collected(lines, place);
  const received = await storage.receive(collected.take(lines.cells), keptBytesMax).catch((error) => {
    throw error instanceof TooLarge ? invalid({ [place]: "has too much text: split it" }) : error;
  });
  try {
    return { dialect: from, ...collected.found(), pieces: () => piecesIn(received.path, collected.sizes), drop: received.drop };
  } catch (error) {
    await received.drop();
    throw error;
  }
}

interface Size {
  rows: number;
  bytes: number;
}

async function* piecesIn(path: string, sizes: readonly Size[]): AsyncGenerator<Piece> {
  const file = await open(path);
  try {
    let at = 0;
    for (const { rows, bytes } of sizes) {
      const buffer = Buffer.allocUnsafe(bytes);
      for (let read = 0; read < bytes; ) read += (await file.read(buffer, read, bytes - read, at + read)).bytesRead;
      yield { rows, json: buffer.toString() };
      at += bytes;
    }
  } finally {
    await file.close();
  }
}

/** Counts what is read, and turns it into pieces. */
class Collected {
  readonly sizes: Size[] = [];
  private names: string[] | null;
  private readonly nested: ReadonlySet<number>;
  private readonly mayGrow: boolean;
  private readonly values: Set<string>[] = [];
  private readonly place: string;
  private open: string[] = [];
  private openChars = 0;
  private rows = 0;
  private cells = 0;
  private longer = 0;

  constructor({ names, nested }: Lines, place: string) {
    this.names = names;
    this.nested = nested ?? new Set();
    this.mayGrow = names !== null;
    this.place = place;
  }

  /** The pieces of these lines as bytes. */
  async *take(lines: AsyncIterable<Cells>): AsyncGenerator<Buffer> {
    for await (const line of lines) {
      if (this.names === null) this.names = line.map((one) => String(one ?? ""));
      else if (!this.hasNames(line)) this.add(line);
      this.checkColumns();
      if (this.open.length >= pieceRows || this.openChars >= pieceChars) yield this.close();
    }
    if (this.open.length > 0) yield this.close();
  }

  found(): { columns: Table["columns"]; n_rows: number } {
    if (!this.names?.length || this.rows === 0) this.refuse("must have a row of names and a row of values");
    if (this.names!.some((name) => name.includes("\0"))) this.refuse("must not contain NUL in the name of a column");
    const columns = distinct(this.names!).map((name, i) => ({
      name,
      samples: [...(this.values[i] ?? [])].slice(0, samplesMax),
      values: [...(this.values[i] ?? [])],
      ...(this.nested.has(i) && { nested: true as const }),
    }));
    return { columns, n_rows: this.rows };
  }

  /** Files that were put together have the names again. */
  private hasNames(line: Cells): boolean {
    return (
      !this.mayGrow &&
      line.length > 1 &&
      line.length === this.names!.length &&
      line.every((one, i) => textOf(one) === this.names![i])
    );
  }

  private add(given: Cells): void {
    const width = this.names!.length;
    const row = given.length > width ? withoutBlankEnd(given, width) : given;
    if (!this.mayGrow && row.length > width && ++this.longer > longerMax)
      this.refuse(`must not have more cells in a row than there are column names; more than ${longerMax} rows have`);
    this.rows++;
    this.cells += row.length;
    if (this.rows > rowsMax) this.refuse(`must have ${rowsMax} rows or fewer: split it`);
    if (this.cells > cellsMax) this.refuse(`must have ${cellsMax} cells or fewer: split it`);
    for (const [i, value] of row.entries()) {
      const cell = textOf(value);
      if (cell === null) continue;
      const most = this.nested.has(i) ? nestedMax : cellMax;
      if (cell.length > most) this.refuse(`row ${this.rows} has a cell of more than ${most} characters`);
      if (i < width) this.sample(i, cell);
    }
    const json = JSON.stringify(row);
    this.open.push(json);
    this.openChars += json.length;
  }

  private checkColumns(): void {
    const { length } = this.names!;
    if (length > columnsMax) this.refuse(`must have ${columnsMax} columns or fewer; it has ${length}`);
  }

  private sample(column: number, cell: string): void {
    const values = (this.values[column] ??= new Set());
    if (values.size === valuesMax) return;
    const text = cell.trim();
    if (text !== "") values.add(shortened(text, sampleMax));
  }

  private close(): Buffer {
    const piece = Buffer.from(`[${this.open.join(",")}]`);
    this.sizes.push({ rows: this.open.length, bytes: piece.length });
    this.open = [];
    this.openChars = 0;
    return piece;
  }

  private refuse(reason: string): never {
    throw invalid({ [this.place]: reason });
  }
}

const textOf = (cell: CellValue): string | null => (typeof cell === "number" ? String(cell) : cell);

/** Spreadsheets often write empty cells at the end of a row. */
function withoutBlankEnd(row: Cells, width: number): Cells {
  const last = row.findLastIndex((cell) => textOf(cell)?.trim());
  return row.slice(0, Math.max(width, last + 1));
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
