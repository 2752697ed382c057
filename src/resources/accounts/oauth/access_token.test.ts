// The tokens of a connected account: refreshed in time, by one worker at a time, stored when they change, and not requested again
// after a refusal.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { connect, connecting } from "../../../../test/support/connecting.ts";
import type { Workspace } from "../../../../test/support/given.ts";
import { type OauthServer, somebody } from "../../../../test/support/oauth_provider.ts";
import { accessTokenOf, forgetToken, NotConnected, TokenUnavailable } from "./access_token.ts";

const minutes = 60_000;

async function connected(type: "google" | "microsoft" = "google") {
  const { acme, provider, service } = await connecting();
  const person = somebody();
  const { id } = await connect(acme, provider, type, person);
  provider.asked = [];
  const account = { organization_id: acme.id, id };
  const token = (purpose?: "mail" | "calendar") => accessTokenOf(service.app.core, account, purpose);
  const pass = (ms: number) => (service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + ms));
  const shown = () => acme.get(`/connected_account/${id}/`);
  return { acme, provider, service, person, account, token, pass, shown };
}

const told = async (ws: Workspace) =>
  (await ws.get("/notification/")).data.filter((one: any) => one.type === "account_error").map((one: any) => one.body);

const refreshes = (provider: OauthServer) => provider.asked.filter(({ grant_type }) => grant_type === "refresh_token").length;

describe("a token", () => {
  test("is used as long as it is good, and refreshed before it ends", async () => {
    const { provider, token, pass, person } = await connected();

    const first = await token();
    pass(50 * minutes);
    const same = await token("calendar");
    pass(6 * minutes);
    const next = await token();

    assert.deepEqual([first, refreshes(provider)], [same, 1]);
    assert.notEqual(next, first);
    assert.equal(provider.whose(next)!.email, person.email);
  });

  test("is requested once, however many callers need it", async () => {
    const { provider, token, pass } = await connected();
    pass(2 * 60 * minutes);

    const tokens = await Promise.all(Array.from({ length: 8 }, () => token()));

    assert.equal(new Set(tokens).size, 1);
    assert.equal(refreshes(provider), 1);
  });

  test("that is still good for a while is used while somebody else refreshes it", async () => {
    const { provider, token, pass } = await connected();
    const first = await token();
    pass(56 * minutes);
    const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    provider.beforeTokens = () => (begun.resolve(), answered.promise);

    const refreshing = token();
    await begun.promise;
    const meanwhile = await token();
    answered.resolve();

    assert.equal(meanwhile, first);
    assert.notEqual(await refreshing, first);
  });

  test("that was refused by the mail server is requested again", async () => {
    const { provider, service, account, token } = await connected();
    const first = await token();

    await forgetToken(service.app.core, account, first);
    await forgetToken(service.app.core, account, first);

    assert.notEqual(await token(), first);
    assert.equal(refreshes(provider), 1);
  });

  test("of Microsoft is for mail or for calendars", async () => {
    const { provider, token } = await connected("microsoft");

    const [calendar, mail] = [await token("calendar"), await token("mail")];

    assert.notEqual(calendar, mail);
    assert.deepEqual(
      provider.asked.map(({ scope }) => scope),
      ["offline_access https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send"],
    );
    assert.deepEqual([await token("calendar"), await token("mail")], [calendar, mail]);
  });
});

describe("a refresh token", () => {
  test("that changes with each refresh is kept", async () => {
    const { provider, token, pass } = await connected();
    provider.rotates = true;

    for (let i = 0; i < 3; i++) {
      pass(60 * minutes);
      await token();
    }

    assert.equal(refreshes(provider), 3);
    assert.equal(new Set(provider.asked.map(({ refresh_token }) => refresh_token)).size, 3);
  });

  test("that a worker took and did not bring back is taken by another one after half a minute", async () => {
    const { provider, token, pass } = await connected();
    pass(60 * minutes);
    provider.beforeTokens = () => new Promise(() => {});
    void token().catch(() => {});
    while (refreshes(provider) === 0) await new Promise(setImmediate);
    provider.beforeTokens = null;

    pass(31_000);

    assert.ok(await token());
    assert.equal(refreshes(provider), 2);
  });
});

