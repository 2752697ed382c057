// Fetching from an address that a user chose. Every step is held to public addresses: what the URL says, all that DNS answers, the
// machine that is connected in the end, and the same again for each redirect. A refusal never says which of them it was, so that
// nobody can ask what stands in the operator's own network. Node's own client, for it hands over bodies in memory that can be given
// back: with undici twenty files of 20 MB at once raised the process by 78 MB.
import { lookup as dnsLookup } from "node:dns";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import net, { isIP, type LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { type PublicAddresses, portOf } from "./public_address.ts";

/** It could not be fetched, for whatever reason. */
export class NotFetched extends Error {}

export interface Fetched {
  /** The address in the end. */
  url: URL;
  /** The headers as they came. */
  contentType: string | null;
  contentDisposition: string | null;
  contentLength: number | null;
  body: IncomingMessage;
}

const redirectsMax = 3;
/** From the first connection to the headers of the last answer. */
const answerMs = 15_000;
const bodyMs = 60_000;

/** Hands the answer of a GET to `take`, which reads its body. */
export async function fetchPublic<T>(
  addresses: PublicAddresses,
  address: string,
  take: (fetched: Fetched) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const late = () => limit.abort();
  let timer = setTimeout(late, answerMs);
  try {
    const { url, answer } = await follow(addresses, address, limit.signal);
    clearTimeout(timer);
    // Who reads it hears of it; after that it is of no interest.
    answer.on("error", () => {});
    timer = setTimeout(late, bodyMs);
    const {
      "content-type": contentType = null,
      "content-disposition": contentDisposition = null,
      "content-length": length,
    } = answer.headers;
    const contentLength = length === undefined ? null : Number(length);
    return await take({ url, contentType, contentDisposition, contentLength, body: answer });
  } catch (error) {
    if (limit.signal.aborted) throw new NotFetched("took too long", { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
    // Connections are not kept: the next request is to somebody else.
    limit.abort();
  }
}

async function follow(
  addresses: PublicAddresses,
  address: string,
  signal: AbortSignal,
): Promise<{ url: URL; answer: IncomingMessage }> {
  let url = publicUrl(addresses, address, null);
  for (let hop = 0; hop <= redirectsMax; hop++) {
    const answer = await ask(addresses, url, signal).catch((cause) => {
      throw new NotFetched("no answer", { cause });
    });
    const status = answer.statusCode!;
    if (status >= 200 && status < 300) return { url, answer };
    answer.on("error", () => {}).destroy();
    const { location } = answer.headers;
    if (!redirects.has(status) || location === undefined) throw new NotFetched(`answered ${status}`);
    url = publicUrl(addresses, location, url);
  }
  throw new NotFetched("redirected too often");
}

const redirects = new Set([301, 302, 303, 307, 308]);

const headers = { "user-agent": "Headwater", accept: "*/*", "accept-encoding": "identity", connection: "close" };

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

function ask(addresses: PublicAddresses, url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === "https:" ? https : http;
    const createConnection = (_: unknown, done: Connected) => connect(addresses, url, signal, done);
    request(url, { headers, signal, createConnection: createConnection as http.RequestOptions["createConnection"] })
      .on("response", resolve)
      .on("error", reject)
      .end();
  });
}

type Connected = (error: Error | null, socket?: Duplex) => void;

/** Nothing is sent before it is certain who is there. */
function connect(addresses: PublicAddresses, url: URL, signal: AbortSignal, done: Connected): undefined {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const secure = url.protocol === "https:";
  const port = portOf(url);
  const place = { host, port, lookup: publicLookup(addresses, port) };
  const socket = secure ? tls.connect({ ...place, ...(isIP(host) ? {} : { servername: host }) }) : net.connect(place);
  const give = () => signal.removeEventListener("abort", stop);
  const stop = () => socket.destroy(new NotFetched("took too long"));
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

/** A name is looked up once, here: one address that is not public among its answers is enough to refuse it. */
const publicLookup =
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
