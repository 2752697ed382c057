// How a client comes to a token and what it is good for, with a client that checks each answer by the standards.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ClientSecretPost } from "oauth4webapi";
import { bearer } from "../../test/support/bearer.ts";
import { atMoment } from "../../test/support/clock.ts";
import { organization } from "../../test/support/given.ts";
import { callback, OauthClient } from "../../test/support/oauth_client.ts";
import { service, startService } from "../../test/support/service.ts";
import { givePassword, goodPassword, Visitor } from "../../test/support/visitor.ts";

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
      /error="insufficient_scope", scope="read write_safe write_destructive", resource_metadata="/,
    );
  });
});

describe("a connection", () => {
  test("is allowed only by who proved a moment ago who they are", async (t) => {
    // Of its own, as tries of a later time would make others of the same address wait.
    const on = await startService();
    t.after(() => on.close());
    const acme = await organization(on);
    const client = await OauthClient.register(on);
    on.clock.now = new Date();
    await givePassword(on, acme.userId);
    const visitor = new Visitor(on);
    await visitor.signIn((await acme.get("/me/")).email, goodPassword);
    on.clock.now = new Date(on.clock.now.getTime() + 11 * 60_000);

    const asked = await visitor.open(await client.address("a".repeat(43), { scope: "write_destructive" }));
    await visitor.send({ password: goodPassword });
    const { left } = await visitor.send({ answer: "allow", workspace: acme.id, scope: "read" });

    assert.match(asked.text, /Is it still you/);
    assert.ok(left!.searchParams.has("code"));
  });

  test("survives twenty refreshes at once", async () => {
    const acme = await organization();
    const client = await OauthClient.register(await service());
    const first = await client.connect(acme, { scope: "read" });

    const all = await Promise.all(Array.from({ length: 20 }, () => client.refresh(first.refresh_token)));

    assert.equal(new Set(all.map((one) => one.refresh_token)).size, 20);
    for (const one of [all[0]!, all[19]!]) {
      assert.equal((await bearer(acme.service, one.access_token)("GET", "/me/")).status, 200);
      await client.refresh(one.refresh_token);
    }
  });

  test("ends as a whole when an old refresh token comes back after its time", async () => {
    const acme = await organization();
    const client = await OauthClient.register(acme.service);
    const first = await client.connect(acme, { scope: "read" });
    acme.service.clock.now = new Date();
    const second = await client.refresh(first.refresh_token);

    acme.service.clock.now = new Date(Date.now() + 121_000);
    await assert.rejects(client.refresh(first.refresh_token), /OAuth 2.0|invalid_grant|server responded/i);

    assert.equal((await bearer(acme.service, second.access_token)("GET", "/me/")).status, 401);
    await assert.rejects(client.refresh(second.refresh_token));
  });

  test("ends at once for who was removed, and keeps what their role allows now", async () => {
    const acme = await organization();
    const bob = await acme.member("user");
    const client = await OauthClient.register(acme.service);
    const tokens = await client.connect(bob, { scope: "write_destructive" });
    const call = bearer(acme.service, tokens.access_token);
    const lead = await acme.lead();
    assert.equal((await call("GET", `/lead/${lead.id}/`)).status, 200);
    const [member] = (await acme.get(`/membership/?user_id=${bob.userId}`)).data;

    await acme.put(`/membership/${member.id}/`, { role_id: "restricteduser" });
    assert.equal((await call("GET", `/lead/${lead.id}/`)).status, 404, "a role is looked up at each call");
    await acme.delete(`/membership/${member.id}/`);

    assert.equal((await call("GET", "/me/")).status, 401);
    await assert.rejects(client.refresh(tokens.refresh_token));
  });

  test("stays in the workspace that it was moved to, through a refresh, and says so when its person left it", async () => {
    const acme = await organization();
    const other = await organization();
    await acme.joins(other);
    const client = await OauthClient.register(acme.service);
    const tokens = await client.connect(acme, { scope: "read" });
    const { authenticator } = acme.service.app;
    const holder = await authenticator.holderOf(`Bearer ${tokens.access_token}`, "api");

    assert.deepEqual(
      holder.memberships.map((one) => one.organization_id),
      [acme.id, other.id],
    );
    assert.equal(await authenticator.switchTo(holder, (await organization()).id), false);
    assert.equal(await authenticator.switchTo(holder, other.id), true);

    const next = await client.refresh(tokens.refresh_token);
    assert.equal(next.organization_id, other.id);
    const visitor = new Visitor(acme.service);
    await visitor.signIn((await acme.get("/me/")).email, goodPassword);
    const { text } = await visitor.open(await client.address("a".repeat(43), { scope: "read" }));
    assert.match(text, new RegExp(`value="${other.id}" selected`), "the next connection begins where this one is");
    const me = await bearer(acme.service, next.access_token)("GET", "/me/");
    assert.equal(me.body.organizations[0].id, other.id);
    const [member] = (await other.get(`/membership/?user_id=${acme.userId}`)).data;
    await other.delete(`/membership/${member.id}/`);
    const refused = await bearer(acme.service, next.access_token)("GET", "/me/");
    assert.equal(refused.status, 403);
    assert.match(refused.body.error, new RegExp(`Switch to one of yours: .*${acme.id}`));
  });

  test("lets nobody in who would stay when it ends", async () => {
    const acme = await organization();
    const client = await OauthClient.register(acme.service);
    const tokens = await client.connect(acme, { scope: "write_destructive" });
    const call = bearer(acme.service, tokens.access_token);
    const bob = await acme.member("user");
    const [member] = (await acme.get(`/membership/?user_id=${bob.userId}`)).data;
    const [own] = (await acme.get(`/membership/?user_id=${acme.userId}`)).data;
    const mailbox = { email: "ada@acme.example", smtp: { host: "93.184.216.34", password: "secret" } };
    const account = await acme.post("/connected_account/", mailbox);
    const all = { field: "subject", operator: "contains", value: "a" };
    const forward = { conditions: [all], actions: [{ type: "forward_to", value: ["ada@acme.example"] }] };
    const rule = await acme.post("/inbox_rule/", { name: "Old", is_enabled: false, ...forward });
    const actions = [{ type: "call_webhook", config: { url: "https://example.com/stays" } }];
    const calls = { name: "Calls", trigger: "lead.created", actions };
    const draft = await acme.post("/automation/", { ...calls, status: "draft" });

    for (const [method, path, body] of [
      ["POST", "/api_key/", { name: "stays" }],
      ["POST", "/oauth_app/", { name: "stays", redirect_uris: [callback] }],
      ["POST", "/membership/", { email: "friend@example.com", role_id: "admin" }],
      ["PUT", `/membership/${member.id}/`, { role_id: "admin" }],
      ["POST", "/role/", { name: "stays" }],
      ["POST", "/organization/", { name: "stays" }],
      ["POST", "/webhook/", { url: "https://stays.example/hook", events: [{ object_type: "lead", action: "created" }] }],
      ["POST", "/connected_account/", { email: "box@stays.example", smtp: { host: "93.184.216.34", password: "secret" } }],
      ["PUT", `/connected_account/${account.id}/`, { smtp: { host: "93.184.216.35", password: "secret" } }],
      ["PUT", `/connected_account/${account.id}/`, { shared_with: [bob.userId] }],
      ["POST", "/send_as/", { allowed_user_id: bob.userId }],
      ["POST", "/inbox_rule/", { name: "fw", conditions: [all], actions: [{ type: "forward_to", value: ["x@stays.example"] }] }],
      ["PUT", `/inbox_rule/${rule.id}/`, { is_enabled: true }],
      ["POST", "/automation/", { ...calls, status: "active" }],
      ["PUT", `/automation/${draft.id}/`, { status: "active" }],
      ["POST", "/automations/auto_none/rotate_secret/", {}],
      ["POST", "/webhook/whk_none/rotate_secret/", {}],
      ["PUT", `/membership/${own.id}/`, { may_workflows_impersonate: true }],
      ["POST", "/phone_number/", { number: "+12125550199", forward_to: "+12125550188", forward_to_enabled: true }],
      ["PUT", "/credentials/openai/", { api_key: "sk-0123456789abcdef", base_url: "https://stays.example" }],
      ["PUT", `/organization/${acme.id}/`, { settings: { mcp: { require_destructive_for_send: false } } }],
    ] as const) {
      const { status, body: answer } = await call(method, path, body);
      assert.deepEqual([status, /outlast the connection/.test(answer.error)], [403, true], path);
    }
  });

  test("of a narrower scope starts nothing that acts by itself, by REST as by tools", async () => {
    const acme = await organization();
    const client = await OauthClient.register(acme.service);
    const actions = [{ type: "create_task", config: { text: "Call" } }];
    const active = { name: "Tasks", trigger: "lead.created", actions, status: "active" };

    for (const [scope, status] of [
      ["write_safe", 403],
      ["write_destructive", 201],
    ] as const) {
      const tokens = await client.connect(acme, { scope });
      const answer = await bearer(acme.service, tokens.access_token)("POST", "/automation/", active);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
    }
  });

  test("ends with the application that an organization deletes", async () => {
    const acme = await organization();
    const app = await acme.post("/oauth_app/", { name: "App", redirect_uris: [callback], scopes: ["mcp.read"] });
    const client = await OauthClient.register(acme.service);
    client.client = { client_id: app.id };
    client.auth = ClientSecretPost(app.client_secret);
    const tokens = await client.connect(acme);
    assert.equal(tokens.scope, "read");

    await acme.delete(`/oauth_app/${app.id}/`);

    assert.equal((await bearer(acme.service, tokens.access_token)("GET", "/me/")).status, 401);
    await assert.rejects(client.refresh(tokens.refresh_token));
  });

  test("ends when its client revokes it", async () => {
    const acme = await organization();
    const client = await OauthClient.register(acme.service);
    const tokens = await client.connect(acme);
    assert.equal((await client.introspect(tokens.access_token)).scope, "read");

    await client.revoke(tokens.refresh_token);

    assert.deepEqual(await client.introspect(tokens.access_token), { active: false });
    assert.equal((await bearer(acme.service, tokens.access_token)("GET", "/me/")).status, 401);
  });
});

