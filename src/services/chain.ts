// The chain of automations that led to a request. It travels in a signed header, so that a loop through our own interface, or through a
// service that sends the header back, is as short as one that stays inside.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secrets } from "./secrets.ts";

export const chainHeader = "x-headwater-chain";

export interface Chain {
  /** How many automations led to it. */
  depth: number;
  /** Each of them with its record: `auto_1/lead_1`. */
  path: readonly string[];
}

/** Who kept an old header could hide changes from automations with it. A request is tried again for less time. */
const validMs = 24 * 3_600_000;

/** The value of the header: what it says and its signature, both in base64url. */
export function signedChain(secrets: Secrets, organization_id: string, { depth, path }: Chain, at: Date): string {
  const said = Buffer.from(JSON.stringify({ depth, path, at: at.getTime() })).toString("base64url");
  return `${said}.${signatureOf(secrets, organization_id, said).toString("base64url")}`;
}

/** Null for a header that is not ours, is older than a day, or was made for another organization. */
export function readChain(secrets: Secrets, organization_id: string, header: unknown, now: Date): Chain | null {
  if (typeof header !== "string" || header.length > 8192) return null;
  const [said = "", signature = "", ...rest] = header.split(".");
  const [given, own] = [Buffer.from(signature, "base64url"), signatureOf(secrets, organization_id, said)];
  if (rest.length > 0 || given.length !== own.length || !timingSafeEqual(given, own)) return null;
  const { depth, path, at } = JSON.parse(Buffer.from(said, "base64url").toString());
  return Math.abs(now.getTime() - at) <= validMs ? { depth, path } : null;
}

const signatureOf = (secrets: Secrets, organization_id: string, said: string): Buffer =>
  createHmac("sha256", secrets.derive({ table: "automation_run", column: "causation", organization_id, id: "chain" }))
    .update(said)
    .digest();

/** As the `meta` of events says it. */
export const chainMeta = ({ depth, path }: Chain): Record<string, unknown> => ({
  automation_depth: depth,
  automation_path: path.join(" "),
});

/** The chain that the `meta` of an event names. Null for an event that no automation led to. */
export function chainOf(meta: Readonly<Record<string, unknown>>): Chain | null {
  if (typeof meta.automation_depth !== "number") return null;
  return { depth: meta.automation_depth, path: typeof meta.automation_path === "string" ? meta.automation_path.split(" ") : [] };
}
