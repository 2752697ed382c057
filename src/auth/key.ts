// API keys: `api_`, 43 random base62 characters, and 6 characters of CRC-32, so that a scanner can tell a key from similar text.
import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The text of a new key. It is shown once and stored only as a hash. */
export function newKey(): string {
  const random = Array.from({ length: 43 }, () => alphabet[randomInt(62)]).join("");
  return `api_${random}${checksum(`api_${random}`)}`;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < 6; i++) {
    digits = alphabet[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
