// Signs by the Standard Webhooks scheme (https://www.standardwebhooks.com), for which receivers find libraries.
import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";

/** A key in the form for receivers. */
export const newKey = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** The same key as a key object, for many signatures. Creating it each time would take ten times as long as signing. */
export const signingKey = (key: string): KeyObject => createSecretKey(Buffer.from(key.slice("whsec_".length), "base64"));

/** The headers that sign a body. During a change of keys, both sign. */
export function signedHeaders(keys: readonly KeyObject[], id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": keys.map((key) => `v1,${signatureOf(key, `${id}.${timestamp}.${body}`)}`).join(" "),
  };
}

const signatureOf = (key: KeyObject, content: string): string => createHmac("sha256", key).update(content).digest("base64");
