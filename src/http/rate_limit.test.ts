import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { parseConfig } from "../config.ts";
import { operation, type RateGroup } from "../core/operation.ts";
import { networkOf } from "../values/network.ts";
import { createRateLimiter, isOver, remaining, Window } from "./rate_limit.ts";
import { actor, listen } from "./testing.ts";

const of = (name: string, method: "GET" | "POST", path: string, group?: RateGroup) =>
  operation({
    name,
    method,
    path,
    doc: "Does something.",
    permission: "member",
    ...(group && { group }),
    input: {},
    output: z.looseObject({}),
    transaction: false,
    run: async () => ({}),
  });
const operations = [
  of("thing.list", "GET", "/thing/"),
  of("thing.create", "POST", "/thing/"),
  of("thing.find", "GET", "/find/", "search"),
];
const env = { RATE_LIMIT: "on", RATE_LIMIT_READ: "3/60", RATE_LIMIT_WRITE: "2/60", RATE_LIMIT_AUTH: "2/60" };
/** Limit, remaining, reset and policy. A slow machine may have used up a few seconds of a minute. */
const headersOf = (answer: { headers: Record<string, unknown> }) =>
  ["limit", "remaining", "reset", "policy"].map((name) => {
    const value = answer.headers[`ratelimit-${name}`];
    return name === "reset" && Number(value) > 50 ? "60" : value;
  });

test("a key may ask so often in a window, and is told how often it still may", async (t) => {
  const { ask } = await listen(t, { operations, env });

  for (const left of ["2", "1", "0"]) {
    const answer = await ask("GET /api/v1/thing/");
    assert.equal(answer.status, 200);
    assert.deepEqual(headersOf(answer), ["3", left, "60", '"read";q=3;w=60']);
  }
  const refused = await ask("GET /api/v1/thing/");
  assert.equal(refused.status, 429);
  assert.deepEqual(headersOf(refused), ["3", "0", "60", '"read";q=3;w=60']);
  assert.ok(Number(refused.headers["retry-after"]) > 50);
  assert.deepEqual(Object.keys(refused.json), ["error", "field-errors", "rate_reset"]);
  assert.equal(refused.json.error, "Too many requests");
  assert.ok(refused.json.rate_reset > 50 && refused.json.rate_reset <= 60);
});

test("reads, writes and searches are counted apart", async (t) => {
  const { ask } = await listen(t, { operations, env });
  for (let i = 0; i < 3; i++) await ask("GET /api/v1/thing/");

  assert.equal((await ask("GET /api/v1/thing/")).status, 429);
  assert.equal((await ask("POST /api/v1/thing/")).status, 200);
  assert.equal((await ask("GET /api/v1/find/")).headers["ratelimit-policy"], '"search";q=40;w=10');
});

test("a POST that overrides a GET counts as a read", async (t) => {
  const { ask } = await listen(t, { operations, env });

  const answer = await ask("POST /api/v1/thing/", { headers: { "x-http-method-override": "GET" } });

  assert.equal(answer.headers["ratelimit-policy"], '"read";q=3;w=60');
});

test("keys are counted apart, and together they may three times what one may", async (t) => {
  const keys = ["a", "b", "c", "d"];
  const actors = Object.fromEntries(keys.map((key) => [key, actor({ api_key_id: `apikey_${key}` })]));
  actors.other = actor({ api_key_id: "apikey_other", organization_id: "orga_2" });
  const { ask } = await listen(t, { operations, env, actors });

  for (const key of ["a", "b", "c"])
    for (let i = 0; i < 3; i++) assert.equal((await ask("GET /api/v1/thing/", { key })).status, 200);
  const refused = await ask("GET /api/v1/thing/", { key: "d" });

  assert.equal(refused.status, 429);
  assert.deepEqual(headersOf(refused).slice(0, 2), ["9", "0"]);
  assert.equal(refused.headers["ratelimit-policy"], '"read_organization";q=9;w=60');
  assert.equal((await ask("GET /api/v1/thing/", { key: "other" })).status, 200);
});

test("a token counts for its connection, as a key does for itself", async (t) => {
  const token = (grant_id: string) => actor({ api_key_id: null, oauth: { client_id: "oapp_1", scope: "read", grant_id } });
  const { ask } = await listen(t, { operations, env, actors: { one: token("grant_1"), two: token("grant_2") } });
  for (let i = 0; i < 3; i++) await ask("GET /api/v1/thing/", { key: "one" });

  assert.equal((await ask("GET /api/v1/thing/", { key: "one" })).status, 429);
  assert.equal((await ask("GET /api/v1/thing/", { key: "two" })).status, 200);
});

test("what is refused is counted too, and carries the headers", async (t) => {
  const { ask } = await listen(t, { operations, env });

  assert.deepEqual(headersOf(await ask("GET /api/v1/none/")), ["3", "2", "60", '"read";q=3;w=60']);
  assert.deepEqual(headersOf(await ask("PUT /api/v1/thing/")), ["3", "1", "60", '"read";q=3;w=60']);
  assert.deepEqual(headersOf(await ask("GET /api/v1/thing/?a=1")), ["3", "0", "60", '"read";q=3;w=60']);
  assert.equal((await ask("POST /api/v1/thing/", { headers: { "x-http-method-override": "x" } })).status, 429);
});

