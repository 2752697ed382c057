// Stores the bytes of files in a folder or any S3. Bytes are first written to a temporary file. An upload of any size therefore
// needs the memory of one chunk, is complete before it is stored, and is stored as a whole or not at all.
import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { Problem, statuses } from "../core/errors.ts";
import { isNoRoom } from "../values/no_room.ts";

export interface Storage {
  /** Receives bytes. More than `maxBytes` throws `TooLarge`. When anything is thrown, nothing is left behind. */
  receive(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number): Promise<Received>;
  /** Stores what was received under a key. From then on, `drop` does not remove it. */
  keep(received: Received, key: string): Promise<void>;
  /** The bytes from `start` to `end`, both included, or all of them. Throws `Missing` when there are none. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Removes what is stored under a key. It is no error when nothing is there. */
  remove(key: string): Promise<void>;
}

/** Received bytes in a temporary file. */
export interface Received {
  readonly path: string;
  readonly size: number;
  /** In hex. */
  readonly sha256: string;
  /** Removes the temporary file, unless its bytes were stored. */
  drop(): Promise<void>;
}

export interface ByteRange {
  start: number;
  end: number;
}

/** The most bytes that a file may have: 20 MB. */
export const fileBytesMax = 20 * 1024 * 1024;

/** The error for a larger file. */
export const fileTooLarge = (bytesMax: number): string => `must be ${bytesMax} bytes (${bytesMax / 1024 ** 2} MB) or fewer`;

/** There are more bytes than allowed. */
export class TooLarge extends Error {}

/** 503: there is no room for the bytes. Whoever sent them learns whom to tell, and the log has the cause. */
export const storageFull = (cause: unknown): Problem =>
  Object.assign(
    new Problem(
      503,
      statuses[503]!,
      { file: "could not be stored, because the storage is full: ask whoever runs this service to make room, and try again" },
      { "retry-after": "60" },
    ),
    { cause },
  );

/** Nothing is stored under this key. */
export class Missing extends Error {}

/** What `newStorageKey` returns, in words of regular expressions that PostgreSQL knows too. */
export const storageKeyPattern = "^orga_[0-9a-z]{26}/[0-9a-f]{40}$";
const storageKey = new RegExp(storageKeyPattern);
export const isStorageKey = (key: string): boolean => storageKey.test(key);

/** A random key below the organization's own prefix. It contains nothing that a user named. */
export const newStorageKey = (organizationId: string): string => `${organizationId}/${randomBytes(20).toString("hex")}`;

/** Where bytes are stored, read and removed. Receiving is the same for all shelves. */
export type Shelf = Omit<Storage, "receive">;

/** `folder` holds the temporary files, and the stored ones when the shelf is a folder. */
export function openStorage(folder: string, shelf: Shelf = folderShelf(folder)): Storage {
  const incoming = join(folder, "incoming");
  let swept: Promise<void> | null = null;
  return {
    ...onlyOwnKeys(shelf),
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

/** A key may come from a row of a forged archive. One that this service never made has no bytes, wherever it leads. */
const onlyOwnKeys = (shelf: Shelf): Shelf => ({
  async keep(received, key) {
    if (!isStorageKey(key)) throw new Error(`no bytes are stored as ${key}`);
    return shelf.keep(received, key);
  },
  async read(key, range) {
    if (!isStorageKey(key)) throw new Missing(key);
    return shelf.read(key, range);
  },
  async remove(key) {
    if (isStorageKey(key)) return shelf.remove(key);
  },
});

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
    throw isNoRoom(error) ? storageFull(error) : error;
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
    // A full disk may write only a part, and reports the error with the next write.
    for (let at = 0; at < chunk.byteLength; ) at += (await file.write(chunk, at)).bytesWritten;
  }
  await file.datasync();
  return { size, sha256: hash.digest("hex") };
}

/**
 * Removes temporary files that a crashed process left. Other processes may be at work, so only files older than a day are
 * removed.
 */
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
      // Another removal may delete the organization's empty folder between the two calls.
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
      // The folder is removed with the organization's last file. It stays while it has other files.
      await rmdir(dirname(pathOf(key))).catch(() => {});
    },
  };
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** A renamed file survives a power cut only after its folder was synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => null);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
