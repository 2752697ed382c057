// What the engine gets to see of a request: what clients write in several ways is put into one, and the address is the service's own,
// whatever the `Host` header says.
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { resourceAt, resourceUrl } from "../values/resource_server.ts";
import { formPost, ownFormPost } from "./form_page.ts";
import { included } from "./scopes.ts";

/** A request that was read, and changed, and can be read again. */
export class ReadAgain extends Readable {
  readonly method: string;
  readonly url: string;
  /** With the path below which the service lies, so that the engine leads back below it. */
  readonly originalUrl: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly socket: IncomingMessage["socket"];
  readonly httpVersion: string;
  private bytes: Buffer | null;

  constructor(raw: IncomingMessage, url: string, baseUrl: string, body: Buffer, method = raw.method!) {
    super();
    this.method = method;
    this.url = url;
    this.originalUrl = new URL(baseUrl).pathname.replace(/\/$/, "") + url;
    this.socket = raw.socket;
    this.httpVersion = raw.httpVersion;
    this.bytes = body;
    const { host, protocol } = new URL(baseUrl);
    const own = { host, "x-forwarded-host": host, "x-forwarded-proto": protocol.slice(0, -1), "x-forwarded-for": undefined };
    const { "transfer-encoding": _, "content-length": __, ...headers } = raw.headers;
    this.headers = { ...headers, ...own, ...(body.length > 0 && { "content-length": String(body.length) }) };
  }

  override _read(): void {
    if (this.bytes !== null && this.bytes.length > 0) this.push(this.bytes);
    this.bytes = null;
    this.push(null);
  }
}

/**
 * Parameters in our words. A request for consent without a scope asks for `read`. A name that occurs twice is left for the engine to
 * refuse.
 */
export function inOurWords(given: string, baseUrl: string, asksForConsent: boolean): URLSearchParams {
  const params = new URLSearchParams(given);
  const [scope] = params.getAll("scope");
  const once = params.getAll("scope").length < 2;
  if (once && (scope || asksForConsent)) params.set("scope", included(scope ?? "").join(" "));
  if (params.get("response_mode") === formPost) params.set("response_mode", ownFormPost);
  const resources = params.getAll("resource");
  params.delete("resource");
  for (const resource of resources) {
    const name = resourceAt(baseUrl, resource);
    params.append("resource", name === null ? resource : resourceUrl(baseUrl, name));
  }
  return params;
}
