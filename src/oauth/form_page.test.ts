// An answer as a form: what the client gets, and what the page may not do beside it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../test/support/given.ts";
import { OauthClient } from "../../test/support/oauth_client.ts";
import { service } from "../../test/support/service.ts";
import { givePassword, goodPassword, Visitor } from "../../test/support/visitor.ts";

const valueOf = (text: string, name: string): string | undefined =>
  new RegExp(`<input type="hidden" name="${name}" value="([^"]*)">`).exec(text)?.[1];

test("a client that asks for a form gets the code, or the refusal, by one that leads to it alone", async () => {
  const acme = await organization();
  const client = await OauthClient.register(await service(), { redirect_uris: ["https://app.example/back"] });
  await givePassword(acme.service, acme.userId);
  const visitor = new Visitor(acme.service);
  await visitor.signIn((await acme.get("/me/")).email, goodPassword);
  const verifier = "a".repeat(43);
  const asked = new URL(await client.address(verifier, { scope: "read" }), "http://localhost");
  asked.searchParams.set("redirect_uri", "https://app.example/back");
  asked.searchParams.set("response_mode", "form_post");
  asked.searchParams.set("state", `"><script>alert(1)</script>`);

  const open = () => visitor.open(asked.pathname + asked.search);
  await open();
  const allowed = await visitor.send({ answer: "allow", workspace: acme.id, scope: "read" });
  await open();
  const denied = await visitor.send({ answer: "deny" });

  assert.deepEqual([allowed.status, allowed.left, denied.status], [200, null, 200]);
  assert.match(allowed.text, /<form method="post" action="https:\/\/app\.example\/back">/);
  assert.match(valueOf(allowed.text, "code")!, /^oac_/);
  assert.equal(valueOf(denied.text, "error"), "access_denied");
  assert.equal(valueOf(denied.text, "iss"), "http://localhost");
  assert.ok(!allowed.text.includes("<script>alert"));
  const policy = allowed.headers.get("content-security-policy")!;
  assert.match(
    policy,
    /default-src 'none';.*form-action 'self' https:\/\/app\.example;.*frame-ancestors 'none'; script-src 'sha256-/,
  );
});
