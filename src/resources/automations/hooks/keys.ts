// The secrets of automations that other services call: made here, or given by a service that makes its own.
import { randomBytes } from "node:crypto";
import type { Verification } from "./verification.ts";

type Encoding = "text" | "hex" | "base64" | "standard";

const encodingOf = ({ mode, key_encoding }: Verification): Encoding =>
  mode === "standard" ? "standard" : mode === "hmac_custom" ? (key_encoding ?? "text") : "text";

const standardPrefix = "whsec_";

/** A new one, in the form that the verification reads. */
export function newSecret(by: Verification): string {
  const bytes = randomBytes(32);
  const encoding = encodingOf(by);
  return encoding === "hex" || encoding === "base64" ? bytes.toString(encoding) : standardPrefix + bytes.toString("base64");
}

/** The bytes of the key. Null for a secret of another form or with too few bytes, by which nothing is verified. */
export function keyOf(by: Verification, secret: string): Buffer | null {
  const encoding = encodingOf(by);
  if (encoding === "standard" && !secret.startsWith(standardPrefix)) return null;
  const text = encoding === "standard" ? secret.slice(standardPrefix.length) : secret;
  const bytes = encoding === "text" ? Buffer.from(text) : decoded(text, encoding === "hex" ? "hex" : "base64");
  return bytes !== null && bytes.length >= 16 ? bytes : null;
}

const decoded = (text: string, encoding: "hex" | "base64"): Buffer | null => {
  const isWhole = encoding === "hex" ? /^([0-9a-f]{2})+$/i.test(text) : /^[A-Za-z0-9+/]+=*$/.test(text);
  return isWhole ? Buffer.from(text, encoding) : null;
};

/** What a secret must look like, in words. */
export const secretForm = (by: Verification): string =>
  ({
    text: "must have 16 characters or more",
    hex: "must be 16 bytes or more as hexadecimal digits",
    base64: "must be 16 bytes or more in base64",
    standard: "must be whsec_ and 16 bytes or more in base64",
  })[encodingOf(by)];
