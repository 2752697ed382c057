// Ids are TypeID style: prefix, underscore, 26 characters of base32 over a UUIDv7. They sort by creation time.
import { randomFillSync } from "node:crypto";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const pool = new Uint8Array(8192);
const uuid = new Uint8Array(16);
let used = pool.length;
let lastMs = 0;
let sequence = 0;

/** `newId("lead")` → `lead_01jv3k…`. Ids that one process makes in one millisecond still sort in creation order. */
export function newId(prefix: string, now: number = Date.now()): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  uuid.set(pool.subarray(used, (used += 10)), 6);
  tick(now);

  writeMs(uuid, lastMs);
  uuid[6] = 0x70 | (sequence >> 8);
  uuid[7] = sequence;
  uuid[8] = 0x80 | (uuid[8]! & 0x3f);
  return `${prefix}_${base32(uuid)}`;
}

function writeMs(bytes: Uint8Array, ms: number): void {
  bytes[0] = ms / 2 ** 40;
  bytes[1] = ms / 2 ** 32;
  bytes[2] = ms >>> 24;
  bytes[3] = ms >>> 16;
  bytes[4] = ms >>> 8;
  bytes[5] = ms;
}

// 12 bits count within a millisecond. When they run out, the next millisecond is used early.
function tick(now: number): void {
  if (now > lastMs) {
    lastMs = now;
    sequence = uuid[7]!;
  } else if (++sequence > 0xfff) {
    lastMs++;
    sequence = 0;
  }
}

function base32(bytes: Uint8Array): string {
  let text = "";
  let held = 0;
  let bits = 2; // 128 bits are written as 130: two zero bits lead
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(held >> bits) & 31];
    }
    held &= 31;
  }
  return text;
}

/**
 * An id that does not reveal its creation time. People have such ids, so that an invitation does not reveal whether they were
 * known.
 */
export const randomId = (prefix: string): string => `${prefix}_${base32(randomFillSync(new Uint8Array(16)))}`;

/** The smallest id of an instant. Every id made from then on sorts after it. */
export function firstIdAt(prefix: string, instant: Date): string {
  const bytes = new Uint8Array(16);
  writeMs(bytes, instant.getTime());
  return `${prefix}_${base32(bytes)}`;
}

/** When an id was made. Null for a text that is not such an id. */
export function madeAt(prefix: string, id: string): Date | null {
  const digits = id.slice(prefix.length + 1);
  if (!id.startsWith(`${prefix}_`) || digits.length !== 26) return null;
  const values = Array.from(digits.slice(0, 10), (digit) => alphabet.indexOf(digit));
  return values.includes(-1) ? null : new Date(values.reduce((ms, value) => ms * 32 + value, 0));
}

/** True when `text` could be an id with this prefix. Nothing is looked up. */
export function isId(prefix: string, text: string): boolean {
  return text.length <= 64 && text.startsWith(`${prefix}_`) && /^[0-9A-Za-z_]+$/.test(text);
}

/** Marks the words of an organization in the index of all. The end of an id is its random part. */
export const markOf = (organizationId: string): string => organizationId.slice(-8);

/** The prefix of an id: `lead_01…` → `lead`. */
export const prefixOf = (id: string): string => id.slice(0, id.lastIndexOf("_"));