test("who has no key is counted by address", async (t) => {
  const { ask } = await listen(t, { operations, env });
  const none = { key: null };

  assert.deepEqual(headersOf(await ask("GET /api/v1/thing/", none)), ["2", "1", "60", '"auth";q=2;w=60']);
  assert.deepEqual(headersOf(await ask("GET /nothing/", none)), ["2", "0", "60", '"auth";q=2;w=60']);
  const refused = await ask("GET /api/v1/thing/", none);
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers["retry-after"]) > 50);
  assert.equal((await ask("GET /api/v1/openapi.json", none)).status, 429);
  assert.equal((await ask("GET /api/v1/thing/")).status, 200, "a valid key is not held up by others at its address");
});

test("a preflight uses nothing up", async (t) => {
  const { ask } = await listen(t, { operations, env });

  for (let i = 0; i < 5; i++) {
    const answer = await ask("OPTIONS /api/v1/thing/", { key: null });
    assert.equal(answer.status, 204);
    assert.deepEqual(headersOf(answer).slice(0, 2), ["2", "2"]);
  }
});

test("the address of a caller behind a trusted proxy is the one the proxy names", async (t) => {
  const { ask } = await listen(t, { operations, env: { ...env, TRUST_PROXY: "127.0.0.0/8" } });
  const from = (ip: string) => ask("GET /api/v1/thing/", { key: null, headers: { "x-forwarded-for": ip } });

  for (const status of [401, 401, 429]) assert.equal((await from("203.0.113.7")).status, status);
  assert.equal((await from("203.0.113.8")).status, 401);
});

test("nobody is believed who names an address without being a trusted proxy", async (t) => {
  const { ask } = await listen(t, { operations, env });
  const from = (ip: string) => ask("GET /api/v1/thing/", { key: null, headers: { "x-forwarded-for": ip } });

  assert.deepEqual(
    [(await from("203.0.113.1")).status, (await from("203.0.113.2")).status, (await from("203.0.113.3")).status],
    [401, 401, 429],
  );
});

test("limits can be switched off", async (t) => {
  const { ask } = await listen(t, { operations, env: { ...env, RATE_LIMIT: "off" } });

  for (let i = 0; i < 10; i++) assert.equal((await ask("GET /api/v1/thing/")).status, 200);
  assert.deepEqual(headersOf(await ask("GET /api/v1/thing/")), [undefined, undefined, undefined, undefined]);
});

// --- the counters themselves ---

const { rate_limits: defaults } = parseConfig({});
const limits = { ...defaults!, read: { limit: 10, seconds: 10 } };

test("a window begins with its first request and is whole again at its end", () => {
  const window = new Window("read", { limit: 2, seconds: 10 }, 1, 1);

  const used = [window.count("a", 5_000), window.count("a", 14_999), window.count("a", 14_999)];
  assert.ok(isOver(used[2]!));
  assert.equal(used[2]!.resetsAt, 15_000);
  assert.equal(remaining(window.count("a", 15_000)), 1);
});

test("a holder is remembered over the turns of the counters", () => {
  const window = new Window("read", { limit: 2, seconds: 10 }, 1, 1);
  window.count("first", 0);
  window.count("a", 9_999);
  window.count("a", 9_999);

  assert.ok(isOver(window.count("a", 19_998)));
  assert.ok(!isOver(window.count("a", 19_999)));
});

test("several processes share a limit", () => {
  const limiter = createRateLimiter(limits, 4);

  const quota = limiter.take("read", "apikey_1", "orga_1", 0);

  assert.equal(quota.window.limit, 3);
  assert.equal(quota.window.policy, '"read";q=3;w=10');
  limiter.share(2);
  assert.equal(quota.window.policy, '"read";q=5;w=10');
});

test("memory is bounded: beyond 20,000 holders of a window the rest share a quota", () => {
  const window = new Window("auth", { limit: 2, seconds: 10 }, 1, 1);
  for (let i = 0; i < 20_000; i++) window.count(`ip${i}`, 0);

  window.count("late 1", 1);
  window.count("late 2", 1);
  assert.ok(isOver(window.count("late 3", 1)));
  assert.ok(!isOver(window.count("ip7", 1)));
  assert.ok(!isOver(window.count("late 3", 20_000)));
});

test("addresses of one IPv6 customer count as one", () => {
  assert.equal(networkOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2");
  assert.equal(networkOf("2001:db8:1:2::9"), "2001:db8:1:2");
  assert.equal(networkOf("2001:db8::1"), networkOf("2001:0db8:0:0:ffff::2"));
  assert.notEqual(networkOf("2001:db8:0:1::1"), networkOf("2001:db8:0:2::1"));
  assert.equal(networkOf("::1"), "0:0:0:0");
  assert.equal(networkOf("fe80::1%eth0"), "fe80:0:0:0");
  assert.equal(networkOf("::ffff:203.0.113.7"), "203.0.113.7");
  assert.equal(networkOf("203.0.113.7"), "203.0.113.7");
});
