// The rows of a sheet of a workbook, as the spreadsheet shows them: dates as dates, percentages as percentages, formulas as their
// results.

import { type Format, formatsIn, numberOf } from "./sheet_numbers.ts";
import { type CellValue, columnsMax, type Lines } from "./table.ts";
import { type Handlers, Workbook } from "./workbook.ts";

const sharedCharsMax = 64 * 1024 ** 2;

/** The sheet of this name, or else the first one that is not hidden. `close` ends the reading. */
export async function sheetLines(
  file: { path: string; size: number; place: string },
  wanted: string | null,
): Promise<Lines & { sheet: string; close(): void }> {
  const book = await Workbook.open(file.path, file.size, file.place);
  try {
    const { sheet, path, shared, formats, is1904 } = await contentsOf(book, wanted);
    return { sheet, names: null, cells: rowsOf(book, path, { shared, formats, is1904 }), close: () => book.close() };
  } catch (error) {
    book.close();
    throw error;
  }
}

interface Known {
  shared: readonly string[];
  /** Of each style. */
  formats: readonly Format[];
  is1904: boolean;
}

async function contentsOf(book: Workbook, wanted: string | null): Promise<Known & { sheet: string; path: string }> {
  const [root = "xl/workbook.xml"] = (await relationsOf(book, ""))
    .values()
    .filter(({ type }) => type === "officeDocument")
    .map(({ path }) => path);
  const relations = await relationsOf(book, root);
  const sheets: { name: string; id: string; isHidden: boolean }[] = [];
  let is1904 = false;
  await book.readAll(root, {
    open(name, attributes) {
      if (name === "workbookPr") is1904 = /^(1|true)$/.test(attributes.date1904 ?? "");
      const id = Object.entries(attributes).find(([key]) => key.endsWith(":id"))?.[1];
      if (name === "sheet" && id !== undefined)
        sheets.push({ name: attributes.name ?? "", id, isHidden: (attributes.state ?? "visible") !== "visible" });
    },
  });
  const sheet = sheets.find(({ name, isHidden }) => (wanted === null ? !isHidden : name === wanted));
  const path = sheet && relations.get(sheet.id)?.path;
  if (path === undefined || !book.has(path))
    book.refuse(
      `has no sheet ${wanted ?? "that is shown"}: there are ${sheets
        .slice(0, 20)
        .map(({ name }) => name)
        .join(", ")}`,
    );
  const partOf = (type: string) => relations.values().find((one) => one.type === type && book.has(one.path))?.path;
  const [strings, styles] = [partOf("sharedStrings"), partOf("styles")];
  return {
    sheet: sheet!.name,
    path: path!,
    is1904,
    shared: strings === undefined ? [] : await sharedIn(book, strings),
    formats: styles === undefined ? [] : await formatsIn(book, styles),
  };
}

/** What the relations of a part name: `xl/workbook.xml` has them in `xl/_rels/workbook.xml.rels`. */
async function relationsOf(book: Workbook, part: string): Promise<Map<string, { type: string; path: string }>> {
  const folder = part.slice(0, part.lastIndexOf("/") + 1);
  const path = `${folder}_rels/${part.slice(folder.length)}.rels`;
  const found = new Map<string, { type: string; path: string }>();
  if (!book.has(path)) return found;
  await book.readAll(path, {
    open(name, { Id, Type, Target }) {
      if (name !== "Relationship" || Id === undefined || Type === undefined || Target === undefined) return;
      found.set(Id, { type: Type.split("/").at(-1)!, path: Target.startsWith("/") ? Target.slice(1) : folder + Target });
    },
  });
  return found;
}

