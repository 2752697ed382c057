// What may be sent in a body and in a query string.
import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { effortOf, effortSince } from "../../test/support/effort.ts";
import { operation } from "../core/operation.ts";
import { type Asked, listen, raw } from "./testing.ts";

const create = operation({
  name: "thing.create",
  method: "POST",
  path: "/thing/",
  doc: "Answers what it was given.",
  permission: "member",
  input: { name: z.string().optional(), data: z.unknown().optional() },
  output: z.looseObject({}),
  transaction: false,
  run: async (_ctx, given) => given,
});
const remove = operation({
  name: "thing.delete",
  method: "DELETE",
  path: "/thing/{id}/",
  doc: "Deletes one.",
  permission: "member",
  input: { id: z.string() },
  output: z.strictObject({}),
  transaction: false,
  run: async () => ({}),
});
const list = operation({
  name: "thing.list",
  method: "GET",
  path: "/thing/",
  doc: "Answers what it was given.",
  permission: "member",
  input: { name: z.string().optional(), query: z.string().optional() },
  output: z.looseObject({}),
  run: async (_ctx, given) => given,
});
const operations = [create, remove, list];

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

// --- bodies ---

test("no body at all is an empty object", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.deepEqual((await ask("POST /api/v1/thing/")).json, {});
  assert.equal((await ask("POST /api/v1/thing/", { body: "" })).status, 200);
  assert.equal(
    (await ask("POST /api/v1/thing/", { body: "", headers: { "content-type": "application/x-www-form-urlencoded" } })).status,
    200,
  );
  assert.equal((await ask("DELETE /api/v1/thing/1/", { body: "" })).status, 200);
});

test("what is not JSON, or not an object, is refused in one sentence", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const body of ["{", "{'a':1}", '{"a":1}x', "\u0000", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])]) {
    const answer = await ask("POST /api/v1/thing/", { body });
    assert.equal(answer.status, 400, String(body));
    assert.deepEqual(answer.json, { error: "The request contains invalid JSON.", "field-errors": {} });
  }
});

test("JSON that is no object is refused with what is wanted", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const body of ["[]", '"text"', "12", "null", "true", '[{"a":1}]']) {
    const answer = await ask("POST /api/v1/thing/", { body });
    assert.equal(answer.status, 400, body);
    assert.equal(answer.json.error, "The request contains invalid JSON.");
    assert.match(answer.json["field-errors"].body, /^must be a JSON object/, body);
  }
});

test("a body of another type is refused in one sentence", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "nonsense",
  ]) {
    const answer = await ask("POST /api/v1/thing/", { body: "name=a", headers: { "content-type": type } });
    assert.equal(answer.status, 400, type);
    assert.deepEqual(answer.json, { error: "Request body must be JSON.", "field-errors": {} });
  }
});

test("JSON may say its charset, or nothing about its type", async (t) => {
  const { ask, port } = await listen(t, { operations });
  const body = '{"name":"a"}';

  assert.equal(
    (await ask("POST /api/v1/thing/", { body, headers: { "content-type": "application/json; charset=utf-8" } })).json.name,
    "a",
  );
  assert.equal((await ask("POST /api/v1/thing/", { body, headers: { "content-type": "Application/JSON" } })).json.name, "a");
  const key = Buffer.from("api_good:").toString("base64");
  const untyped = `POST /api/v1/thing/ HTTP/1.1\r\nhost: x\r\nauthorization: Basic ${key}\r\ncontent-length: 12\r\nconnection: close\r\n\r\n${body}`;
  assert.match(await raw(port, untyped), /^HTTP\/1.1 200 [^]*"name":"a"/);
});

test("a compressed body is refused by the header's name", async (t) => {
  const { ask } = await listen(t, { operations });

  const answer = await ask("POST /api/v1/thing/", { body: "{}", headers: { "content-encoding": "gzip" } });

  assert.equal(answer.status, 400);
  assert.deepEqual(Object.keys(answer.json["field-errors"]), ["Content-Encoding"]);
});

