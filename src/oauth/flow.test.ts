// How a client comes to a token and what it is good for, with a client that checks each answer by the standards.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bearer } from "../../test/support/bearer.ts";
import { organization } from "../../test/support/given.ts";
import { OauthClient } from "../../test/support/oauth_client.ts";
import { service } from "../../test/support/service.ts";

describe("a client", () => {
  test("registers, is allowed, gets tokens, and acts with them as the person may", async () => {
    const acme = await organization();
    const client = await OauthClient.register(await service());

    const tokens = await client.connect(acme, { scope: "read write_safe" });

    assert.match(tokens.access_token, /^oat_[\w-]{43}$/);
    assert.match(tokens.refresh_token, /^ort_[\w-]{43}$/);
    assert.equal(tokens.scope, "read write_safe");
    assert.deepEqual([tokens.organization_id, tokens.user_id], [acme.id, acme.userId]);
    const call = bearer(acme.service, tokens.access_token);
    assert.equal((await call("GET", "/me/")).body.id, acme.userId);
    const made = await call("POST", "/lead/", { name: "Acme" });
    const [created] = await acme.events(made.body.id);
    assert.deepEqual([created.oauth_client_id, created.oauth_scope], [client.client.client_id, "read write_safe"]);
    const refused = await call("DELETE", `/lead/${made.body.id}/`);
    assert.equal(refused.status, 403);
    assert.match(
      refused.headers.get("www-authenticate")!,
      /error="insufficient_scope", scope="write_destructive", resource_metadata="/,
    );
  });
});
