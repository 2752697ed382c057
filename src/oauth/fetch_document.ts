// How the engine fetches the document in which a client describes itself: only from public addresses, without redirects, a few
// kilobytes within seconds.
import type { Core } from "../core/core.ts";
import { fetchPublic } from "../services/fetch_public.ts";
import { readDescription } from "./registration.ts";

const bytesMax = 5 * 1024;
const wholeMs = 2_500;

export const fetchDocument = ({ settings }: Core) =>
  async function fetchOne(url: string | URL | Request): Promise<Response> {
    return fetchPublic(
      settings.addresses,
      url instanceof Request ? url.url : String(url),
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
  };

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
