// Detects what kind of file some bytes are: the media type by the first bytes, a word for it, and the size of an image.
import { open } from "node:fs/promises";

export const fileTypes = [
  "pdf",
  "image",
  "video",
  "audio",
  "document",
  "spreadsheet",
  "presentation",
  "text",
  "archive",
  "other",
] as const;
export type FileType = (typeof fileTypes)[number];

export interface Media {
  mime: string;
  type: FileType;
  /** The size of an image in pixels. */
  width: number | null;
  height: number | null;
}

export const unknownMime = "application/octet-stream";

/**
 * Looks at received bytes. What they show overrides the declared types. If they show nothing, the first plausible declared type
 * is used.
 */
export async function lookAt(path: string, declared: readonly (string | null)[]): Promise<Media> {
  const [sniffed, text] = [await sniff(path), await isText(path)];
  const mime =
    sniffed !== null && !containers.has(sniffed)
      ? sniffed
      : (declared.find((one) => one !== null && one !== unknownMime && !(text && isBinary(one))) ??
        sniffed ??
        (text ? "text/plain" : unknownMime));
  const measured = sniffed !== null && pictures.has(sniffed) ? await measure(path) : { width: null, height: null };
  return { mime, type: typeOf(mime), ...measured };
}

/** Types that are never text. */
const isBinary = (mime: string): boolean => mime !== "image/svg+xml" && ["pdf", "image", "video", "audio"].includes(typeOf(mime));

async function sniff(path: string): Promise<string | null> {
  try {
    const { fileTypeFromFile } = await import("file-type");
    return essence((await fileTypeFromFile(path))?.mime ?? null);
  } catch {
    // If the file is truncated or misleading, its beginning says nothing.
    return null;
  }
}

/** `text/csv; charset=utf-8` → `text/csv`. Null when it is not a media type. */
export function essence(mime: string | null): string | null {
  const [, type] = /^\s*([\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127})\s*(?:;.*)?$/.exec(mime ?? "") ?? [];
  return type === undefined ? null : type.toLowerCase();
}

/** Containers of many formats, which say less than the declared type. */
const containers = new Set(["application/zip", "application/x-cfb", "application/xml", "text/xml", "application/gzip"]);

export function typeOf(mime: string): FileType {
  if (mime === "application/pdf") return "pdf";
  for (const [type, pattern] of patterns) if (pattern.test(mime)) return type;
  return "other";
}

const patterns: readonly (readonly [FileType, RegExp])[] = [
  ["image", /^image\//],
  ["video", /^video\//],
  ["audio", /^audio\//],
  ["spreadsheet", /spreadsheet|ms-excel|^text\/(csv|tab-separated-values)$|apple\.numbers/],
  ["presentation", /presentation|powerpoint|apple\.keynote/],
  ["document", /msword|wordprocessing|opendocument\.text|^(application|text)\/rtf$|epub|apple\.pages/],
  ["archive", /zip|x-tar$|compressed|x-bzip|x-xz$|zstd|x-rar/],
  ["text", /^text\/|^application\/(json|xml|yaml)$|\+(json|xml)$/],
];

const pictures = new Set([
  "image/png",
  "image/apng",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/bmp",
  "image/tiff",
  "image/avif",
  "image/heic",
]);

/** A camera's own notes come before the dimensions, and are rarely longer than this. */
const measuredBytes = 256 * 1024;

async function measure(path: string): Promise<{ width: number | null; height: number | null }> {
  try {
    const { imageSize } = await import("image-size");
    const { width, height, orientation = 1 } = imageSize(await firstBytes(path, measuredBytes));
    // The camera was turned on its side.
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch {
    return { width: null, height: null };
  }
}

/** Valid UTF-8 without NUL, as far as the beginning shows. */
async function isText(path: string): Promise<boolean> {
  const bytes = await firstBytes(path, 4096);
  if (bytes.includes(0)) return false;
  try {
    // The last character may be cut off.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

async function firstBytes(path: string, count: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
