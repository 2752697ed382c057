// Groups failures that have the same cause: the same code at the same step, and the same words but for names and numbers.
import { createHash } from "node:crypto";

interface Failed {
  code: string;
  message: string;
  step_id: string | null;
}

export function fingerprint({ code, step_id, message }: Failed): string {
  return createHash("sha256")
    .update(JSON.stringify([code, step_id, normalized(message)]))
    .digest("hex")
    .slice(0, 16);
}

/** Without quoted words, addresses, ids and numbers. */
const normalized = (message: string): string =>
  message
    .toLowerCase()
    .replace(/"[^"]*"|'[^']*'/g, "?")
    .replace(/\S+@\S+|https?:\/\/\S+/g, "?")
    .replace(/\b[a-z]{2,}_[a-z0-9]{8,}\b|\b[0-9a-f-]{16,}\b/g, "?")
    .replace(/\d+/g, "?");
