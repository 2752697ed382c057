// Connected accounts: what they can do, who may use them, and that a password is never shown.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const smtp = { host: "93.184.216.34", password: "hunter2-hunter2" };
const connect = (ws: Workspace, body: object = {}): Promise<any> =>
  ws.post("/connected_account/", { email: `ann-${Math.random()}@example.com`, smtp, ...body });

describe("a connected account", () => {
  test("has what goes without saying: its type, ports, features, identity, and that it is the default", async () => {
    const acme = await organization();

    const account = await connect(acme, { email: "ann@example.com", imap: { host: "93.184.216.34" } });

    assert.equal(account._type, "custom_email");
    assert.equal(account.user_id, acme.userId);
    assert.deepEqual(account.smtp, { host: "93.184.216.34", port: 465, username: null, use_ssl: true });
    assert.deepEqual(account.imap, { host: "93.184.216.34", port: 993, username: null, use_ssl: true });
    assert.deepEqual(account.enabled_features, ["email_sending", "email_syncing"]);
    assert.equal(account.default_identity.email, "ann@example.com");
    assert.match(account.default_identity.name, /^Ada/);
    assert.equal(account.send_status, "untested");
    assert.equal(account.is_default, true);
    assert.equal((await connect(acme)).is_default, false);
  });

  test("cannot send where there is nothing to send by", async () => {
    const acme = await organization();

    const receiving = await connect(acme, { smtp: null, imap: { host: "93.184.216.34" } });
    const quiet = await connect(acme, { enabled_features: [] });

    assert.deepEqual([receiving.send_status, receiving.receive_status], ["disabled", "ok"]);
    assert.deepEqual([quiet.send_status, quiet.receive_status], ["disabled", "disabled"]);
  });

  test("says what it lacks or cannot do", async () => {
    const acme = await organization();
    const email = "ann@example.com";
    const refuse = (body: object, field: string) => acme.refused(400, "POST", "/connected_account/", body, field);

    await refuse({ smtp }, "email");
    await refuse({ email }, "smtp");
    await refuse({ email, smtp: {} }, "smtp.host");
    for (const host of [
      "not a host",
      "a.example:25",
      "b@a.example",
      "a.example/",
      "a.example#",
      "a.example\r\nRCPT",
      "a..example",
    ])
      await refuse({ email, smtp: { host } }, "smtp.host");
    await refuse({ email, smtp: { host: "93.184.216.34", username: "a\r\nb" } }, "smtp.username");
    await refuse({ email, imap: { host: "93.184.216.34", password: "a\nb" } }, "imap.password");
    await refuse({ email, smtp: { host: "127.0.0.1" } }, "smtp.host");
    await refuse({ email, smtp: { host: "93.184.216.34", port: 70_000 } }, "smtp.port");
    await refuse({ email, imap: { host: "93.184.216.34", port: 6379 } }, "imap.port");
    await refuse({ email: "ann", smtp }, "email");
    await refuse({ email, smtp, enabled_features: ["calendar_syncing"] }, "enabled_features.0");
    await refuse({ email, smtp, enabled_features: ["fax"] }, "enabled_features.0");
    await refuse({ email, smtp, identities: [{ email: "x" }] }, "identities.0.email");
    await refuse({ email, smtp, _type: "google", provider: "microsoft" }, "_type");
    await refuse({ _type: "aol", email }, "_type");
  });

  test("goes by another name for its type", async () => {
    const acme = await organization();

    const account = await acme.post("/connected_account/", { provider: "google", email: "ann@example.com" });

    assert.equal(account._type, "google");
    assert.deepEqual(account.available_features, ["email_sending", "email_syncing", "calendar_syncing"]);
  });

  test("is refused for an address the member has connected already, in any case", async () => {
    const acme = await organization();
    const bob = await acme.member();
    await connect(acme, { email: "ann@example.com" });

    await acme.refused(400, "POST", "/connected_account/", { email: "Ann@Example.com", smtp }, "email");
    await connect(bob, { email: "ann@example.com" });
  });

  test("is the only default of its member, whichever of two is asked to be at once", async () => {
    const acme = await organization();

    const made = await Promise.all(Array.from({ length: 4 }, () => connect(acme, { is_default: true })));

    const defaults = (await acme.all("/connected_account/")).filter((one) => one.is_default);
    assert.equal(defaults.length, 1);
    const other = made.find((one) => one.id !== defaults[0].id);
    await acme.put(`/connected_account/${other.id}/`, { is_default: true });
    const now = (await acme.all("/connected_account/")).filter((one) => one.is_default);
    assert.deepEqual(
      now.map((one) => one.id),
      [other.id],
    );
  });

  test("keeps what is harmless of a signature", async () => {
    const acme = await organization();

    const account = await connect(acme, { signature: "<b>Ann</b><script>alert(1)</script>" });

    assert.equal(account.signature, "<b>Ann</b>");
  });

  test("is shown by /me/ to its owner alone", async () => {
    const acme = await organization();
    const bob = await acme.member();
    const account = await connect(acme, { email: "ann@example.com" });

    const [mine, his] = await Promise.all([acme.get("/me/"), bob.get("/me/")]);

    assert.deepEqual(
      mine.email_accounts.map((one: any) => [one.id, one.email]),
      [[account.id, "ann@example.com"]],
    );
    assert.deepEqual(his.email_accounts, []);
  });
});

