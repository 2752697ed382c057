// A member connects an account at Google or Microsoft: they give consent there, come back, and confirm for whom it is. Other
// responses than the expected one show an error, and nothing is connected.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atMoment } from "../../../../test/support/clock.ts";
import { connect, connecting, goAndComeBack, open, type Page, press } from "../../../../test/support/connecting.ts";
import { organization, type Workspace } from "../../../../test/support/given.ts";
import { imapServer } from "../../../../test/support/imap.ts";
import { ann, type OauthServer, somebody } from "../../../../test/support/oauth_provider.ts";
import { withWorker } from "../../../../test/support/worker.ts";

const accounts = async (ws: Workspace) => (await ws.get("/connected_account/")).data;

for (const type of ["google", "microsoft"] as const)
  describe(`an account at ${type}`, () => {
    test("is connected by who allows it there, with all it can do, and shows no token to anybody", async () => {
      const { acme, provider } = await connecting();

      const account = await connect(acme, provider, type);

      assert.deepEqual([account._type, account.email, account.user_id], [type, ann.email, acme.userId]);
      assert.deepEqual(account.default_identity, { email: ann.email, name: ann.name });
      assert.deepEqual(account.enabled_features, ["email_sending", "email_syncing", "calendar_syncing"]);
      assert.deepEqual([account.send_status, account.receive_status, account.calendar_status], ["ok", "ok", "ok"]);
      const texts = [account, (await acme.get("/event/")).data, await stored(acme)].map((one) => JSON.stringify(one));
      for (const text of texts) assert.doesNotMatch(text, /access-|refresh-|verifier/);
    });

    test("is requested with PKCE, a state, and exactly the needed scopes", async () => {
      const { acme } = await connecting();

      const { url } = await acme.get(`/connected_account/authorize/?_type=${type}`);

      const asked = Object.fromEntries(new URL(url).searchParams);
      assert.equal(asked.redirect_uri, `http://localhost/connect/${type}/callback/`);
      assert.deepEqual([asked.response_type, asked.code_challenge_method], ["code", "S256"]);
      assert.match(asked.code_challenge!, /^[\w-]{43}$/);
      assert.match(asked.scope!, /calendar/i);
      assert.doesNotMatch(url, new RegExp(`${acme.id}|${acme.userId}|secret`));
    });
  });

/** All rows of an organization's accounts. */
const stored = async (ws: Workspace) =>
  ws.service.app.db.unscoped({
    text: "select to_jsonb(a)::text, to_jsonb(g)::text from connected_account a join oauth_grant g on g.account_id = a.id where a.organization_id = $1",
    values: [ws.id],
  });