test("a body over one mebibyte is a 400, announced or not", async (t) => {
  const { ask } = await listen(t, { operations });
  const fits = JSON.stringify({ name: "a".repeat(1024 * 1024 - 11) });
  const refused = { error: "The request body must be 1048576 bytes or fewer.", "field-errors": {} };

  assert.equal((await ask("POST /api/v1/thing/", { body: fits })).status, 200);
  assert.deepEqual((await ask("POST /api/v1/thing/", { body: `${fits} ` })).json, refused);
  const chunked: Asked = { body: `${fits} `, headers: { "transfer-encoding": "chunked", "content-length": [] } };
  const answer = await ask("POST /api/v1/thing/", chunked);
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.json, refused);
});

test("32 levels are read, 33 are not", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.equal((await ask("POST /api/v1/thing/", { body: nested(32) })).status, 200);
  for (const body of [nested(33), `{"a":${"[".repeat(32)}${"]".repeat(32)}}`, `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`]) {
    const answer = await ask("POST /api/v1/thing/", { body });
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.json["field-errors"], { body: "must be nested 32 levels deep or less" });
  }
  assert.equal((await ask("POST /api/v1/thing/", { body: `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}` })).status, 400);
});

test("10,000 values are read, one more is not", async (t) => {
  const { ask } = await listen(t, { operations });
  const of = (count: number) => ({ body: { data: Array.from({ length: count - 1 }, () => 1) } });

  assert.equal((await ask("POST /api/v1/thing/", of(10_000))).status, 200);
  const answer = await ask("POST /api/v1/thing/", of(10_001));
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.json["field-errors"], { body: "must have 10000 values or fewer" });
});

test("names of 256 characters are read, longer ones are not", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.equal((await ask("POST /api/v1/thing/", { body: { ["k".repeat(256)]: 1 } })).status, 200);
  const answer = await ask("POST /api/v1/thing/", { body: { data: { ["k".repeat(257)]: 1 } } });
  assert.equal(answer.status, 400);
  assert.match(Object.values(answer.json["field-errors"])[0] as string, /256 characters or fewer/);
});

test("empty lists count once", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.equal((await ask("POST /api/v1/thing/", { body: { data: Array.from({ length: 9_999 }, () => []) } })).status, 200);
  assert.equal((await ask("POST /api/v1/thing/", { body: { data: Array.from({ length: 10_000 }, () => []) } })).status, 400);
});

test("a bomb of 90,000 names is refused for less work than it takes to read it", async (t) => {
  const { ask } = await listen(t, { operations });
  const body = JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`k${i}`, 1])));
  await ask("POST /api/v1/thing/", { body });

  const reading = effortOf(() => JSON.parse(body));
  const before = process.cpuUsage();
  const answer = await ask("POST /api/v1/thing/", { body });
  const refusing = effortSince(before);

  assert.equal(answer.status, 400);
  assert.deepEqual(answer.json["field-errors"], { body: "must have 10000 values or fewer" });
  assert.ok(refusing < reading, `${refusing} ms, and ${reading} to read it`);
});

test("marks within text are no values", async (t) => {
  const { ask } = await listen(t, { operations });

  const name = '[{,"\\'.repeat(20_000);
  assert.equal((await ask("POST /api/v1/thing/", { body: { name } })).json.name, name);
});

test("names that reach into prototypes are refused", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const [body, place] of [
    ['{"__proto__":{"a":1}}', "__proto__"],
    ['{"data":{"__proto__":1}}', "data.__proto__"],
    ['{"data":[{"constructor":{"prototype":{"a":1}}}]}', "data.0.constructor"],
    ['{"\\u005f_proto__":1}', "__proto__"],
  ] as const) {
    const answer = await ask("POST /api/v1/thing/", { body });
    assert.equal(answer.status, 400, body);
    assert.equal(answer.text, `{"error":"Validation failed","field-errors":{"${place}":"is not allowed"}}`);
  }
  assert.equal((await ask("POST /api/v1/thing/", { body: '{"data":{"constructor":"Bob the Builder"}}' })).status, 200);
});

