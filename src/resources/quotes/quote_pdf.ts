// A quote as PDF. It depends only on the quote's content. It is written in steps that yield to other requests, because the
// largest quotes take a second.
import { finished } from "node:stream/promises";
import { setImmediate as turn } from "node:timers/promises";
import type { Column, Line, Look, Typesetter } from "../../services/fonts/typesetter.ts";
import type { Storage } from "../../services/storage.ts";
import { type Logo, logoIfGood } from "../organization/logo.ts";
import { type DocumentLine, heading, type QuoteDocument, type Shown } from "./quote_document.ts";
import { tableColumns } from "./quote_pdf_columns.ts";

type Pdf = PDFKit.PDFDocument;

/** The page that is written, and with what. */
interface Sheet {
  pdf: Pdf;
  set: Typesetter;
  /** What a new page of the present part starts with. */
  begin(): void;
}

const margin = 48;
const [pageWidth, pageHeight] = [595.28, 841.89];
const whole: Column = { x: margin, width: pageWidth - 2 * margin, align: "start" };
/** The lowest place for content. The foot is below it. */
const lowest = pageHeight - 64;

const [ink, quiet, rule] = ["#1b2430", "#5a6472", "#d5dae1"];
const body: Look = { size: 9.5, color: ink };
const small: Look = { size: 8.5, color: quiet };
const label: Look = { size: 8, color: quiet };
const strong: Look = { ...body, bold: true };
const leading = 1.42;

/** A line that is drawn from left to right, whatever is in it. */
const ltr = (text: string): Line => ({ text, rightToLeft: false });

/** With the logo of the seller. Not within a transaction, as the storage may be slow. */
export const pdfOf = async (storage: Storage, of: QuoteDocument): Promise<Buffer> =>
  renderQuotePdf(of, await logoIfGood(storage, of.seller.logo));

export async function renderQuotePdf(of: QuoteDocument, logo: Logo | null = null): Promise<Buffer> {
  // Loaded when the first quote is sent: they take 30 MB, and many services never send one.
  const [{ default: PDFDocument }, { facesFor }, { openTypesetter }] = await Promise.all([
    import("pdfkit"),
    import("../../services/fonts/faces.ts"),
    import("../../services/fonts/typesetter.ts"),
  ]);
  const info = { Title: of.title, Author: of.seller.name, Creator: "Headwater" };
  const pdf = new PDFDocument({ size: "A4", margin: 0, bufferPages: true, lang: "en", displayTitle: true, info });
  const chunks: Buffer[] = [];
  pdf.on("data", (chunk: Buffer) => chunks.push(chunk));
  const set = openTypesetter(pdf, await facesFor(JSON.stringify(of)));
  const sheet: Sheet = { pdf, set, begin: () => {} };
  await inTurns(write(sheet, of, logo));
  foot(sheet, of);
  pdf.end();
  await finished(pdf);
  return Buffer.concat(chunks);
}

/** After this many milliseconds it yields to others. */
const turnMs = 10;

async function inTurns(steps: Iterable<void>): Promise<void> {
  let began = performance.now();
  for (const _ of steps) {
    if (performance.now() - began < turnMs) continue;
    await turn();
    began = performance.now();
  }
}

/** Yields if its time is up. */
type Steps = Generator<void, void>;

function* write(sheet: Sheet, of: QuoteDocument, logo: Logo | null): Steps {
  const { pdf } = sheet;
  yield* letterhead(sheet, of, logo);
  if (of.subject !== null) yield* words(sheet, of.subject, { size: 15, bold: true, color: ink }, { above: 26 });
  yield* words(sheet, of.header, body, { above: 12 });
  yield* words(sheet, of.description, body, { above: 12 });
  pdf.y += 22;
  yield* table(sheet, of);
  sums(sheet, of.sums);
  if (of.due !== null) yield* words(sheet, of.due, small, { above: 6, column: { ...whole, align: "right" } });
  yield* words(sheet, of.footer, body, { above: 22 });
  if (of.terms !== null) yield* words(sheet, "Terms", strong, { above: 22, lines: 2 });
  yield* words(sheet, of.terms, small, { above: 3 });
  if (of.answer !== null) yield* words(sheet, of.answer, strong, { above: 26 });
}

/** Who offers, the word that says what this is, and below them who it is for and from when to when. */
function* letterhead(sheet: Sheet, { seller, number, to, dates }: QuoteDocument, logo: Logo | null): Steps {
  const { pdf, set } = sheet;
  const [left, right] = [
    { ...whole, width: 290, align: "left" as const },
    { ...whole, x: margin + 310, width: whole.width - 310, align: "right" as const },
  ];
  pdf.y = margin;
  if (logo !== null) {
    const scale = Math.min(170 / logo.width, 46 / logo.height, 0.75);
    pdf.image(logo.bytes, margin, pdf.y, { width: logo.width * scale });
    pdf.y = margin + logo.height * scale + 10;
  }
  yield* words(sheet, seller.name, { ...strong, size: logo === null ? 13 : 10 }, { column: left });
  yield* words(sheet, seller.address, small, { column: left, above: 2 });
  const below = pdf.y;
  set.draw(ltr(heading), { size: 24, bold: true, color: ink }, right, margin + 20);
  set.draw(ltr(number), { ...body, color: quiet }, right, margin + 37);
  const top = Math.max(below, margin + 46) + 20;
  line(sheet, top - 8, 0.75);

  pdf.y = top;
  if (to.length > 0) yield* words(sheet, "For", label, { column: left, above: 6 });
  for (const [i, one] of to.entries()) yield* words(sheet, one, i === 0 ? strong : body, { column: left, above: 1 });
  const end = pdf.y;
  pdf.y = top + 6;
  for (const [name, day] of dates) {
    set.draw(ltr(name), label, { ...right, align: "left" }, pdf.y + 9);
    set.draw(ltr(day), body, right, pdf.y + 9);
    pdf.y += 15;
  }
  pdf.y = Math.max(end, pdf.y);
}