describe("coming back", () => {
  test("says who asked, in which organization, and changes nothing until the button is pressed", async () => {
    const { acme, provider } = await connecting();
    const me = await acme.get("/me/");

    const page = await open(acme, await goAndComeBack(acme, provider, "google"));

    assert.equal(page.status, 200);
    assert.ok(page.text.includes(me.email) && page.text.includes(me.organizations[0].name));
    assert.match(page.headers.get("content-security-policy")!, /frame-ancestors 'none'/);
    assert.equal(page.headers.get("referrer-policy"), "no-referrer");
    assert.deepEqual([provider.asked, await accounts(acme)], [[], []]);
    assert.equal((await press(acme, page)).status, 200);
    assert.equal((await accounts(acme)).length, 1);
  });

  test("with a refusal connects nothing and says so", async () => {
    const { acme, provider } = await connecting();
    provider.decision = "deny";

    const page = await open(acme, await goAndComeBack(acme, provider, "google"));

    assert.equal(page.status, 400);
    assert.match(page.text, /You did not allow it at Google/);
    assert.deepEqual(await accounts(acme), []);
  });

  test("a second time connects nothing again", async () => {
    const { acme, provider } = await connecting();
    const back = await goAndComeBack(acme, provider, "google");
    const page = await open(acme, back);
    await press(acme, page);

    const again = await press(acme, page);

    assert.equal(again.status, 409);
    assert.match(again.text, /answered already/);
    assert.equal(provider.asked.length, 1);
  });

  test("is remembered for an hour, when it is too late anyway", async () => {
    const { acme, provider } = await connecting();
    const answers = async () =>
      (
        await acme.service.app.db.query(acme.id, {
          text: "select from oauth_answer where organization_id = $1",
          values: [acme.id],
        })
      ).length;
    await connect(acme, provider);
    const minutesLater = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

    await atMoment(acme.service, minutesLater(59), "oauth_answers");
    const before = await answers();
    await atMoment(acme.service, minutesLater(61), "oauth_answers");

    assert.deepEqual([before, await answers()], [1, 0]);
  });

  test("after ten minutes is too late", async () => {
    const { acme, provider, service } = await connecting();
    const back = await goAndComeBack(acme, provider, "google");
    service.clock.now = new Date(Date.now() + 10 * 60_000 + 1000);

    assert.equal((await open(acme, back)).status, 410);
  });

  test("with a state that is forged, changed, of another provider or missing is refused, and shows nothing of it", async () => {
    const { acme, provider } = await connecting();
    const back = await goAndComeBack(acme, provider, "google");
    const state = back.searchParams.get("state")!;
    const forged = [
      { state: `${state.slice(0, -2)}AA`, code: "x" },
      { state: "<script>", code: "x" },
      { state, code: "" },
      { state: "", code: "x" },
    ];

    for (const given of forged) {
      const page = await open(acme, `/connect/google/callback/?${new URLSearchParams(given)}`);
      assert.equal(page.status, 400, JSON.stringify(given));
      assert.doesNotMatch(page.text, /<script>/);
    }
    assert.equal((await open(acme, `/connect/microsoft/callback/${back.search}`)).status, 400);
    assert.equal((await open(acme, `/connect/aol/callback/${back.search}`)).status, 404);
    assert.equal((await open(acme, "/connect/google/callback/?error=<b>")).status, 400);
  });

  test("with a code that the provider did not give, or gave to somebody else's question, connects nothing", async () => {
    const { acme, provider } = await connecting();
    const [one, other] = [await goAndComeBack(acme, provider, "google"), await goAndComeBack(acme, provider, "google")];
    other.searchParams.set("code", one.searchParams.get("code")!);

    const page = await press(acme, await open(acme, other));

    assert.equal(page.status, 400);
    assert.match(page.text, /invalid_grant/);
    assert.deepEqual(await accounts(acme), []);
  });

  test("as somebody who is no member any more connects nothing", async () => {
    const { acme, provider } = await connecting();
    const bob = await acme.member();
    const back = await goAndComeBack(bob, provider, "google");
    const page = await open(bob, back);
    const [membership] = (await acme.get(`/membership/?user_id=${bob.userId}`)).data;
    await acme.delete(`/membership/${membership.id}/`);

    const [shown, pressed] = [await open(acme, back), await press(acme, page)];

    assert.deepEqual([shown.status, pressed.status], [403, 403]);
    assert.deepEqual(await accounts(acme), []);
  });

  test("while the provider is away says that nothing is wrong with the account", async () => {
    const { acme, provider } = await connecting();
    const page = await open(acme, await goAndComeBack(acme, provider, "google"));
    provider.refuses = { status: 503, body: {} };

    const pressed = await press(acme, page);

    assert.equal(pressed.status, 502);
    assert.match(pressed.text, /try again later/);
  });
});

describe("what was allowed", () => {
  test("is what can be used: mail without calendars, until it is connected again with them", async () => {
    const { acme, provider } = await connecting();
    provider.decision = ["openid", "email", "https://mail.google.com/"];
    const mail = await connect(acme, provider);
    const path = `/connected_account/${mail.id}/`;

    await acme.refused(400, "PUT", path, { enabled_features: ["calendar_syncing"] }, "enabled_features.0");
    provider.decision = "allow";
    const all = await connect(acme, provider);

    assert.deepEqual(mail.enabled_features, ["email_sending", "email_syncing"]);
    assert.deepEqual([mail.send_status, mail.calendar_status], ["ok", "disabled"]);
    assert.deepEqual([all.id, all.enabled_features.length, all.calendar_status], [mail.id, 3, "ok"]);
  });

  test("that is nothing connects nothing", async () => {
    const { acme, provider } = await connecting();
    provider.decision = ["openid", "email"];

    const page = await press(acme, await open(acme, await goAndComeBack(acme, provider, "google")));

    assert.equal(page.status, 409);
    assert.deepEqual(await accounts(acme), []);
  });

  test("stays off where its owner switched it off, when it is connected again", async () => {
    const { acme, provider } = await connecting();
    const { id } = await connect(acme, provider);
    await acme.put(`/connected_account/${id}/`, { enabled_features: ["email_sending"] });

    const again = await connect(acme, provider);

    assert.deepEqual([again.id, again.enabled_features], [id, ["email_sending"]]);
    assert.deepEqual([again.receive_status, again.calendar_status], ["disabled", "disabled"]);
  });
});

