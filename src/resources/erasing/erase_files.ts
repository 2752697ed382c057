// Stored files that name the person. What is packed or no text cannot be searched; the receipt counts it.
import { fromBufferPromise } from "yauzl";
import { type Ctx, query } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { Missing } from "../../services/storage.ts";
import type { Traces } from "./traces.ts";

export interface FileFound {
  id: string;
  is: "clean" | "named" | "unread";
}

/** Few, because each may have 20 MB. */
const most = 5;

/** Looks at the next files after an id. Does not belong in a transaction. */
export async function lookAtFiles(ctx: Ctx, after: string, traces: Traces): Promise<FileFound[]> {
  const rows = await query(
    ctx,
    statement(sql`select id, name, mime, storage_key from file
      where organization_id = ${ctx.organization_id} and id > ${after} order by id limit ${most}`),
  );
  const found: FileFound[] = [];
  for (const [id, name, mime, key] of rows) {
    const isNamed = traces.isIn(name!) || (await holdsTrace(ctx, key!, mime!, traces));
    found.push({ id: id!, is: isNamed === null ? "unread" : isNamed ? "named" : "clean" });
  }
  return found;
}

const texts = /^text\/|[/+](json|xml|csv|x-ndjson|jsonl|rfc822|calendar|vcard|octet-stream)$/;
const packed = /officedocument|opendocument|\/zip$/;
/** So much is unpacked of one file at most. */
const unpackedMax = 200 * 1024 ** 2;

/** Null when it cannot be told. */
async function holdsTrace(ctx: Ctx, key: string, mime: string, traces: Traces): Promise<boolean | null> {
  if (!texts.test(mime) && !packed.test(mime)) return null;
  try {
    const bytes = await ctx.settings.storage.read(key);
    if (!packed.test(mime)) return await isInPieces(bytes as AsyncIterable<Buffer>, traces);
    return await isInArchive(Buffer.concat(await bytes.toArray()), traces);
  } catch (error) {
    if (error instanceof Missing) return false;
    throw error;
  }
}

/** Longer than any address. */
const overlap = 1000;

/** Text in UTF-8, or in an encoding of one byte or of two with a mark. */
async function isInPieces(pieces: AsyncIterable<Buffer>, traces: Traces): Promise<boolean> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let tail = "";
  for await (const piece of pieces) {
    decoder ??= new TextDecoder(encodingOf(piece));
    const text = tail + decoder.decode(piece, { stream: true });
    if (traces.isIn(text)) return true;
    tail = text.slice(-overlap);
  }
  return false;
}

function encodingOf(begin: Buffer): string {
  if (begin[0] === 0xff && begin[1] === 0xfe) return "utf-16le";
  if (begin[0] === 0xfe && begin[1] === 0xff) return "utf-16be";
  return "utf-8";
}

async function isInArchive(bytes: Buffer, traces: Traces): Promise<boolean | null> {
  let left = unpackedMax;
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true });
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith("/") || entry.isEncrypted()) continue;
      left -= entry.uncompressedSize;
      if (left < 0) return null;
      if (await isInPieces((await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>, traces)) return true;
    }
    return false;
  } catch {
    // A damaged archive.
    return null;
  }
}
