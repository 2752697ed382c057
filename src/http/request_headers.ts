// Reads the headers that change what a request means. An invalid header is refused by its name.
import { conflict, invalid } from "../core/errors.ts";
import type { Method } from "../core/operation.ts";

/** `x-tz-offset`, hours east of UTC, as minutes: `-4` → -240, `5.5` → 330. Time zones differ by quarters of an hour. */
export function offsetMinutes(header: string | string[] | undefined): number {
  if (header === undefined) return 0;
  const hours = typeof header === "string" && /^[+-]?\d{1,2}(\.\d{1,4})?$/.test(header) ? Number(header) : Number.NaN;
  if (!(hours >= -12 && hours <= 14) || !Number.isInteger(hours * 4))
    throw invalid({ "x-tz-offset": "must be hours from UTC between -12 and 14, in quarters, such as -4 or 5.5" });
  return hours * 60;
}

/** `Prefer: handling=strict` (RFC 7240), alone or in a list. */
export const isStrict = (header: string | string[] | undefined): boolean =>
  header !== undefined && /(^|,)\s*handling\s*=\s*"?strict"?\s*(;|,|$)/i.test(String(header));

export function idempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === "string" && /^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalid({ "Idempotency-Key": "must be 1 to 255 printable characters" });
}

/** `x-change-set`: a name for everything that a client changes in a while. Names that begin like ids would be taken for them. */
export function changeSetName(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === "string" && /^(?!(req|arun)_)[A-Za-z0-9._:-]{1,100}$/.test(header)) return header;
  throw invalid({ "x-change-set": "must be 1 to 100 letters, digits and ._:-, and not begin with req_ or arun_" });
}

/** The versions in `If-Match`, one of which must be the record's; null for any. A tag that is not ours matches no record. */
export function ifMatchVersions(header: string | undefined): number[] | null {
  const tags = header?.split(",").map((one) => one.trim());
  if (tags === undefined || tags.includes("*")) return null;
  const versions = tags.flatMap((one) => /^(?:W\/)?"?(\d{1,15})(?:\.[\w-]*)?"?$/.exec(one)?.[1] ?? []);
  if (versions.length === 0) throw conflict(412);
  return versions.map(Number);
}

/** True if `If-None-Match` names this entity tag. Weak tags compare alike: a proxy made them of ours. */
export const namesEtag = (header: string, etag: string): boolean =>
  header === etag || header.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag);

/** The method that a POST stands for: POST without the header, null for a method that is not allowed. */
export function overriddenMethod(header: string | string[] | undefined): Method | null {
  if (header === undefined) return "POST";
  const method = String(header).trim().toUpperCase();
  return method === "GET" || method === "PUT" || method === "DELETE" || method === "POST" ? method : null;
}
