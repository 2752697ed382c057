// Writes an archive, to a file or as bytes for somebody else. What it is made of, `archive.ts` says.
import { createWriteStream, existsSync } from "node:fs";
import { link, open, rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { type Pack, pack } from "tar-stream";
import { isNoRoom } from "../values/no_room.ts";
import { type Chunks, headName, keyName, type Measured, manifestName, measure } from "./archive.ts";
import type { Head } from "./manifest.ts";

const partBytes = 4 * 1024 * 1024;

export interface ArchiveWriter {
  head(head: Head): Promise<void>;
  key(key: string): Promise<void>;
  /** `stem` is `tables/…` or `files/…`. */
  add(stem: string, chunks: Chunks): Promise<Measured>;
  manifest(text: string): Promise<void>;
}

/**
 * Returns what `fill` does. The file appears under its name only when it is whole and on the disk. Another file of that name stays as
 * it is.
 */
export async function writeArchive<T>(path: string, fill: (archive: ArchiveWriter) => Promise<T>): Promise<T> {
  if (existsSync(path)) throw isThere(path);
  const partial = `${path}.partial`;
  const tar = pack();
  const file = createWriteStream(partial, { mode: 0o600 });
  tar.on("error", (error) => file.destroy(error));
  tar.pipe(file);
  const written = finished(file);
  written.catch(() => {}); // reported below, or instead of it what `fill` says
  try {
    const filled = await fill(writerTo(tar, written));
    tar.finalize();
    await written;
    await sync(partial);
    await link(partial, path);
    return filled;
  } catch (error) {
    // The tar only knows that nobody takes its bytes any more.
    throw inWords(file.errored ?? error, path);
  } finally {
    tar.destroy();
    file.destroy();
    await rm(partial, { force: true });
  }
}

/** Two backups at once may have one name. */
const isThere = (path: string) =>
  new Error(`${path} is there already: an archive takes nothing's place. Choose another name, or move it away.`);

function inWords(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (isNoRoom(error) || code === "EFBIG")
    return new Error(`There is no room for the archive (${code}): make some, and begin again. Nothing of it is left.`, {
      cause: error,
    });
  if (code === "ENOENT") return new Error(`There is no folder for ${path}: make it first.`);
  return code === "EEXIST" ? isThere(path) : error;
}

/** An archive as bytes that come while it is filled. If that fails, so do they. */
export function archiveBytes(fill: (archive: ArchiveWriter) => Promise<unknown>): Readable {
  const tar = pack();
  const ended = new Promise<void>((_, reject) => {
    tar.on("error", reject);
    tar.on("close", () => reject(new Error("Nobody takes the archive any more.")));
  });
  ended.catch(() => {}); // whoever reads the bytes hears of it
  fill(writerTo(tar, ended)).then(
    () => tar.finalize(),
    (error) => tar.destroy(error),
  );
  return tar as unknown as Readable;
}

/** `ended`: nobody takes the bytes any more. */
function writerTo(tar: Pack, ended: Promise<void>): ArchiveWriter {
  const entry = (name: string, bytes: Buffer) =>
    Promise.race([
      new Promise<void>((resolve, reject) => {
        const sink = tar.entry({ name, size: bytes.length, mode: 0o600 }, bytes, (error) => (error ? reject(error) : resolve()));
        // It ends with the tar, and an error that nobody hears would end the process.
        sink.on("error", reject);
      }),
      ended,
    ]);
  return {
    head: (head) => entry(headName, Buffer.from(`${JSON.stringify(head, null, 2)}\n`)),
    key: (key) => entry(keyName, Buffer.from(`${key}\n`)),
    add: (stem, chunks) => addParts(stem, chunks, entry),
    manifest: (text) => entry(manifestName, Buffer.from(`${text}\n`)),
  };
}

async function addParts(stem: string, chunks: Chunks, entry: (name: string, bytes: Buffer) => Promise<void>): Promise<Measured> {
  const measured = measure(chunks);
  let [part, size, gathered] = [0, 0, [] as Uint8Array[]];
  const flush = async () => {
    await entry(partName(stem, ++part), Buffer.concat(gathered));
    [size, gathered] = [0, []];
  };
  for await (const chunk of measured.chunks) {
    size += chunk.byteLength;
    gathered.push(chunk);
    if (size >= partBytes) await flush();
  }
  if (size > 0 || part === 0) await flush();
  return measured.result();
}

const partName = (stem: string, part: number): string => `${stem}/${String(part).padStart(6, "0")}`;

async function sync(path: string): Promise<void> {
  const file = await open(path);
  await file.sync();
  await file.close();
}
