// From a request to the operation's input, and from its result back to the response.
import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { unauthorized } from "../core/errors.ts";
import { JsonText, operation } from "../core/operation.ts";
import { actor, goodKey, listen } from "./testing.ts";

/** Returns its input. */
const told = (name: string, method: "GET" | "POST" | "PUT" | "DELETE", path: string, input: Record<string, z.ZodType> = {}) =>
  operation({
    name,
    method,
    path,
    doc: "Answers what it was given.",
    permission: "member",
    input,
    output: z.looseObject({}),
    transaction: false,
    status: method === "POST" ? 201 : 200,
    run: async (ctx, given) => ({ name, ...given, ...ctx.request }),
  });

const text = z.string().optional();

const get = operation({
  name: "thing.get",
  method: "GET",
  path: "/thing/{id}/",
  doc: "Answers one thing.",
  permission: "member",
  input: { id: z.string(), note: text },
  output: z.looseObject({}),
  run: async (_ctx, { id, note }) => new JsonText(JSON.stringify({ id, note }), 7),
});
const list = told("thing.list", "GET", "/thing/", { name: text, lead_id: text, id__in: text, _limit: text, is_open: text });
const create = told("thing.create", "POST", "/thing/", { name: text });
const bulk = operation({
  name: "thing.bulk",
  method: "PUT",
  path: "/thing/",
  doc: "Changes many.",
  permission: "member",
  input: { id__in: text, is_open: z.boolean().optional() },
  inQuery: ["id__in"],
  output: z.looseObject({}),
  transaction: false,
  run: async (_ctx, given) => given,
});
const update = told("thing.update", "PUT", "/thing/{id}/", { id: z.string(), name: text });
const remove = told("thing.delete", "DELETE", "/thing/{id}/", { id: z.string() });
const merge = told("thing.merge", "POST", "/thing/merge/", { source: text });
const copy = told("thing.copy", "POST", "/thing/copy_{source}/", { source: z.string() });
const located = operation({
  ...told("place.create", "POST", "/place/"),
  input: {},
  run: async (ctx) => {
    ctx.reply.headers.location = "/api/v1/place/1/";
    return {};
  },
});
const operations = [get, list, create, bulk, update, remove, merge, copy, located];

// --- paths and methods ---

test("a path is served with and without its last slash, and is never redirected", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const path of ["/api/v1/thing/1/", "/api/v1/thing/1", "/api/v1/thing/", "/api/v1/thing"]) {
    assert.equal((await ask(`GET ${path}`)).status, 200, path);
  }
  assert.equal((await ask("GET /api/v1/thing?name=a")).json.name, "a");
});

test("both forms of a path are one path to what is performed", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.equal((await ask("GET /api/v1/thing?name=a")).json.path, "/api/v1/thing/");
  assert.equal((await ask("GET /api/v1/thing/?name=a")).json.path, "/api/v1/thing/");
});

test("a literal path wins over an id for every method", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.equal((await ask("POST /api/v1/thing/merge/", { body: { source: "a" } })).json.name, "thing.merge");
  for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
    const answer = await ask(`${method} /api/v1/thing/merge/`);
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.allow, "POST, OPTIONS");
  }
});

test("a parameter may be a part of a name", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.equal((await ask("POST /api/v1/thing/copy_acme/")).json.source, "acme");
  assert.equal((await ask("GET /api/v1/thing/copy_acme/")).status, 405);
});

test("a known path with another method is a 405 that says what is allowed", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const method of ["POST", "PATCH", "PROPFIND", "TRACE"]) {
    const answer = await ask(`${method} /api/v1/thing/1/`);
    assert.equal(answer.status, 405, method);
    assert.equal(answer.headers.allow, "GET, PUT, DELETE, HEAD, OPTIONS");
    assert.deepEqual(answer.json, { error: "Method Not Allowed", "field-errors": {} });
  }
});

