// An account sends under its own address, and as identities under those that its member may send as already, or that an admin gave it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { imapServer } from "../../../test/support/imap.ts";
import { letter } from "../../../test/support/letters.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { type MailServer, startMailServer } from "../../../test/support/smtp.ts";
import { withWorker } from "../../../test/support/worker.ts";

let server: MailServer;
let on: Service;

before(async () => {
  server = await startMailServer();
  on = await outboundService();
});
after(() => server?.close());

const connect = (ws: Workspace, email: string, body: object = {}): Promise<any> =>
  ws.post("/connected_account/", { email, smtp: server.smtp, ...body });
/** A mailbox that is connected and was read, by its address. */
async function entered(ws: Workspace): Promise<string> {
  const { address, login } = (await imapServer()).mailbox();
  await connect(ws, address, { imap: login });
  await withWorker(on, (worker) => worker.drained());
  return address;
}

const addressOf = async (ws: Workspace): Promise<string> => (await ws.get("/me/")).email;

test("a member gives an account only addresses that they may send as already; an admin gives it any", async () => {
  const acme = await organization(on);
  const [bob, lender] = [await acme.member(), await acme.member()];
  await connect(acme, "ada@acme.example");
  const account = await connect(bob, "bob@acme.example");
  const path = `/connected_account/${account.id}/`;
  const identities = (...those: string[]) => ({ identities: those.map((email) => ({ email, name: "Somebody" })) });
  const refused = (place: string, ...those: string[]) => bob.refused(400, "PUT", path, identities(...those), place);

  await refused("identities.0.email", "Ada@acme.example");
  await refused("identities.1.email", "bob@acme.example", "ceo@bank.example");
  await refused("identities.0.email", await addressOf(acme));
  const asOther = { email: "new@acme.example", smtp: server.smtp, ...identities("ceo@bank.example") };
  await bob.refused(400, "POST", "/connected_account/", asOther, "identities.0.email");
  const adas = (await addressOf(acme)).toUpperCase();
  await bob.refused(400, "POST", "/connected_account/", { email: adas, smtp: server.smtp }, "email");
  await bob.refused(400, "PUT", path, { email: adas }, "email");

  await lender.post("/send_as/", { allowed_user_id: bob.userId });
  const second = await entered(bob);
  await bob.put(path, identities("BOB@acme.example", await addressOf(bob), second, await addressOf(lender)));
  await acme.put(path, identities("sales@acme.example"));
  const kept = await bob.put(path, identities("bob@acme.example", "sales@acme.example"));
  await bob.put(path, identities("bob@acme.example"));

  assert.equal(kept.identities.length, 2);
  assert.equal("allowed_identities" in kept, false);
  await refused("identities.0.email", "sales@acme.example");
});

test("nothing is sent under an identity without a right to it, however it got there", async () => {
  const acme = await organization(on);
  const [bob, lender] = [await acme.member(), await acme.member()];
  const grant = await lender.post("/send_as/", { allowed_user_id: bob.userId });
  const [lent, own] = [await addressOf(lender), "bob@work.example"];
  const account = await connect(bob, own, { identities: [{ email: lent, name: "Lender" }] });
  await acme.put(`/connected_account/${account.id}/`, {
    identities: [{ email: lent, name: "Lender" }, { email: "sales@work.example" }],
  });
  const body = { lead_id: (await acme.lead()).id, subject: "Hi", body_text: "Hello", status: "outbox" };
  const send = (to: string, more: object) => bob.post("/activity/email/", { ...body, to: [to], ...more });
  const drained = () => withWorker(on, (worker) => worker.drained());

  await send("one@client.example", { sender: lent });
  await send("two@client.example", { sender: "sales@work.example" });
  await drained();
  const waiting = await send("three@client.example", { sender: lent });
  await lender.delete(`/send_as/${grant.id}/`);
  // The identity as an earlier release stored it.
  await acme.service.app.db.query(acme.id, {
    text: "update connected_account set allowed_identities = '{}' where organization_id = $1",
    values: [acme.id],
  });
  await drained();
  const usual = await send("four@client.example", {});
  await drained();

  const fromOf = (to: string) => server.to(to).map((one) => one.from!.address);
  assert.deepEqual(
    ["one", "two", "three", "four"].map((to) => fromOf(`${to}@client.example`)),
    [[lent], ["sales@work.example"], [], [own]],
  );
  assert.match((await bob.get(`/activity/email/${waiting.id}/`)).send_attempts[0].error_message, /may not send as/);
  assert.equal(usual.sender, own);
  for (const sender of [lent, "sales@work.example"])
    await bob.refused(400, "POST", "/activity/email/", { ...body, to: ["x@client.example"], sender }, "sender");
  const [shown] = (await bob.get("/connected_account/")).data;
  assert.deepEqual(
    shown.identities.map((one: any) => one.email),
    [lent, "sales@work.example"],
  );
});

