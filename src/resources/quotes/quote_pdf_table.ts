// The table of lines on paper: where its columns are, and what each line becomes. A figure is never broken: its column is as wide as the
// widest one, and the items have the rest. Where that is too little, they have the whole width, and the figures are below them.
import type { Column, Line, Look, Typesetter } from "../../services/fonts/typesetter.ts";
import type { DocumentLine, QuoteDocument, Shown } from "./quote_document.ts";

export const leading = 1.42;
const gap = 10;
/** Words after a figure, such as `a month`, go to the next line rather than make the column wider than this. */
const usual: Record<Exclude<Shown["key"], "name">, number> = { quantity: 48, price: 84, discount: 68, tax: 58, amount: 84 };
/** No amount of money is wider. */
const widest = 160;
/** The share of the width that items need beside figures. */
const itemShare = 1 / 5;

export interface Looks {
  heads: Look;
  cells: Look;
  descriptions: Look;
}

export interface Table {
  columns: Column[];
  heads: Look;
  figures: Look;
  /** The figures are below the items. */
  stacked: boolean;
}

/** What is at one height of a page. */
export interface Band {
  height: number;
  cells: { line: Line; look: Look; column: Column }[];
}

export function tableOf(set: Typesetter, of: QuoteDocument, { heads, cells }: Looks, whole: Column): Table {
  const widths = of.columns.map(({ key, title }) => {
    const head = set.width(title, heads);
    if (key === "name") return head;
    const texts = [...new Set(of.lines.map((line) => line[key]))];
    return texts.reduce((wide, text) => Math.max(wide, widthOf(set, text, cells, usual[key])), head) + 0.5;
  });
  const needed = widths.reduce((sum, width) => sum + width + gap, -gap);
  const rest = whole.width - needed + widths[0]!;
  const stacked = rest < whole.width * itemShare;
  // Even the widest figures of all columns are legible when they are made to fit.
  const scale = Math.min(1, whole.width / needed);
  return {
    columns: columnsOf(
      widths.map((width) => width * scale),
      gap * scale,
      stacked,
      whole,
    ),
    heads: { ...heads, size: heads.size * scale },
    figures: { ...cells, size: cells.size * scale },
    stacked,
  };
}

function widthOf(set: Typesetter, text: string, look: Look, most: number): number {
  const wide = set.width(text, look);
  if (wide <= most) return wide;
  const words = text.split(" ").map((word) => Math.min(set.width(word, look), widest));
  return Math.max(most, ...words);
}

/** From the right edge to the left. The first column has what is left, or all of it. */
function columnsOf(widths: readonly number[], space: number, stacked: boolean, whole: Column): Column[] {
  let right = whole.x + whole.width;
  const figures = widths
    .slice(1)
    .toReversed()
    .map((width): Column => {
      const column: Column = { x: right - width, width, align: "right" };
      right -= width + space;
      return column;
    });
  const items: Column = { x: whole.x, width: stacked ? whole.width : right - whole.x, align: "start" };
  return [items, ...figures.toReversed()];
}

export const headsOf = (set: Typesetter, { columns, heads }: Table, shown: readonly Shown[]): Band[] =>
  beside(
    set,
    columns,
    shown.map(({ title }) => title),
    heads,
  );

/** A line with its description, from top to bottom. It takes turns, as a description may be long. */
export function* bandsOf(
  set: Typesetter,
  { columns, figures, stacked }: Table,
  looks: Looks,
  shown: readonly Shown[],
  of: DocumentLine,
): Generator<void, Band[]> {
  const texts = shown.map(({ key }) => of[key]);
  const bands = stacked ? beside(set, columns.slice(0, 1), [of.name], looks.cells) : beside(set, columns, texts, looks.cells);
  yield;
  const [column] = columns;
  for (const line of of.description === null ? [] : set.lines(of.description, looks.descriptions, column!.width)) {
    bands.push({ height: looks.descriptions.size * leading, cells: [{ line, look: looks.descriptions, column: column! }] });
    yield;
  }
  if (stacked) bands.push(...beside(set, columns.slice(1), texts.slice(1), figures));
  return bands;
}

function beside(set: Typesetter, columns: readonly Column[], texts: readonly string[], look: Look): Band[] {
  const cells = texts.map((text, i) => [...set.lines(text, look, columns[i]!.width)]);
  return Array.from({ length: Math.max(...cells.map((lines) => lines.length)) }, (_, n) => ({
    height: look.size * leading,
    cells: cells.flatMap((lines, i) => (lines[n] === undefined ? [] : [{ line: lines[n], look, column: columns[i]! }])),
  }));
}
