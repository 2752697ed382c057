// OAuth applications: a secret is shown once, and members are redirected only to safe addresses.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

const app = { name: "Reports", redirect_uris: ["https://reports.example.com/back"] };

test("its secret is in the answer to its creation and nowhere else", async () => {
  const acme = await organization();

  const made = await acme.post("/oauth_app/", app);

  assert.equal(made.client_id, made.id);
  assert.match(made.client_secret, /^oas_.{43}$/);
  const [listed] = (await acme.get("/oauth_app/")).data;
  assert.ok(!("client_secret" in listed) && !("secret_hash" in listed));
  assert.equal(listed.client_secret_last4, made.client_secret.slice(-4));
  const [row] = await acme.service.app.db.unscoped({
    text: "select to_jsonb(t)::text from oauth_app t where id = $1",
    values: [made.id],
  });
  assert.ok(!row![0]!.includes(made.client_secret));
  assert.ok(row![0]!.includes(createHash("sha256").update(made.client_secret).digest("hex")));
});

test("a public one has no secret, whichever way it is said", async () => {
  const acme = await organization();

  const made = await acme.post("/oauth_app/", { ...app, confidential: false });

  assert.equal(made.client_type, "public");
  assert.equal(made.client_secret, null);
  await acme.refused(400, "POST", "/oauth_app/", { ...app, client_type: "public", confidential: true }, "confidential");
});

test("members are sent back by https, or on their own machine", async () => {
  const acme = await organization();
  const refuse = (redirect_uris: unknown, field: string) =>
    acme.refused(400, "POST", "/oauth_app/", { name: "App", redirect_uris }, field);

  const made = await acme.post("/oauth_app/", {
    name: "App",
    redirect_uris: ["http://localhost:8080/cb", "http://127.0.0.1/cb"],
  });

  assert.equal(made.redirect_uris.length, 2);
  await refuse([], "redirect_uris");
  await refuse(["http://example.com/cb"], "redirect_uris.0");
  await refuse(["https://example.com/cb", "javascript:alert(1)"], "redirect_uris.1");
  await refuse(["https://example.com/cb#part"], "redirect_uris.0");
  await acme.refused(400, "POST", "/oauth_app/", { ...app, scopes: ["all.power"] }, "scopes.0");
});

test("only who manages the organization sees, makes and deletes them", async () => {
  const acme = await organization();
  const boss = await acme.member("superuser");
  const made = await acme.post("/oauth_app/", app);

  await boss.refused(403, "GET", "/oauth_app/");
  await boss.refused(403, "POST", "/oauth_app/", app);
  await boss.refused(403, "DELETE", `/oauth_app/${made.id}/`);
  await acme.delete(`/oauth_app/${made.id}/`);
  assert.deepEqual((await acme.get("/oauth_app/")).data, []);
});
