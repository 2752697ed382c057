// What attackers try with OAuth, one line each. Nothing of it may work, and nobody is ever sent to an address that was not registered.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { bearer } from "../../test/support/bearer.ts";
import { organization, type Workspace } from "../../test/support/given.ts";
import { callback, OauthClient } from "../../test/support/oauth_client.ts";
import { type Service, service } from "../../test/support/service.ts";
import { givePassword, goodPassword, Visitor } from "../../test/support/visitor.ts";

const verifier = "a".repeat(43);
const challenge = "ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA";

let on: Service;
let acme: Workspace;
let mine: OauthClient;
let theirs: OauthClient;
/** Signed in as the person. */
let visitor: Visitor;

before(async () => {
  on = await service();
  acme = await organization();
  mine = await OauthClient.register(on);
  theirs = await OauthClient.register(on, { client_name: "Another client" });
  await givePassword(on, acme.userId);
  visitor = new Visitor(on);
  await visitor.signIn((await acme.get("/me/")).email, goodPassword);
});

type Fields = Record<string, string>;

const asking = (changes: Fields = {}): string => {
  const usual = {
    client_id: mine.client.client_id,
    redirect_uri: callback,
    response_type: "code",
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "s",
  };
  const all = Object.entries({ ...usual, ...changes }).filter(([, value]) => value !== "");
  return `/oauth2/authorize/?${new URLSearchParams(all)}`;
};

/** A code for the client, from the person who allowed it. */
async function code(changes: Fields = {}): Promise<string> {
  await visitor.open(asking(changes));
  const { left } = await visitor.send({ answer: "allow", workspace: acme.id, scope: "read" });
  return left!.searchParams.get("code")!;
}

async function post(path: string, fields: Fields | string, headers: Fields = {}) {
  const body = new URLSearchParams(fields);
  const answer = await fetch(on.url + path, { method: "POST", body, headers, redirect: "manual" });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
}

const redeeming = async (changes: Fields = {}): Promise<Fields> => ({
  grant_type: "authorization_code",
  code: changes.code ?? (await code()),
  client_id: mine.client.client_id,
  redirect_uri: callback,
  code_verifier: verifier,
  ...changes,
});

const tokensOf = async () => (await post("/oauth2/token/", await redeeming())).body;

describe("is refused on a page of ours, and leads nowhere:", () => {
  const fakes: Fields = {
    "an address that was not registered": "https://evil.example/callback",
    "one that begins like the registered one": `${callback}.evil.example`,
    "one whose host begins like it": "http://127.0.0.1.evil.example/callback",
    "one with it as a user name": "http://127.0.0.1@evil.example/callback",
    "one with a user name": "http://user@127.0.0.1/callback",
    "one below it": `${callback}/../elsewhere`,
    "one with a query": `${callback}?next=https://evil.example`,
    "one with a fragment": `${callback}#x`,
    "one in other letters": "http://127.0.0.1/Callback",
    "one with an encoded slash": "http://127.0.0.1/%63allback",
    "one with a slash more": `${callback}/`,
    "one by another scheme": callback.replace("http:", "https:"),
    "a script": "javascript:alert(1)",
    "a document of its own": "data:text/html,hello",
    "one with backslashes": "http:\\\\127.0.0.1\\callback",
    "one without a scheme": "//127.0.0.1/callback",
    "one by another name of this machine": "http://localhost/callback",
  };
  for (const [what, redirect_uri] of Object.entries(fakes))
    test(what, async () => {
      const { status, left, headers } = await visitor.open(asking({ redirect_uri }));

      assert.deepEqual([status, left], [400, null]);
      assert.match(headers.get("content-security-policy")!, /frame-ancestors 'none'/);
    });

  test("a client that nobody knows", async () => {
    for (const client_id of ["oapp_unknown", "oa2client_unknown", "", "https://127.0.0.1/client.json", "http://example.com/x"]) {
      const { status, left } = await visitor.open(asking({ client_id }));
      assert.deepEqual([status, left], [400, null], client_id);
    }
  });

  test("an address twice", async () => {
    const { left } = await visitor.open(`${asking()}&redirect_uri=${encodeURIComponent("https://evil.example/")}`);
    assert.equal(left === null || (left.href.startsWith(callback) && left.searchParams.has("error")), true);
  });
});