test("a mailbox that a member has entered is claimed by nobody else, nor sent as, until it is shared", async () => {
  const acme = await organization(on);
  const [ada, eve, bob] = [await acme.member(), await acme.member(), await acme.member()];
  const { address, login } = (await imapServer()).mailbox();
  const claim = await connect(eve, address);
  const body = { lead_id: (await acme.lead()).id, subject: "Hi", body_text: "Hello", status: "outbox" };
  const waiting = await eve.post("/activity/email/", { ...body, to: ["a@client.example"], sender: address });
  const own = await connect(ada, address, { imap: login });
  await ada.refused(400, "PUT", `/connected_account/${(await connect(ada, "two@acme.example")).id}/`, {
    identities: [{ email: "three@acme.example" }],
  });

  await acme.service.app.db.query(acme.id, {
    text: "update activity set send_after = now() + interval '1 minute' where organization_id = $1 and id = $2",
    values: [acme.id, waiting.id],
  });
  await withWorker(on, (worker) => worker.drained());
  on.clock.now = new Date(Date.now() + 120_000);
  await withWorker(on, (worker) => worker.drained());

  assert.deepEqual(server.to("a@client.example"), []);
  assert.match((await eve.get(`/activity/email/${waiting.id}/`)).send_attempts[0].error_message, /may not send as/);
  const sent = { ...body, to: ["b@client.example"] };
  await eve.refused(400, "POST", "/activity/email/", { ...sent, sender: address }, "sender");
  await eve.refused(400, "POST", "/activity/email/", { ...sent, email_account_id: claim.id }, "email_account_id");
  for (const who of [bob, acme])
    await who.refused(400, "POST", "/connected_account/", { email: address, smtp: server.smtp }, "email");
  const other = await connect(bob, "bob@acme.example");
  await bob.refused(400, "PUT", `/connected_account/${other.id}/`, { email: address }, "email");
  await bob.refused(400, "PUT", `/connected_account/${other.id}/`, { identities: [{ email: address }] }, "identities.0.email");

  await ada.put(`/connected_account/${own.id}/`, { shared_with: [eve.userId] });
  const shared = await eve.post("/activity/email/", { ...sent, email_account_id: own.id });
  assert.equal(shared.sender.includes(address), true);
  await ada.delete(`/connected_account/${own.id}/`);
  await connect(bob, address);
});

test("of several who connect a mailbox at once it is one's, and the others read it no more and hear why", async () => {
  const acme = await organization(on);
  const members = [acme, await acme.member(), await acme.member(), await acme.member()];
  const box = (await imapServer()).mailbox();
  const body = { email: box.address, imap: box.login, smtp: server.smtp };
  const visited = async () => {
    on.clock.now = new Date((on.clock.now?.getTime() ?? Date.now()) + 600_000);
    await withWorker(on, (worker) => worker.drained());
  };

  const made = await Promise.all(members.map((ws) => ws.post("/connected_account/", body)));
  await visited();
  await visited();
  await box.deliver(letter({ from: "Stranger <stranger@else.example>", to: box.address, subject: "Hello", date: on.clock.now! }));
  await visited();

  const shown = await Promise.all(members.map((ws, i) => ws.get(`/connected_account/${made[i].id}/`)));
  const losers = shown.filter((one) => !one.email_is_proven);
  assert.equal(losers.length, 3);
  for (const { receive_status, latest_imap_error } of losers) {
    assert.equal(receive_status, "error");
    assert.match(latest_imap_error, /is the mailbox of another member/);
  }
  const prospects = await Promise.all(members.map(async (ws) => (await ws.get("/inbox_prospect/")).data.length));
  assert.deepEqual(prospects.sort(), [0, 0, 0, 1]);
});

test("a login by another name, or an address that was changed, proves nothing", async () => {
  const acme = await organization(on);
  const eve = await acme.member();
  const box = (await imapServer()).mailbox();
  const account = await connect(eve, box.address, { imap: box.login });
  await connect(eve, "boss@acme.example", { imap: box.login });
  await withWorker(on, (worker) => worker.drained());
  const isProven = async (email: string) => (await eve.get(`/connected_account/?email=${email}`)).data[0].email_is_proven;
  assert.deepEqual([await isProven(box.address), await isProven("boss@acme.example")], [true, false]);
  await eve.put(`/connected_account/${account.id}/`, { email: "sales@acme.example" });
  assert.equal(await isProven("sales@acme.example"), false);
  const other = await connect(eve, "eve@acme.example");

  for (const email of ["boss@acme.example", "sales@acme.example"]) {
    const body = { identities: [{ email }] };
    await eve.refused(400, "PUT", `/connected_account/${other.id}/`, body, "identities.0.email");
    assert.equal((await connect(await acme.member(), email)).email, email);
  }
});
