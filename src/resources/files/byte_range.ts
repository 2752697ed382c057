// Sends a file: the whole, or the part that `Range` names (RFC 9110). A request for several parts gets the whole file.
import { notFound, Problem } from "../../core/errors.ts";
import { Content } from "../../core/operation.ts";
import { type ByteRange, Missing, type Storage } from "../../services/storage.ts";

export interface Stored {
  mime: string;
  size: number;
  sha256: string;
  storage_key: string;
}

export interface RangeAsked {
  range: string;
  ifRange: string | null;
}

export interface FileAnswer {
  status: 200 | 206;
  content: Content;
}

export async function fileAnswer(
  storage: Storage,
  file: Stored,
  asked: RangeAsked | undefined,
  headers: Record<string, string>,
): Promise<FileAnswer> {
  const etag = `"${file.sha256}"`;
  const fresh = asked !== undefined && (asked.ifRange === null || asked.ifRange === etag);
  const range = fresh ? readRange(asked.range, file.size) : null;
  const body = await storage.read(file.storage_key, range ?? undefined).catch((error) => {
    throw error instanceof Missing ? notFound() : error;
  });
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const content = new Content(file.mime, body, {
    "content-length": String(end - start + 1),
    "accept-ranges": "bytes",
    etag,
    "cache-control": "private, no-store",
    ...(range === null ? {} : { "content-range": `bytes ${start}-${end}/${file.size}` }),
    ...headers,
  });
  return { status: range === null ? 200 : 206, content };
}

/** Null for the whole file. 416 for a part that starts after the end. */
function readRange(header: string, size: number): ByteRange | null {
  const [, first, last] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header) ?? [];
  if (first === undefined || (first === "" && last === "")) return null;
  if (first === "") {
    const count = Math.min(Number(last), size);
    if (count === 0) throw unsatisfiable(size);
    return { start: size - count, end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return null;
  if (start >= size) throw unsatisfiable(size);
  return { start, end };
}

const unsatisfiable = (size: number): Problem =>
  new Problem(
    416,
    `The file has ${size} bytes.`,
    { Range: `must begin within the file's ${size} bytes` },
    {
      "content-range": `bytes */${size}`,
    },
  );