describe("is refused at the client, with the state that it sent:", () => {
  const wrong: Record<string, [changes: Fields, error: string]> = {
    "no challenge": [{ code_challenge: "" }, "invalid_request"],
    "a challenge in plain text": [{ code_challenge_method: "plain" }, "invalid_request"],
    "a challenge that is too short": [{ code_challenge: "abc" }, "invalid_request"],
    "a token instead of a code": [{ response_type: "token" }, "invalid_request"],
    "an id token": [{ response_type: "id_token" }, "invalid_request"],
    "a resource of somebody else": [{ resource: "https://evil.example/mcp" }, "invalid_target"],
    "a resource that only begins like ours": [{ resource: "http://localhost/mcp/../api" }, "invalid_target"],
    "a request as a signed object": [{ request: "e30.e30." }, "request_not_supported"],
    "a request at an address": [{ request_uri: "https://evil.example/request" }, "request_uri_not_supported"],
    "consent without asking": [{ prompt: "none" }, "consent_required"],
  };
  for (const [what, [changes, error]] of Object.entries(wrong))
    test(what, async () => {
      const { left, text } = await visitor.open(asking(changes));

      assert.equal(left?.origin, "http://127.0.0.1", text);
      assert.deepEqual([left.searchParams.get("error") ?? new URLSearchParams(left.hash.slice(1)).get("error")], [error]);
    });

  test("a request without asking of somebody who is not signed in", async () => {
    const { left } = await new Visitor(on).open(asking({ prompt: "none" }));

    assert.deepEqual([left!.searchParams.get("error"), left!.searchParams.get("state")], ["login_required", "s"]);
  });

  test("an answer in the fragment", async () => {
    for (const response_mode of ["fragment", "headwater_form_post.jwt", "web_message"]) {
      const { left, text } = await visitor.open(asking({ response_mode }));
      assert.ok(!(left?.href ?? text).includes("code="), response_mode);
    }
  });
});

