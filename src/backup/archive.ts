// An archive is a tar: what it is, the rows of each table as PostgreSQL's own COPY writes them, the bytes of stored files, and a
// manifest. A tar wants to know the size of an entry before its bytes, so tables and files come in numbered parts. One part is all
// that is ever in memory.
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { extract, type Header } from "tar-stream";
import { openSecrets, type Secrets } from "../services/secrets.ts";
import { isStorageKey } from "../services/storage.ts";
import { type Head, type Manifest, parseHead, parseManifest } from "./manifest.ts";

export type Chunks = AsyncIterable<Uint8Array>;

export interface Measured {
  bytes: number;
  sha256: string;
}

/** The entries that are no table and no file. */
export const headName = "headwater.json";
export const manifestName = "manifest.json";
export const keyName = "secret_key";

export interface ArchiveReader {
  head?(head: Head): Promise<void>;
  key?(key: string): Promise<void>;
  /** Nobody here has the key that signed it, so it may have been changed with all of its hashes. */
  unchecked?(): void;
  /** Must read all chunks. */
  table?(name: string, chunks: Chunks): Promise<void>;
  /** Must read all chunks. */
  file?(key: string, chunks: Chunks): Promise<void>;
}

/** Opens an archive from its beginning: the path of a file, or its bytes from elsewhere. */
export type Opening = () => Promise<string | Readable>;

/** Reads an archive, which is a file or comes from elsewhere, from its beginning to its end. Returns its manifest, or throws if anything is missing or was changed, as its signature says by the given key or the one in it. */
export async function readArchive(source: string | Readable, secrets: Secrets | null, reader: ArchiveReader): Promise<Manifest> {
  const entries = entriesOf(source);
  let cutOff = noArchive;
  const keys = secrets === null ? [] : [secrets];
  const found = { tables: new Map<string, Measured>(), files: createHash("sha256"), count: 0, bytes: 0 };
  try {
    let entry = await entries.next();
    const begun = await beginOf(entry);
    cutOff = tooShort;
    await reader.head?.(begun);
    for (entry = await entries.next(); entry !== null && entry.stem !== manifestName; ) {
      const [folder, ...rest] = entry.stem.split("/");
      const name = rest.join("/");
      const measured = measure(partsOf(entry, entries.next, (next) => (entry = next)));
      if (folder === keyName && name === "") {
        const key = (await textOf(measured.chunks)).trim();
        keys.push(openSecrets(key));
        await reader.key?.(key);
      } else if (folder === "tables" && !found.tables.has(name)) {
        await (reader.table ?? drain)(name, measured.chunks);
        found.tables.set(name, measured.result());
      } else if (folder === "files") {
        if (!isStorageKey(name)) throw new Error(`The archive was changed: ${name} is no stored file.`);
        await (reader.file ?? drain)(name, measured.chunks);
        tellFile(found.files, name, measured.result());
        found.count++;
        found.bytes += measured.result().bytes;
      } else throw new Error(`This is no whole archive of Headwater: nobody put ${name} into it.`);
    }
    if (entry === null) throw tooShort();
    const { manifest, isChecked } = parseManifest(await textOf(entry.chunks), keys);
    cutOff = tooLong;
    if ((await entries.next()) !== null) throw tooLong();
    check(manifest, begun, found);
    if (!isChecked) reader.unchecked?.();
    return manifest;
  } catch (error) {
    throw errorOf(error as Error, cutOff);
  } finally {
    entries.close();
  }
}

/** The line of one file in the hash of all. */
export const tellFile = (hash: Hash, key: string, { bytes, sha256 }: Measured): void =>
  void hash.update(`${key} ${bytes} ${sha256}\n`);

interface Entry {
  /** The name without the number of the part. */
  stem: string;
  chunks: Chunks;
}

function entriesOf(source: string | Readable): { next(): Promise<Entry | null>; close(): void } {
  const file = typeof source === "string" ? createReadStream(source, { highWaterMark: 256 * 1024 }) : source;
  const tar = extract();
  file.on("error", (error: Error) => tar.destroy(error));
  file.pipe(tar);
  const iterator = (tar as unknown as AsyncIterable<Chunks & { header: Header }>)[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value } = await iterator.next();
      return done ? null : { stem: value.header.name.replace(/\/\d{6}$/, ""), chunks: value };
    },
    close() {
      file.destroy();
      tar.destroy();
    },
  };
}

/** The errors of `tar-stream` in the words of whoever has the archive. `cutOff`: what it means here that the bytes end. */
function errorOf(error: Error, cutOff: () => Error): Error {
  // Which of the two comes depends on what was being read at the end.
  if (/unexpected end of data|stream was destroyed/i.test(error.message)) return cutOff();
  return /^(invalid (tar )?header|header exceeds)/i.test(error.message)
    ? new Error("This is no archive of Headwater, or it was changed.", { cause: error })
    : error;
}

const noArchive = () => new Error("This is no archive of Headwater, or it was cut off at its very beginning.");
const tooLong = () => new Error("The archive was changed: something comes after its end.");
const tooShort = () => new Error("The archive ends too early: a part of it is missing.");

async function beginOf(entry: Entry | null): Promise<Head> {
  if (entry?.stem !== headName) throw noArchive();
  return parseHead(await textOf(entry.chunks));
}

/** All bytes of a table or file, part after part. `stop` is told what comes after it. */
async function* partsOf(
  first: Entry,
  next: () => Promise<Entry | null>,
  stop: (next: Entry | null) => void,
): Chunks & AsyncGenerator<Uint8Array> {
  for (let entry: Entry | null = first; ; ) {
    yield* entry.chunks;
    entry = await next();
    if (entry === null || entry.stem !== first.stem) return stop(entry);
  }
}

/** Counts and hashes what passes. The result is known when all has passed. */
export function measure(chunks: Chunks): { chunks: Chunks; result(): Measured } {
  const hash = createHash("sha256");
  let bytes = 0;
  async function* measured() {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  let result: Measured | undefined;
  return { chunks: measured(), result: () => (result ??= { bytes, sha256: hash.digest("hex") }) };
}

async function drain(_name: string, chunks: Chunks): Promise<void> {
  for await (const _ of chunks);
}

/** What an archive says about itself is short. */
async function textOf(chunks: Chunks): Promise<string> {
  const gathered: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > 16 * 1024 * 1024) throw new Error("This is no archive of Headwater: what it says about itself is too long.");
    gathered.push(chunk);
  }
  return Buffer.concat(gathered).toString("utf8");
}

function check(
  manifest: Manifest,
  begun: Head,
  found: { tables: ReadonlyMap<string, Measured>; files: Hash; count: number; bytes: number },
): void {
  const wrong = (what: string) => new Error(`The archive was changed or damaged: ${what} is not what was put into it.`);
  for (const [name, value] of Object.entries(begun))
    if (JSON.stringify(value) !== JSON.stringify(manifest[name as keyof Head])) throw wrong(name);
  for (const { name, bytes, sha256 } of manifest.tables) {
    const present = found.tables.get(name);
    if (present?.bytes !== bytes || present.sha256 !== sha256) throw wrong(`the table ${name}`);
  }
  if (manifest.tables.length !== found.tables.size) throw wrong("the list of tables");
  const { files } = manifest;
  if (files.count !== found.count || files.bytes !== found.bytes || files.sha256 !== found.files.digest("hex"))
    throw wrong("one of the stored files");
}