/** The texts that cells name by their number. Those of `rPh` say how others are pronounced. */
async function sharedIn(book: Workbook, path: string): Promise<string[]> {
  const shared: string[] = [];
  let chars = 0;
  let [text, isText, isSpoken] = ["", false, false];
  await book.readAll(path, {
    open(name) {
      if (name === "si") text = "";
      if (name === "rPh") isSpoken = true;
      isText = name === "t";
    },
    text: (piece) => void (isText && !isSpoken && (text += piece)),
    close(name) {
      isText = false;
      if (name === "rPh") isSpoken = false;
      if (name !== "si") return;
      chars += text.length;
      if (chars > sharedCharsMax) book.refuse("has too much text for a workbook: save its sheet as CSV");
      shared.push(unescaped(text));
    },
  });
  return shared;
}

/** Characters that XML does not allow are written as `_x000D_`. */
const unescaped = (text: string): string =>
  text
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll("\0", "")
    .toWellFormed();

async function* rowsOf(book: Workbook, path: string, known: Known): AsyncGenerator<CellValue[]> {
  const sheet = new Sheet(known, (reason) => book.refuse(reason));
  try {
    for await (const _ of book.read(path, sheet.handlers)) yield* sheet.taken();
    yield* sheet.taken();
  } finally {
    book.close();
  }
}

/** The cell that is being read. */
interface Open {
  column: number;
  at: string;
  type: string;
  style: number;
  value: string;
  hasValue: boolean;
  hasFormula: boolean;
}

/** Rows without any value are left out. A cell without a value is null. */
class Sheet {
  readonly handlers: Handlers;
  private readonly known: Known;
  private readonly refuse: (reason: string) => never;
  private rows: CellValue[][] = [];
  private row: CellValue[] = [];
  private next = 0;
  private cell: Open | null = null;
  private isValue = false;

  constructor(known: Known, refuse: (reason: string) => never) {
    this.known = known;
    this.refuse = refuse;
    this.handlers = {
      open: (name, attributes) => this.opened(name, attributes),
      text: (text) => void (this.isValue && this.cell !== null && (this.cell.value += text)),
      close: (name) => this.closed(name),
    };
  }

  /** The rows that were read since the last call. */
  taken(): CellValue[][] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  private opened(name: string, { r, t = "n", s }: Readonly<Record<string, string>>): void {
    if (name === "row") [this.row, this.next] = [[], 0];
    if (name === "c") {
      const column = r === undefined ? this.next : columnOf(r);
      this.cell = { column, at: r ?? "", type: t, style: Number(s ?? 0), value: "", hasValue: false, hasFormula: false };
      this.next = column + 1;
    }
    if (name === "f" && this.cell !== null) this.cell.hasFormula = true;
    this.isValue = name === "v" || name === "t";
    if (this.isValue && this.cell !== null) this.cell.hasValue = true;
  }

  private closed(name: string): void {
    this.isValue = false;
    if (name === "c" && this.cell !== null) this.put(this.cell);
    if (name === "row" && this.row.some((one) => one !== null)) this.rows.push(Array.from(this.row, (one) => one ?? null));
  }

  private put(cell: Open): void {
    this.cell = null;
    if (cell.hasFormula && !cell.hasValue)
      this.refuse(`has a formula without its result in ${cell.at}: open it in a spreadsheet program and save it`);
    const value = this.valueOf(cell);
    if (value === "") return;
    if (cell.column >= columnsMax) this.refuse(`must have ${columnsMax} columns or fewer; there is a value in ${cell.at}`);
    this.row[cell.column] = value;
  }

  private valueOf({ type, value, style, hasFormula }: Open): string | number {
    const { shared, formats, is1904 } = this.known;
    if (type === "s") return shared[Number(value)] ?? "";
    if (type === "b") return value === "" ? "" : String(value === "1");
    if (type === "n") return numberOf(value, { format: formats[style] ?? "plain", is1904, isResult: hasFormula });
    return unescaped(value);
  }
}

/** The number of the column of a place such as `AB12`, from 0. */
function columnOf(place: string): number {
  let column = 0;
  for (const letter of place) {
    const digit = letter.charCodeAt(0) - 64;
    if (digit < 1 || digit > 26) break;
    column = column * 26 + digit;
  }
  return Math.max(0, column - 1);
}
