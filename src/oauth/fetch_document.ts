// How the engine fetches the document in which a client describes itself: only from public addresses, without redirects, a few
// kilobytes within seconds.
import { LRUCache } from "lru-cache";
import type { Core } from "../core/core.ts";
import { fetchPublic } from "../services/fetch_public.ts";
import { readDescription } from "./registration.ts";

const bytesMax = 5 * 1024;
const wholeMs = 2_500;

/** One that failed is not asked for again at once: the engine asks twice, and anybody may name any address. */
const failureMs = 30_000;

export function fetchDocument(core: Core) {
  const failed = new LRUCache<string, Error>({ max: 1000, ttl: failureMs });
  return async (asked: string | URL | Request): Promise<Response> => {
    const url = asked instanceof Request ? asked.url : String(asked);
    const known = failed.get(url);
    if (known !== undefined) throw known;
    try {
      return await fetchOne(core, url);
    } catch (error) {
      failed.set(url, error as Error);
      throw error;
    }
  };
}

const fetchOne = ({ settings }: Core, url: string): Promise<Response> =>
  fetchPublic(
    settings.addresses,
    url,
    async ({ body }) => {
      const bytes = await read(body);
      const kept = ["cache-control", "expires", "content-type"] as const;
      const headers = kept.flatMap((name) =>
        body.headers[name] === undefined ? [] : [[name, body.headers[name]] as [string, string]],
      );
      return new Response(readDescription(bytes.toString("utf8")), { status: body.statusCode, headers });
    },
    null,
    { wholeMs, redirects: 0 },
  );

async function read(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > bytesMax) throw new Error(`the document has more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
