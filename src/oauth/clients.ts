// Where the engine finds clients: applications of organizations, and clients that registered themselves. A client whose id is an
// address describes itself there; the engine fetches that.
import { createHash, timingSafeEqual } from "node:crypto";
import type { Client } from "oidc-provider";
import { hashOf } from "../auth/unscoped.ts";
import { findApp, findClient, type Payload, type RegisteredApp, writeClient } from "../auth/unscoped_oauth.ts";
import type { Core } from "../core/core.ts";
import { oneLine } from "../values/one_line.ts";
import { included } from "./scopes.ts";

const appPrefix = "oa2client_";
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** What the engine knows of a client, or undefined. In place of its secret stands the hash of it. */
export async function readClient(core: Core, id: string): Promise<Payload | undefined> {
  if (id.startsWith(appPrefix)) {
    const app = await findApp(core.db, id);
    return app === null ? undefined : metadataOf(app);
  }
  const stored = await findClient(core.db, id);
  if (stored === null) return undefined;
  return { ...stored.metadata, ...(stored.secret_hash !== null && { client_secret: stored.secret_hash }) };
}

const metadataOf = (app: RegisteredApp): Payload => ({
  client_id: app.id,
  client_name: app.name,
  redirect_uris: app.redirect_uris,
  application_type: applicationType(app.redirect_uris),
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: app.client_type === "public" ? "none" : "client_secret_basic",
  scope: included(app.scopes.join(" ")).join(" "),
  ...(app.secret_hash !== null && { client_secret: app.secret_hash }),
  ...(app.website_url !== null && { client_uri: app.website_url }),
  ...(app.logo_url !== null && { logo_uri: app.logo_url }),
});

/** A program on the person's own machine may be called back at any port there. */
export const applicationType = (redirectUris: readonly string[]): "native" | "web" =>
  redirectUris.some((uri) => !URL.canParse(uri) || !isWeb(new URL(uri))) ? "native" : "web";

const isWeb = ({ protocol, hostname }: URL): boolean => protocol === "https:" && !loopback.has(hostname);

export const isLoopback = (uri: string): boolean => URL.canParse(uri) && loopback.has(new URL(uri).hostname);

/** Stores a client that registered itself, or what it says of itself now. It keeps the secret that it began with. */
export async function storeClient(core: Core, id: string, { client_secret, ...metadata }: Payload): Promise<void> {
  const secret_hash = typeof client_secret === "string" ? hashOf(client_secret) : null;
  await writeClient(core.db, id, { metadata, secret_hash }, core.clock());
}

/** What people read as its name. */
export const nameToShow = (client: Client): string =>
  oneLine(String(client.clientName || hostOf(client.clientId) || "An application"), 80);

export const hostOf = (address: string): string | null => (/^https?:/.test(address) ? (URL.parse(address)?.host ?? null) : null);

/**
 * The same registration has the same id, so that a client that registers at every start is one client. A client with a secret is a new
 * one each time: it gets another secret.
 */
export function clientId(registration: Payload, random: string): string {
  const isPublic = registration.token_endpoint_auth_method === "none";
  const canonical = Object.entries(registration)
    .map(([name, value]) => [name, Array.isArray(value) ? [...value].sort() : value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash("sha256").update(isPublic ? JSON.stringify(canonical) : random);
  return `oapp_${hash.digest("base64url").slice(0, 32)}`;
}

/** Compares a secret with the stored hash. */
export function isSecret(hash: string | undefined, secret: string): boolean {
  const given = Buffer.from(hashOf(secret));
  const stored = Buffer.from(hash ?? "");
  return stored.length === given.length && timingSafeEqual(stored, given);
}
