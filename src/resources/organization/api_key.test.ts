import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../../../test/support/client.ts";
import { atMoment } from "../../../test/support/clock.ts";
import { organization } from "../../../test/support/given.ts";
import { writeKey } from "./found.ts";

test("the text of a key is shown once and works at once", async () => {
  const acme = await organization();

  const made = await acme.post("/api_key/", { name: "Importer" });

  assert.match(made.key, /^api_[0-9A-Za-z]{49}$/);
  assert.equal(made.key_preview, made.key.slice(-4));
  assert.equal((await new Client(acme.service, made.key).get("/me/")).id, acme.userId);
  const listed = (await acme.get("/api_key/")).data.find((one: any) => one.id === made.id);
  const { key: _, ...rest } = made;
  assert.deepEqual(listed, { ...rest, last_used_at: listed.last_used_at });
});

test("a misspelled bound of what somebody may do makes nothing with the bound left away", async () => {
  const acme = await organization();
  const bodies: [string, object, string][] = [
    ["api_key", { name: "agent", scope: ["read"] }, "scope"],
    ["budget", { holder_id: "apikey_1", write_per_hour: 5 }, "write_per_hour"],
    ["role", { name: "Guest", permission: [] }, "permission"],
    ["membership", { email: "ann@acme.example", role: "restricteduser" }, "role"],
    ["oauth_app", { name: "App", redirect_uris: ["https://app.example/"], scope: ["read"] }, "scope"],
    ["webhook", { url: "https://hook.example/", event: [] }, "event"],
  ];

  for (const [path, body, key] of bodies) {
    const { "field-errors": errors } = await acme.refused(400, "POST", `/${path}/`, body, key);
    assert.match(errors[key]!, /^is not a field of this request/, path);
  }
  assert.equal((await acme.get("/api_key/")).data.length, 1);
});

test("the text of a key is in no table", async () => {
  const acme = await organization();
  const { key } = await acme.post("/api_key/");

  const { db } = acme.service.app;
  for (const table of ["api_key", "event"]) {
    const rows = await db.unscoped({
      text: `select 1 from ${table} t where organization_id = $1 and t::text like '%' || $2 || '%'`,
      values: [acme.id, key],
    });
    assert.equal(rows.length, 0, table);
  }
});

test("a repetition with the same Idempotency-Key shows the same key, which is never stored in clear", async () => {
  const acme = await organization();
  const ask = () => acme.ask("POST", "/api_key/", { body: {}, headers: { "idempotency-key": "once" } });

  const [first, second] = [await ask(), await ask()];

  assert.deepEqual([second.status, second.body, second.headers.get("idempotency-replayed")], [201, first.body, "true"]);
  const rows = await acme.service.app.db.unscoped({
    text: "select 1 from idempotency_key t where organization_id = $1 and t::text like '%' || $2 || '%'",
    values: [acme.id, first.body.key],
  });
  assert.equal(rows.length, 0);
});

test("a key without a name is called API key", async () => {
  const acme = await organization();

  assert.equal((await acme.post("/api_key/")).name, "API key");
  assert.equal((await acme.post("/api_key/", { name: null })).name, "API key");
});

test("members see and delete their own keys, admins everybody's", async () => {
  const acme = await organization();
  const bob = await acme.member("user");
  const [own, admins] = [await bob.post("/api_key/"), await acme.post("/api_key/")];

  const seen = (await bob.get("/api_key/")).data;

  assert.ok(seen.every((one: any) => one.user_id === bob.userId));
  await bob.refused(404, "DELETE", `/api_key/${admins.id}/`);
  assert.ok((await acme.get("/api_key/")).data.some((one: any) => one.id === own.id));
  await acme.delete(`/api_key/${own.id}/`);
  await new Client(acme.service, own.key).refused(401, "GET", "/me/");
});

test("a deleted key is refused by the very next request, even the one that deleted itself", async () => {
  const acme = await organization();
  const made = await acme.post("/api_key/");
  const client = new Client(acme.service, made.key);
  await client.get("/me/");

  await client.delete(`/api_key/${made.id}/`);

  await client.refused(401, "GET", "/me/");
});