describe("a page of another site", () => {
  test("registers, refreshes and revokes by script, and reads nothing of the person's own pages", async () => {
    const on = await service();
    const headers = { origin: "https://app.example" };
    for (const path of ["register", "token", "revoke", "introspect"]) {
      const preflight = await fetch(`${on.url}/oauth2/${path}/`, { method: "OPTIONS", headers });
      const asked = await fetch(`${on.url}/oauth2/${path}/`, {
        method: "POST",
        headers,
        body: new URLSearchParams({ token: "x" }),
      });
      assert.equal(preflight.status, 204);
      for (const one of [preflight, asked]) assert.ok(one.headers.get("access-control-allow-origin"), path);
    }
    for (const path of ["/sign-in/", "/account/", "/oauth2/consent/x/"]) {
      const { headers: answered } = await fetch(on.url + path, { headers, redirect: "manual" });
      assert.equal(answered.get("access-control-allow-origin"), null, path);
    }
  });
});

describe("a person", () => {
  test("is asked after a form too, and sees a client that came from two devices once", async () => {
    const acme = await organization();
    const client = await OauthClient.register(acme.service);
    await client.connect(acme, { scope: "read" });
    const { access_token } = await client.connect(acme, { scope: "write_safe" });
    const visitor = new Visitor(acme.service);
    await visitor.signIn((await acme.get("/me/")).email, goodPassword);

    const account = await visitor.open("/account/");
    assert.match(account.text, /Reads, changes and sends;[^<]*2 connections/);
    await visitor.send({ act: "disconnect" });
    assert.equal((await bearer(acme.service, access_token)("GET", "/me/")).status, 401);
    assert.doesNotMatch(visitor.shown!.text, /Disconnect/);

    const address = await client.address("v".repeat(43));
    const consent = await visitor.go(
      "POST",
      "/oauth2/authorize/",
      Object.fromEntries(new URLSearchParams(address.split("?")[1])),
    );
    assert.match(consent.path, /^\/oauth2\/consent\//);
  });
});

describe("what is stored", () => {
  test("has no token, code or secret in clear", async () => {
    const acme = await organization();
    const client = await OauthClient.register(acme.service, { token_endpoint_auth_method: "client_secret_post" });
    client.auth = ClientSecretPost(client.client.client_secret as string);
    const { verifier, back } = await client.authorize(acme);
    const tokens = await client.redeem(back, verifier);

    const secrets = [back.searchParams.get("code"), tokens.access_token, tokens.refresh_token, client.client.client_secret];
    for (const table of ["oauth_artifact", "client_grant", "oauth_client", "session"]) {
      const [row] = await acme.service.app.db.unscoped({
        text: `select count(*) from ${table} t where exists (select from unnest($1::text[]) s where strpos(t::text, s) > 0)`,
        values: [secrets],
      });
      assert.equal(row![0], "0", table);
    }
  });

  test("is one client, however often the same one registers", async () => {
    const on = await service();
    const [one, two] = [await OauthClient.register(on), await OauthClient.register(on)];
    const other = await OauthClient.register(on, { client_name: "Something else" });

    assert.equal(one.client.client_id, two.client.client_id);
    assert.notEqual(one.client.client_id, other.client.client_id);
    assert.equal("registration_access_token" in one.client, false, "or one could change it for all others");
  });
});

test("what is over is deleted, and after a week a client that nobody allowed anything", async () => {
  const acme = await organization();
  const used = await OauthClient.register(acme.service, { client_name: "Used" });
  const unused = await OauthClient.register(acme.service, {
    client_name: "Unused",
    token_endpoint_auth_method: "client_secret_post",
  });
  const tokens = await used.connect(acme, { scope: "read" });
  const inDays = (days: number) => new Date(Date.now() + days * 24 * 3600 * 1000).toISOString();
  const left = async () => {
    const [row] = await acme.service.app.db.unscoped({
      text: `select (select string_agg(metadata->>'client_name', ' ' order by id) from oauth_client where id = any($1)),
               (select string_agg(t.model, ' ' order by t.model) from oauth_artifact t left join client_grant g on g.id = t.grant_id
                  where g.user_id = $2 or t.payload->>'clientId' = $3)`,
      values: [[used.client.client_id, unused.client.client_id], acme.userId, unused.client.client_id],
    });
    return row;
  };

  await atMoment(acme.service, inDays(6.9), "sign_in");
  assert.match((await left())!.join(), /Unused.*RegistrationAccessToken/);
  await atMoment(acme.service, inDays(7.1), "sign_in");

  assert.deepEqual(await left(), ["Used", "RefreshToken"]);
  acme.service.clock.now = null;
  await used.refresh(tokens.refresh_token);
});
