// The text of a file. Its encoding is the one that the request names, or is found: by a mark, by trying UTF-8, or by guessing.
import { createReadStream } from "node:fs";
import { analyse } from "chardet";
import { invalid } from "../../core/errors.ts";
import { cyrillicOf } from "./cyrillic.ts";

/** A file that is read in pieces. */
export interface TextFile {
  path: string;
  /** By the names of the WHATWG Encoding Standard. */
  encoding: string;
  /** The field to name in errors. */
  place: string;
}

const chunkBytes = 64 * 1024;

/** The name that the Encoding Standard has for a label, such as `shift_jis` for `sjis`. Unknown ones are refused. */
export function encodingNamed(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw invalid({ encoding: "is not known: give one such as utf-8, windows-1252, shift_jis or utf-16le" });
  }
}

/** The encoding of a file that says nothing about it. */
export async function guessEncoding(path: string): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isFirst = true;
  let telling: Buffer | null = null;
  try {
    for await (const chunk of bytesOf(path)) {
      if (isFirst && hasMark(chunk, 0xff, 0xfe)) return "utf-16le";
      if (isFirst && hasMark(chunk, 0xfe, 0xff)) return "utf-16be";
      isFirst = false;
      telling ??= chunk.some((byte) => byte >= 0x80) ? chunk : null;
      decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
    return "utf-8";
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return telling === null ? "windows-1252" : likeliest(telling);
  }
}

const hasMark = (bytes: Buffer, first: number, second: number): boolean => bytes[0] === first && bytes[1] === second;

/**
 * Encodings whose texts look like no other. Western and Central European ones differ in too few letters to tell them apart in a
 * short file; spreadsheets mostly write Windows-1252.
 */
const tellable = new Set(["Shift_JIS", "EUC-JP", "EUC-KR", "Big5", "GB18030"]);
const sureFrom = 40;

function likeliest(bytes: Buffer): string {
  const cyrillic = cyrillicOf(bytes);
  if (cyrillic !== null) return cyrillic;
  const [best] = analyse(bytes);
  return best !== undefined && best.confidence >= sureFrom && tellable.has(best.name) ? encodingNamed(best.name) : "windows-1252";
}

/** The text of a file, without a byte order mark. NUL means that it is no text, or has another encoding. */
export async function* textOf({ path, encoding, place }: TextFile): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytesOf(path)) yield checked(decoder.decode(chunk, { stream: true }), place);
  yield checked(decoder.decode(), place);
}

function checked(text: string, place: string): string {
  if (text.includes("\0")) throw invalid({ [place]: "must not contain NUL: if it is text, name its `encoding`" });
  return text;
}

const bytesOf = (path: string): AsyncIterable<Buffer> => createReadStream(path, { highWaterMark: chunkBytes });
