// The headers that need the database: tested here with the real service and its leads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../test/support/given.ts";

test("a request under a key that was used before is answered from memory, and done once", async () => {
  const acme = await organization();
  const post = (name: string) => acme.ask("POST", "/lead/", { body: { name }, headers: { "idempotency-key": "first-order" } });

  const [first, again, other] = [await post("Acme"), await post("Acme"), await post("Bolt")];

  assert.equal(first.status, 201);
  assert.equal(again.status, 201);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get("location"), first.headers.get("location"));
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  assert.notEqual(again.headers.get("x-request-id"), first.headers.get("x-request-id"));
  assert.equal(other.status, 422);
  assert.equal((await acme.get("/lead/?name=Acme")).data.length, 1);
});

test("both forms of a path are one path to a key", async () => {
  const acme = await organization();
  const post = (path: string) =>
    acme.ask("POST", path, { body: { name: "Acme" }, headers: { "idempotency-key": "either-form" } });

  const [first, again] = [await post("/lead/"), await post("/lead")];

  assert.equal(again.text, first.text);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
});

test("a change for a version that is gone is a 412, and changes nothing", async () => {
  const acme = await organization();
  const { id } = await acme.lead({ name: "Acme" });
  const read = await acme.ask("GET", `/lead/${id}/`);
  const etag = read.headers.get("etag")!;
  const put = (name: string) => acme.ask("PUT", `/lead/${id}/`, { body: { name }, headers: { "if-match": etag } });

  assert.equal((await put("Bolt")).status, 200);
  assert.equal((await put("Core")).status, 412);
  const after = await acme.ask("GET", `/lead/${id}/`, { headers: { "if-none-match": etag } });
  assert.equal(after.status, 200);
  assert.equal(after.body.name, "Bolt");
  const known = { "if-none-match": after.headers.get("etag")! };
  assert.equal((await acme.ask("GET", `/lead/${id}/`, { headers: known })).status, 304);
});