test("an unknown path is a 404 for every method, whatever its body", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const line of [
    "GET /api/v1/nothing/",
    "POST /api/v1/nothing/",
    "PROPFIND /api/v1/thing/1/2/",
    "GET /",
    "GET /api/v2/thing/",
  ]) {
    const answer = await ask(line, line.startsWith("POST") ? { body: "{not json" } : {});
    assert.equal(answer.status, 404, line);
    assert.deepEqual(answer.json, { error: "Not Found", "field-errors": {} });
  }
});

test("an id that is too long, or none, is a 404", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.equal((await ask(`GET /api/v1/thing/${"x".repeat(129)}/`)).status, 404);
  assert.equal((await ask(`GET /api/v1/thing/${"x".repeat(5000)}/`)).status, 404);
  assert.equal((await ask("GET /api/v1/thing//")).status, 404);
});

test("a path that cannot be stored or decoded is a 400", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.match((await ask("GET /api/v1/thing/a%00b/")).json["field-errors"].id, /NUL/);
  assert.equal((await ask("GET /api/v1/thing/%ED%A0%80/")).status, 400);
  assert.equal((await ask("GET /api/v1/thing/%zz/")).status, 400);
});

test("a slash in an id is not a slash of the path", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.equal((await ask("GET /api/v1/thing/a%2Fb/")).json.id, "a/b");
});

// --- authentication ---

test("without a valid key everything below the interface is a 401, also what does not exist", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const line of [
    "GET /api/v1/thing/1/",
    "POST /api/v1/thing/1/",
    "PATCH /api/v1/thing/",
    "PROPFIND /api/v1/thing/",
    "GET /api/v1/nothing/",
    "GET /api/v1/",
    "GET /api/v1",
    "GET /api/v1?a=b",
    `GET /api/v1/thing/${"x".repeat(500)}/`,
    "GET /api/v1/thing/%zz/",
  ]) {
    for (const key of [null, "Basic eDo=", "Bearer nothing"]) {
      const answer = await ask(line, { key });
      assert.equal(answer.status, 401, line);
      assert.deepEqual(answer.json, { error: "Unauthorized", "field-errors": {} });
      assert.equal(answer.headers["www-authenticate"], 'Basic realm="api"');
    }
  }
});

test("who has no key learns nothing about the body or the query", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.equal((await ask("POST /api/v1/thing/", { key: null, body: "{not json" })).status, 401);
  assert.equal((await ask("GET /api/v1/thing/?a=1&a=2", { key: null })).status, 401);
  assert.equal((await ask("POST /api/v1/thing/", { key: null, body: Buffer.alloc(2_000_000) })).status, 401);
});

test("a key is found at once or by a promise", async (t) => {
  const { ask } = await listen(t, {
    operations,
    authenticate: (header) => {
      if (header === "at once") return actor();
      if (header === "later") return Promise.resolve(actor());
      if (header === "never") return Promise.reject(unauthorized());
      throw unauthorized();
    },
  });

  assert.equal((await ask("GET /api/v1/thing/", { key: "at once" })).status, 200);
  assert.equal((await ask("GET /api/v1/thing/", { key: "later" })).status, 200);
  assert.equal((await ask("GET /api/v1/thing/", { key: "never" })).status, 401);
  assert.equal((await ask("GET /api/v1/thing/", { key: "other" })).status, 401);
});

test("a defect while a key is looked up is a 500, and the service lives on", async (t) => {
  const { ask } = await listen(t, {
    operations,
    authenticate: async (header) => {
      if (header !== goodKey) throw new Error("secret words");
      return actor();
    },
  });

  const answer = await ask("GET /api/v1/thing/", { key: "x" });

  assert.equal(answer.status, 500);
  assert.deepEqual(answer.json, { error: "Internal error", "field-errors": {} });
  assert.equal((await ask("GET /api/v1/thing/")).status, 200);
});

test("a 405 is decided after the key and before the id", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.equal((await ask("POST /api/v1/thing/no_such_id/", { key: null })).status, 401);
  assert.equal((await ask("POST /api/v1/thing/no_such_id/")).status, 405);
});

// --- HEAD and OPTIONS ---

