// What every response promises: its form, its headers, and what happens when something goes wrong.
import assert from "node:assert/strict";
import net from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { z } from "zod";
import { unavailable } from "../core/errors.ts";
import { JsonText, operation } from "../core/operation.ts";
import { createLog } from "./log.ts";
import { goodKey, listen, raw } from "./testing.ts";

const act = (name: string, run: (ctx: any, given: any) => Promise<unknown>) =>
  operation({
    name,
    method: "POST",
    path: `/${name}/`,
    doc: "Does something.",
    permission: "member",
    input: { name: z.string().optional() },
    output: z.looseObject({}),
    transaction: false,
    run,
  });

const fine = act("fine", async () => ({}));
const broken = act("broken", async () => {
  throw new Error("password is hunter2", { cause: new Error("row (hunter2)") });
});
const down = act("down", async () => {
  throw unavailable(3);
});
const unsendable = act("unsendable", async (ctx) => {
  ctx.reply.headers.location = "/a\nset-cookie: b";
  return {};
});
const read = operation({
  name: "fine.get",
  method: "GET",
  path: "/fine/{id}/",
  doc: "Answers one.",
  permission: "member",
  input: { id: z.string() },
  output: z.looseObject({}),
  run: async () => new JsonText('{"name":"grün"}', 1),
});
const operations = [fine, broken, down, unsendable, read];

test("every answer carries an id, its type and length, and the headers that keep browsers safe", async (t) => {
  const { ask } = await listen(t, { operations });
  const seen = new Set<unknown>();

  for (const [line, key] of [
    ["GET /api/v1/fine/1/", goodKey],
    ["GET /api/v1/fine/1/", null],
    ["GET /api/v1/none/", goodKey],
    ["PUT /api/v1/fine/1/", goodKey],
    ["POST /api/v1/broken/", goodKey],
    ["GET /nothing/", null],
    ["GET /healthz", null],
    ["GET /api/v1/openapi.json", null],
  ] as const) {
    const { headers, text } = await ask(line, { key });
    assert.match(headers["x-request-id"] as string, /^req_[0-9a-z]{26}$/, line);
    seen.add(headers["x-request-id"]);
    assert.equal(headers["content-type"], "application/json; charset=utf-8");
    assert.equal(headers["content-length"], String(Buffer.byteLength(text)));
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["content-security-policy"], "default-src 'none'; frame-ancestors 'none'");
    assert.match(headers["cache-control"]!, /no-store|private, no-cache/);
    assert.equal(headers["x-powered-by"], undefined);
    assert.equal(headers["strict-transport-security"], undefined);
  }
  assert.equal(seen.size, 8);
});

test("behind https browsers are told to stay there", async (t) => {
  const { ask } = await listen(t, { operations, env: { BASE_URL: "https://crm.example.com" } });

  assert.equal((await ask("GET /healthz")).headers["strict-transport-security"], "max-age=63072000; includeSubDomains");
});

test("a defect is a 500 that says nothing, and is logged with the request's id", async (t) => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => lines.push(line) });
  const { ask } = await listen(t, { operations, log });

  const answer = await ask("POST /api/v1/broken/", { body: { name: "secret of a customer" } });

  assert.equal(answer.status, 500);
  assert.deepEqual(answer.json, { error: "Internal error", "field-errors": {} });
  const logged = lines.map((line) => JSON.parse(line)).find(({ level }) => level === 50);
  assert.equal(logged.request_id, answer.headers["x-request-id"]);
  assert.equal(logged.route, "broken");
  assert.match(logged.err.stack, /server\.test/);
  assert.ok(!lines.join("").includes("secret of a customer"));
});

test("a header that cannot be sent is a defect, not an end of the service", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.equal((await ask("POST /api/v1/unsendable/")).status, 500);
  assert.equal((await ask("POST /api/v1/fine/")).status, 200);
});

test("a dependency that is down is a 503 that says when to come back", async (t) => {
  const { ask } = await listen(t, { operations });

  const answer = await ask("POST /api/v1/down/");

  assert.equal(answer.status, 503);
  assert.equal(answer.headers["retry-after"], "3");
  assert.deepEqual(answer.json, { error: "Service unavailable", "field-errors": {} });
});

test("what is no HTTP at all is a 400 of the same form", async (t) => {
  const { port } = await listen(t, { operations });

  for (const bytes of [
    "nonsense\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    "POST /api/v1/fine/ HTTP/1.1\r\nhost: x\r\ncontent-length: abc\r\n\r\n",
  ]) {
    const answer = await raw(port, bytes);
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(answer, /\r\nx-request-id: req_/);
    assert.match(answer, /\r\nconnection: close\r\n/);
    assert.match(answer, /\r\n\r\n\{"error":"The request is not valid HTTP\.","field-errors":\{\}\}$/);
  }
});

test("a body that breaks off in the middle of its form is a 400, and ends nothing else", async (t) => {
  const { port, ask } = await listen(t, { operations });
  const head = `POST /api/v1/fine/ HTTP/1.1\r\nhost: x\r\nauthorization: ${goodKey}\r\ncontent-type: application/json\r\n`;

  const answer = await raw(port, `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`);

  assert.match(answer, /^HTTP\/1\.1 400 [^]*"field-errors":\{\}\}$/);
  assert.equal(answer.split("HTTP/1.1").length, 2, "one answer");
  assert.equal((await ask("POST /api/v1/fine/")).status, 200);
});

