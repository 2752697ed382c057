// Bytes as text: by their mark, as UTF-8, as UTF-16, or in an encoding of one byte that they look like.
import { detect } from "chardet";

/** Null for bytes that are no text. */
export function decoded(bytes: Uint8Array): string | null {
  const marked = markOf(bytes);
  if (marked !== null) return new TextDecoder(marked).decode(bytes);
  if (bytes.includes(0)) return wide(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(guessed(bytes)).decode(bytes);
  }
}

function markOf([a, b]: Uint8Array): string | null {
  if (a === 0xff && b === 0xfe) return "utf-16le";
  return a === 0xfe && b === 0xff ? "utf-16be" : null;
}

/** How many bytes are looked at. */
const begin = 65_536;

/** UTF-16 without a mark: in western languages every second byte is zero. */
function wide(bytes: Uint8Array): string | null {
  const zeros = [0, 0];
  const looked = bytes.subarray(0, begin);
  for (const [i, byte] of looked.entries()) if (byte === 0) zeros[i % 2]!++;
  const [even, odd] = zeros.map((n) => n / (looked.length / 2)) as [number, number];
  if (odd > 0.6 && even < 0.1) return new TextDecoder("utf-16le").decode(bytes);
  return even > 0.6 && odd < 0.1 ? new TextDecoder("utf-16be").decode(bytes) : null;
}

function guessed(bytes: Uint8Array): string {
  try {
    return new TextDecoder(detect(bytes.subarray(0, begin)) ?? "windows-1252").encoding;
  } catch {
    return "windows-1252";
  }
}

/** What a program that knows no format sees in bytes: words in one byte or two for each letter. */
export const wordsIn = (bytes: Uint8Array): string[] => [
  new TextDecoder("windows-1252").decode(bytes),
  new TextDecoder("utf-8").decode(bytes),
  new TextDecoder("utf-16le").decode(bytes),
  new TextDecoder("utf-16le").decode(bytes.subarray(1)),
];