describe("is no token for:", () => {
  const wrong: Record<string, Fields> = {
    "a code that nobody gave": { code: "oac_unknown" },
    "another verifier": { code_verifier: "b".repeat(43) },
    "no verifier": { code_verifier: "" },
    "another address": { redirect_uri: "http://127.0.0.1/other" },
    "no address": { redirect_uri: "" },
    "no grant type": { grant_type: "" },
    "a password": { grant_type: "password", username: "ada", password: "x" },
    "the client itself": { grant_type: "client_credentials" },
    "a device": { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: "x" },
    "a grant type of another's": { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: "x" },
    "another resource than was allowed": { resource: "http://localhost/mcp" },
  };
  for (const [what, changes] of Object.entries(wrong))
    test(what, async () => {
      const fields = Object.entries(await redeeming(changes)).filter(([, value]) => value !== "");

      const { status, body } = await post("/oauth2/token/", Object.fromEntries(fields));

      assert.equal(status, 400, JSON.stringify(body));
      assert.ok(!("access_token" in body) && typeof body.error === "string");
      assert.deepEqual(body["field-errors"], {});
    });

  test("the code of another client", async () => {
    const { status, body } = await post("/oauth2/token/", await redeeming({ client_id: theirs.client.client_id }));
    assert.deepEqual([status, body.error], [400, "invalid_grant"]);
  });

  test("a code again, which also ends the tokens of the first time", async () => {
    const fields = await redeeming();
    const { body: tokens } = await post("/oauth2/token/", fields);
    assert.equal((await bearer(on, tokens.access_token)("GET", "/me/")).status, 200);

    const again = await post("/oauth2/token/", fields);

    assert.equal(again.body.error, "invalid_grant");
    assert.equal((await bearer(on, tokens.access_token)("GET", "/me/")).status, 401);
  });

  test("the refresh token of another client, a wider scope, another resource, and an access token", async () => {
    const { refresh_token, access_token } = await tokensOf();
    const refresh = { grant_type: "refresh_token", refresh_token, client_id: mine.client.client_id };

    for (const changes of [
      { client_id: theirs.client.client_id },
      { scope: "write_destructive" },
      { resource: "http://localhost/mcp" },
      { refresh_token: access_token },
      { refresh_token: `${refresh_token}x` },
    ] as Fields[]) {
      const { status, body } = await post("/oauth2/token/", { ...refresh, ...changes });
      assert.ok(status === 400 && !("access_token" in body), JSON.stringify({ changes, body }));
    }
    assert.equal((await post("/oauth2/token/", refresh)).status, 200, "and the token itself is still good");
  });

  test("an application without its secret, with a wrong one, with two, or with its hash", async () => {
    const app = await acme.post("/oauth_app/", { name: "App", redirect_uris: ["https://app.example.com/back"] });
    const given = { grant_type: "refresh_token", refresh_token: "x", client_id: app.id };
    const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`${app.id}:${secret}`).toString("base64")}` });
    const [row] = await on.app.db.unscoped({ text: "select secret_hash from oauth_app where id = $1", values: [app.id] });

    for (const [fields, headers] of [
      [given, {}],
      [{ ...given, client_secret: "wrong" }, {}],
      [{ ...given, client_secret: row![0]! }, {}],
      [given, basic("wrong")],
      [{ ...given, client_secret: app.client_secret }, basic(app.client_secret)],
    ] as [Fields, Fields][]) {
      const { status, body } = await post("/oauth2/token/", fields, headers);
      assert.ok([400, 401].includes(status) && body.error !== "invalid_grant", JSON.stringify(body));
    }
    const right = await post("/oauth2/token/", { ...given, client_secret: app.client_secret });
    assert.equal(right.body.error, "invalid_grant", "with the secret only the token is wrong");
  });

  test("a request in the address, in JSON, or with a parameter twice", async () => {
    const fields = await redeeming();

    const asked = await fetch(`${on.url}/oauth2/token/?${new URLSearchParams(fields)}`);
    assert.deepEqual([asked.status, asked.headers.get("allow")], [405, "POST, OPTIONS"]);
    const json = await fetch(`${on.url}/oauth2/token/`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fields),
    });
    assert.equal(json.status, 400);
    const twice = await post("/oauth2/token/", `${new URLSearchParams(fields)}&client_id=${theirs.client.client_id}`);
    assert.equal(twice.status, 400);
  });
});

describe("is not registered:", () => {
  const registrations: Record<string, unknown> = {
    "an address by http": { redirect_uris: ["http://app.example.com/back"] },
    "a script": { redirect_uris: ["javascript:alert(1)"] },
    "a document": { redirect_uris: ["data:text/html,x"] },
    "a scheme that no program owns": { redirect_uris: ["myapp:/back"] },
    "an address without a host": { redirect_uris: ["https:///back"] },
    "an address with a fragment": { redirect_uris: ["https://app.example.com/back#x"] },
    "an address with a password": { redirect_uris: ["https://a:b@app.example.com/back"] },
    "any address of a host": { redirect_uris: ["https://*.example.com/back"] },
    "one good address and a bad one": { redirect_uris: ["https://app.example.com/back", "file:///etc/passwd"] },
    "eleven addresses": { redirect_uris: Array.from({ length: 11 }, (_, i) => `https://app.example.com/${i}`) },
    "no address": { client_name: "App", redirect_uris: [] },
    "nothing at all": {},
    "a list": [1],
    "a way to authenticate that we do not have": {
      redirect_uris: ["https://app.example.com/back"],
      token_endpoint_auth_method: "private_key_jwt",
    },
  };
  const register = (body: unknown) =>
    fetch(`${on.url}/oauth2/register/`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  for (const [what, registration] of Object.entries(registrations))
    test(what, async () => {
      const answer = await register(registration);

      assert.equal(answer.status, 400);
      assert.match(((await answer.json()) as { error: string }).error, /^invalid_(redirect_uri|client_metadata)$/);
    });

  test("more than 16 KB", async () => {
    assert.equal((await register({ redirect_uris: ["https://a.example/"], client_name: "x".repeat(20_000) })).status, 400);
  });
});

