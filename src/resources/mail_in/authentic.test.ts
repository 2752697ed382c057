// Anybody can write a member's address as the sender of a mail. It is the member's where the reading mailbox's server says so.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { imapServer, type TestMailbox } from "../../../test/support/imap.ts";
import { letter, newMessageId } from "../../../test/support/letters.ts";
import { type Service, startService } from "../../../test/support/service.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { isAuthentic } from "./authentic.ts";

let service: Service;

before(async () => {
  service = await startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } });
});
after(() => service?.close());

async function drained(): Promise<void> {
  service.clock.now = new Date((service.clock.now?.getTime() ?? Date.now()) + 600_000);
  await withWorker(service, (worker) => worker.drained());
}

async function withMailbox(ws: Workspace): Promise<TestMailbox> {
  const box = (await imapServer()).mailbox();
  const body = { email: box.address, imap: box.login, enabled_features: ["email_syncing"] };
  await ws.post("/connected_account/", body);
  return box;
}

test("a mail that says it is from a member is an arrived one, until it is certain", async () => {
  const ada = await organization(service);
  const ulf = await ada.member();
  const [hers, his] = [await withMailbox(ada), await withMailbox(ulf)];
  await his.makeFolder("Sent");
  const lead = await ada.lead({ contacts: [{ name: "Carla", emails: [{ email: "carla@client.example" }] }] });
  const offered = newMessageId();
  const says = { from: his.address, to: `carla@client.example, ${hers.address}` };
  await hers.makeFolder("Sent");
  await hers.deliver(letter({ from: hers.address, to: "carla@client.example", subject: "Ours", messageId: offered }), {
    folder: "Sent",
  });
  await drained();

  const real = letter({ ...says, subject: "Real" });
  await hers.deliver(real);
  await hers.deliver(letter({ ...says, subject: "Forged", inReplyTo: offered }));
  await hers.deliver(letter({ ...says, from: hers.address, subject: "Forged as hers" }));
  const signed = { "Authentication-Results": "mx.example.com; dkim=none; dmarc=pass (p=reject) header.from=example.com" };
  await hers.deliver(letter({ ...says, subject: "Signed", headers: signed }));
  const elsewhere = { "Authentication-Results": "mx.evil.example; dmarc=pass header.from=example.com" };
  await hers.deliver(letter({ ...says, subject: "Signed elsewhere", headers: elsewhere }));
  await hers.deliver(letter({ from: his.address, to: hers.address, subject: "Lunch?" }));
  await drained();
  const mails = async () =>
    Object.fromEntries(
      (await ada.get(`/activity/email/?lead_id=${lead.id}`)).data.map((one: any) => [one.subject, [one.status, one.user_id]]),
    );
  const arrived = ["inbox", ada.userId];
  const before = await mails();
  await his.deliver(real, { folder: "Sent" });
  await drained();

  const expected = {
    Ours: ["sent", ada.userId],
    Real: arrived,
    Forged: arrived,
    "Forged as hers": arrived,
    Signed: ["sent", ulf.userId],
    "Signed elsewhere": arrived,
  };
  assert.deepEqual(before, expected);
  assert.deepEqual(await mails(), { ...expected, Real: ["sent", ulf.userId] });
  const [ours] = (await ada.get(`/activity/email/?lead_id=${lead.id}&subject=Ours`)).data;
  assert.equal(ours.has_reply, false);
  assert.deepEqual((await ada.get("/inbox_prospect/")).data, []);
});

test("a server's result counts where it is that of the mailbox, for the sender's own domain", () => {
  const from = { email: "ulf@acme.example", name: null };
  const says = (_type: string, host: string | null, authentication: string): boolean => {
    const account = { _type, email: "ada@acme.example", imap: host === null ? null : { host } };
    return isAuthentic(account as never, { from, authentication });
  };
  const google = "mx.google.com; dkim=pass header.i=@acme.example header.s=a; spf=pass (google.com: a;b) smtp.mailfrom=x";
  const microsoft = "spf=pass (sender IP is 1.2.3.4) smtp.mailfrom=acme.example; dmarc=pass action=none header.from=acme.example";

  assert.deepEqual(
    [
      says("google", null, google),
      says("custom_email", "imap.gmail.com", google),
      says("microsoft", null, microsoft),
      says("custom_email", "mail.host.example", "mx.host.example 1; dkim=pass header.d=acme.example"),
      says("custom_email", "mail.host.example", "acme.example; dmarc=pass"),
    ],
    [true, true, true, true, true],
  );
  assert.deepEqual(
    [
      says("custom_email", "mail.host.example", google),
      says("custom_email", "mail.host.example", microsoft),
      says("google", null, google.replace("acme.example", "evil.example")),
      says("google", null, google.replace("dkim=pass", "dkim=fail")),
      says("microsoft", null, microsoft.replace("dmarc=pass", "dmarc=fail")),
      says("google", null, "mx.google.com; spf=pass (dmarc=pass header.from=acme.example) smtp.mailfrom=acme.example"),
      says("custom_email", "mail.host.example", "xhost.example; dmarc=pass"),
      says("custom_email", "127.0.0.1", "1.0.0.1; dmarc=pass"),
      says("google", null, ""),
    ],
    Array(9).fill(false),
  );
});
