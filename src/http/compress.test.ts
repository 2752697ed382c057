import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { z } from "zod";
import { Content, JsonText, operation } from "../core/operation.ts";
import { acceptedCoding } from "./compress.ts";
import { goodKey, listen } from "./testing.ts";

const get = (name: string, run: () => unknown) =>
  operation({
    name,
    method: "GET",
    path: `/${name}/`,
    doc: "Answers.",
    permission: "member",
    input: {},
    output: z.unknown(),
    run: async (ctx: any) => {
      const answer = run();
      if (name === "broken") ctx.reply.headers.location = "a\nb";
      return answer;
    },
  });

const ofBytes = (bytes: number) => `{"note":"${"grün ".repeat(bytes).slice(0, bytes)}"}`;
const page = ofBytes(40_000);
const operations = [
  get("page", () => new JsonText(page)),
  get("record", () => new JsonText(page, 7)),
  get("short", () => new JsonText(`{"note":"${"a".repeat(16_383 - 11)}"}`)),
  get("just", () => new JsonText(`{"note":"${"a".repeat(16_384 - 11)}"}`)),
  get("file", () => new Content("text/csv", page, { "content-disposition": "attachment" })),
  get("part", () => new Content("text/plain", page, { "content-range": "bytes 0-39999/90000" })),
  get("image", () => new Content("image/png", Buffer.from(page))),
  get("broken", () => new JsonText(page)),
];

interface Raw {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
}

function asker(port: number) {
  return (path: string, coding?: string, method = "GET", more: object = {}): Promise<Raw> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: goodKey, ...(coding !== undefined && { "accept-encoding": coding }), ...more };
      const asked = http.request({ host: "127.0.0.1", port, path: `/api/v1/${path}/`, method, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.on("end", () => resolve({ status: answer.statusCode!, headers: answer.headers, bytes: Buffer.concat(chunks) }));
      });
      asked.on("error", reject).end();
    });
}

test("a long answer is shorter on the way to who takes that, and the same behind it", async (t) => {
  const ask = asker((await listen(t, { operations })).port);

  for (const [coding, opened] of [
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const) {
    const { headers, bytes } = await ask("page", coding);
    assert.equal(headers["content-encoding"], coding);
    assert.equal(headers.vary, "accept-encoding");
    assert.equal(headers["content-length"], String(bytes.length));
    assert.equal(headers["content-type"], "application/json; charset=utf-8");
    assert.ok(bytes.length < page.length / 4);
    assert.equal(opened(bytes).toString(), page);

    const head = await ask("page", coding, "HEAD");
    assert.deepEqual([head.headers["content-encoding"], head.headers["content-length"]], [coding, String(bytes.length)]);
    assert.equal(head.bytes.length, 0);
  }
  const plain = await ask("page");
  assert.deepEqual([plain.headers["content-encoding"], plain.headers.vary], [undefined, "accept-encoding"]);
  assert.equal(plain.bytes.toString(), page);
});

test("what is short, a file, a part of one, or compressed already is sent as it is", async (t) => {
  const ask = asker((await listen(t, { operations })).port);

  for (const path of ["short", "file", "part", "image"]) {
    const { headers } = await ask(path, "gzip, br");
    assert.deepEqual([headers["content-encoding"], headers.vary], [undefined, undefined], path);
  }
  assert.equal((await ask("just", "gzip")).headers["content-encoding"], "gzip");
});

test("the tag of a compressed record is weak, and is known again in either form", async (t) => {
  const ask = asker((await listen(t, { operations })).port);

  const [plain, shorter] = [await ask("record"), await ask("record", "gzip")];

  assert.match(plain.headers.etag!, /^"7\./);
  assert.equal(shorter.headers.etag, `W/${plain.headers.etag}`);
  for (const known of [plain.headers.etag!, shorter.headers.etag!]) {
    const { status, headers } = await ask("record", "gzip", "GET", { "if-none-match": known });
    assert.deepEqual([status, headers.vary, headers["content-encoding"]], [304, "accept-encoding", undefined]);
  }
});

test("a long answer that cannot be sent is a 500 like a short one", async (t) => {
  const ask = asker((await listen(t, { operations })).port);

  assert.equal((await ask("broken", "gzip")).status, 500);
});

test("the client's weights decide which coding it is", () => {
  const expected: [string | undefined, string | null][] = [
    [undefined, null],
    ["", null],
    ["gzip", "gzip"],
    ["GZIP, deflate", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "gzip"],
    ["gzip;q=0.8, br;q=1.0", "br"],
    ["gzip ; q=0.5 , br;q=0.2", "gzip"],
    ["gzip;q=0", null],
    ["gzip;q=0, br;q=0.1", "br"],
    ["*", "gzip"],
    ["*;q=0", null],
    ["gzip;q=0, *", "br"],
    ["deflate, zstd", null],
    ["identity", null],
    ["identity, gzip;q=0.5", null],
    ["identity;q=0.5, gzip", "gzip"],
    ["gzip;q=many", null],
  ];

  for (const [header, coding] of expected) assert.equal(acceptedCoding(header), coding, header);
});
