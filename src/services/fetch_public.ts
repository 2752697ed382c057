// Fetching from an address that a user chose. Every step is held to public addresses: what the URL says, all that DNS answers, the
// machine that is connected in the end, and the same again for each redirect. A refusal never says which of them it was, so that
// nobody can ask what stands in the operator's own network.
import { lookup as dnsLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { Agent, buildConnector, request } from "undici";
import type { PublicAddresses } from "./public_address.ts";

/** It could not be fetched, for whatever reason. */
export class NotFetched extends Error {}

export interface Fetched {
  /** The address in the end. */
  url: URL;
  /** The header as it came. */
  contentType: string | null;
  contentLength: number | null;
  body: Readable;
}

const redirectsMax = 3;
const connectMs = 5_000;

/** Hands the answer of a GET to `take`, which reads its body. Redirects and the body included it takes `timeoutMs` at most. */
export async function fetchPublic<T>(
  addresses: PublicAddresses,
  address: string,
  take: (fetched: Fetched) => Promise<T>,
  timeoutMs = 15_000,
): Promise<T> {
  const dispatcher = new Agent({ connect: publicConnector(addresses), pipelining: 0 });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await take(await follow(addresses, address, dispatcher, signal));
  } catch (error) {
    if (signal.aborted) throw new NotFetched("took too long", { cause: error });
    throw error;
  } finally {
    // Connections are not kept: the next request is to somebody else.
    await dispatcher.destroy().catch(() => {});
  }
}

async function follow(addresses: PublicAddresses, address: string, dispatcher: Agent, signal: AbortSignal): Promise<Fetched> {
  let url = publicUrl(addresses, address, null);
  for (let hop = 0; hop <= redirectsMax; hop++) {
    const answer = await request(url, { dispatcher, signal, headers }).catch((cause) => {
      throw new NotFetched("no answer", { cause });
    });
    const { location } = answer.headers;
    if (answer.statusCode >= 200 && answer.statusCode < 300) return fetched(url, answer.headers, answer.body);
    await answer.body.dump({ limit: 16_384 }).catch(() => {});
    if (!redirects.has(answer.statusCode) || typeof location !== "string") throw new NotFetched(`answered ${answer.statusCode}`);
    url = publicUrl(addresses, location, url);
  }
  throw new NotFetched("redirected too often");
}

const redirects = new Set([301, 302, 303, 307, 308]);

const headers = { "user-agent": "Headwater", accept: "*/*", "accept-encoding": "identity" };

function fetched(url: URL, given: Record<string, string | string[] | undefined>, body: Readable): Fetched {
  const one = (name: string) => [given[name]].flat()[0] ?? null;
  const length = one("content-length");
  return { url, contentType: one("content-type"), contentLength: length === null ? null : Number(length), body };
}

/** What can be known before anything is looked up. A redirect may not leave https. */
function publicUrl(addresses: PublicAddresses, address: string, from: URL | null): URL {
  const url = URL.parse(address, from?.href);
  if (url === null) throw new NotFetched("no address");
  const plain = url.protocol === "http:" && from?.protocol !== "https:";
  if (!plain && url.protocol !== "https:") throw new NotFetched("not http or https");
  if (url.username !== "" || url.password !== "") throw new NotFetched("carries a password");
  if (!addresses.allowsHost(url.href)) throw new NotFetched("not public");
  return url;
}

/** A name is looked up once, here: one address that is not public among its answers is enough to refuse it. */
function publicConnector(addresses: PublicAddresses): buildConnector.connector {
  const lookup: LookupFunction = (host, options, done) => {
    dnsLookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, "", 0);
      if (found.length === 0 || !found.every(({ address }) => addresses.allows(address)))
        return done(new NotFetched("not public"), "", 0);
      if (options.all) done(null, found);
      else done(null, found[0]!.address, found[0]!.family);
    });
  };
  const connect = buildConnector({ timeout: connectMs, lookup });
  return (options, done) =>
    connect(options, (...answer) => {
      const [error, socket] = answer;
      if (error !== null || socket === null) return done(...answer);
      if (addresses.allows(socket.remoteAddress ?? "")) return done(null, socket);
      socket.destroy();
      done(new NotFetched("not public"), null);
    });
}