test("scopes narrow what a key may do, and each includes the one before", async () => {
  const acme = await organization();
  const reading = await acme.post("/api_key/", { scopes: ["read"] });
  const writing = await acme.post("/api_key/", { scopes: ["write_safe"] });
  const lead = await acme.lead();

  const [reader, writer] = [reading.key, writing.key].map((key) => new Client(acme.service, key)) as [Client, Client];

  assert.deepEqual(writing.scopes, ["read", "write_safe"]);
  await reader.get(`/lead/${lead.id}/`);
  const refusal = await reader.refused(403, "PUT", `/lead/${lead.id}/`, { name: "New" });
  assert.match(refusal.error, /write_safe/);
  await writer.put(`/lead/${lead.id}/`, { name: "New" });
  await writer.refused(403, "DELETE", `/lead/${lead.id}/`);
});

test("a narrowed key cannot make a wider one", async () => {
  const acme = await organization();
  const { key } = await acme.post("/api_key/", { scopes: ["write_safe"] });
  const writer = new Client(acme.service, key);

  await writer.refused(400, "POST", "/api_key/", { scopes: ["write_destructive"] }, "scopes");

  assert.deepEqual((await writer.post("/api_key/")).scopes, ["read", "write_safe"]);
});

test("a key that ends makes none that goes on after it", async () => {
  const acme = await organization();
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const { key } = await acme.post("/api_key/", { expires_at });
  const ending = new Client(acme.service, key);

  assert.equal((await ending.post("/api_key/")).expires_at, expires_at);
  await ending.refused(400, "POST", "/api_key/", { expires_at: "2099-01-01T00:00:00Z" }, "expires_at");
});

test("the owner is told once, two weeks before a key ends, unless it was made for less", async () => {
  const acme = await organization();
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const { id, key_preview } = await acme.post("/api_key/", { name: "Shop", expires_at: inDays(30) });
  await acme.post("/api_key/", { name: "Short", expires_at: inDays(10) });
  await acme.post("/api_key/", { name: "Endless" });
  const told = async () => (await acme.get("/notification/")).data.filter(({ object_type }: any) => object_type === "api_key");

  await atMoment(acme.service, inDays(15), "api_keys");
  const early = await told();
  await atMoment(acme.service, inDays(17), "api_keys");
  acme.service.clock.now = null;

  assert.deepEqual(early, []);
  const [one, ...more] = await told();
  assert.deepEqual([one.object_id, more], [id, []]);
  assert.equal(one.title, `The API key Shop (…${key_preview}) ends on ${inDays(30).slice(0, 10)}`);
});

test("a narrow key lets nobody in: no member, role or application", async () => {
  const acme = await organization();
  const { key } = await acme.post("/api_key/", { scopes: ["write_safe"] });
  const narrow = new Client(acme.service, key);
  const before = (await acme.get("/membership/")).data.length;

  await narrow.refused(403, "POST", "/membership/", { email: "zoe@example.com", role_id: "admin" });
  await narrow.refused(403, "POST", "/role/", { name: "All", permissions: ["manage_organization"] });
  await narrow.refused(403, "POST", "/oauth_app/", { name: "App", redirect_uris: ["https://app.example/back"] });

  assert.equal((await acme.get("/membership/")).data.length, before);
});

test("unknown scopes, no scopes and an expiry in the past are refused", async () => {
  const acme = await organization();

  await acme.refused(400, "POST", "/api_key/", { scopes: ["all"] }, "scopes.0");
  await acme.refused(400, "POST", "/api_key/", { scopes: [] }, "scopes");
  await acme.refused(400, "POST", "/api_key/", { expires_at: "2020-01-01T00:00:00Z" }, "expires_at");
});

test("fifty keys is what one person may have here, even asking for the last one twice at once", async () => {
  const acme = await organization();
  await acme.service.app.db.unscopedTransaction(async (tx) => {
    const key = { organizationId: acme.id, userId: acme.userId, name: "one of many", now: new Date() };
    for (let i = 0; i < 48; i++) writeKey(tx, key);
  });

  const answers = await Promise.all([1, 2, 3].map(() => acme.ask("POST", "/api_key/", { body: {} })));

  assert.deepEqual(answers.map((one) => one.status).sort(), [201, 400, 400]);
  const bob = await acme.member();
  await bob.post("/api_key/");
});

test("the last use of a key is told", async () => {
  const acme = await organization();
  const made = await acme.post("/api_key/");
  await new Client(acme.service, made.key).get("/me/");

  await acme.service.app.authenticator.flush();

  const [listed] = (await acme.get(`/api_key/?id=${made.id}`)).data;
  assert.ok(Date.parse(listed.last_used_at) > Date.now() - 60_000);
});
