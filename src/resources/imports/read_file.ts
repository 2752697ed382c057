// Reads a file as a table: CSV, a workbook, JSON with a list of objects, or JSON with an object in each line.
import { open } from "node:fs/promises";
import { invalid } from "../../core/errors.ts";
import type { Received, Storage } from "../../services/storage.ts";
import { csvLines, delimiterOf } from "./csv_lines.ts";
import { encodingNamed, guessEncoding, type TextFile, textOf } from "./encodings.ts";
import { objectLines, objectsInLines, objectsInList } from "./json_lines.ts";
import { sheetLines } from "./sheet_lines.ts";
import { collect, type Table } from "./table.ts";

/** What the request says about its file. */
export interface About {
  encoding?: string | null;
  sheet?: string | null;
}

type Bytes = Pick<Received, "path" | "size">;

const beginningBytes = 64 * 1024;

/** `place` is the field to name in errors. */
export async function readFileTable(storage: Storage, { path, size }: Bytes, place: string, about: About): Promise<Table> {
  const beginning = await beginningOf(path);
  if (startsWith(beginning, [0x50, 0x4b, 3, 4])) return readSheet(storage, { path, size, place }, about);
  if (startsWith(beginning, [0xd0, 0xcf, 0x11, 0xe0]))
    throw invalid({ [place]: "is an old or protected workbook: save it as .xlsx without a password, or as CSV" });
  const other = others.find(({ mark }) => startsWith(beginning, mark));
  if (other !== undefined) throw invalid({ [place]: `is ${other.words}` });
  if (about.sheet) throw invalid({ sheet: "is only for a workbook" });
  const encoding = about.encoding ? encodingNamed(about.encoding) : await guessEncoding(path);
  const isGuess = !about.encoding && !encoding.startsWith("utf-");
  return readText(storage, { path, encoding, place }, new TextDecoder(encoding).decode(beginning), isGuess);
}

/** What people upload by mistake, by its first bytes. */
const others: readonly { mark: readonly number[]; words: string }[] = [
  { mark: [0x1f, 0x8b], words: "compressed (gzip): unpack it first" },
  { mark: [0x50, 0x4b, 5, 6], words: "an empty zip file: upload CSV, a workbook, or JSON" },
  { mark: [0x25, 0x50, 0x44, 0x46], words: "a PDF: upload CSV, a workbook, or JSON" },
];

async function readSheet(storage: Storage, file: Bytes & { place: string }, { sheet: wanted }: About): Promise<Table> {
  const { sheet, close, ...lines } = await sheetLines(file, wanted ?? null);
  try {
    return await collect(storage, file.place, lines, { format: "xlsx", sheet });
  } finally {
    close();
  }
}

function readText(storage: Storage, file: TextFile, beginning: string, isGuess: boolean): Promise<Table> {
  const { place, encoding: name } = file;
  const encoding = { encoding: name, ...(isGuess && { certain: false as const }) };
  const [, mark] = /^\s*([[{])/.exec(beginning) ?? [];
  const dialect = mark === "[" ? "json" : mark === "{" ? "jsonl" : "csv";
  if (dialect === "csv") {
    const delimiter = delimiterOf(beginning);
    return collect(storage, place, csvLines(textOf(file), delimiter, place), { format: "csv", ...encoding, delimiter });
  }
  const objects = dialect === "json" ? objectsIn(file) : objectsInLines(textOf(file), place);
  return collect(storage, place, objectLines(objects, place), { format: dialect, ...encoding });
}

async function* objectsIn(file: TextFile): AsyncGenerator<Record<string, unknown>> {
  yield* await objectsInList(textOf(file), file.place);
}

async function beginningOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(beginningBytes), 0, beginningBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const startsWith = (bytes: Buffer, mark: readonly number[]): boolean => mark.every((byte, i) => bytes[i] === byte);