describe("a refused refresh", () => {
  test("shows the reason at the account, notifies its owner once, and is not requested again", async () => {
    const { acme, provider, person, token, pass, shown } = await connected();
    provider.withdraw(person.email);
    pass(60 * minutes);

    for (let i = 0; i < 5; i++) await assert.rejects(token("calendar"), NotConnected);
    pass(24 * 60 * minutes);
    await assert.rejects(token(), /invalid_grant.*Connect the account again/);

    const account = await shown();
    assert.deepEqual([account.send_status, account.receive_status, account.calendar_status], ["error", "error", "error"]);
    for (const reason of [account.latest_smtp_error, account.latest_imap_error, account.latest_calendar_error])
      assert.match(reason, /Google refuses it: invalid_grant/);
    assert.equal(refreshes(provider), 1);
    assert.deepEqual(await told(acme), [account.latest_smtp_error]);
  });

  test("is mended by connecting the account again", async () => {
    const { acme, provider, person, account, token, pass, shown } = await connected();
    provider.withdraw(person.email);
    pass(60 * minutes);
    await assert.rejects(token(), NotConnected);

    const again = await connect(acme, provider, "google", person);

    assert.equal(again.id, account.id);
    const { send_status, latest_smtp_error } = await shown();
    assert.deepEqual([send_status, latest_smtp_error], ["ok", null]);
    assert.ok(await token());
  });

  test("leaves alone what the account is not used for", async () => {
    const { acme, provider, person, account, token, pass, shown } = await connected();
    await acme.put(`/connected_account/${account.id}/`, { enabled_features: ["email_sending"] });
    provider.withdraw(person.email);
    pass(60 * minutes);

    await assert.rejects(token(), NotConnected);

    const { send_status, receive_status, calendar_status, latest_imap_error } = await shown();
    assert.deepEqual([send_status, receive_status, calendar_status, latest_imap_error], ["error", "disabled", "disabled", null]);
  });

  test("of the application is retried after an hour, and needs only the operator", async () => {
    const { acme, provider, token, pass, shown } = await connected();
    provider.refuses = { status: 401, body: { error: "invalid_client" } };
    pass(60 * minutes);

    await assert.rejects(token(), TokenUnavailable);
    for (let i = 0; i < 5; i++) await assert.rejects(token(), /invalid_client/);
    const asked = refreshes(provider);
    const { send_status } = await shown();
    provider.refuses = null;
    pass(61 * minutes);

    assert.ok(await token());
    assert.deepEqual([asked, send_status, (await shown()).send_status], [1, "error", "ok"]);
    assert.equal((await told(acme)).length, 1);
  });

  test("because of no response is no error of the account: it is retried with growing pauses", async () => {
    const { acme, provider, token, pass, shown } = await connected();
    provider.refuses = { status: 503, body: {} };
    pass(60 * minutes);

    for (let i = 0; i < 5; i++) await assert.rejects(token(), TokenUnavailable);
    const first = refreshes(provider);
    pass(31_000);
    await assert.rejects(token(), TokenUnavailable);
    const second = refreshes(provider);
    provider.refuses = null;
    pass(61_000);

    assert.ok(await token());
    assert.deepEqual([first, second, refreshes(provider)], [1, 2, 3]);
    assert.deepEqual([(await shown()).send_status, await told(acme)], ["ok", []]);
  });

  test("does no harm while the token before is good", async () => {
    const { provider, token, pass } = await connected();
    const first = await token();
    provider.refuses = { status: 503, body: {} };
    pass(56 * minutes);

    assert.equal(await token(), first);
  });

  test("an account that is not connected says how it is", async () => {
    const { acme, service } = await connecting();
    const { id } = await acme.post("/connected_account/", { _type: "google", email: "ann@example.com" });

    await assert.rejects(accessTokenOf(service.app.core, { organization_id: acme.id, id }), /authorize/);
    assert.equal((await acme.get(`/connected_account/${id}/`)).send_status, "disabled");
  });
});
