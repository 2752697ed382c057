// A client that registered itself with a secret reads, changes and ends its registration (RFC 7592); nobody else does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientSecretPost } from "oauth4webapi";
import { bearer } from "../../test/support/bearer.ts";
import { organization } from "../../test/support/given.ts";
import { callback, OauthClient } from "../../test/support/oauth_client.ts";
import { service } from "../../test/support/service.ts";

const confidential = { token_endpoint_auth_method: "client_secret_post", client_name: "Reports" };

async function asking(token: string | undefined, method: string, uri: string, body?: object) {
  const url = uri.replace("http://localhost", (await service()).url);
  const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(body && { "content-type": "application/json" }) };
  const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
}

test("a client with a secret reads its registration, changes it, and ends it with all that was allowed to it", async () => {
  const acme = await organization();
  const client = await OauthClient.register(acme.service, confidential);
  const made = client.client as any;
  const { registration_access_token: token, registration_client_uri: uri } = made;
  client.auth = ClientSecretPost(made.client_secret);
  const { access_token } = await client.connect(acme);
  const body = { ...confidential, client_id: made.client_id, redirect_uris: [callback] };

  const read = await asking(token, "GET", uri);
  const unsafe = await asking(token, "PUT", uri, { ...body, redirect_uris: ["http://evil.example/"] });
  const guessed = await asking(token, "PUT", uri, { ...body, client_secret: "guess" });
  const open = await asking(token, "PUT", uri, { ...body, token_endpoint_auth_method: "none" });
  const changed = await asking(token, "PUT", uri, { ...body, client_name: "Reports 2", client_secret: made.client_secret });
  const again = await client.connect(acme);

  assert.match(token, /^oreg_/);
  assert.equal(uri, `http://localhost/oauth2/register/${made.client_id}`);
  assert.deepEqual([read.status, read.body.client_name, read.body.client_secret], [200, "Reports", undefined]);
  assert.deepEqual(
    [unsafe, guessed, open].map(({ status }) => status),
    [400, 400, 400],
  );
  assert.deepEqual([changed.status, changed.body.client_name, changed.body.client_secret], [200, "Reports 2", undefined]);
  assert.notEqual(changed.body.registration_access_token, token);
  assert.equal((await asking(token, "GET", uri)).status, 401);

  const ended = await asking(changed.body.registration_access_token, "DELETE", uri);

  assert.equal(ended.status, 204);
  for (const each of [access_token, again.access_token])
    assert.equal((await bearer(acme.service, each)("GET", "/me/")).status, 401);
  assert.equal((await asking(changed.body.registration_access_token, "GET", uri)).status, 401);
});

test("nobody manages the registration of another, or one that all share", async () => {
  const one = (await OauthClient.register(await service(), confidential)).client as any;
  const other = (await OauthClient.register(await service(), confidential)).client as any;
  const shared = (await OauthClient.register(await service())).client as any;

  assert.equal(shared.registration_access_token, undefined);
  for (const method of ["GET", "PUT", "DELETE"])
    for (const uri of [other.registration_client_uri, `http://localhost/oauth2/register/${shared.client_id}`])
      for (const token of [undefined, "oreg_guess", ...(method === "GET" ? [one.registration_access_token] : [])]) {
        const body = method === "PUT" ? { client_id: other.client_id, redirect_uris: ["https://evil.example/"] } : undefined;
        const { status } = await asking(token, method, uri, body);
        assert.ok(status === 401 || status === 400, `${method} ${uri} ${status}`);
      }
  assert.equal((await asking(other.registration_access_token, "GET", other.registration_client_uri)).body.client_name, "Reports");
});