describe("opens nothing:", () => {
  test("a token of one resource at another, a refresh token, a code, a token in the address or as a name", async () => {
    const { access_token, refresh_token } = await tokensOf();
    const ask = (path: string, authorization?: string) =>
      fetch(on.url + path, { headers: { accept: "application/json", ...(authorization && { authorization }) } });
    const me = "/api/v1/me/";

    assert.equal((await ask(me, `Bearer ${access_token}`)).status, 200);
    assert.equal((await ask("/mcp/", `Bearer ${access_token}`)).status, 401);
    assert.equal((await ask(me, `Bearer ${refresh_token}`)).status, 401);
    assert.equal((await ask(me, `Bearer ${await code()}`)).status, 401);
    assert.equal((await ask(me, `Bearer ${access_token.slice(0, -1)}`)).status, 401);
    assert.equal((await ask(`${me}?access_token=${access_token}`)).status, 401);
    assert.equal((await ask(me, `Basic ${Buffer.from(`${access_token}:`).toString("base64")}`)).status, 401);
    const challenge = (await ask(me, "Bearer oat_wrong")).headers.get("www-authenticate")!;
    assert.match(
      challenge,
      /error="invalid_token".*resource_metadata="http:\/\/localhost\/.well-known\/oauth-protected-resource/,
    );
  });

  test("a token of agents at REST", async () => {
    const agent = await mine.connect(acme, { scope: "read", resource: "http://localhost/mcp/" });

    assert.equal((await bearer(on, agent.access_token)("GET", "/me/")).status, 401);
  });

  test("asking about, or revoking, the token of another client", async () => {
    const { access_token } = await tokensOf();

    assert.equal((await theirs.introspect(access_token)).active, false);
    await theirs.revoke(access_token);
    assert.equal((await mine.introspect(access_token)).active, true);
    assert.equal((await bearer(on, access_token)("GET", "/me/")).status, 200);
  });
});

describe("gives no consent:", () => {
  const sent = { answer: "allow", scope: "read" };

  test("a form without its secret, from another site, or from another browser", async () => {
    await visitor.open(asking());
    const { path, text } = visitor.shown!;

    assert.equal((await visitor.go("POST", path, { ...sent, workspace: acme.id })).status, 403);
    await visitor.open(path);
    visitor.headers = { origin: "https://evil.example" };
    assert.equal((await visitor.send({ ...sent, workspace: acme.id })).status, 403);
    visitor.headers = { "sec-fetch-site": "cross-site" };
    await visitor.open(path);
    assert.equal((await visitor.send({ ...sent, workspace: acme.id })).status, 403);
    visitor.headers = {};

    const other = new Visitor(on);
    await other.signIn((await acme.get("/me/")).email, goodPassword);
    assert.equal((await other.open(path)).status, 400, "who was sent the address of a request of somebody else");
    const hidden = /name="form" value="([^"]+)"/.exec(text)![1]!;
    assert.equal((await other.go("POST", path, { ...sent, workspace: acme.id, form: hidden })).status, 400);
  });

  test("to a workspace of others, or to more than was asked for", async () => {
    const other = await organization();
    for (const fields of [
      { ...sent, workspace: other.id },
      { ...sent, scope: "write_destructive", workspace: acme.id },
      { ...sent, scope: "everything", workspace: acme.id },
      { ...sent, answer: "deny", workspace: acme.id },
    ]) {
      await visitor.open(asking({ scope: "read write_safe" }));
      const { left } = await visitor.send(fields);
      assert.equal(left!.searchParams.get("error"), "access_denied", JSON.stringify(fields));
      assert.equal(left!.searchParams.get("state"), "s");
    }
  });

  test("in a frame of another page", async () => {
    const { headers } = await visitor.open(asking());

    assert.match(headers.get("content-security-policy")!, /frame-ancestors 'none'/);
    assert.match(headers.get("content-security-policy")!, /default-src 'none'/);
    assert.equal(headers.get("x-frame-options"), "DENY");
  });
});
