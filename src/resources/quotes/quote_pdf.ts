// A quote as PDF. It depends only on the quote's content. It is written in steps that yield to other requests, because the
// largest quotes take a second.
import { finished } from "node:stream/promises";
import { setImmediate as turn } from "node:timers/promises";
import type { Column, Line, Look, Typesetter } from "../../services/fonts/typesetter.ts";
import type { Storage } from "../../services/storage.ts";
import { isolated } from "../../values/bidi.ts";
import { oneLine } from "../../values/one_line.ts";
import { type Logo, logoIfGood } from "../organization/logo.ts";
import { heading, type QuoteDocument } from "./quote_document.ts";
import { type Band, bandsOf, headsOf, type Looks, leading, tableOf } from "./quote_pdf_table.ts";

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
const total: Look = { size: 12, bold: true, color: ink };
const looks: Looks = { heads: label, cells: body, descriptions: small };

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

/** Above and below a line. */
const padding = 6;

function* table(sheet: Sheet, of: QuoteDocument): Steps {
  const form = tableOf(sheet.set, of, looks, whole);
  const titles = headsOf(sheet.set, form, of.columns);
  const heads = () => {
    sheet.pdf.y += padding;
    for (const band of titles) drawBand(sheet, band);
    sheet.pdf.y += 4;
    line(sheet, sheet.pdf.y, 0.75);
  };
  const headsHeight = padding + heightOf(titles) + 4;
  if (of.lines.length === 0) heads();
  for (const one of of.lines) {
    const bands = yield* bandsOf(sheet.set, form, looks, of.columns, one);
    const together = keptTogether(bands, lowest - margin - headsHeight);
    if (one === of.lines[0]) {
      room(sheet, headsHeight + together);
      heads();
      sheet.begin = heads;
    }
    room(sheet, together);
    yield* writeLine(sheet, bands);
  }
  sheet.begin = () => {};
}

/** How much of a line must fit on the page where it begins: all of it, unless it is longer than a page. */
function keptTogether(bands: readonly Band[], most: number): number {
  const height = heightOf(bands) + 2 * padding;
  return height <= most ? height : heightOf(bands.slice(0, 3)) + padding;
}

const heightOf = (bands: readonly Band[]): number => bands.reduce((sum, { height }) => sum + height, 0);

function* writeLine(sheet: Sheet, bands: readonly Band[]): Steps {
  sheet.pdf.y += padding;
  for (const band of bands) {
    room(sheet, band.height);
    drawBand(sheet, band);
    yield;
  }
  sheet.pdf.y += padding;
  line(sheet, sheet.pdf.y);
}

function drawBand({ pdf, set }: Sheet, { cells, height }: Band): void {
  for (const cell of cells) set.draw(cell.line, cell.look, cell.column, pdf.y + cell.look.size * 1.08);
  pdf.y += height;
}

function sums(sheet: Sheet, given: readonly [string, string][]): void {
  const { pdf, set } = sheet;
  const widest = given.map(([name, amount]) => set.width(name, body) + set.width(amount, total) + 16);
  const width = Math.min(whole.width, Math.max(230, ...widest));
  const right = { x: pageWidth - margin - width, width };
  pdf.y += 8;
  room(sheet, given.length * 17 + 14);
  for (const [i, [name, amount]] of given.entries()) {
    const last = i === given.length - 1;
    if (last) line(sheet, pdf.y + 3, 0.75, right.x);
    if (last) pdf.y += 8;
    const look: Look = last ? total : body;
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
  const number = ` · ${of.number}`;
  const [seller] = set.lines(oneLine(of.seller.name), label, 380 - set.width(number, label));
  for (let page = 0; page < count; page++) {
    pdf.switchToPage(page);
    const y = pageHeight - 36;
    set.draw(ltr(`${isolated(seller!.text)}${number}`), label, whole, y);
    set.draw(ltr(`Page ${page + 1} of ${count}`), label, { ...whole, align: "right" }, y);
  }
}
