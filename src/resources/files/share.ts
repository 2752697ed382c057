// GET /f/{token}/{name}: a file for anybody who has its link. The name is for people; only the token counts.
import { Readable } from "node:stream";
import { hashOf } from "../../auth/unscoped.ts";
import { findSharedFile, type SharedFile } from "../../auth/unscoped_files.ts";
import type { Core } from "../../core/core.ts";
import { notFound } from "../../core/errors.ts";
import { Content } from "../../core/operation.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../records/public_route.ts";
import { Missing } from "../../services/storage.ts";
import { fileAnswer } from "./byte_range.ts";
import { disposition } from "./file_name.ts";

export const sharedFile: PublicRoute = {
  name: "file.shared",
  path: "/f/{token}/{name}",
  doc: "A file, for anyone with its link until the link expires; with `format=base64`, its bytes as JSON.",
  methods: ["GET"],
  group: "link",
  run: showShared,
};

async function showShared({ db, settings, clock }: Core, { params, query, headers }: PublicRequest): Promise<PublicAnswer> {
  const found = /^[\w-]{32}$/.test(params.token!) ? await findSharedFile(db, hashOf(params.token!), clock()) : null;
  if (found === null) throw notFound();
  if (query.format === "base64") return { status: 200, content: await asBase64({ settings }, found) };

  const range = typeof headers.range === "string" ? headers.range : null;
  const ifRange = typeof headers["if-range"] === "string" ? headers["if-range"] : null;
  return fileAnswer(settings.storage, found, range === null ? undefined : { range, ifRange }, {
    ...shared,
    "content-disposition": disposition(harmless.has(found.mime) ? "inline" : "attachment", found.name),
    // Browsers show no PDF in a sandbox, and run nothing from it outside of one.
    ...(found.mime === "application/pdf" ? {} : { "content-security-policy": "sandbox; default-src 'none'" }),
  });
}

/** Types that a browser shows without running anything. All others are downloaded, because HTML and SVG may contain scripts. */
const harmless = new Set(["application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp", "text/plain"]);

const shared = {
  "cross-origin-resource-policy": "cross-origin",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex",
};

async function asBase64({ settings }: Pick<Core, "settings">, found: SharedFile): Promise<Content> {
  const bytes = await settings.storage.read(found.storage_key).catch((error) => {
    throw error instanceof Missing ? notFound() : error;
  });
  const head = `{"name":${JSON.stringify(found.name)},"mime":${JSON.stringify(found.mime)},"content_base64":"`;
  const tail = `"}`;
  const length = Buffer.byteLength(head) + 4 * Math.ceil(found.size / 3) + tail.length;
  return new Content("application/json; charset=utf-8", Readable.from(encoded(head, bytes, tail), { objectMode: false }), {
    ...shared,
    "content-length": String(length),
    "cache-control": "private, no-store",
  });
}

async function* encoded(head: string, bytes: Readable, tail: string): AsyncGenerator<Buffer> {
  yield Buffer.from(head);
  // Three bytes become four letters. The remainder waits for the next chunk.
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const all = held.length === 0 ? (chunk as Buffer) : Buffer.concat([held, chunk]);
    const whole = all.length - (all.length % 3);
    held = Buffer.from(all.subarray(whole));
    if (whole > 0) yield Buffer.from(all.toString("base64", 0, whole), "latin1");
  }
  yield Buffer.from(held.toString("base64") + tail, "latin1");
}
