// Where the bytes of files lie: a folder, or any S3. Bytes arrive in a temporary file first, whatever they come from, so that an
// upload of any size takes a chunk of memory, is known as a whole before it is kept, and appears whole or not at all.
import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";

export interface Storage {
  /** Takes bytes in. More than `maxBytes` throws `TooLarge`; whatever is thrown, nothing is left. */
  receive(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number): Promise<Received>;
  /** Keeps what was received under a key; it is no longer dropped. */
  keep(received: Received, key: string): Promise<void>;
  /** The bytes from `start` to `end`, both included, or all of them. Throws `Missing` where there are none. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Removes what is kept under a key; nothing there is fine. */
  remove(key: string): Promise<void>;
}

/** Bytes in a temporary file. */
export interface Received {
  readonly path: string;
  readonly size: number;
  /** In hex. */
  readonly sha256: string;
  /** Removes the temporary file, unless its bytes were kept. */
  drop(): Promise<void>;
}

export interface ByteRange {
  start: number;
  end: number;
}

/** More bytes than allowed. */
export class TooLarge extends Error {}

/** Nothing is kept under this key. */
export class Missing extends Error {}

/** A key that nobody guesses, below the organization's own prefix; nothing of what a user named is in it. */
export const newStorageKey = (organizationId: string): string => `${organizationId}/${randomBytes(20).toString("hex")}`;

/** How bytes are kept, read and removed; receiving is the same for all. */
export type Shelf = Omit<Storage, "receive">;

/** `folder` holds the temporary files, and beside them what a shelf of one's own keeps. */
export function openStorage(folder: string, shelf: Shelf = folderShelf(folder)): Storage {
  const incoming = join(folder, "incoming");
  let swept: Promise<void> | null = null;
  return {
    ...shelf,
    async receive(chunks, maxBytes) {
      swept ??= sweepIncoming(incoming).catch((error) => {
        swept = null;
        throw error;
      });
      await swept;
      return receive(incoming, chunks, maxBytes);
    },
  };
}

async function receive(
  incoming: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Received> {
  const path = join(incoming, randomBytes(20).toString("hex"));
  const file = await open(path, "wx", 0o600);
  try {
    const { size, sha256 } = await writeAll(file, chunks, maxBytes);
    return { path, size, sha256, drop: () => rm(path, { force: true }) };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number) {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new TooLarge(`more than ${maxBytes} bytes`);
    hash.update(chunk);
    // A full disk may take a part, and says so only when it is given the rest.
    for (let at = 0; at < chunk.byteLength; ) at += (await file.write(chunk, at)).bytesWritten;
  }
  await file.datasync();
  return { size, sha256: hash.digest("hex") };
}

/** What a process left that ended in the middle of an upload. Others may be at work, so only what is a day old goes. */
async function sweepIncoming(incoming: string): Promise<void> {
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  const yesterday = Date.now() - 24 * 3_600_000;
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && found.mtimeMs < yesterday) await rm(path, { force: true });
  }
}

// --- a folder ---

function folderShelf(folder: string): Shelf {
  const pathOf = (key: string) => join(folder, "kept", key);
  return {
    async keep(received, key) {
      const path = pathOf(key);
      // A removal may take the organization's empty folder away between the two.
      for (let tries = 3; ; tries--) {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        try {
          await rename(received.path, path);
          break;
        } catch (error) {
          if (!isMissing(error) || tries === 0) throw error;
        }
      }
      await syncFolder(dirname(path));
    },
    async read(key, range) {
      const file = await open(pathOf(key)).catch((error) => {
        throw isMissing(error) ? new Missing(key) : error;
      });
      return createReadStream("", { fd: file, ...range });
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
      // The folder goes with the organization's last file; while others lie there it stays.
      await rmdir(dirname(pathOf(key))).catch(() => {});
    },
  };
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** A file that was renamed is there after a power cut once its folder was written. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => null);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