describe("connecting again", () => {
  test("is for one's own account and its own address", async () => {
    const { acme, provider } = await connecting();
    const bob = await acme.member();
    const [{ id }, custom] = [
      await connect(bob, provider),
      await acme.post("/connected_account/", { email: "a@example.com", smtp: { host: "93.184.216.34" } }),
    ];
    const ask = (type: string, account: string) => `/connected_account/authorize/?_type=${type}&connected_account_id=${account}`;

    await acme.refused(400, "GET", ask("google", id), undefined, "connected_account_id");
    await acme.refused(400, "GET", ask("google", custom.id), undefined, "connected_account_id");
    await bob.refused(400, "GET", ask("microsoft", id), undefined, "connected_account_id");
    await bob.refused(400, "GET", ask("google", "emailacct_nothing"), undefined, "connected_account_id");
    provider.person = { email: "other@acme.example", name: "Other", subject: "other" };
    const page = await press(bob, await open(bob, await goAndComeBack(bob, provider, "google", id)));

    assert.equal(page.status, 409);
    assert.match(page.text, /other@acme.example/);
    assert.equal((await accounts(bob)).length, 1);
  });

  test("is refused where the address is connected in another way", async () => {
    const { acme, provider } = await connecting();
    await acme.post("/connected_account/", { email: ann.email, smtp: { host: "93.184.216.34" } });

    const page = await press(acme, await open(acme, await goAndComeBack(acme, provider, "google")));

    assert.equal(page.status, 409);
    assert.match(page.text, /Delete that account/);
  });

  test("by several at once makes one account", async () => {
    const { acme, provider } = await connecting();
    const pages = [];
    for (let i = 0; i < 3; i++) pages.push(await open(acme, await goAndComeBack(acme, provider, "google")));

    const pressed = await Promise.all(pages.map((page) => press(acme, page)));

    assert.deepEqual(
      pressed.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal((await accounts(acme)).length, 1);
  });
});

describe("a mailbox that another member has connected", () => {
  const tryIt = async (ws: Workspace, provider: OauthServer) =>
    press(ws, await open(ws, await goAndComeBack(ws, provider, "google")));

  test("is theirs until they delete it: the page says whom to ask", async () => {
    const { acme, provider } = await connecting();
    const bob = await acme.member();
    const { id } = await connect(acme, provider);
    const { first_name } = await acme.get("/me/");

    const refused = await tryIt(bob, provider);
    await acme.put(`/connected_account/${id}/`, { shared_with: [bob.userId] });
    const shared = await bob.get(`/connected_account/${id}/`);
    await acme.delete(`/connected_account/${id}/`);
    const taken = await connect(bob, provider);

    assert.equal(refused.status, 409);
    assert.match(refused.text, new RegExp(`${first_name}.* has connected ${ann.email} already. They, or an admin, can share it`));
    assert.deepEqual([shared.user_id, taken.user_id, taken.email_is_proven], [acme.userId, bob.userId, true]);
  });

  test("is one member's also where two connect it at once, and again its own member's", async () => {
    const { acme, provider } = await connecting();
    const everybody = [acme, await acme.member(), await acme.member()];
    const pages: Page[] = [];
    for (const ws of everybody) pages.push(await open(ws, await goAndComeBack(ws, provider, "google")));

    const pressed = await Promise.all(pages.map((page) => press(acme, page)));
    const first = everybody[pressed.findIndex(({ status }) => status === 200)]!;
    const again = await tryIt(first, provider);

    assert.deepEqual(pressed.map(({ status }) => status).sort(), [200, 409, 409]);
    assert.deepEqual([again.status, (await accounts(acme)).length], [200, 1]);
  });

  test("is taken over from who only logged in at a server of their own", async () => {
    const { acme, provider, service } = await connecting();
    const eve = await acme.member();
    const box = (await imapServer()).mailbox();
    const person = { email: box.address, name: "Ann", subject: box.address };
    const claim = await eve.post("/connected_account/", { email: box.address, imap: box.login, smtp: { host: "93.184.216.34" } });
    await withWorker(service, (worker) => worker.drained());
    const isProven = async () => (await eve.get(`/connected_account/${claim.id}/`)).email_is_proven;
    const before = await isProven();

    const own = await connect(acme, provider, "google", person);

    assert.deepEqual([before, await isProven(), own.email_is_proven], [true, false, true]);
    const mail = { lead_id: (await acme.lead()).id, to: ["c@client.example"], status: "outbox", body_text: "Hello" };
    await eve.refused(400, "POST", "/activity/email/", { ...mail, email_account_id: claim.id }, "email_account_id");
  });
});

describe("an address that an administrator at Microsoft only wrote down for somebody", () => {
  const written = (email: string) => ({ email, name: "Eve", subject: email, signsInAs: "eve@tenant.example" });
  const tryIt = async (ws: Workspace, provider: OauthServer, email: string) => {
    provider.person = written(email);
    return press(ws, await open(ws, await goAndComeBack(ws, provider, "microsoft")));
  };

  test("takes nothing from its owner, who may send under it", async () => {
    const { acme, provider, service } = await connecting();
    const eve = await acme.member();
    const box = (await imapServer()).mailbox();
    const own = await acme.post("/connected_account/", { email: box.address, imap: box.login, smtp: { host: "93.184.216.34" } });
    await withWorker(service, (worker) => worker.drained());

    const refused = [await tryIt(eve, provider, box.address), await tryIt(eve, provider, (await acme.get("/me/")).email)];

    assert.deepEqual(
      refused.map(({ status }) => status),
      [409, 409],
    );
    assert.match(refused[1]!.text, /is the address of another member/);
    assert.deepEqual(await accounts(eve), []);
    assert.equal((await acme.get(`/connected_account/${own.id}/`)).email_is_proven, true);
  });

  test("is nobody's, and its owner connects it", async () => {
    const { acme, provider } = await connecting();
    const eve = await acme.member();
    const email = "boss@acme.example";

    const { email_is_proven } = await connect(eve, provider, "microsoft", written(email));
    const other = await eve.post("/connected_account/", { email: "eve@acme.example", smtp: { host: "93.184.216.34" } });
    await eve.refused(400, "PUT", `/connected_account/${other.id}/`, { identities: [{ email }] }, "identities.0.email");
    const own = await connect(acme, provider, "google", { email, name: "Boss", subject: "boss" });

    assert.deepEqual([email_is_proven, own.email_is_proven], [false, true]);
  });
});

describe("where nothing is set up", () => {
  test("the answer says which variables to set", async () => {
    const acme = await organization();

    for (const type of ["google", "microsoft"]) {
      const path = `/connected_account/authorize/?_type=${type}`;
      const { "field-errors": errors } = await acme.refused(400, "GET", path, undefined, "_type");
      assert.match(errors._type, new RegExp(`${type.toUpperCase()}_CLIENT_ID and ${type.toUpperCase()}_CLIENT_SECRET`));
    }
    for (const query of ["", "?_type=aol", "?_type=zoom"])
      await acme.refused(400, "GET", `/connected_account/authorize/${query}`, undefined, "_type");
  });

  test("an organization's own application is used, and goes before the operator's", async () => {
    const { acme } = await connecting();
    const bare = await organization();
    const own = { client_id: "our-own-app", client_secret: "our-own-secret" };

    for (const ws of [acme, bare]) {
      await ws.put("/credentials/google/", own);
      const { url } = await ws.get("/connected_account/authorize/?_type=google");
      assert.equal(new URL(url).searchParams.get("client_id"), "our-own-app");
    }
  });

  test("zoom and calendly cannot be connected", async () => {
    const acme = await organization();

    for (const _type of ["zoom", "calendly"]) {
      const { "field-errors": errors } = await acme.refused(400, "POST", "/connected_account/", { _type }, "_type");
      assert.match(errors._type, /use google, microsoft or custom_email/);
    }
  });
});

describe("deleting an account", () => {
  const drained = (ws: Workspace) => withWorker(ws.service, (worker) => worker.drained());
  const grantsLeft = async (ws: Workspace) =>
    (await ws.service.app.db.query(ws.id, { text: "select from oauth_grant where organization_id = $1", values: [ws.id] }))
      .length;

  test("gives the grant back", async () => {
    const { acme, provider } = await connecting();
    const { id } = await connect(acme, provider, "google", somebody());
    const [token] = [...provider.grants.keys()].slice(-1);

    await acme.delete(`/connected_account/${id}/`);
    await drained(acme);

    assert.deepEqual(provider.revoked, [token]);
    assert.equal(await grantsLeft(acme), 0);
  });

  test("gives it back later where the provider is away", async () => {
    const { acme, provider, service } = await connecting();
    const { id } = await connect(acme, provider, "google", somebody());
    await acme.delete(`/connected_account/${id}/`);
    const failures: Error[] = [];
    provider.beforeRevoking = () => ({ status: 503 });
    await withWorker(service, (worker) => worker.drained(), { failures });
    const waiting = await grantsLeft(acme);
    provider.beforeRevoking = null;
    service.clock.now = new Date(Date.now() + 600_000);
    await drained(acme);

    assert.deepEqual([failures.length, waiting, await grantsLeft(acme)], [1, 1, 0]);
    assert.equal(provider.revoked.length, 1);
  });

  test("leaves the grant to another account of the same person, in whichever organization", async () => {
    const { acme, provider } = await connecting();
    const other = await acme.another();
    const bob = somebody();
    const [{ id }] = [await connect(acme, provider, "google", bob), await connect(other, provider, "google", bob)];

    await acme.delete(`/connected_account/${id}/`);
    await drained(acme);

    assert.deepEqual([provider.revoked, await grantsLeft(acme), await grantsLeft(other)], [[], 0, 1]);
  });
});

describe("deleting an organization", () => {
  const drained = (ws: Workspace) => withWorker(ws.service, (worker) => worker.drained());
  const isErased = async ({ service, id }: Workspace) =>
    (await service.app.db.unscoped({ text: "select from organization where id = $1", values: [id] })).length === 0;

  test("gives back what its members granted, also where the provider was away at first, and erases it then", async () => {
    const { acme, provider, service } = await connecting();
    const there = await acme.another();
    const bob = await there.member();
    await connect(there, provider, "google", somebody());
    await connect(bob, provider, "google", somebody());
    const tokens = [...provider.grants.keys()].slice(-2);
    provider.beforeRevoking = () => ({ status: 503 });

    await there.delete(`/organization/${there.id}/`);
    await withWorker(service, (worker) => worker.drained(), { failures: [] });
    const isWaiting = !(await isErased(there));
    provider.beforeRevoking = null;
    for (const minutes of [10, 11]) {
      service.clock.now = new Date(Date.now() + minutes * 60_000);
      await drained(acme);
    }

    assert.equal(isWaiting, true);
    assert.deepEqual(provider.revoked.toSorted(), tokens.toSorted());
    assert.equal(await isErased(there), true);
  });

  test("does not wait for a provider that stays away", async () => {
    const { acme, provider, service } = await connecting();
    const there = await acme.another();
    await connect(there, provider, "google", somebody());
    provider.beforeRevoking = () => ({ status: 503 });

    await there.delete(`/organization/${there.id}/`);
    for (const minutes of [0, 61, 62]) {
      service.clock.now = new Date(Date.now() + minutes * 60_000);
      await withWorker(service, (worker) => worker.drained(), { failures: [] });
    }
    provider.beforeRevoking = null;

    assert.equal(await isErased(there), true);
  });
});
