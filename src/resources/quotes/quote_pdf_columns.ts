// Where the columns of the table are: those with numbers are as wide as what they show, and the items have the rest.
import type { Column, Look, Typesetter } from "../../services/fonts/typesetter.ts";
import type { QuoteDocument, Shown } from "./quote_document.ts";

const gap = 10;
/** Wider numbers are broken into lines, so that items have a fourth of the page. */
const most: Record<Exclude<Shown["key"], "name">, number> = { quantity: 48, price: 84, discount: 68, tax: 58, amount: 84 };

export function tableColumns(
  set: Typesetter,
  of: QuoteDocument,
  { heads, cells }: Record<"heads" | "cells", Look>,
  whole: Column,
): Column[] {
  const widths = of.columns.map(({ key, title }) => {
    if (key === "name") return 0;
    const texts = [...new Set(of.lines.map((line) => line[key]))];
    return Math.min(
      most[key],
      texts.reduce((wide, text) => Math.max(wide, set.width(text, cells)), set.width(title, heads)) + 0.5,
    );
  });
  widths[0] = whole.width - widths.reduce((sum, width) => sum + width + gap, -gap);
  let x = whole.x;
  return widths.map((width, i) => {
    const column: Column = { x, width, align: i === 0 ? "start" : "right" };
    x += width + gap;
    return column;
  });
}
