// A server that supports enough S3 to put (also in parts), list, read (also a range) and delete objects. It accepts requests signed with
// one key only.
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export interface S3Server {
  env: Record<string, string>;
  /** By bucket and key. */
  objects: Map<string, Buffer>;
  /** While true, it answers every request with 503. */
  down: boolean;
  /** While true, it has no room for more. */
  full: boolean;
  close(): void;
}

export async function startS3(): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const server = http.createServer((request, response) => {
    if (s3.down) return void response.writeHead(503).end();
    if (s3.full && request.method === "PUT") {
      request.resume();
      return void response.writeHead(507).end("<Error><Code>XMinioStorageFull</Code></Error>");
    }
    if (!request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 Credential=key-of-the-tests/"))
      return void response.writeHead(403).end();
    void answer(objects, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const s3: S3Server = {
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      S3_BUCKET: "files",
      S3_ACCESS_KEY_ID: "key-of-the-tests",
      S3_SECRET_ACCESS_KEY: "secret-of-the-tests",
      S3_FORCE_PATH_STYLE: "on",
    },
    objects,
    down: false,
    full: false,
    close: () => server.close().closeAllConnections(),
  };
  return s3;
}

async function answer(objects: Map<string, Buffer>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams: asked } = new URL(request.url!, "http://x");
  const key = decodeURIComponent(pathname.slice(1)).replace(/\/$/, "");
  const found = objects.get(key);
  const xml = (text: string) => void response.writeHead(200, { "content-type": "application/xml" }).end(text);
  if (request.method === "POST" || asked.has("partNumber")) return xml(await inParts(objects, key, asked, request, response));
  if (request.method === "PUT") {
    const bytes = await buffer(request);
    if (bytes.length !== Number(request.headers["content-length"])) return void response.writeHead(400).end();
    objects.set(key, bytes);
    response.end();
  } else if (request.method === "DELETE") {
    objects.delete(key);
    response.writeHead(204).end();
  } else if (asked.get("list-type") === "2") {
    const start = `${key}/${asked.get("prefix") ?? ""}`;
    const keys = [...objects.keys()].filter((one) => one.startsWith(start)).map((one) => one.slice(key.length + 1));
    xml(`<ListBucketResult>${keys.map((one) => `<Contents><Key>${one}</Key></Contents>`).join("")}</ListBucketResult>`);
  } else if (found === undefined) {
    response.writeHead(404, { "content-type": "application/xml" }).end("<Error><Code>NoSuchKey</Code></Error>");
  } else {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    const part = first === undefined ? found : found.subarray(Number(first), Number(last) + 1);
    response.writeHead(first === undefined ? 200 : 206, { "content-length": part.length }).end(part);
  }
}

/** An upload that begins, gets its parts, and becomes an object at its end. */
async function inParts(
  objects: Map<string, Buffer>,
  key: string,
  asked: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string> {
  const partOf = (number: number) => `${key}?${number}`;
  if (asked.has("partNumber")) {
    objects.set(partOf(Number(asked.get("partNumber"))), await buffer(request));
    response.setHeader("etag", '"a part"');
    return "";
  }
  if (asked.has("uploads")) return "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>";
  const parts: Buffer[] = [];
  for (let number = 1; objects.has(partOf(number)); number++) {
    parts.push(objects.get(partOf(number))!);
    objects.delete(partOf(number));
  }
  objects.set(key, Buffer.concat(parts));
  return "<CompleteMultipartUploadResult><ETag>1</ETag></CompleteMultipartUploadResult>";
}
