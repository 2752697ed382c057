// A quote as PDF, in the fonts of every PDF reader. It depends only on the quote's content. Lines are broken here and not by
// pdfkit, which takes quadratic time for text in which it finds no break. It finds none between question marks, and a long
// Chinese text turned into question marks would take half a minute. The PDF is written in steps that yield to other requests,
// because the largest quotes take a second.
import { finished } from "node:stream/promises";
import { setImmediate as turn } from "node:timers/promises";
import { toLatin } from "../../values/latin.ts";
import type { DocumentLine, QuoteDocument } from "./quote_document.ts";

type Pdf = PDFKit.PDFDocument;

const margin = 50;
const regular = "Helvetica";
const bold = "Helvetica-Bold";

interface Column {
  x: number;
  width: number;
  align: "left" | "right";
}

/** The columns of the lines: position, width and alignment. */
const columns: readonly (Column & { title: string })[] = [
  { title: "Item", x: 50, width: 150, align: "left" },
  { title: "Quantity", x: 203, width: 50, align: "right" },
  { title: "Price", x: 258, width: 77, align: "right" },
  { title: "Discount", x: 340, width: 70, align: "right" },
  { title: "Tax", x: 415, width: 45, align: "right" },
  { title: "Amount", x: 465, width: 80, align: "right" },
];
const description: Column = { x: 50, width: 320, align: "left" };
const wholeWidth: Column = { x: margin, width: 495, align: "left" };

export async function renderQuotePdf(of: QuoteDocument): Promise<Buffer> {
  // Loaded when the first quote is sent: it takes 30 MB, and many services never send one.
  const { default: PDFDocument } = await import("pdfkit");
  const pdf = new PDFDocument({ size: "A4", margin, info: { Title: of.title, Author: of.from, Creator: "Headwater" } });
  const chunks: Buffer[] = [];
  pdf.on("data", (chunk: Buffer) => chunks.push(chunk));
  let page = 1;
  pdf.on("pageAdded", () => head(pdf, `${of.number}, page ${++page}`));
  await inTurns(write(pdf, of));
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

function* write(pdf: Pdf, of: QuoteDocument): Steps {
  yield* words(pdf, of.from);
  yield* words(pdf, of.title, { font: bold, size: 20, above: 6 });
  yield* words(pdf, [of.number, ...of.dates.map(([label, day]) => `${label}: ${day}`)].join("\n"), { above: 6 });
  if (of.to.length > 0) yield* words(pdf, `For ${of.to.join(", ")}`, { above: 6 });

  yield* words(pdf, of.header, { above: 12 });
  yield* words(pdf, of.description, { above: 12 });
  pdf.y += 12;
  titles(pdf);
  for (const line of of.lines) yield* writeLine(pdf, line);
  sums(pdf, of.sums);
  yield* words(pdf, of.due, { above: 6 });
  yield* words(pdf, of.footer, { above: 12 });
  if (of.terms !== null) yield* words(pdf, "Terms", { font: bold, above: 12, lines: 2 });
  yield* words(pdf, of.terms, { above: 4 });
  yield* words(pdf, of.answer, { font: bold, above: 12 });
}

interface Look {
  font?: string;
  size?: number;
  color?: string;
  /** The space left above it. */
  above?: number;
  /** How many lines stay on one page, including those that follow. */
  lines?: number;
}

/** Text of any length, over as many pages as it needs. */
function* words(pdf: Pdf, text: string | null, look: Look = {}, column = wholeWidth): Steps {
  if (text === null) return;
  const { font = regular, size = 10, color = "black", above = 0, lines = 1 } = look;
  const style = () => pdf.font(font).fontSize(size).fillColor(color);
  const height = style().currentLineHeight(true);
  pdf.y += above;
  for (const line of broken(pdf, text, column.width)) {
    if (!room(pdf, lines * height)) style();
    put(pdf, line, column);
    pdf.y += height;
    yield;
  }
}

/** A line of the table, with its details below. */
function* writeLine(pdf: Pdf, line: DocumentLine): Steps {
  row(pdf, regular, [line.name, line.quantity, line.price, line.discount, line.tax, line.amount], titles);
  yield;
  if (line.description === null) return;
  pdf.y -= 3;
  yield* words(pdf, line.description, { size: 8, color: "#555" }, description);
  pdf.y += 5;
}

function titles(pdf: Pdf): void {
  row(
    pdf,
    bold,
    columns.map(({ title }) => title),
  );
}

/** Moves it to the next page as a whole, below what `begin` writes there. */
function row(pdf: Pdf, font: string, given: readonly string[], begin: (pdf: Pdf) => void = () => {}): void {
  const style = () => pdf.font(font).fontSize(9).fillColor("black");
  const height = style().currentLineHeight(true);
  const cells = given.map((text, i) => [...broken(pdf, text, columns[i]!.width)]);
  const lines = Math.max(...cells.map((cell) => cell.length));
  if (!room(pdf, lines * height)) begin(pdf);
  style();
  for (const [i, cell] of cells.entries())
    for (const [n, line] of cell.entries()) put(pdf, line, columns[i]!, pdf.y + n * height);
  pdf.y += lines * height + 4;
}

function sums(pdf: Pdf, given: readonly [string, string][]): void {
  pdf.y += 6;
  room(pdf, given.length * 16);
  for (const [i, [label, amount]] of given.entries()) {
    pdf
      .font(i === given.length - 1 ? bold : regular)
      .fontSize(10)
      .fillColor("black");
    put(pdf, toLatin(label), { x: 50, width: 365, align: "right" });
    put(pdf, toLatin(amount), { x: 420, width: 125, align: "right" });
    pdf.y += 16;
  }
}

/** What every page but the first starts with. */
function head(pdf: Pdf, text: string): void {
  pdf.font(regular).fontSize(8).fillColor("#555");
  put(pdf, toLatin(text), { ...wholeWidth, align: "right" }, margin - 20);
}

// --- text on pages ---

/** Starts a new page when this much does not fit on the current one. Returns whether it fit. */
function room(pdf: Pdf, height: number): boolean {
  if (pdf.y + height <= pdf.page.height - margin) return true;
  pdf.addPage();
  return false;
}

/** One line that is known to fit. */
function put(pdf: Pdf, line: string, { x, width, align }: Column, y = pdf.y): void {
  const before = pdf.y;
  pdf.text(line, align === "left" ? x : x + width - pdf.widthOfString(line), y, { lineBreak: false });
  pdf.y = before;
}

/** In letters that the fonts have, broken into lines of at most this width in the current font. A wider word is cut. */
function* broken(pdf: Pdf, text: string, width: number): Generator<string> {
  const widthOf = (one: string) => pdf.widthOfString(one);
  const space = widthOf(" ");
  for (const paragraph of toLatin(text).split("\n")) {
    let line = "";
    let filled = 0;
    for (const word of paragraph.split(" ").flatMap((one) => cut(one, widthOf, width))) {
      const wide = widthOf(word);
      const fits = filled + space + wide <= width;
      if (line !== "" && !fits) yield line;
      [line, filled] = line !== "" && fits ? [`${line} ${word}`, filled + space + wide] : [word, wide];
    }
    yield line;
  }
}

/** No letter is wider than these two: in one font it is the first, in the other the second. */
function cut(word: string, widthOf: (text: string) => number, width: number): string[] {
  if (widthOf(word) <= width) return [word];
  const letters = Math.floor(width / Math.max(widthOf("@"), widthOf("—")));
  return word.match(new RegExp(`.{1,${letters}}`, "gu"))!;
}
