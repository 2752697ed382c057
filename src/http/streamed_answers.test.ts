// Answers that are streamed: which of them are logged as cut off.
import assert from "node:assert/strict";
import net from "node:net";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { until } from "../../test/support/processes.ts";
import { Content } from "../core/operation.ts";
import type { PublicRoute } from "../records/public_route.ts";
import { createLog } from "./log.ts";
import { listen, raw } from "./testing.ts";

const ask = "GET /file/ HTTP/1.1\r\nhost: a\r\n\r\n";
const whole = [[30, "request"]];
const cut = [[40, "an answer ended half way"], ...whole];

/** A service that answers with this body, and what it logs. */
async function answering(t: TestContext, body: Readable, length: number) {
  const lines: any[] = [];
  const route: PublicRoute = {
    name: "file.show",
    path: "/file/",
    doc: "Shows a file.",
    methods: ["GET"],
    group: "link",
    run: async () => ({ status: 200, content: new Content("text/plain", body, { "content-length": String(length) }) }),
  };
  const log = createLog("info", { write: (line) => lines.push(JSON.parse(line)) });
  const { server, port } = await listen(t, { publicRoutes: [route], log });
  const connections = promisify(server.server.getConnections.bind(server.server));
  return {
    port,
    logged: () => lines.map(({ level, msg }) => [level, msg]),
    allHaveGone: () => until(async () => (await connections()) === 0),
  };
}

function asking(port: number): net.Socket {
  const socket = net.connect(port, "127.0.0.1");
  socket.write(ask);
  return socket;
}

/** Its end comes when it is told to. */
class Held extends Readable {
  override _read(): void {}
}

test("a download is whole once its last byte was sent, however soon the client closes the connection", async (t) => {
  const body = new Held();
  for (const letter of "abc") body.push(letter.repeat(50_000));
  const { port, logged, allHaveGone } = await answering(t, body, 150_000);

  let received = "";
  for await (const chunk of asking(port).setEncoding("latin1")) {
    received += chunk;
    if (received.split("\r\n\r\n")[1]?.length === 150_000) break;
  }
  await allHaveGone();
  const before = logged();
  // A file is read once more before it says that it has ended.
  body.push(null);
  await until(() => logged().length > 0);

  assert.deepEqual(before, []);
  assert.deepEqual(logged(), whole);
});

test("a download whose client leaves before the last byte was sent is logged", async (t) => {
  const chunk = "a".repeat(65_536);
  const chunks = Readable.from(Array(1000).fill(chunk), { objectMode: false });
  const { port, logged, allHaveGone } = await answering(t, chunks, 1000 * chunk.length);

  for await (const _ of asking(port)) break;
  await allHaveGone();
  await until(() => logged().length > 1);

  assert.deepEqual(logged(), cut);
  assert.ok(chunks.destroyed);
});

test("a file that is shorter than it was said to be breaks the connection, and is logged", async (t) => {
  const { port, logged } = await answering(t, Readable.from(["half"], { objectMode: false }), 8);

  const received = await raw(port, ask);
  await until(() => logged().length > 1);

  assert.match(received, /content-length: 8\r\n[^]*\r\n\r\nhalf$/);
  assert.deepEqual(logged(), cut);
});

test("a file that is longer than it was said to be is cut there, and the next answer is whole", async (t) => {
  const { port, logged } = await answering(t, Readable.from(["whole", " and more"], { objectMode: false }), 5);

  const received = await raw(port, `${ask}GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);

  assert.match(received, /\r\n\r\nwholeHTTP\/1\.1 200 OK\r\n/);
  assert.deepEqual(logged().slice(0, 1), whole);
});
