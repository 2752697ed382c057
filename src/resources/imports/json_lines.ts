// Rows that are objects: of a request, of a JSON list, or one in each line of a file.
import { setImmediate as nextTurn } from "node:timers/promises";
import { invalid } from "../../core/errors.ts";
import { isExact } from "../../values/number.ts";
import { type CellValue, columnsMax, type Lines, lineMax } from "./table.ts";

type Objects = Record<string, unknown>;

/** A list is read as a whole. */
const listCharsMax = 20 * 1024 ** 2;
const turnRows = 1000;

/** Every key of any object is a column. Lists and objects become cells of JSON. `place` is the field to name in errors. */
export function objectLines(objects: AsyncIterable<Objects> | Iterable<Objects>, place: string): Lines {
  const lines = { names: [] as string[], nested: new Set<number>() };
  return { ...lines, cells: cellsOf(objects, lines, place) };
}

async function* cellsOf(
  objects: AsyncIterable<Objects> | Iterable<Objects>,
  { names, nested }: { names: string[]; nested: Set<number> },
  place: string,
) {
  const places = new Map<string, number>();
  let n = 0;
  for await (const object of objects) {
    const cells: CellValue[] = names.map(() => null);
    for (const [name, value] of Object.entries(object)) {
      const at = places.get(name) ?? names.push(name) - 1;
      places.set(name, at);
      if (typeof value === "object" && value !== null) nested.add(at);
      cells[at] = cellOf(value, `${place}.${n}.${name}`);
      if (names.length > columnsMax) break;
    }
    yield cells;
    if (++n % turnRows === 0) await nextTurn();
  }
}

function cellOf(value: unknown, place: string): CellValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const isNested = typeof value === "object";
  if (isDeeper(value, levelsMost)) throw invalid({ [place]: `must be nested ${levelsMost} levels deep or less` });
  const text = isNested ? JSON.stringify(value) : String(value);
  if (isNested ? badEscape.test(text) : text.includes("\0") || !text.isWellFormed())
    throw invalid({ [place]: "must not contain NUL or half of a surrogate pair" });
  return text;
}

/** As for the bodies of requests: what handles a value calls itself for each level. */
const levelsMost = 32;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" && value !== null && (levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)));

/** How JSON writes NUL and half of a surrogate pair. */
const badEscape = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** The objects of a list. */
export async function objectsInList(text: AsyncIterable<string>, place: string): Promise<Objects[]> {
  let whole = "";
  for await (const piece of text) {
    whole += piece;
    if (whole.length > listCharsMax)
      throw invalid({ [place]: `must be ${listCharsMax} characters or fewer as a list: write an object in each line instead` });
  }
  const list = parsed(whole, place);
  return Array.isArray(list) ? list.map((one) => objectIn(one, place)) : notObjects(place);
}

/** The objects of a file with one in each line. */
export async function* objectsInLines(text: AsyncIterable<string>, place: string): AsyncGenerator<Objects> {
  let rest = "";
  let n = 0;
  const read = (line: string): Objects => {
    const where = `: line ${n} is none`;
    return objectIn(parsed(line, place, where), place, where);
  };
  for await (const piece of text) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    if (rest.length > lineMax) throw invalid({ [place]: `has a line of more than ${lineMax} characters` });
    for (const line of lines) if (++n && line.trim() !== "") yield read(line);
  }
  n++;
  if (rest.trim() !== "") yield read(rest);
}

const objectIn = (value: unknown, place: string, where?: string): Objects =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Objects) : notObjects(place, where);

/** Keeps the text of numbers that JSON would change. Few files have any, and the check takes time. */
function parsed(text: string, place: string, where?: string): unknown {
  try {
    return /\d{16}/.test(text) ? JSON.parse(text, asWritten) : JSON.parse(text);
  } catch {
    return notObjects(place, where);
  }
}

const asWritten = (_key: string, value: unknown, at?: { source?: string }): unknown =>
  typeof value === "number" && !isExact(value) ? at?.source : value;

function notObjects(place: string, where = ""): never {
  throw invalid({ [place]: `must be CSV, a workbook, or JSON with a list of objects or an object in each line${where}` });
}
