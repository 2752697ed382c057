// Fetches from an address that a user chose. Only public addresses are reached: the URL, all addresses that DNS returns and the
// connected address are checked, again for each redirect. An error never says which check failed, so that nobody can explore the
// operator's own network. This uses Node's own client, because the memory of its bodies can be released at once. With undici,
// twenty files of 20 MB at once raised the process by 78 MB.
import { lookup as dnsLookup } from "node:dns";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import net, { isIP, type LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import type { Asker } from "../db/database.ts";
import { type PublicAddresses, portOf } from "./public_address.ts";

/** The fetch failed, for whatever reason. */
export class NotFetched extends Error {
  /** Whether it may succeed another time. */
  readonly isPassing: boolean;

  constructor(message: string, { cause, isPassing = false }: { cause?: unknown; isPassing?: boolean } = {}) {
    super(message, { cause });
    this.isPassing = isPassing;
  }
}

export interface Fetched {
  /** The final address, after redirects. */
  url: URL;
  /** Headers as received. */
  contentType: string | null;
  contentDisposition: string | null;
  contentEncoding: string | null;
  contentLength: number | null;
  body: IncomingMessage;
}

const redirectsMax = 3;
/** From the first connection to the last byte, so that a slow sender cannot hold a process for longer. */
const usualMs = 15_000;

export interface Fetching {
  /** Sent only to the host of the given address, never to the target of a redirect to another origin. */
  authorization?: string;
  wholeMs?: number;
  /** How many redirects are followed. */
  redirects?: number;
}

/** Sends a GET and passes the response to `take`, which reads its body. The fetch is aborted when the caller disconnects. */
export async function fetchPublic<T>(
  addresses: PublicAddresses,
  address: string,
  take: (fetched: Fetched) => Promise<T>,
  asker: Pick<Asker, "onLeave"> | null = null,
  { authorization, wholeMs = usualMs, redirects: most = redirectsMax }: Fetching = {},
): Promise<T> {
  const limit = new AbortController();
  const stop = () => limit.abort();
  const timer = setTimeout(stop, wholeMs);
  const stay = asker?.onLeave(stop);
  try {
    const { url, answer } = await follow(addresses, address, { signal: limit.signal, authorization, most });
    // The reader of the body receives the error. Later errors do not matter.
    answer.on("error", () => {});
    const {
      "content-type": contentType = null,
      "content-disposition": contentDisposition = null,
      "content-encoding": contentEncoding = null,
      "content-length": length,
    } = answer.headers;
    const contentLength = length === undefined ? null : Number(length);
    return await take({ url, contentType, contentDisposition, contentEncoding, contentLength, body: answer });
  } catch (error) {
    if (limit.signal.aborted) throw new NotFetched("took too long", { cause: error, isPassing: true });
    throw error;
  } finally {
    clearTimeout(timer);
    stay?.();
    // Connections are not kept, because the next request goes to another host.
    limit.abort();
  }
}

async function follow(
  addresses: PublicAddresses,
  address: string,
  { signal, authorization, most }: { signal: AbortSignal; authorization: string | undefined; most: number },
): Promise<{ url: URL; answer: IncomingMessage }> {
  let url = publicUrl(addresses, address, null);
  const { origin } = url;
  for (let hop = 0; hop <= most; hop++) {
    const answer = await ask(addresses, url, signal, url.origin === origin ? authorization : undefined).catch((cause) => {
      const isPassing = !(cause instanceof NotFetched) && cause.code !== "ENOTFOUND";
      throw new NotFetched("no answer", { cause, isPassing });
    });
    const status = answer.statusCode!;
    if (status >= 200 && status < 300) return { url, answer };
    answer.on("error", () => {}).destroy();
    const { location } = answer.headers;
    if (!redirects.has(status) || location === undefined)
      throw new NotFetched(`answered ${status}`, { isPassing: status >= 500 || status === 429 });
    url = publicUrl(addresses, location, url);
  }
  throw new NotFetched("redirected too often");
}

const redirects = new Set([301, 302, 303, 307, 308]);

const headers = { "user-agent": "Headwater", accept: "*/*", "accept-encoding": "identity", connection: "close" };

/** The checks that need no lookup. A redirect may not leave https. */
function publicUrl(addresses: PublicAddresses, address: string, from: URL | null): URL {
  const url = URL.parse(address, from?.href);
  if (url === null) throw new NotFetched("no address");
  const plain = url.protocol === "http:" && from?.protocol !== "https:";
  if (!plain && url.protocol !== "https:") throw new NotFetched("not http or https");
  if (url.username !== "" || url.password !== "") throw new NotFetched("carries a password");
  if (!addresses.allowsHost(url.href)) throw new NotFetched("not public");
  return url;
}

function ask(
  addresses: PublicAddresses,
  url: URL,
  signal: AbortSignal,
  authorization: string | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === "https:" ? https : http;
    const createConnection = (_: unknown, done: Connected) => connect(addresses, url, signal, done);
    request(url, {
      headers: { ...headers, ...(authorization && { authorization }) },
      signal,
      createConnection: createConnection as http.RequestOptions["createConnection"],
    })
      .on("response", resolve)
      .on("error", reject)
      .end();
  });
}

type Connected = (error: Error | null, socket?: Duplex) => void;

/** Connects, and checks the remote address before anything is sent. */
function connect(addresses: PublicAddresses, url: URL, signal: AbortSignal, done: Connected): undefined {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const secure = url.protocol === "https:";
  const port = portOf(url);
  const place = { host, port, lookup: publicLookup(addresses, port) };
  const socket = secure ? tls.connect({ ...place, ...(isIP(host) ? {} : { servername: host }) }) : net.connect(place);
  const give = () => signal.removeEventListener("abort", stop);
  const stop = () => socket.destroy(new NotFetched("took too long", { isPassing: true }));
  signal.addEventListener("abort", stop, { once: true });
  socket.once("error", (error) => {
    give();
    done(error);
  });
  socket.once(secure ? "secureConnect" : "connect", () => {
    give();
    if (addresses.allows(socket.remoteAddress ?? "", port)) return done(null, socket);
    socket.destroy();
    done(new NotFetched("not public"));
  });
}

/** Resolves a name once, here. A single address that is not public among the results is enough to refuse it. */
export const publicLookup =
  (addresses: PublicAddresses, port: number): LookupFunction =>
  (host, options, done) => {
    dnsLookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, "", 0);
      if (found.length === 0 || !found.every(({ address }) => addresses.allows(address, port)))
        return done(new NotFetched("not public"), "", 0);
      if (options.all) done(null, found);
      else done(null, found[0]!.address, found[0]!.family);
    });
  };
