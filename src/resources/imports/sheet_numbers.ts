// Numbers of a sheet. Its styles say which of them are dates and percentages.
import { isExact } from "../../values/number.ts";
import type { Workbook } from "./workbook.ts";

export type Format = "plain" | "percent" | "date";

/** The formats of the styles, in their order. */
export async function formatsIn(book: Workbook, path: string): Promise<Format[]> {
  const codes = new Map<string, string>();
  const formats: Format[] = [];
  let isCells = false;
  await book.readAll(path, {
    open(name, { numFmtId = "0", formatCode }) {
      if (name === "numFmt" && formatCode !== undefined) codes.set(numFmtId, formatCode);
      if (name === "cellXfs") isCells = true;
      if (name === "xf" && isCells) formats.push(formatOf(Number(numFmtId), codes.get(numFmtId)));
    },
    close(name) {
      if (name === "cellXfs") isCells = false;
    },
  });
  return formats;
}

/** The numbers of formats that every spreadsheet knows: from ISO/IEC 29500-1, 18.8.30. */
const isDateNumber = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

function formatOf(id: number, code: string | undefined): Format {
  if (code === undefined) return isDateNumber(id) ? "date" : id === 9 || id === 10 ? "percent" : "plain";
  // Neither quoted words, nor colours and conditions in brackets, nor single letters that are shown as they are.
  const marks = code.replace(/"[^"]*"|\[[^\]]*\]|\\.|[_*]./g, "");
  if (/[ymdhs]/i.test(marks) && !/general/i.test(marks)) return "date";
  return marks.includes("%") ? "percent" : "plain";
}

/** How a number is meant. */
interface Meaning {
  format: Format;
  is1904: boolean;
  /** A formula has it as its result. */
  isResult: boolean;
}

/**
 * What a cell holds: a number, or the text that the spreadsheet shows for a date or a percentage. The result of a formula may have more
 * digits in the file than the spreadsheet counts with. Digits that are no exact number are a code.
 */
export function numberOf(value: string, { format, is1904, isResult }: Meaning): string | number {
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number)) return value;
  if (format === "date") return dateText(number, is1904);
  if (format === "percent") return `${rounded(number * 100)}%`;
  if (!isExact(number) && /^-?\d+$/.test(value)) return value;
  return isResult ? rounded(number) : number;
}

const rounded = (value: number): number => Number(value.toPrecision(15));

const dayMs = 86_400_000;

/** Days since the end of 1899, or since 1904. */
function dateText(days: number, is1904: boolean): string {
  const seconds = Math.round(days * 86_400);
  const moment = new Date((is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)) + seconds * 1000);
  if (Number.isNaN(moment.getTime())) return String(days);
  const text = moment.toISOString();
  if (seconds * 1000 < dayMs && seconds >= 0 && !is1904) return text.slice(11, 16);
  return seconds % 86_400 === 0 ? text.slice(0, 10) : `${text.slice(0, 10)} ${text.slice(11, 19)}`;
}
