// The files in an archive: zip, which documents of offices are too, and gzip.

import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { type Entry, fromBufferPromise } from "yauzl";

export interface Member {
  name: string;
  /** Null for those that are encrypted, damaged or too large. */
  bytes: Buffer | null;
}

/** How many bytes may still be unpacked of one stored file. */
export interface Budget {
  left: number;
}

/** The most bytes of one member that are read. */
const memberMax = 20 * 1024 ** 2;

export const isZip = (bytes: Uint8Array): boolean =>
  startsWith(bytes, [0x50, 0x4b, 3, 4]) || startsWith(bytes, [0x50, 0x4b, 5, 6]);
export const isGzip = (bytes: Uint8Array): boolean => startsWith(bytes, [0x1f, 0x8b, 8]);

const startsWith = (bytes: Uint8Array, begin: readonly number[]): boolean => begin.every((byte, i) => bytes[i] === byte);

/** Members one after the other. A damaged archive ends with one that has no bytes. */
export async function* membersOf(bytes: Buffer, budget: Budget): AsyncGenerator<Member> {
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true });
    for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
      if (entry.fileName.endsWith("/")) continue;
      const packed = entry.isEncrypted() ? null : await zip.openReadStreamPromise(entry);
      yield { name: entry.fileName, bytes: packed && (await taken(packed, budget)) };
      if (budget.left < 0) return;
    }
  } catch {
    yield { name: "", bytes: null };
  }
}

/** Null as for members. */
export const gunzipped = (bytes: Buffer, budget: Budget): Promise<Buffer | null> =>
  taken(Readable.from([bytes]).pipe(createGunzip()), budget).catch(() => null);

async function taken(stream: Readable, budget: Budget): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    budget.left -= chunk.length;
    // Leaving the loop ends the stream.
    if (size > memberMax || budget.left < 0) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
