import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { operation } from "../core/operation.ts";
import { listen } from "./testing.ts";

const none = { key: null };
const operations = [
  operation({
    name: "thing.list",
    method: "GET",
    path: "/thing/",
    doc: "Lists things.",
    permission: "member",
    input: {},
    output: z.looseObject({}),
    run: async () => ({}),
  }),
];
const up = { ping: async () => {} };

test("the process says that it lives, to anyone, however often", async (t) => {
  const { ask } = await listen(t, { env: { RATE_LIMIT: "on", RATE_LIMIT_AUTH: "1/60" } });

  for (let i = 0; i < 5; i++) {
    const answer = await ask("GET /healthz", none);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { status: "ok" });
    assert.equal(answer.headers["ratelimit-limit"], undefined);
  }
  assert.equal((await ask("HEAD /healthz", none)).status, 200);
  assert.equal((await ask("POST /healthz", none)).status, 405);
});

test("the service is ready when its database answers and has its migrations", async (t) => {
  let isMigrated = false;
  const { ask } = await listen(t, { database: up, ready: async () => isMigrated });

  const before = await ask("GET /readyz", none);
  isMigrated = true;
  const after = await ask("GET /readyz", none);

  assert.equal(before.status, 503);
  assert.deepEqual(before.json, { error: "Service unavailable", "field-errors": {} });
  assert.equal(before.headers["retry-after"], "1");
  assert.equal(after.status, 200);
});

test("a database that is down makes the service not ready, and not less alive", async (t) => {
  const { ask } = await listen(t);

  assert.equal((await ask("GET /readyz", none)).status, 503);
  assert.equal((await ask("GET /healthz", none)).status, 200);
});

test("a check that does not come back in half a second counts as failed", async (t) => {
  const { ask } = await listen(t, { database: up, ready: () => new Promise(() => {}) });
  const began = performance.now();

  assert.equal((await ask("GET /readyz", none)).status, 503);
  assert.ok(performance.now() - began < 5000);
});

test("many who ask at once cost the database one question", async (t) => {
  let pings = 0;
  let here = 0;
  const all = Promise.withResolvers<void>();
  const ping = () => {
    pings++;
    return all.promise;
  };
  const { ask, server } = await listen(t, { database: { ping } });
  server.server.on("request", () => ++here === 20 && setImmediate(all.resolve));

  await Promise.all(Array.from({ length: 20 }, () => ask("GET /readyz", none)));

  assert.ok(pings < 5, `${pings} pings`);
});

test("metrics are for this machine, or for who knows the token", async (t) => {
  const { ask } = await listen(t, { env: { METRICS_TOKEN: "a-token-of-the-operator" } });
  const through = { "x-forwarded-for": "203.0.113.7" };
  const ofOperator = { authorization: "Bearer a-token-of-the-operator" };

  assert.equal((await ask("GET /metrics", none)).status, 200);
  assert.equal((await ask("GET /metrics", { key: null, headers: through })).status, 401);
  assert.equal((await ask("GET /metrics", { key: null, headers: { forwarded: "for=203.0.113.7" } })).status, 401);
  assert.equal((await ask("GET /metrics", { key: null, headers: { ...through, ...ofOperator } })).status, 200);
  const wrong = await ask("GET /metrics", { key: null, headers: { ...through, authorization: "Bearer a-token-of-nobody-here" } });
  assert.equal(wrong.status, 401);
  assert.equal(wrong.headers["www-authenticate"], 'Bearer realm="metrics"');
  assert.deepEqual(wrong.json, { error: "Unauthorized", "field-errors": {} });
});

test("metrics count answers by operation and status, and show the process", async (t) => {
  const { ask } = await listen(t, { operations });
  await ask("GET /api/v1/thing/");
  await ask("GET /api/v1/thing/?a=1");
  await ask("GET /api/v1/no/such/path/");

  const answer = await ask("GET /metrics", none);

  assert.match(answer.headers["content-type"]!, /^text\/plain/);
  assert.match(answer.text, /headwater_http_request_seconds_count\{route="thing.list",status="200"\} 1\n/);
  assert.match(answer.text, /headwater_http_request_seconds_count\{route="thing.list",status="400"\} 1\n/);
  assert.match(answer.text, /headwater_http_request_seconds_count\{route="unknown",status="404"\} 1\n/);
  assert.match(answer.text, /headwater_http_running 0\n/);
  assert.match(answer.text, /headwater_database_connections 0\n/);
  assert.match(answer.text, /process_resident_memory_bytes \d+/);
  assert.ok(!answer.text.includes("no/such/path"), "what callers make up is no label");
});
