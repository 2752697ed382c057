// Whether a call comes from who has the secret. It is decided by the bytes as they came, before anything is read in them.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { keyOf } from "./keys.ts";
import { signedAround, type Verification } from "./verification.ts";

export interface Received {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  bytes: Buffer;
}

/** By any of the secrets: during a change there are two. */
export function isVerified(by: Verification, secrets: readonly string[], received: Received, now: Date): boolean {
  if (by.mode === "none") return true;
  const verify = { standard: byStandard, hmac_custom: bySignature, token: byToken }[by.mode];
  return secrets.some((secret) => verify(by, secret, received, now));
}

const toleranceSeconds = 300;

/** In seconds, as all of them send it. An old call may be a copy of a true one. */
const isPresent = (timestamp: string, now: Date): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds;

const headerOf = ({ headers }: Received, name: string): string => {
  const value = headers[name.toLowerCase()];
  return typeof value === "string" ? value : "";
};

/** https://www.standardwebhooks.com: `webhook-signature` lists `v1,` and the signature in base64, with spaces between. */
function byStandard(by: Verification, secret: string, received: Received, now: Date): boolean {
  const [id, timestamp] = [headerOf(received, "webhook-id"), headerOf(received, "webhook-timestamp")];
  const key = keyOf(by, secret);
  if (key === null || id === "" || !isPresent(timestamp, now)) return false;
  const digest = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(received.bytes).digest();
  return headerOf(received, "webhook-signature")
    .split(" ")
    .some((one) => one.startsWith("v1,") && isDigest(one.slice(3), "base64", digest));
}

/**
 * The header has the signature behind the prefix, or several parts with commas between. One of them may be the timestamp, as
 * `t=`, if no header of its own is named.
 */
function bySignature(by: Verification, secret: string, received: Received, now: Date): boolean {
  const { header = "", prefix = "", algorithm = "sha256", encoding = "hex", timestamp_header } = by;
  const parts = headerOf(received, header)
    .split(",")
    .map((part) => part.trim());
  const [before, after] = signedAround(by);
  const timestamp =
    timestamp_header === undefined
      ? (parts.find((part) => part.startsWith("t="))?.slice(2) ?? "")
      : headerOf(received, timestamp_header);
  const isDated = `${before}${after}`.includes("{timestamp}");
  const key = keyOf(by, secret);
  if (key === null || (isDated && !isPresent(timestamp, now))) return false;

  const dated = (text: string) => text.replaceAll("{timestamp}", timestamp);
  const digest = createHmac(algorithm, key).update(dated(before)).update(received.bytes).update(dated(after)).digest();
  return parts.some((part) => part.startsWith(prefix) && isDigest(part.slice(prefix.length), encoding, digest));
}

/** The secret itself, in a header or as a Bearer token. Digests are compared, so that the time does not depend on the length. */
function byToken({ header = "authorization" }: Verification, secret: string, received: Received): boolean {
  const given = headerOf(received, header).replace(/^Bearer +/i, "");
  const digestOf = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digestOf(given), digestOf(secret));
}

function isDigest(text: string, encoding: "hex" | "base64", digest: Buffer): boolean {
  const given = Buffer.from(text, encoding);
  return given.length === digest.length && timingSafeEqual(given, digest);
}
