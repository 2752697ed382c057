// A quote as PDF: a function of its words alone, in the fonts that every reader has.
import { toLatin } from "../../values/latin.ts";
import type { DocumentLine, QuoteDocument } from "./quote_document.ts";

type Pdf = PDFKit.PDFDocument;

const margin = 50;
const regular = "Helvetica";
const bold = "Helvetica-Bold";

/** Where the columns of the lines begin, how wide they are, and on which side their text stands. */
const columns = [
  { title: "Item", x: 50, width: 175, align: "left" },
  { title: "Quantity", x: 230, width: 50, align: "right" },
  { title: "Price", x: 285, width: 85, align: "right" },
  { title: "Discount", x: 375, width: 60, align: "right" },
  { title: "Tax", x: 440, width: 40, align: "right" },
  { title: "Amount", x: 485, width: 60, align: "right" },
] as const;

export async function renderQuotePdf(of: QuoteDocument): Promise<Buffer> {
  // Loaded when the first quote is sent: it takes 30 MB, and many services never send one.
  const { default: PDFDocument } = await import("pdfkit");
  const pdf = new PDFDocument({ size: "A4", margin, info: { Title: of.title, Author: of.from, Creator: "Headwater" } });
  const chunks: Buffer[] = [];
  const whole = new Promise<Buffer>((done, fail) => {
    pdf.on("data", (chunk: Buffer) => chunks.push(chunk));
    pdf.on("end", () => done(Buffer.concat(chunks)));
    pdf.on("error", fail);
  });
  write(pdf, of);
  pdf.end();
  return whole;
}

function write(pdf: Pdf, of: QuoteDocument): void {
  pdf.font(regular).fontSize(10).text(shownText(of.from));
  pdf.moveDown(0.5).font(bold).fontSize(20).text(shownText(of.title));
  pdf.moveDown(0.5).font(regular).fontSize(10);
  for (const text of [of.number, ...of.dates.map(([label, day]) => `${label}: ${day}`)]) pdf.text(shownText(text));
  if (of.to.length > 0) pdf.moveDown(0.5).text(shownText(`For ${of.to.join(", ")}`));

  words(pdf, of.header);
  words(pdf, of.description);
  pdf.moveDown();
  row(
    pdf,
    bold,
    columns.map(({ title }) => title),
  );
  for (const line of of.lines) writeLine(pdf, line);
  sums(pdf, of.sums);
  words(pdf, of.footer);
  if (of.terms !== null) words(pdf, "Terms", bold);
  words(pdf, of.terms);
  words(pdf, of.answer, bold);
}

function words(pdf: Pdf, text: string | null, font = regular): void {
  if (text !== null) pdf.moveDown().font(font).fontSize(10).text(shownText(text), margin);
}

function writeLine(pdf: Pdf, line: DocumentLine): void {
  row(pdf, regular, [line.name, line.quantity, line.price, line.discount, line.tax, line.amount]);
  if (line.description === null) return;
  const [{ x }] = columns;
  pdf.fontSize(8).fillColor("#555").text(shownText(line.description), x, pdf.y, { width: 320 });
  pdf.fontSize(10).fillColor("black").moveDown(0.4);
}

/** One line of the table. It goes to the next page whole. */
function row(pdf: Pdf, font: string, given: readonly string[]): void {
  pdf.font(font).fontSize(9);
  const texts = given.map(shownText);
  const height = Math.max(...texts.map((text, i) => pdf.heightOfString(text || " ", { width: columns[i]!.width })));
  if (pdf.y + height > pdf.page.height - margin) pdf.addPage();
  const top = pdf.y;
  for (const [i, text] of texts.entries()) {
    const { x, width, align } = columns[i]!;
    pdf.text(text, x, top, { width, align });
  }
  pdf.x = margin;
  pdf.y = top + height + 4;
}

function sums(pdf: Pdf, given: readonly [string, string][]): void {
  pdf.moveDown(0.5);
  for (const [i, [label, amount]] of given.entries()) {
    pdf.font(i === given.length - 1 ? bold : regular).fontSize(10);
    if (pdf.y + 14 > pdf.page.height - margin) pdf.addPage();
    const top = pdf.y;
    pdf.text(shownText(label), 285, top, { width: 130, align: "right" });
    pdf.text(shownText(amount), 420, top, { width: 125, align: "right" });
    pdf.x = margin;
    pdf.y = top + 16;
  }
}

/** In letters that the fonts have. Long words are broken up: what breaks lines takes the square of a word's length, minutes for 200,000 letters. */
const shownText = (text: string): string => toLatin(text).replace(/\S{60}(?=\S)/g, "$& ");
