// Mail leaves and arrives by accounts at Google and Microsoft: their servers take tokens in place of passwords.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { connect, type ProviderName } from "../../../../test/support/connecting.ts";
import { organization } from "../../../../test/support/given.ts";
import { type ImapServer, startImapServer } from "../../../../test/support/imap.ts";
import { letter } from "../../../../test/support/letters.ts";
import { type OauthServer, type Person, somebody, startOauthProvider } from "../../../../test/support/oauth_provider.ts";
import { type Service, startService } from "../../../../test/support/service.ts";
import { type MailServer, startMailServer } from "../../../../test/support/smtp.ts";
import { withWorker } from "../../../../test/support/worker.ts";

let provider: OauthServer;
let smtp: MailServer;
let imap: ImapServer;
let service: Service;

before(async () => {
  provider = await startOauthProvider();
  smtp = await startMailServer();
  await smtp.close();
  smtp.isToken = (username, token) => provider.whose(token)?.email === username;
  await smtp.open();
  imap = await startImapServer({ tokensAt: `${provider.url}/introspect` });
  const servers = (name: string) => ({
    [`${name}_SMTP_URL`]: `smtp://127.0.0.1:${smtp.smtp.port}`,
    [`${name}_IMAP_URL`]: `imap://127.0.0.1:${imap.port}`,
  });
  service = await startService({
    env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8", ...provider.env, ...servers("GOOGLE"), ...servers("MICROSOFT") },
  });
});
after(() => Promise.all([service?.close(), smtp?.close(), imap?.close()]));

let days = 0;
beforeEach(() => {
  service.clock.now = new Date(Date.UTC(2031, 0, 1 + 10 * days++, 10));
  Object.assign(provider, { asked: [], refuses: null });
});

const later = (minutes: number) => (service.clock.now = new Date(service.clock.now!.getTime() + minutes * 60_000));
const drained = () => withWorker(service, (worker) => worker.drained());
/** Every mailbox is looked at within ten minutes. */
const inTenMinutes = () => (later(10), drained());
/** How often a token of somebody was refreshed. */
const refreshesOf = ({ email }: Person) =>
  provider.asked.filter(({ refresh_token }) => provider.grants.get(refresh_token ?? "")?.person.email === email).length;

let count = 0;

/** A member with a mailbox at a provider, and a contact to write with. */
async function connected(type: ProviderName = "google") {
  const acme = await organization(service);
  const person = somebody();
  const box = imap.mailbox(person.email);
  const account = await connect(acme, provider, type, person);
  await drained();
  const to = `carla-${++count}@client.example`;
  const contact = await acme.contact({ emails: [{ email: to }] });
  const send = (): Promise<any> =>
    acme.post("/activity/email/", { contact_id: contact.id, subject: "Our offer", body_text: "Dear Carla", status: "outbox" });
  const shown = ({ id }: { id: string }) => acme.get(`/activity/email/${id}/`);
  const state = () => acme.get(`/connected_account/${account.id}/`);
  const receive = () => box.deliver(letter({ from: to, to: person.email, subject: "An order", date: service.clock.now! }));
  const received = async () => (await acme.get(`/activity/email/?contact_id=${contact.id}&direction=incoming`)).data;
  const told = async () => (await acme.get("/notification/?type=account_error")).data;
  provider.asked = [];
  const refreshes = () => refreshesOf(person);
  return { acme, person, box, account, to, send, shown, state, receive, received, told, refreshes };
}

for (const type of ["google", "microsoft"] as const)
  test(`an account at ${type} sends and reads, and keeps its sent mail itself`, async () => {
    const { person, box, to, send, shown, state, receive, received } = await connected(type);
    await receive();

    const mail = await send();
    await inTenMinutes();

    assert.equal((await shown(mail)).status, "sent");
    const [arrived, ...others] = smtp.to(to);
    assert.deepEqual([arrived!.from!.address, others], [person.email, []]);
    assert.deepEqual(
      (await received()).map((one: any) => one.subject),
      ["An order"],
    );
    assert.deepEqual(await box.list("Sent").catch(() => []), []);
    const { send_status, receive_status } = await state();
    assert.deepEqual([send_status, receive_status], ["ok", "ok"]);
  });

test("at microsoft, who signs in under another address has an unproven one until its mailbox lets them in", async () => {
  const acme = await organization(service);
  const person = { ...somebody(), signsInAs: "somebody@tenant.example" };
  imap.mailbox(person.email);
  const account = await connect(acme, provider, "microsoft", person);
  await drained();
  const plain = await connect(await organization(service), provider, "microsoft", somebody());

  const { email_is_proven, receive_status } = await acme.get(`/connected_account/${account.id}/`);
  assert.deepEqual([account.email_is_proven, plain.email_is_proven, email_is_proven, receive_status], [false, true, true, "ok"]);
});

describe("a token that is refused before it expires", () => {
  test("is refreshed once, and the mail leaves in the same turn", async () => {
    const { to, send, shown, state, told, refreshes } = await connected();
    provider.expireTokens();

    const mail = await send();
    await drained();

    const sent = await shown(mail);
    assert.deepEqual([sent.status, sent.send_attempts, smtp.to(to).length], ["sent", [], 1]);
    assert.equal(refreshes(), 1);
    assert.deepEqual([(await state()).send_status, await told()], ["ok", []]);
  });

  test("is refreshed once, and the mailbox is read in the same visit", async () => {
    const { receive, received, state, told, refreshes } = await connected();
    await receive();
    provider.expireTokens();

    await inTenMinutes();

    assert.equal((await received()).length, 1);
    assert.equal(refreshes(), 1);
    assert.deepEqual([(await state()).receive_status, await told()], ["ok", []]);
  });

  test("and the one after it too is said to the owner, and asked for no more", async () => {
    const { send, shown, state, told, refreshes } = await connected();
    const { isToken } = smtp;
    smtp.isToken = () => false;
    try {
      const mail = await send();
      await drained();

      const waiting = await shown(mail);
      assert.equal(waiting.status, "outbox");
      assert.match(waiting.send_attempts[0].error_message, /does not take the login/);
      assert.ok(refreshes() <= 1, `${refreshes()} refreshes`);
      assert.deepEqual([(await state()).send_status, (await told()).length], ["error", 1]);
    } finally {
      smtp.isToken = isToken;
    }
  });
});

test("where the grant was withdrawn the account says so, its owner is told once, and mail waits until it is connected again", async () => {
  const { acme, person, to, send, shown, state, receive, received, told } = await connected();
  provider.withdraw(person.email);
  await receive();

  const mail = await send();
  await drained();
  await inTenMinutes();
  const [waiting, down, notices] = [await shown(mail), await state(), await told()];
  await connect(acme, provider, "google", person);
  await drained();
  await inTenMinutes();

  assert.deepEqual([down.send_status, down.receive_status, notices.length], ["error", "error", 1]);
  for (const said of [down.latest_smtp_error, down.latest_imap_error, waiting.send_attempts[0].error_message])
    assert.match(said, /^Google refuses it: invalid_grant.*Connect the account again\.$/);
  assert.equal(waiting.status, "outbox");
  assert.deepEqual([(await shown(mail)).status, smtp.to(to).length, (await received()).length], ["sent", 1, 1]);
  const up = await state();
  assert.deepEqual([up.send_status, up.receive_status, up.latest_smtp_error], ["ok", "ok", null]);
});