test("HEAD answers as GET does, without the body", async (t) => {
  const { ask } = await listen(t, { operations });

  const [head, full] = [await ask("HEAD /api/v1/thing/1/"), await ask("GET /api/v1/thing/1/")];

  assert.equal(head.status, 200);
  assert.equal(head.text, "");
  assert.equal(head.headers["content-length"], String(full.text.length));
  assert.equal(head.headers.etag, full.headers.etag);
});

test("OPTIONS says what is allowed, to browsers of any origin, without a key", async (t) => {
  const { ask } = await listen(t, { operations });

  const answer = await ask("OPTIONS /api/v1/thing/1/", {
    key: null,
    headers: { origin: "https://app.example.com", "access-control-request-method": "PUT" },
  });

  assert.equal(answer.status, 204);
  assert.equal(answer.text, "");
  assert.equal(answer.headers.allow, "GET, PUT, DELETE, HEAD, OPTIONS");
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  assert.equal(answer.headers["access-control-allow-methods"], answer.headers.allow);
  assert.match(answer.headers["access-control-allow-headers"]!, /authorization, content-type, idempotency-key/);
  assert.equal(answer.headers["access-control-allow-credentials"], undefined);
  assert.equal((await ask("OPTIONS /api/v1/nothing/", { key: null })).status, 401);
});

test("a browser may read answers and refusals, and the headers that matter", async (t) => {
  const { ask } = await listen(t, { operations });
  const headers = { origin: "https://app.example.com" };

  for (const answer of [
    await ask("GET /api/v1/thing/1/", { headers }),
    await ask("GET /api/v1/thing/1/", { headers, key: null }),
    await ask("GET /api/v1/nothing/", { headers }),
  ]) {
    assert.equal(answer.headers["access-control-allow-origin"], "*");
    for (const name of ["ratelimit-remaining", "retry-after", "www-authenticate", "x-request-id", "location", "etag"])
      assert.ok(answer.headers["access-control-expose-headers"]!.split(", ").includes(name), name);
  }
});

// --- method override ---

test("a POST can replace another method, with its parameters in the body", async (t) => {
  const { ask } = await listen(t, { operations });
  const body = { _params: { lead_id: "lead_1", _limit: 10, is_open: true, id__in: ["a", "b", 3] } };

  const answer = await ask("POST /api/v1/thing/", { headers: { "x-http-method-override": "GET" }, body });

  assert.equal(answer.status, 200);
  assert.equal(answer.json.name, "thing.list");
  assert.equal(answer.json.method, "GET");
  const { lead_id, _limit, is_open, id__in } = answer.json;
  assert.deepEqual({ lead_id, _limit, is_open, id__in }, { lead_id: "lead_1", _limit: "10", is_open: "true", id__in: "a,b,3" });
});

test("an override also reaches updates and deletes, in any case", async (t) => {
  const { ask } = await listen(t, { operations });
  const as = (method: string) => ({ headers: { "x-http-method-override": method }, body: { name: "x" } });

  assert.equal((await ask("POST /api/v1/thing/1/", as("put"))).json.name, "x");
  assert.equal((await ask("POST /api/v1/thing/1/", as("DELETE"))).json.name, "thing.delete");
  assert.equal((await ask("POST /api/v1/thing/1/", as("Get"))).json.id, "1");
});

test("an override to what the path does not offer is a 405, to anything else a 400", async (t) => {
  const { ask } = await listen(t, { operations });
  const as = (method: string) => ({ headers: { "x-http-method-override": method }, body: {} });

  assert.equal((await ask("POST /api/v1/thing/merge/", as("GET"))).status, 405);
  const answer = await ask("POST /api/v1/thing/1/", as("PATCH"));
  assert.equal(answer.status, 400);
  assert.deepEqual(Object.keys(answer.json["field-errors"]), ["x-http-method-override"]);
});

test("an override counts on a POST only", async (t) => {
  const { ask } = await listen(t, { operations });

  const answer = await ask("GET /api/v1/thing/1/", { headers: { "x-http-method-override": "DELETE" } });

  assert.equal(answer.json.id, "1");
});