test("a client that goes away while it sends ends nothing else", async (t) => {
  const { port, ask } = await listen(t, { operations });
  const socket = net.connect(port, "127.0.0.1");
  socket.write(
    `POST /api/v1/fine/ HTTP/1.1\r\nhost: x\r\nauthorization: ${goodKey}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":`,
  );
  await sleep(50);

  socket.destroy();
  await sleep(50);

  assert.equal((await ask("POST /api/v1/fine/")).status, 200);
});

test("headers above 64 KiB are a 400", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.equal((await ask("GET /api/v1/fine/1/", { headers: { "x-long": "a".repeat(60_000) } })).status, 200);
  const answer = await ask("GET /api/v1/fine/1/", { headers: { "x-long": "a".repeat(66_000) } });
  assert.equal(answer.status, 400);
  assert.match(answer.json.error, /65536 bytes or fewer/);
});

test("a request without a host, or with an expectation nobody can meet, is a 400 of the same form", async (t) => {
  const { port } = await listen(t, { operations });
  const rest = `authorization: ${goodKey}\r\nconnection: close\r\n\r\n`;

  assert.match(await raw(port, `GET /api/v1/fine/1/ HTTP/1.1\r\n${rest}`), /^HTTP\/1\.1 400 [^]*\{"Host":"is required"\}\}$/);
  assert.match(await raw(port, `GET /api/v1/fine/1/ HTTP/1.0\r\n${rest}`), /^HTTP\/1\.1 200 /);
  assert.match(
    await raw(port, `POST /api/v1/fine/ HTTP/1.1\r\nhost: x\r\nexpect: a miracle\r\n${rest}`),
    /^HTTP\/1\.1 400 [^]*"Expect"/,
  );
});

test("an absolute address is the same address", async (t) => {
  const { port } = await listen(t, { operations });
  const get = (url: string, key: string) => raw(port, `GET ${url} HTTP/1.1\r\nhost: x\r\n${key}connection: close\r\n\r\n`);

  assert.match(await get("http://crm.example.com/api/v1/fine/1/", `authorization: ${goodKey}\r\n`), /^HTTP\/1\.1 200 /);
  assert.match(await get("http://crm.example.com/api/v1/none/", ""), /^HTTP\/1\.1 401 /);
  assert.match(await get("http://crm.example.com/none/", ""), /^HTTP\/1\.1 404 /);
});

test("requests sent without waiting are answered in their order", async (t) => {
  const { port } = await listen(t, { operations });
  const get = (path: string, connection: string) =>
    `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${goodKey}\r\nconnection: ${connection}\r\n\r\n`;

  const answers = await raw(
    port,
    get("/api/v1/fine/1/", "keep-alive") + get("/api/v1/none/", "keep-alive") + get("/healthz", "close"),
  );

  assert.deepEqual(
    [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ["200", "404", "200"],
  );
});

test("the time a request may take to arrive is limited", async (t) => {
  const { server } = await listen(t, { operations });

  assert.equal(server.server.requestTimeout, 30_000);
  assert.equal(server.server.headersTimeout, 10_000);
  assert.equal(server.server.keepAliveTimeout, 72_000);
});

test("a request that does not arrive in time is a 400", async (t) => {
  const { server, port } = await listen(t, { operations });
  server.server.headersTimeout = 100;

  const answer = await raw(port, "GET /api/v1/fine/1/ HTTP/1.1\r\n");

  assert.match(answer, /^HTTP\/1\.1 400 [^]*The request did not arrive in time\./);
});

const uploading = operation({
  name: "bytes.create",
  method: "POST",
  path: "/bytes/",
  doc: "Takes bytes in.",
  permission: "member",
  transaction: false,
  upload: 20 * 1024 ** 2,
  input: {},
  output: z.unknown(),
  run: async () => ({ ok: true }),
});
const uploadHead = `POST /api/v1/bytes/ HTTP/1.1\r\nhost: x\r\nauthorization: ${goodKey}\r\nconnection: close\r\ncontent-length: 25\r\n\r\n{"content_b`;

test("an upload may take longer to arrive than other requests", async (t) => {
  const { server, port } = await listen(t, { operations: [uploading] });
  server.server.requestTimeout = 100;
  server.server.headersTimeout = 100;

  const answer = await raw(port, uploadHead, async (socket) => {
    await sleep(4500);
    socket.write('ase64":"aa=="}');
  });

  assert.match(answer, /^HTTP\/1\.1 200 [^]*"ok":true/);
});

test("an upload that takes too long even so is a 400, and one that breaks off is no error of ours", async (t) => {
  const lines: string[] = [];
  const log = pino({ level: "error" }, { write: (line) => void lines.push(line) });
  const { server, port } = await listen(t, { operations: [uploading], log });
  server.service.uploadMs = 100;

  const late = await raw(port, uploadHead);
  await raw(port, uploadHead, async (socket) => void socket.destroy());

  assert.match(late, /^HTTP\/1\.1 400 [^]*The request did not arrive in time\./);
  await sleep(100);
  assert.deepEqual(lines, []);
});

test("routes of other areas have the same headers and errors", async (t) => {
  const { ask } = await listen(t, {
    operations,
    extend: (server) => {
      server.get("/other/", () => ({ ok: true }));
      server.get("/other/broken/", () => {
        throw new Error("secret");
      });
    },
  });

  const [answer, defect] = [await ask("GET /other/", { key: null }), await ask("GET /other/broken/", { key: null })];

  assert.deepEqual(answer.json, { ok: true });
  assert.match(answer.headers["x-request-id"] as string, /^req_/);
  assert.equal(answer.headers["x-content-type-options"], "nosniff");
  assert.equal(defect.status, 500);
  assert.deepEqual(defect.json, { error: "Internal error", "field-errors": {} });
});