test("an account that gets another address sends under it, unless it has identities of its own", async () => {
  const acme = await organization();
  const [plain, named] = [
    await connect(acme, { email: "ann@example.com" }),
    await connect(acme, { email: "bob@example.com", identities: [{ email: "sales@example.com" }] }),
  ];

  const moved = await acme.put(`/connected_account/${plain.id}/`, { email: "ann@example.org" });
  const kept = await acme.put(`/connected_account/${named.id}/`, { email: "bob@example.org" });

  assert.deepEqual(moved.identities, [{ ...plain.identities[0], email: "ann@example.org" }]);
  assert.deepEqual(kept.identities, named.identities);
});

describe("a password", () => {
  test("is stored sealed, bound to its column, and is in no answer and no event", async () => {
    const acme = await organization();
    const key = { "idempotency-key": `k-${Math.random()}` };
    const account = await acme.post("/connected_account/", { email: "ann@example.com", smtp }, key);

    const again = await acme.post("/connected_account/", { email: "ann@example.com", smtp }, key);
    const texts = [account, again, await acme.get(`/connected_account/${account.id}/`), await acme.get("/event/")];

    for (const text of texts) assert.ok(!JSON.stringify(text).includes("hunter2"));
    const [row] = await rows(
      acme,
      `select sealed_smtp_password, to_jsonb(t)::text from connected_account t where id = '${account.id}'`,
    );
    assert.ok(!row![1]!.includes("hunter2"));
    const place = { table: "connected_account", organization_id: acme.id, id: account.id };
    const { secrets } = acme.service.app.core.settings;
    assert.equal(secrets.open(row![0]!, { ...place, column: "sealed_smtp_password" }), smtp.password);
    assert.throws(() => secrets.open(row![0]!, { ...place, column: "sealed_imap_password" }));
    for (const [body] of await rows(acme, "select body from idempotency_key")) assert.ok(!body!.includes("example.com"));
  });

  test("stays when what was read is written back, and goes when it is cleared", async () => {
    const acme = await organization();
    const account = await connect(acme);
    const path = `/connected_account/${account.id}/`;
    const sealed = async () =>
      (await rows(acme, `select sealed_smtp_password from connected_account where id = '${account.id}'`))[0]![0];
    const first = await sealed();

    await acme.put(path, { smtp: account.smtp, imap: account.imap });
    assert.equal(await sealed(), first);
    await acme.put(path, { smtp: { ...account.smtp, password: null } });
    assert.equal(await sealed(), null);
  });

  test("must be given again for another host, port, user name or encryption, so that nobody learns it by pointing the account there", async () => {
    const acme = await organization();
    const account = await connect(acme, { imap: smtp });
    const path = `/connected_account/${account.id}/`;

    await acme.refused(400, "PUT", path, { smtp: { host: "93.184.216.35" } }, "smtp.password");
    const others = [{ port: 25 }, { use_ssl: false }, { username: "somebody" }];
    for (const protocol of ["smtp", "imap"])
      for (const other of others)
        await acme.refused(400, "PUT", path, { [protocol]: { ...account[protocol], ...other } }, `${protocol}.password`);
    const moved = await acme.put(path, { smtp: { host: "93.184.216.35", password: "another one" } });

    assert.equal(moved.smtp.host, "93.184.216.35");
  });
});

describe("somebody else's account", () => {
  test("is not there for a member, is there for an admin, and for whom its owner lets send", async () => {
    const acme = await organization();
    const [ann, bob] = [await acme.member(), await acme.member()];
    const account = await connect(ann);
    const path = `/connected_account/${account.id}/`;

    await bob.refused(404, "GET", path);
    assert.equal((await acme.get(path)).id, account.id);
    await ann.post("/send_as/", { allowed_user_id: bob.userId });

    assert.equal((await bob.get(path)).id, account.id);
    await bob.refused(403, "PUT", path, { signature: "Bob" });
    await bob.refused(403, "DELETE", path);
    await ann.delete(path);
  });

  test("can be connected by an admin only, and only for a member", async () => {
    const acme = await organization();
    const bob = await acme.member();

    await bob.refused(403, "POST", "/connected_account/", { email: "a@example.com", smtp, user_id: acme.userId });
    await acme.refused(400, "POST", "/connected_account/", { email: "a@example.com", smtp, user_id: "user_x" }, "user_id");
    assert.equal((await connect(acme, { user_id: bob.userId })).user_id, bob.userId);
  });

  test("carries an e-mail only for who may see it, and deleting it leaves the e-mail without", async () => {
    const acme = await organization();
    const [ann, bob] = [await acme.member(), await acme.member()];
    const account = await connect(ann);
    const lead = await acme.lead();
    const body = { lead_id: lead.id, email_account_id: account.id };

    await bob.refused(400, "POST", "/activity/email/", body, "email_account_id");
    const email = await ann.post("/activity/email/", body);
    assert.equal(email.email_account_id, account.id);
    await ann.delete(`/connected_account/${account.id}/`);

    assert.equal((await ann.get(`/activity/email/${email.id}/`)).email_account_id, null);
  });
});

const rows = (ws: Workspace, text: string) => ws.service.app.db.unscoped({ text, values: [] });