test("a bulk PUT takes its parameters from the body", async (t) => {
  const { ask } = await listen(t, { operations });
  const ids = Array.from({ length: 1000 }, (_, i) => `task_${String(i).padStart(26, "0")}`);

  const answer = await ask("PUT /api/v1/thing/", { body: { _params: { id__in: ids }, is_open: false } });

  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json, { id__in: ids.join(","), is_open: false });
});

test("a parameter given in the address and in the body is refused by name", async (t) => {
  const { ask } = await listen(t, { operations });

  const answer = await ask("PUT /api/v1/thing/?id__in=a", { body: { _params: { id__in: "b" } } });

  assert.equal(answer.status, 400);
  assert.deepEqual(Object.keys(answer.json["field-errors"]), ["id__in"]);
});

test("what cannot be a parameter is refused by name", async (t) => {
  const { ask } = await listen(t, { operations });
  const put = async (_params: unknown) => (await ask("PUT /api/v1/thing/", { body: { _params } })).json["field-errors"];

  assert.deepEqual(Object.keys(await put({ id__in: { a: 1 } })), ["_params.id__in"]);
  assert.deepEqual(Object.keys(await put({ id__in: null })), ["_params.id__in"]);
  assert.deepEqual(Object.keys(await put("id__in=a")), ["_params"]);
  assert.deepEqual(Object.keys(await put(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`p${i}`, 1])))), ["_params"]);
});

test("an ordinary POST keeps `_params` as a field that means nothing", async (t) => {
  const { ask } = await listen(t, { operations });

  const answer = await ask("POST /api/v1/thing/", { body: { name: "a", _params: { name: "b" } } });

  assert.equal(answer.status, 201);
  assert.equal(answer.headers["x-ignored-fields"], "_params");
});

// --- headers that change what a request means ---

test("the time zone header is hours from UTC", async (t) => {
  const { ask } = await listen(t, { operations });
  const offset = async (value: string) =>
    (await ask("GET /api/v1/thing/", { headers: { "x-tz-offset": value } })).json.offsetMinutes;

  assert.equal((await ask("GET /api/v1/thing/")).json.offsetMinutes, 0);
  assert.equal(await offset("-4"), -240);
  assert.equal(await offset("5.5"), 330);
  assert.equal(await offset("5.75"), 345);
  assert.equal(await offset("+14"), 840);
});

test("a time zone that is none is refused by the header's name", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const value of ["Berlin", "15", "-13", "1e1", "", "5,5", "5.1", "5.55"]) {
    const answer = await ask("GET /api/v1/thing/", { headers: { "x-tz-offset": value } });
    assert.equal(answer.status, 400, value);
    assert.deepEqual(Object.keys(answer.json["field-errors"]), ["x-tz-offset"]);
  }
});

test("unknown body fields are named in a header, and refused when the caller is strict", async (t) => {
  const { ask } = await listen(t, { operations });
  const body = { name: "a", nmae: "b", größe: 1 };

  const lenient = await ask("POST /api/v1/thing/", { body });
  const strict = await ask("POST /api/v1/thing/", { body, headers: { prefer: "return=minimal, Handling=strict" } });

  assert.equal(lenient.status, 201);
  assert.equal(lenient.headers["x-ignored-fields"], "nmae,gr%C3%B6%C3%9Fe");
  assert.equal(lenient.headers["preference-applied"], undefined);
  assert.equal(strict.status, 400);
  assert.match(strict.json["field-errors"].nmae, /did you mean name\?/);
});

test("a strict request that has nothing unknown is told so", async (t) => {
  const { ask } = await listen(t, { operations });

  const answer = await ask("POST /api/v1/thing/", { body: { name: "a" }, headers: { prefer: "handling=strict" } });

  assert.equal(answer.status, 201);
  assert.equal(answer.headers["preference-applied"], "handling=strict");
});

