// What the client promises, against the real service, with a proxy between that breaks connections when it is told to.
import assert from "node:assert/strict";
import { createServer, request as forward, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { startService } from "../../../test/support/service.ts";
import { Headwater, HeadwaterError } from "../src/index.ts";

const client = ({ service, key }: Workspace, more: object = {}) => new Headwater({ url: service.url, key, ...more });

/** How the proxy treats the next requests: the answer is lost, breaks off, or another one is given instead. */
type Mishap = "answer lost" | "answer cut" | "other line ends" | { status: number; headers?: Record<string, string> };

interface Proxy {
  url: string;
  /** Method and idempotency key of what came through. */
  heard: { method: string; key: string | undefined }[];
  mishaps: Mishap[];
  /** Breaks the connections that are open. */
  cut(): void;
}

/** The format of event streams allows them, and no blank after a colon. */
const withOtherLineEnds = (piece: Buffer): Buffer =>
  Buffer.from(
    String(piece)
      .replace(/^(\w+): /gm, "$1:")
      .replaceAll("\n", "\r\n"),
  );

async function proxyTo(target: string): Promise<Proxy & AsyncDisposable> {
  const heard: Proxy["heard"] = [];
  const mishaps: Mishap[] = [];
  const server: Server = createServer((request, response) => {
    heard.push({ method: request.method!, key: request.headers["idempotency-key"] as string | undefined });
    const mishap = mishaps.shift();
    if (typeof mishap === "object") {
      request.resume();
      return void response.writeHead(mishap.status, mishap.headers).end("{}");
    }
    const { method, headers } = request;
    const onward = forward(new URL(request.url!, target), { method, headers }, (answer) => {
      if (mishap === "answer lost") return void answer.resume().on("end", () => response.destroy());
      if (mishap === "answer cut")
        return void answer.once("data", (piece) => {
          response.writeHead(answer.statusCode!, answer.headers).write(piece.subarray(0, 10), () => response.destroy());
        });
      const passed = mishap === "other line ends" ? answer.map(withOtherLineEnds) : answer;
      for (const stream of [answer, passed]) stream.on("error", () => response.destroy());
      passed.pipe(response.writeHead(answer.statusCode!, answer.headers));
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    heard,
    mishaps,
    cut: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("a refusal says what is wrong by field, with the id of the request", async () => {
  const headwater = client(await organization());

  const refused = await headwater.post("/lead/", { body: { emails: [{ email: "gob" }] } }).catch((error) => error);

  assert.ok(refused instanceof HeadwaterError);
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.fieldErrors, { "emails.0.email": "is not an e-mail address" });
  assert.match(refused.message, /emails\.0\.email is not an e-mail address/);
  assert.ok(refused.requestId);
});

test("a list comes whole, each record once, whatever the size of its pages, and stops when the reader stops", async () => {
  const acme = await organization();
  for (let i = 0; i < 5; i++) await acme.lead({ name: `Lead ${i}` });
  const headwater = client(acme);

  const names: (string | null)[] = [];
  for await (const { name } of headwater.each("/lead/", { query: { _limit: 2, _order_by: "name" } })) names.push(name);
  assert.deepEqual(names, ["Lead 0", "Lead 1", "Lead 2", "Lead 3", "Lead 4"]);

  for await (const { name } of headwater.each("/lead/", { query: { _limit: 2 } })) if (name !== null) break;
});

test("a write whose answer was lost or broke off is sent again under its key, and has its effect once", async () => {
  const acme = await organization();
  await using proxy = await proxyTo(acme.service.url);
  const headwater = client(acme, { url: proxy.url });
  proxy.mishaps.push("answer lost", "answer cut");

  const lead = await headwater.post("/lead/", { body: { name: "Once" } });

  const [first, ...again] = proxy.heard;
  assert.ok(first!.key);
  assert.deepEqual(
    again.map(({ key }) => key),
    [first!.key, first!.key],
  );
  assert.deepEqual(
    (await acme.all("/lead/?name=Once")).map(({ id }) => id),
    [lead.id],
  );
});

test("a deletion whose answer was lost is not sent again, because nothing would recognize it", async () => {
  const acme = await organization();
  const { id } = await acme.lead();
  await using proxy = await proxyTo(acme.service.url);
  proxy.mishaps.push("answer lost");

  await assert.rejects(client(acme, { url: proxy.url }).delete("/lead/{id}/", { path: { id } }), TypeError);

  assert.equal(proxy.heard.length, 1);
});

test("an id that would make another path is not sent: the deal of a line item stays", async () => {
  const acme = await organization();
  await using proxy = await proxyTo(acme.service.url);
  const headwater = client(acme, { url: proxy.url });

  for (const item_id of ["..", ".", "", undefined as unknown as string]) {
    const path = { opportunity_id: "oppo_1", item_id };
    await assert.rejects(
      headwater.delete("/opportunity/{opportunity_id}/line_item/{item_id}/", { path }),
      /path\.item_id .*cannot be/,
    );
  }
  await assert.rejects(headwater.api.PUT("/lead/{id}/", { params: { path: { id: "." } }, body: {} }), RangeError);

  assert.deepEqual(proxy.heard, []);
});

test("a busy service is asked again after as long as it says, and a refusal that asks for too long is passed on", async () => {
  const acme = await organization();
  await using proxy = await proxyTo(acme.service.url);
  const headwater = client(acme, { url: proxy.url, retries: 2, longestWait: 5000 });
  const busy = (seconds: number) => ({ status: 503, headers: { "retry-after": String(seconds) } });

  proxy.mishaps.push(busy(0), { status: 429, headers: { "retry-after": "0" } });
  assert.equal((await headwater.get("/me/")).id, acme.userId);
  assert.equal(proxy.heard.length, 3);

  proxy.mishaps.push(busy(0), busy(0), busy(0));
  assert.equal((await headwater.get("/me/").catch((error) => error)).status, 503, "after the last attempt");
  proxy.mishaps.push(busy(6));
  assert.equal((await headwater.get("/me/").catch((error) => error)).status, 503, "longer than one wants to wait");
  assert.equal(proxy.mishaps.length, 0);
});

test("a client whose limit is used up waits for the next window instead of being refused", async () => {
  const limited = await startService({ env: { RATE_LIMIT: "on", RATE_LIMIT_READ: "3/1" } });
  try {
    const acme = await organization(limited);
    await using proxy = await proxyTo(limited.url);
    const headwater = client(acme, { url: proxy.url });

    for (let i = 0; i < 5; i++) await headwater.get("/me/");

    assert.equal(proxy.heard.length, 5, "none was refused and sent again");
  } finally {
    await limited.close();
  }
});

test("two that change the same record at once both have their change in it", async () => {
  const acme = await organization();
  const { id } = await acme.lead({ tags: [] });
  const headwater = client(acme);
  const tag = (name: string) => headwater.change("/lead/{id}/", { id }, ({ tags }) => ({ tags: [...tags, name] }));

  await Promise.all([tag("one"), tag("two"), tag("three")]);

  assert.deepEqual([...(await acme.get(`/lead/${id}/`)).tags].sort(), ["one", "three", "two"]);
  assert.equal((await headwater.change("/lead/{id}/", { id }, () => null)).id, id, "nothing to change");
});

test("events go on over a broken connection and a service in trouble: none is missing, none comes twice", async () => {
  const acme = await organization();
  await using proxy = await proxyTo(acme.service.url);
  const stop = new AbortController();
  const headwater = client(acme, { url: proxy.url });
  const begun = await acme.get("/event/?event=lead.created");
  const names: string[] = [];
  for (const name of ["one", "two"]) await acme.lead({ name });
  proxy.mishaps.push("other line ends");

  await assert.rejects(async () => {
    const events = headwater.events({ cursor: begun.cursor_previous, query: { event: "lead.created" }, signal: stop.signal });
    for await (const { event } of events) {
      if (event === null) continue;
      names.push(event.data.name as string);
      if (names.length === 2) {
        const refusals = [500, 502, 503, 503, 503, 503, 503].map((status) => ({ status, headers: { "retry-after": "0" } }));
        proxy.mishaps.push(...refusals);
        proxy.cut();
        for (const name of ["three", "four"]) await acme.lead({ name });
      }
      if (names.length === 4) stop.abort(new Error("enough"));
    }
  }, /enough/);

  assert.deepEqual(names, ["one", "two", "three", "four"]);
  assert.equal(proxy.heard.length, 9, "cut, refused for longer than a call would wait, and then connected again");
  await assert.rejects(headwater.events({ cursor: "nonsense" }).next(), { status: 400 });
});
