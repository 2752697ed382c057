// Compresses long answers if the client accepts it. Costs and savings are in docs/decisions/0016-compressed-answers.md.
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { codingsIn } from "../values/accept_encoding.ts";

export type Coding = "gzip" | "br";

/** A shorter answer fits so few packets that compressing it gains no time. */
export const longBytes = 16_384;

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** Compresses at the fastest level, off the event loop. */
export const compress = (bytes: Buffer, coding: Coding): Promise<Buffer> =>
  coding === "gzip"
    ? gzipped(bytes, { level: constants.Z_BEST_SPEED })
    : brotlied(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MIN_QUALITY } });

/** The coding that `Accept-Encoding` prefers, or null. Of two with the same weight gzip, whose fastest level is smaller and faster. */
export function acceptedCoding(header: string | string[] | undefined): Coding | null {
  if (header === undefined) return null;
  const { weightOf, identity } = codingsIn(String(header));
  const best = weightOf("br") > weightOf("gzip") ? "br" : "gzip";
  return weightOf(best) > 0 && weightOf(best) >= identity ? best : null;
}

/** Files are sent as they are, because parts of them can be asked for and most do not shrink. */
export const isCompressible = (headers: Readonly<Record<string, string>>): boolean =>
  !("content-disposition" in headers || "content-range" in headers || "content-encoding" in headers) &&
  /^(application\/json|text\/|image\/svg)/.test(headers["content-type"] ?? "application/json");