test("an idempotency key is 1 to 255 printable characters", async (t) => {
  const { ask } = await listen(t, { operations });
  const post = (key: string) => ask("POST /api/v1/thing/", { body: {}, headers: { "idempotency-key": key } });

  assert.equal((await post("a".repeat(255))).status, 201);
  for (const key of ["", "a".repeat(256), "gr\u00fcn"]) {
    const answer = await post(key);
    assert.equal(answer.status, 400, key);
    assert.deepEqual(Object.keys(answer.json["field-errors"]), ["Idempotency-Key"]);
  }
});

test("an idempotency key means nothing on what changes nothing", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.equal((await ask("GET /api/v1/thing/", { headers: { "idempotency-key": "a".repeat(300) } })).status, 200);
});

// --- entity tags ---

test("a single read carries a tag of its version and its bytes", async (t) => {
  const { ask } = await listen(t, { operations });

  const [one, other] = [await ask("GET /api/v1/thing/1/"), await ask("GET /api/v1/thing/1/?note=a")];

  assert.match(one.headers.etag!, /^"7\.[\w-]{12}"$/);
  assert.match(other.headers.etag!, /^"7\.[\w-]{12}"$/);
  assert.notEqual(one.headers.etag, other.headers.etag);
  assert.equal(one.headers["cache-control"], "private, no-cache");
  assert.equal((await ask("GET /api/v1/thing/")).headers.etag, undefined);
});

test("what the caller knows already is a 304 without a body", async (t) => {
  const { ask } = await listen(t, { operations });
  const { etag } = (await ask("GET /api/v1/thing/1/")).headers;
  const get = (known: string) => ask("GET /api/v1/thing/1/", { headers: { "if-none-match": known } });

  for (const known of [etag!, `W/${etag}`, `"1.aaaaaaaaaaaa", ${etag}`, "*"]) {
    const answer = await get(known);
    assert.equal(answer.status, 304, known);
    assert.equal(answer.text, "");
    assert.equal(answer.headers.etag, etag);
  }
  assert.equal((await get('"7.aaaaaaaaaaaa"')).status, 200);
  assert.equal((await get("7")).status, 200);
});

test("If-Match names the version a change is for", async (t) => {
  const { ask } = await listen(t, { operations });
  const put = async (value: string) =>
    (await ask("PUT /api/v1/thing/1/", { body: {}, headers: { "if-match": value } })).json.ifMatch;

  assert.deepEqual(await put('"7.abcdefghij-_"'), [7]);
  assert.deepEqual(await put('W/"12.abcdefghijkl"'), [12]);
  assert.deepEqual(await put('"3"'), [3]);
  assert.equal(await put("*"), null);
  assert.deepEqual(await put('"7.a", "abc",W/"8.b"'), [7, 8]);
  assert.equal((await ask("PUT /api/v1/thing/1/", { body: {} })).json.ifMatch, null);
  assert.deepEqual((await ask("DELETE /api/v1/thing/1/", { headers: { "if-match": '"4.x"' } })).json.ifMatch, [4]);
});

test("an If-Match that names no version of ours is a 412", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const value of ['"abc"', "", '"abc", "x.1"', '"-1"']) {
    const answer = await ask("PUT /api/v1/thing/1/", { body: {}, headers: { "if-match": value } });
    assert.equal(answer.status, 412, value);
    assert.deepEqual(answer.json, { error: "The record has changed since it was read", "field-errors": {} });
  }
  assert.equal((await ask("GET /api/v1/thing/1/", { headers: { "if-match": "abc" } })).status, 200);
});

// --- responses ---

test("a create answers 201 and what its operation adds to the headers", async (t) => {
  const { ask } = await listen(t, { operations });

  const answer = await ask("POST /api/v1/place/");

  assert.equal(answer.status, 201);
  assert.equal(answer.headers.location, "/api/v1/place/1/");
});

test("the request's id is in the answer and what the operation knows", async (t) => {
  const { ask } = await listen(t, { operations });

  const answer = await ask("GET /api/v1/thing/", { headers: { "x-request-id": "mine" } });

  assert.match(answer.headers["x-request-id"] as string, /^req_[0-9a-z]{26}$/);
  assert.equal(answer.json.id, answer.headers["x-request-id"]);
});
