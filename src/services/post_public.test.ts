// What a receiver may do to the client, and how the client handles it. Real servers, on addresses that the operator allows.
import assert from "node:assert/strict";
import { createServer as createTcpServer, type Socket } from "node:net";
import { after, test } from "node:test";
import { selfSigned } from "../../test/support/certificate.ts";
import { receiver } from "../../test/support/receiver.ts";
import { type Limits, NotPosted, postPublic } from "./post_public.ts";
import { publicAddresses } from "./public_address.ts";

const allowed = publicAddresses(["127.0.0.0/8"]);
const nothing = publicAddresses([]);

const post = (url: string, { verifySsl = true, limits }: { verifySsl?: boolean; limits?: Limits } = {}, addresses = allowed) =>
  postPublic(addresses, { url, headers: { "content-type": "application/json" }, body: "{}", verifySsl }, limits);

const problem = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => "taken",
    (error) => (error instanceof NotPosted ? error.problem : assert.fail(error)),
  );

const ends: (() => void)[] = [];
after(() => ends.forEach((end) => end()));

/** A server that runs `act` on each connection. */
async function plainServer(act: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    act(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `127.0.0.1:${(server.address() as { port: number }).port}`;
}

const short: Limits = { answerMs: 100, bodyMs: 100 };

test("an answer is its status and the beginning of its body, and a redirect is an answer", async () => {
  const there = await receiver((_, response) => response.writeHead(500, { "retry-after": "7" }).end("x".repeat(10_000)));

  const answer = await post(there.url);
  there.answers = (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
  const redirect = await post(there.url);

  assert.deepEqual([answer.status, answer.retryAfter, answer.body], [500, "7", "x".repeat(4096)]);
  assert.deepEqual([redirect.status, there.received.length], [302, 2]);
});

test("one that never answers is given up", async () => {
  const silent = await plainServer(() => {});
  const there = await receiver(() => {});

  assert.equal(await problem(post(`http://${silent}/`, { limits: short })), "timeout");
  assert.equal(await problem(post(there.url, { limits: short })), "timeout");
});

test("a receiver that hangs is given up when the caller's time is over, and gets no request when no time is left", async () => {
  const over = new AbortController();
  const there = await receiver(() => over.abort());
  const late = () =>
    problem(postPublic(allowed, { url: there.url, headers: {}, body: "{}", verifySsl: true, signal: over.signal }));

  assert.equal(await late(), "timeout");
  assert.equal(await late(), "timeout");
  assert.equal(there.received.length, 1);
});

test("one that answers and then dribbles has answered", async () => {
  const there = await receiver((_, response) => void response.writeHead(200).write("a"));

  const answer = await post(there.url, { limits: { ...short, answerMs: 15_000 } });

  assert.deepEqual([answer.status, answer.body], [200, "a"]);
});

test("one that answers a gigabyte is read for 64 KB", async () => {
  let sent = 0;
  let isClosed = () => {};
  const closed = new Promise<void>((resolve) => (isClosed = resolve));
  const there = await receiver((_, response) => {
    const piece = Buffer.alloc(64 * 1024, "a");
    const more = () => {
      while (!response.destroyed && sent < 2 ** 30 && response.write(piece)) sent += piece.length;
    };
    response.on("drain", more).on("close", isClosed).writeHead(200);
    more();
  });

  const answer = await post(there.url);
  await closed;

  assert.deepEqual([answer.status, answer.body.length], [200, 4096]);
  assert.ok(sent < 32 * 1024 * 1024, `${sent} bytes were sent`);
});

test("one that breaks off, speaks no HTTP, or is not there is told apart by a word", async () => {
  const reset = await plainServer((socket) => socket.resetAndDestroy());
  const babble = await plainServer((socket) => void socket.end("hello\r\n\r\n"));
  const gone = await receiver();
  gone.close();

  assert.equal(await problem(post(`http://${reset}/`)), "reset");
  assert.equal(await problem(post(`http://${babble}/`)), "reset");
  assert.equal(await problem(post(gone.url)), "connect");
});

test("a certificate must be valid, unless the webhook accepts any", async () => {
  const there = await receiver(200, selfSigned);
  const broken = await plainServer((socket) => socket.once("data", () => socket.end("no TLS at all\r\n")));

  assert.equal(await problem(post(there.url)), "tls");
  assert.equal((await post(there.url, { verifySsl: false })).status, 200);
  assert.equal(await problem(post(`https://${broken}/`)), "tls");
  assert.equal(await problem(post(`https://${broken}/`, { verifySsl: false })), "tls");
});

test("an address that is not public is not connected, however it is written and whatever name leads there", async () => {
  const there = await receiver(200, selfSigned);
  const { port } = new URL(there.url);

  for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "169.254.169.254"])
    assert.equal(await problem(post(`https://${host}:${port}/`, { verifySsl: false }, nothing)), "address", host);
  // A name that DNS resolves to a private address. The resolved addresses are checked too.
  const any = { ...nothing, allowsHost: () => true };
  assert.equal(await problem(post(`https://localhost:${port}/`, { verifySsl: false }, any)), "address");
  assert.equal(await problem(post(`https://127.0.0.1:${port}/`, { verifySsl: false }, any)), "address");
  assert.deepEqual(there.received, []);
});

test("connections are kept", async () => {
  const sockets = new Set<unknown>();
  const there = await receiver((_, response) => {
    sockets.add(response.socket);
    response.end();
  });

  for (let i = 0; i < 5; i++) await post(there.url);

  assert.ok(sockets.size <= 2, `${sockets.size} connections for five posts`);
});
