// Writes tables: CSV, and the one sheet of a workbook. Both are written as they are read, in the memory of one page.
import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { invalid } from "../../core/errors.ts";
import { withGuard } from "../../values/formula_guard.ts";
import type { Cell } from "./columns.ts";
import type { ExportDialect } from "./dialect.ts";

export const mediaTypes = {
  csv: "text/csv; charset=utf-8",
  json: "application/json",
  jsonl: "application/x-ndjson",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;

export type Rows = AsyncIterable<Cell[][]>;

export async function* csv(headers: readonly string[], rows: Rows, dialect: ExportDialect = {}): AsyncGenerator<Buffer> {
  yield Buffer.from(`${dialect.bom ? "\ufeff" : ""}${lineOf(headers, dialect)}`);
  for await (const page of rows) yield Buffer.from(page.map((row) => lineOf(row, dialect)).join(""));
}

/** A line by RFC 4180, with each value in quotes. A library would allocate several megabytes for a hundred lines. */
const lineOf = (cells: readonly Cell[], dialect: ExportDialect): string =>
  `${cells.map((cell) => csvCell(cell, dialect)).join(dialect.delimiter ?? ",")}\r\n`;

const csvCell = (cell: Cell, { guard = true, decimal = "." }: ExportDialect): string => {
  const text = typeof cell === "number" ? String(cell).replace(".", decimal) : String(cell ?? "");
  return `"${(guard && typeof cell === "string" ? withGuard(text) : text).replaceAll('"', '""')}"`;
};

/** The most rows and characters that a sheet and a cell can have. */
const [rowsMost, cellMost] = [1_048_576, 32_767];

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const parts: Readonly<Record<string, string>> = {
  "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
  "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  "xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relationships}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets><sheet name="Export" sheetId="1" r:id="rId1"/></sheets></workbook>`,
};

/** A workbook by ISO/IEC 29500. Nothing in it is a formula. */
export function xlsx(headers: readonly string[], rows: Rows): AsyncIterable<Buffer> {
  const zip = new ZipFile();
  for (const [path, xml] of Object.entries(parts)) zip.addBuffer(Buffer.from(xmlHead + xml), path);
  const sheet = Readable.from(sheetOf(headers, rows));
  const output = zip.outputStream as Readable;
  sheet.once("error", (error) => output.destroy(error));
  zip.addReadStream(sheet, "xl/worksheets/sheet1.xml");
  zip.end();
  return output;
}

async function* sheetOf(headers: readonly string[], rows: Rows): AsyncGenerator<Buffer> {
  yield Buffer.from(`${xmlHead}<worksheet xmlns="${main}"><sheetData>${rowOf([...headers], 1)}`);
  let count = 1;
  for await (const page of rows) {
    if (count + page.length > rowsMost) throw invalid({ format: `a sheet has at most ${rowsMost} rows: export as csv` });
    yield Buffer.from(page.map((row) => rowOf(row, ++count)).join(""));
  }
  yield Buffer.from("</sheetData></worksheet>");
}

const rowOf = (cells: Cell[], row: number): string =>
  `<row r="${row}">${cells.map((cell, i) => cellXml(cell, `${lettersOf(i)}${row}`)).join("")}</row>`;

/** The name of a column: A to Z, then AA and so on. */
const lettersOf = (i: number): string =>
  i < 26 ? String.fromCharCode(65 + i) : `${lettersOf(Math.floor(i / 26) - 1)}${lettersOf(i % 26)}`;

function cellXml(cell: Cell, at: string): string {
  if (cell === null || cell === "") return "";
  if (typeof cell === "number") return `<c r="${at}"><v>${cell}</v></c>`;
  if (typeof cell === "boolean") return `<c r="${at}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell.slice(0, cellMost))}</t></is></c>`;
}

// oxlint-disable-next-line no-control-regex -- XML allows no others
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;" };
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(notXml, "")
    .replace(/[&<>\r]/g, (one) => entities[one]!);