test("text that cannot be stored is refused at its place", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const [body, place] of [
    ['{"name":"a\\u0000b"}', "name"],
    ['{"data":{"emails":[{"email":"\\ud800"}]}}', "data.emails.0.email"],
    ['{"data":"\\udc00\\ud800"}', "data"],
    ['{"data":{"a\\u0000":1}}', "body"],
  ] as const) {
    const answer = await ask("POST /api/v1/thing/", { body });
    assert.equal(answer.status, 400, body);
    assert.match(answer.json["field-errors"][place], /NUL or half of a surrogate pair/);
  }
  assert.equal((await ask("POST /api/v1/thing/", { body: '{"name":"\\ud83d\\ude00 \\\\u0000"}' })).json.name, "😀 \\u0000");
});

test("a number that would be read as another is refused at its place", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const [body, place] of [
    ['{"data":9007199254740992}', "data"],
    ['{"data":-9007199254740993}', "data"],
    ['{"data":{"list":[1,{"a":12345678901234567890}]}}', "data.list.1.a"],
    ['{"data":{"custom.cf_1":[1e400]}}', "data.custom.cf_1.0"],
    ['{"unknown":1e30}', "unknown"],
  ] as const) {
    const answer = await ask("POST /api/v1/thing/", { body });
    assert.equal(answer.status, 400, body);
    assert.deepEqual(answer.json["field-errors"], { [place]: "must be between -9007199254740991 and 9007199254740991" });
  }
  const { data } = (await ask("POST /api/v1/thing/", { body: '{"data":[9007199254740991,-9007199254740991,1.5e10,0.1]}' })).json;
  assert.deepEqual(data, [9007199254740991, -9007199254740991, 1.5e10, 0.1]);
});

// --- queries ---

test("a query is text, percent-encoded, with plus for a space", async (t) => {
  const { ask } = await listen(t, { operations });

  assert.deepEqual((await ask("GET /api/v1/thing/?name=a%20b+c%2Bd&query=gr%C3%BCn")).json, { name: "a b c+d", query: "grün" });
  assert.deepEqual((await ask("GET /api/v1/thing/?name&&query=a=b")).json, { name: "", query: "a=b" });
  const { port } = await listen(t, { operations });
  assert.match(await raw(port, Buffer.from("GET /api/v1/thing/?query=grün HTTP/1.1\r\nhost: x\r\n\r\n")), /^HTTP\/1.1 400 /);
});

test("a parameter given twice is refused by name", async (t) => {
  const { ask } = await listen(t, { operations });

  const answer = await ask("GET /api/v1/thing/?name=a&name=b");

  assert.equal(answer.status, 400);
  assert.deepEqual(answer.json["field-errors"], { name: "must be given once; join several values with commas" });
});

test("100 parameters of 8 KiB are read, more are not", async (t) => {
  const { ask } = await listen(t, { operations });
  const query = (count: number) => Array.from({ length: count }, (_, i) => `p${i}=1`).join("&");

  assert.equal((await ask(`GET /api/v1/thing/?name=${"a".repeat(8192)}`)).status, 200);
  assert.deepEqual((await ask(`GET /api/v1/thing/?name=${"a".repeat(8193)}`)).json["field-errors"], {
    name: "must be 8192 characters or fewer",
  });
  assert.ok("p99" in (await ask(`GET /api/v1/thing/?${query(100)}`)).json["field-errors"]);
  assert.deepEqual((await ask(`GET /api/v1/thing/?${query(101)}`)).json["field-errors"], {
    query: "must have 100 parameters or fewer",
  });
});

test("a query that cannot be stored or decoded is refused by name", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const [query, place] of [
    ["name=a%00b", "name"],
    ["name=%ED%A0%80", "name"],
    ["name=%", "name"],
    ["a%00=1", "query"],
    ["__proto__=1", "__proto__"],
  ]) {
    const answer = await ask(`GET /api/v1/thing/?${query}`);
    assert.equal(answer.status, 400, query);
    assert.ok(Object.hasOwn(answer.json["field-errors"], place!), answer.text);
  }
});

test("parameters named like parts of an object are unknown parameters like any other", async (t) => {
  const { ask } = await listen(t, { operations });

  for (const name of ["constructor", "toString", "hasOwnProperty"]) {
    const answer = await ask(`GET /api/v1/thing/?${name}=1`);
    assert.match(answer.json["field-errors"][name], /is not known here/);
  }
});