interface Place {
  /** The space left above it. */
  above?: number;
  /** How many lines stay on one page, including those that follow. */
  lines?: number;
  column?: Column;
}

/** Text of any length, over as many pages as it needs. */
function* words(sheet: Sheet, text: string | null, look: Look, { above = 0, lines = 1, column = whole }: Place = {}): Steps {
  if (text === null) return;
  const height = look.size * leading;
  sheet.pdf.y += above;
  for (const one of sheet.set.lines(text, look, column.width)) {
    room(sheet, lines * height);
    sheet.set.draw(one, look, column, sheet.pdf.y + look.size * 1.08);
    sheet.pdf.y += height;
    yield;
  }
}

// --- the table ---

function* table(sheet: Sheet, of: QuoteDocument): Steps {
  const columns = tableColumns(sheet.set, of, { heads: label, cells: body }, whole);
  const heads = () => {
    row(
      sheet,
      columns,
      of.columns.map(({ title }) => title),
      label,
    );
    sheet.pdf.y += 4;
    line(sheet, sheet.pdf.y, 0.75);
  };
  room(sheet, 60);
  heads();
  sheet.begin = heads;
  for (const one of of.lines) yield* writeLine(sheet, columns, of.columns, one);
  sheet.begin = () => {};
}

/** A line of the table, with its description below the name. */
function* writeLine(sheet: Sheet, columns: readonly Column[], shown: readonly Shown[], of: DocumentLine): Steps {
  row(
    sheet,
    columns,
    shown.map(({ key }) => of[key]),
    body,
  );
  yield;
  yield* words(sheet, of.description, small, { column: columns[0]! });
  sheet.pdf.y += 6;
  line(sheet, sheet.pdf.y);
}

/** Moves to the next page as a whole. */
function row(sheet: Sheet, columns: readonly Column[], given: readonly string[], look: Look): void {
  const { pdf, set } = sheet;
  const height = look.size * leading;
  const cells = given.map((text, i) => [...set.lines(text, look, columns[i]!.width)]);
  const lines = Math.max(...cells.map((cell) => cell.length));
  room(sheet, lines * height + 14);
  pdf.y += 6;
  for (const [i, cell] of cells.entries())
    for (const [n, one] of cell.entries()) set.draw(one, look, columns[i]!, pdf.y + look.size * 1.08 + n * height);
  pdf.y += lines * height;
}

function sums(sheet: Sheet, given: readonly [string, string][]): void {
  const { pdf, set } = sheet;
  const right = { x: pageWidth - margin - 230, width: 230 };
  pdf.y += 8;
  room(sheet, given.length * 17 + 14);
  for (const [i, [name, amount]] of given.entries()) {
    const last = i === given.length - 1;
    if (last) line(sheet, pdf.y + 3, 0.75, right.x);
    if (last) pdf.y += 8;
    const look: Look = last ? { size: 12, bold: true, color: ink } : body;
    set.draw(ltr(name), last ? look : { ...look, color: quiet }, { ...right, align: "left" }, pdf.y + 12);
    set.draw(ltr(amount), look, { ...right, align: "right" }, pdf.y + 12);
    pdf.y += 17;
  }
}

// --- pages ---

/** Starts a new page when this much does not fit on the current one. */
function room({ pdf, begin }: Sheet, height: number): void {
  if (pdf.y + height <= lowest) return;
  pdf.addPage();
  pdf.y = margin;
  begin();
}

function line({ pdf }: Sheet, y: number, thick = 0.5, from = margin): void {
  const at = pdf.y;
  pdf
    .moveTo(from, y)
    .lineTo(pageWidth - margin, y)
    .lineWidth(thick)
    .strokeColor(rule)
    .stroke();
  pdf.y = at;
}

/** What every page ends with. It is known at the end how many there are. */
function foot({ pdf, set }: Sheet, of: QuoteDocument): void {
  const { count } = pdf.bufferedPageRange();
  for (let page = 0; page < count; page++) {
    pdf.switchToPage(page);
    const y = pageHeight - 36;
    const [name] = set.lines(`${of.seller.name} · ${of.number}`, label, 380);
    set.draw(ltr(name!.text), label, whole, y);
    set.draw(ltr(`Page ${page + 1} of ${count}`), label, { ...whole, align: "right" }, y);
  }
}
