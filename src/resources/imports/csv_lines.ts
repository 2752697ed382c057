// Lines of CSV.
import { pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { invalid } from "../../core/errors.ts";
import { type Lines, lineMax } from "./table.ts";

/**
 * CSV whose first row has the names. `place` is the field to name in errors. A quote only has a meaning where a cell begins: `5" pipe`
 * is text.
 */
export function csvLines(text: AsyncIterable<string> | Iterable<string>, delimiter: string, place: string): Lines {
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    trim: true,
    skip_empty_lines: true,
    max_record_size: lineMax,
  });
  // The reader receives the error. A reader that leaves early makes another one, which nobody reads.
  pipeline(Readable.from(text), parser, () => {});
  parser.on("error", () => {});
  return { names: null, cells: linesOf(parser as AsyncIterable<string[]>, delimiter, place) };
}

async function* linesOf(parsed: AsyncIterable<string[]>, delimiter: string, place: string): AsyncGenerator<string[]> {
  let isFirst = true;
  try {
    for await (const cells of parsed) {
      if (!isFirst || cells.join(delimiter) !== `sep=${delimiter}`) yield cells.map(withoutFormula);
      isFirst = false;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.code === "CSV_MAX_RECORD_SIZE")
      throw invalid({ [place]: `has a row of more than ${lineMax} bytes: is a quote never closed, or is it no table?` });
    throw invalid({ [place]: `is not CSV: ${error.message}` });
  }
}

/** Whoever writes CSV for Excel protects zeros at the beginning by a formula: `="0042"`. */
const withoutFormula = (cell: string): string => (cell.startsWith('="') ? cell.replace(/^="([^"]*)"$/, "$1") : cell);

const delimiters = [",", ";", "\t", "|"];

/** The separator: the one that a line such as `sep=;` tells Excel, or the most frequent one in the first line, outside of quoted cells. */
export function delimiterOf(beginning: string): string {
  const [, told = ""] = /^\ufeff?sep=(.)[\r\n]/.exec(beginning) ?? [];
  if (delimiters.includes(told)) return told;
  const [line = ""] = beginning
    .replace(/(?<=^\ufeff?|[,;\t|\r\n] *)"(?:[^"]|"")*"/g, "")
    .replace(/^[\ufeff\r\n]+/, "")
    .split(/\r?\n|\r/, 1);
  const count = (mark: string) => line.split(mark).length;
  return delimiters.reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}
