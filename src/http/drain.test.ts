import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { Content, operation } from "../core/operation.ts";
import { LiveBody } from "../services/live_body.ts";
import { drain } from "./drain.ts";
import { goodKey, listen, raw } from "./testing.ts";

/** An operation that waits until the test releases it. */
function held() {
  const waiting: (() => void)[] = [];
  const slow = operation({
    name: "slow",
    method: "GET",
    path: "/slow/",
    doc: "Waits.",
    permission: "member",
    input: {},
    output: z.looseObject({}),
    run: async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return {};
    },
  });
  return { operations: [slow], waiting, letGo: () => waiting.splice(0).forEach((resolve) => resolve()) };
}

const until = async (holds: () => boolean) => {
  for (let i = 0; i < 1000 && !holds(); i++) await sleep(10);
  assert.ok(holds(), holds.toString());
};

const atOnce = { delaySeconds: 0, graceSeconds: 60 };
const none = { key: null };

test("for a while the service goes on, unready, and every answer closes its connection", async (t) => {
  const work = held();
  const { ask, server, port } = await listen(t, { operations: work.operations });
  const agent = new http.Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  assert.equal((await ask("GET /healthz", { agent, key: null })).headers.connection, "keep-alive");

  const ended = drain(server, { delaySeconds: 5, graceSeconds: 60 });

  const slow = ask("GET /api/v1/slow/", { agent });
  await until(() => work.waiting.length === 1);
  assert.equal((await ask("GET /readyz", none)).status, 503);
  for (const [line, status] of [
    ["GET /healthz", 200],
    ["GET /api/v1/none/", 404],
    ["GET /api/v1/slow/", 401],
    ["OPTIONS /api/v1/slow/", 204],
    ["GET /llms.txt", 200],
  ] as const) {
    const answer = await ask(line, line.includes("none") ? {} : none);
    assert.deepEqual([answer.status, answer.headers.connection], [status, "close"], line);
  }
  assert.match(await raw(port, "nonsense\r\n\r\n"), /\r\nconnection: close\r\n/);
  work.letGo();
  assert.deepEqual([(await slow).status, (await slow).headers.connection], [200, "close"]);
  await ended;
  await assert.rejects(ask("GET /healthz", none), { code: "ECONNREFUSED" });
});

test("clients that never rest are answered until the door is closed, and none is reset", async (t) => {
  const { ask, server } = await listen(t);
  let answered = 0;
  const client = async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    for (;;) {
      const { status } = await ask("GET /healthz", { agent, key: null });
      assert.equal(status, 200);
      answered++;
    }
  };
  const clients = Array.from({ length: 16 }, () => client().catch((error) => error.code));
  await until(() => answered > 100);

  const [ends] = await Promise.all([Promise.all(clients), drain(server, { delaySeconds: 1, graceSeconds: 60 })]);

  assert.deepEqual(new Set(ends), new Set(["ECONNREFUSED"]));
});

test("a request on a kept connection that crosses its end is not reset, and nothing is done for it", async (t) => {
  const work = held();
  const { server, port } = await listen(t, { operations: work.operations });
  const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const errors: Error[] = [];
  socket.on("error", (error) => errors.push(error)).resume();
  socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");

  const ended = drain(server, atOnce);
  await once(socket, "end");
  socket.write(`GET /api/v1/slow/ HTTP/1.1\r\nhost: x\r\nauthorization: ${goodKey}\r\n\r\n`);
  await sleep(50);
  socket.end();
  await ended;

  assert.deepEqual([errors, work.waiting.length], [[], 0]);
});

test("what is under way finishes behind the closed door, however the client holds its connection", async (t) => {
  const work = held();
  const { ask, server } = await listen(t, { operations: work.operations });
  const agent = new http.Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const slow = ask("GET /api/v1/slow/", { agent });
  await until(() => work.waiting.length === 1);

  const ended = drain(server, atOnce);
  await until(() => !server.server.listening);
  await assert.rejects(ask("GET /healthz", none), { code: "ECONNREFUSED" });
  work.letGo();

  assert.equal((await slow).status, 200);
  await ended;
});

test("connections that nobody uses do not hold up the end, not even those that never end themselves", async (t) => {
  const work = held();
  const { ask, server, port } = await listen(t, { operations: work.operations });
  const agent = new http.Agent({ keepAlive: true });
  const unused = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
  t.after(() => [agent, unused].forEach((one) => one.destroy()));
  await ask("GET /healthz", { agent, key: null });
  await until(() => server.service.sockets.size === 2);

  await drain(server, atOnce);

  assert.equal(server.service.sockets.size, 0);
});

test("work that does not end in time is cut off", async (t) => {
  const work = held();
  const { ask, server } = await listen(t, { operations: work.operations });
  const slow = ask("GET /api/v1/slow/");
  await until(() => work.waiting.length === 1);

  await Promise.all([drain(server, { delaySeconds: 60, graceSeconds: 0 }), assert.rejects(slow)]);
});

test("what goes on for minutes ends whole when the door is closed, and nobody waits for who does not read it", async (t) => {
  const bodies: LiveBody[] = [];
  const stream = operation({
    name: "stream",
    method: "GET",
    path: "/stream/",
    doc: "Goes on.",
    permission: "member",
    input: {},
    output: z.string(),
    lasts: true,
    run: async () => {
      const body = new LiveBody();
      bodies.push(body);
      body.tell("hello\n");
      return new Content("text/event-stream", body);
    },
  });
  const { ask, server, port } = await listen(t, { operations: [stream] });
  const agent = new http.Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const whole = ask("GET /api/v1/stream/", { agent });
  await until(() => bodies.length === 1);
  const unread = http.get({ port, path: "/api/v1/stream/", headers: { authorization: goodKey }, agent: false });
  unread.on("error", () => {});
  const [answer] = (await once(unread, "response")) as [http.IncomingMessage];
  answer.pause().on("error", () => {});
  await until(() => bodies.length === 2 && server.service.live.size === 2);
  bodies.at(-1)!.tell(Buffer.alloc(64 * 1024 * 1024, "x"));
  assert.equal(server.service.gate.counts.running, 0);
  const began = performance.now();

  const ended = drain(server, atOnce);
  await until(() => !server.server.listening);
  bodies[0]!.tell("too late\n");

  assert.equal((await whole).text, "hello\n");
  await ended;
  assert.ok(performance.now() - began < 30_000);
});
