// What a client may say of itself when it registers. What we do not use is left out, so that the same client is the same again.
// `scope` is left out too: clients send the scope of their first request, and would be held to it later.
import { z } from "zod";
import { hashOf } from "../auth/unscoped.ts";
import { oneLine } from "../values/one_line.ts";
import { applicationType } from "./clients.ts";

const webAddress = z
  .string()
  .max(2000)
  .regex(/^https:\/\//);
const grantTypes = ["authorization_code", "refresh_token"];

const registration = z.object({
  redirect_uris: z.array(z.string().max(2000)).min(1).max(10),
  client_name: z
    .string()
    .transform((name) => oneLine(name, 100))
    .optional(),
  client_uri: webAddress.optional().catch(undefined),
  logo_uri: webAddress.optional().catch(undefined),
  grant_types: z
    .array(z.string())
    .transform((types) => types.filter((type) => grantTypes.includes(type)))
    .optional(),
  response_types: z.array(z.string()).optional(),
  token_endpoint_auth_method: z.string().optional(),
});

export class BadRegistration extends Error {
  readonly error: string;
  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

/** The registration as the engine gets it. Throws `BadRegistration`. */
export function readRegistration(text: string): Record<string, unknown> {
  const result = registration.safeParse(parsed(text));
  if (!result.success) {
    const { path, message } = result.error.issues[0]!;
    const error = path[0] === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata";
    throw new BadRegistration(error, path.length === 0 ? "send a JSON object" : `${path.join(".")}: ${message}`);
  }
  const known = Object.fromEntries(Object.entries(result.data).filter(([, value]) => value !== undefined));
  const { redirect_uris } = result.data;
  const unsafe = redirect_uris.find((uri) => !isSafe(uri));
  if (unsafe !== undefined)
    throw new BadRegistration(
      "invalid_redirect_uri",
      "a redirect address must begin with https://, or http:// on localhost, or a scheme with a dot such as com.example.app:",
    );
  return { ...known, redirect_uris: [...new Set(redirect_uris)], application_type: applicationType(redirect_uris) };
}

/**
 * What a client says of itself now, in place of what it said (RFC 7592). Only one with a secret may, and it keeps that; what is given
 * of it is compared by the engine, which knows the hash.
 */
export function readChange(text: string): Record<string, unknown> {
  const known = readRegistration(text);
  const { client_id, client_secret } = parsed(text) as Record<string, unknown>;
  if (known.token_endpoint_auth_method === "none")
    throw new BadRegistration("invalid_client_metadata", "token_endpoint_auth_method: a client with a secret keeps it");
  return { ...known, client_id, ...(client_secret !== undefined && { client_secret: hashOf(String(client_secret)) }) };
}

/** The document in which a client describes itself, in the same words. What else is wrong with it, the engine refuses. */
export function readDescription(text: string): string {
  const given = z.record(z.string(), z.unknown()).safeParse(parsed(text));
  if (!given.success) return text;
  const { scope: _, ...document } = given.data;
  const { redirect_uris: uris, grant_types: types } = document;
  return JSON.stringify({
    ...document,
    application_type: applicationType(Array.isArray(uris) ? uris.map(String) : []),
    ...(Array.isArray(types) && { grant_types: types.filter((type) => grantTypes.includes(type)) }),
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Also how a document in which a client describes itself must be. */
export function isSafe(uri: string): boolean {
  const url = URL.parse(uri);
  if (url === null || uri.includes("#") || url.username !== "" || url.password !== "" || /[\s*\\]/.test(uri)) return false;
  if (url.protocol === "https:") return /^https:\/\/[^/]/i.test(uri);
  if (url.protocol === "http:") return ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  // A scheme of a program is a reversed domain name (RFC 8252), so `javascript:` and `data:` are none.
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol);
}
