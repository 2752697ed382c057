// The logo of `settings.branding`: a picture among the organization's own files. Its bytes are checked to the last one before anything
// else reads them, because whoever uploads a file decides what is in it.
import { buffer } from "node:stream/consumers";
import { inflateSync } from "node:zlib";
import { imageSize } from "image-size";
import { LRUCache } from "lru-cache";
import type { Row } from "../../core/resource.ts";
import { Missing, type Storage } from "../../services/storage.ts";
import type { file } from "../files/file.ts";

export interface Logo {
  mime: "image/png" | "image/jpeg";
  bytes: Buffer;
  width: number;
  height: number;
}

/** A stored file, as reading a logo needs it. */
export type LogoFile = Pick<Row<typeof file>, "storage_key" | "size" | "mime">;

/** Why bytes are no logo, as the reason of an error. */
export class NoLogo extends Error {}

const bytesMost = 512 * 1024;
/** Pixels in all. Those of a PNG with transparency are unpacked when the PDF is made. */
const pixelsMost = 1_500_000;

export const logoRule = "must be a PNG or JPEG of 512 KB and 1.5 million pixels or less";

/** Stored bytes never change, so what was read once is kept. */
const known = new LRUCache<string, Logo>({ maxSize: 16 * 1024 * 1024, sizeCalculation: ({ bytes }) => bytes.length });

/** The same for showing it: a logo that is no good any more is left out. */
export const logoIfGood = (storage: Storage, of: LogoFile | null): Promise<Logo | null> =>
  of === null
    ? Promise.resolve(null)
    : readLogo(storage, of).catch((error) => {
        if (error instanceof NoLogo) return null;
        throw error;
      });

/** Reads and checks it. Throws `NoLogo`. Not within a transaction, as the storage may be slow. */
export async function readLogo(storage: Storage, of: LogoFile): Promise<Logo> {
  const kept = known.get(of.storage_key);
  if (kept !== undefined) return kept;
  if (of.size > bytesMost || (of.mime !== "image/png" && of.mime !== "image/jpeg")) throw new NoLogo(logoRule);
  const bytes = await buffer(await storage.read(of.storage_key)).catch((error) => {
    throw error instanceof Missing ? new NoLogo("has no bytes any more: upload it again") : error;
  });
  const logo = checked(bytes, of.mime);
  known.set(of.storage_key, logo);
  return logo;
}

function checked(bytes: Buffer, mime: Logo["mime"]): Logo {
  if (mime === "image/png") return checkedPng(bytes);
  const { width, height, type } = measured(bytes);
  if (type !== "jpg" || !isPicture(width, height)) throw new NoLogo(logoRule);
  return { mime, bytes, width, height };
}

function measured(bytes: Buffer): { width: number; height: number; type?: string } {
  try {
    return imageSize(bytes);
  } catch {
    throw new NoLogo("cannot be read as a picture");
  }
}

const isPicture = (width: number, height: number): boolean => width > 0 && height > 0 && width * height <= pixelsMost;

// --- PNG ---

const signature = Buffer.from("89504e470d0a1a0a", "hex");
/** The samples of a pixel by the color type. */
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Each row begins with how it is to be read: a number from 0 to this. */
const filterMost = 4;
const parts = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]);

/** A copy with nothing but the picture, whose length and pixels are as its head says. */
function checkedPng(bytes: Buffer): Logo {
  const chunks = chunksOf(bytes).filter(({ type }) => parts.has(type));
  const head = chunks[0]?.type === "IHDR" ? chunks[0].data : Buffer.alloc(0);
  if (head.length !== 13 || chunks.at(-1)?.type !== "IEND") throw new NoLogo("cannot be read as a picture");
  const [width, height, bits, color] = [head.readUInt32BE(0), head.readUInt32BE(4), head[8]!, head[9]!];
  if (!isPicture(width, height)) throw new NoLogo(logoRule);
  if (head[12] !== 0) throw new NoLogo("must not be interlaced: save it again without that");
  if (samples[color] === undefined || ![1, 2, 4, 8].includes(bits) || (bits < 8 && color !== 0 && color !== 3))
    throw new NoLogo("must have at most 8 bits for each color");
  const of = (type: string) => chunks.filter((chunk) => chunk.type === type).map(({ data }) => data);
  const palette = Buffer.concat(of("PLTE")).length;
  if (color === 3 && (palette === 0 || palette % 3 !== 0 || palette > 768)) throw new NoLogo("cannot be read as a picture");
  if (color === 3 && bits < 8 && of("tRNS").length > 0)
    throw new NoLogo("must have 8 bits for each pixel where it is transparent");
  const row = 1 + Math.ceil((width * bits * samples[color]) / 8);
  const pixels = inflated(Buffer.concat(of("IDAT")), height * row);
  if (pixels.length !== height * row) throw new NoLogo("cannot be read as a picture");
  for (let at = 0; at < pixels.length; at += row) if (pixels[at]! > filterMost) throw new NoLogo("cannot be read as a picture");
  return { mime: "image/png", bytes: Buffer.concat([signature, ...chunks.map(({ whole }) => whole)]), width, height };
}

function inflated(packed: Buffer, most: number): Buffer {
  try {
    return inflateSync(packed, { maxOutputLength: most });
  } catch {
    return Buffer.alloc(0);
  }
}

function chunksOf(bytes: Buffer): { type: string; data: Buffer; whole: Buffer }[] {
  const chunks = [];
  let at = signature.length;
  while (at + 12 <= bytes.length) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    chunks.push({
      type: bytes.toString("latin1", at + 4, at + 8),
      data: bytes.subarray(at + 8, end - 4),
      whole: bytes.subarray(at, end),
    });
    at = end;
  }
  return chunks;
}
