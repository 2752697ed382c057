// Everybody who got a mail knows its id, and could report that the others who got it do not exist, or complained.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { imapServer, type TestMailbox } from "../../../test/support/imap.ts";
import { letter, newMessageId } from "../../../test/support/letters.ts";
import { type Service, startService } from "../../../test/support/service.ts";
import { withWorker } from "../../../test/support/worker.ts";

let service: Service;

before(async () => {
  service = await startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } });
});
after(() => service?.close());

async function drained(): Promise<void> {
  service.clock.now = new Date((service.clock.now?.getTime() ?? Date.now()) + 600_000);
  await withWorker(service, (worker) => worker.drained());
}

interface Scene {
  acme: Workspace;
  box: TestMailbox;
  victim: any;
  /** The id of a mail to the victim and to somebody else. */
  offered: string;
}

async function scene(): Promise<Scene> {
  const acme = await organization(service);
  const box = (await imapServer()).mailbox();
  await acme.post("/connected_account/", { email: box.address, imap: box.login, enabled_features: ["email_syncing"] });
  const victim = await acme.contact({ emails: [{ email: "victim@client.example" }] });
  await acme.contact({ emails: [{ email: "evil@other.example" }], lead_id: victim.lead_id });
  const offered = newMessageId();
  await box.makeFolder("Sent");
  const to = "victim@client.example, evil@other.example";
  await box.deliver(letter({ from: box.address, to, subject: "Our offer", messageId: offered }), { folder: "Sent" });
  await drained();
  return { acme, box, victim, offered };
}

const returned = (offered: string): string =>
  `--x\r\nContent-Type: message/rfc822\r\n\r\nTo: victim@client.example\r\nMessage-ID: ${offered}\r\n\r\nHello\r\n--x--\r\n`;

const report = (kind: string, said: string, head: Record<string, string>, offered: string): string => {
  const headers = {
    To: "ada@acme.example",
    Subject: kind === "delivery-status" ? "Undeliverable: Our offer" : "FW: Our offer",
    Date: new Date().toUTCString(),
    "Message-ID": newMessageId(),
    "Content-Type": `multipart/report; report-type=${kind}; boundary=x`,
    ...head,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = "--x\r\nContent-Type: text/plain\r\n\r\nA report.\r\n";
  return `${lines.join("")}\r\n${text}--x\r\nContent-Type: message/${kind}\r\n\r\n${said}\r\n${returned(offered)}`;
};

const bounce = (head: Record<string, string>, { offered }: Scene): string =>
  report(
    "delivery-status",
    "Final-Recipient: rfc822; victim@client.example\r\nAction: failed\r\nStatus: 5.1.1\r\n",
    head,
    offered,
  );

const complaint = (head: Record<string, string>, { offered }: Scene): string =>
  report("feedback-report", "Feedback-Type: abuse\r\nOriginal-Rcpt-To: victim@client.example\r\n", head, offered);

async function marksOf({ acme, victim }: Scene): Promise<[boolean, boolean]> {
  const [{ is_invalid, is_unsubscribed }] = (await acme.get(`/contact/${victim.id}/`)).emails;
  return [is_invalid, is_unsubscribed];
}

const server = "MAILER-DAEMON@mx.client.example";
const failed = "mx.example.com; spf=pass smtp.mailfrom=x.example; dmarc=fail (p=reject) header.from=mx.client.example";

test("a report that a recipient of the mail wrote, or no server, is filed and changes nothing", async () => {
  const at = await scene();
  const { box, acme, victim } = at;

  for (const made of [bounce, complaint]) {
    await box.deliver(made({ From: "Evil <evil@other.example>" }, at));
    await box.deliver(made({ From: "Evil <evil@other.example>", "Return-Path": "<>" }, at));
    await box.deliver(made({ From: server, "Return-Path": "<evil@other.example>" }, at));
    await box.deliver(made({ From: server, "Return-Path": "<>", "Authentication-Results": failed }, at));
  }
  await box.deliver(complaint({ From: "staff@hotmail.com", "Return-Path": "<staff@hotmail.com>" }, at));
  await drained();

  assert.deepEqual(await marksOf(at), [false, false]);
  const { data } = await acme.get(`/activity/email/?lead_id=${victim.lead_id}&status=inbox&_limit=50`);
  const seen = data.map(({ classification }: any) => [classification.class, classification.is_doubted]);
  const each = (word: string, ...doubted: boolean[]) => doubted.map((one) => [word, one]);
  assert.deepEqual(seen.sort(), [
    ...each("bounce", false, false, true, true),
    ...each("complaint", false, false, true, true, true),
  ]);
});

test("what a server reports counts, whether or not the mailbox shows who sent it", async () => {
  const authentic = "mx.example.com; dmarc=pass header.from=hotmail.com";
  const cases: [string, (at: Scene) => string, [boolean, boolean]][] = [
    ["no envelope sender", (at) => bounce({ From: server, "Return-Path": "<>" }, at), [true, false]],
    ["as some delivery agents name it", (at) => bounce({ From: server, "Return-Path": "<MAILER-DAEMON>" }, at), [true, false]],
    ["nothing shown", (at) => bounce({ From: server }, at), [true, false]],
    [
      "another server's result",
      (at) => bounce({ From: server, "Authentication-Results": failed.replace("mx.example.com", "mx.other.example") }, at),
      [true, false],
    ],
    ["our own server", (at) => bounce({ From: "MAILER-DAEMON@mx.example.com", "Return-Path": "<>" }, at), [true, false]],
    ["a complaint", (at) => complaint({ From: "fbl@mx.client.example", "Return-Path": "<>" }, at), [false, true]],
    [
      "a known feedback loop",
      (at) =>
        complaint({ From: "staff@hotmail.com", "Return-Path": "<staff@hotmail.com>", "Authentication-Results": authentic }, at),
      [false, true],
    ],
  ];
  for (const [name, made, expected] of cases) {
    const at = await scene();
    await at.box.deliver(made(at));
    await drained();
    assert.deepEqual(await marksOf(at), expected, name);
  }
});

test("of a mail to several domains a server reports about its own one alone; the sender is told of the rest", async () => {
  const at = await scene();
  const { acme, box, offered } = at;
  const said = ["victim@client.example", "evil@other.example"].map(
    (one) => `Final-Recipient: rfc822; ${one}\r\nAction: failed\r\nStatus: 5.1.1\r\n`,
  );
  for (const From of [
    "MAILER-DAEMON@other.example",
    "postmaster@mx.other.example",
    "MAILER-DAEMON@third.example",
    "MAILER-DAEMON",
  ])
    for (const made of [bounce, complaint]) await box.deliver(made({ From, "Return-Path": "<>" }, at));
  await drained();
  const before = await marksOf(at);
  const [told] = (await acme.get("/notification/?type=email_bounced")).data;

  await box.deliver(report("delivery-status", said.join("\r\n"), { From: "MAILER-DAEMON@mx.other.example" }, offered));
  await drained();

  assert.deepEqual(
    [before, await marksOf(at)],
    [
      [false, false],
      [false, false],
    ],
  );
  assert.match(told.title, /your mail/);
  const { bounces } = (await acme.get("/activity/email/?status=sent")).data[0];
  assert.deepEqual(
    bounces.map(({ address }: any) => address),
    ["evil@other.example"],
  );
});

test("a report comes from where the mailbox's own server found it to come from, whoever it says sent it", async () => {
  const own = (results: string) => ({ "Return-Path": "<>", "Authentication-Results": `mx.example.com; ${results}` });
  const evil = own("dkim=pass header.d=other.example; spf=pass smtp.helo=mx.other.example");
  const elsewhere = own("spf=pass (sender is permitted) smtp.helo=mx.third.example");
  const cases: [object, boolean][] = [
    [{ From: server, ...evil }, false],
    [{ From: "MAILER-DAEMON@mx.example.com", ...evil }, false],
    [{ From: server, ...elsewhere }, false],
    [{ From: server, ...own("dkim=fail header.d=other.example; spf=none smtp.helo=mx.other.example") }, false],
    [{ From: server, ...own("spf=none; dkim=none") }, false],
    [{ From: server, ...own('dkim=pass header.d=other.example header.i="x; dkim=pass header.d=client.example"') }, false],
    [{ From: server, ...own('spf=pass smtp.mailfrom="a; spf=pass smtp.mailfrom=client.example"@other.example') }, false],
    [{ From: server, ...own("spf=pass smtp.mailfrom=mx.other.example smtp.helo=client.example") }, false],
    [{ From: server, ...own('spf=pass (domain of "a) smtp.helo=client.example; dkim=none ("@other.example)') }, false],
    [{ From: server, ...own("none") }, true],
    [{ From: server, ...own("auth=pass smtp.auth=ada") }, true],
    [{ From: "MAILER-DAEMON@hosting.example", ...own("dkim=pass header.i=@client.example") }, true],
  ];
  const pretended = await scene();
  await pretended.box.deliver(complaint({ From: "abuse@mx.example.com", "Return-Path": "<>" }, pretended));
  await drained();
  assert.deepEqual(await marksOf(pretended), [false, false]);
  for (const [head, expected] of cases) {
    const at = await scene();
    await at.box.deliver(bounce(head as Record<string, string>, at));
    await drained();
    assert.deepEqual(await marksOf(at), [expected, false], JSON.stringify(head));
  }
});

test("a feedback loop is known by where the mailbox's own server found it to come from, and not by its name", async () => {
  const yahoo = "feedback@arf.mail.yahoo.com";
  const cases: [string, string | null, boolean][] = [
    [yahoo, "dkim=pass header.d=other.example", false],
    ["scomp@aol.net", "dkim=pass header.d=other.example; spf=pass smtp.mailfrom=other.example", false],
    ["staff@hotmail.com", "dkim=pass header.d=other.onmicrosoft.com", false],
    ["staff@hotmail.com", "dkim=none; spf=pass smtp.helo=mail.protection.outlook.com", false],
    [yahoo, "dkim=none; spf=none", false],
    [yahoo, "dkim=pass header.d=yahoo.com", true],
    ["staff@hotmail.com", "spf=pass smtp.mailfrom=hotmail.com; dkim=none", true],
    [yahoo, null, true],
  ];
  for (const [From, results, expected] of cases) {
    const at = await scene();
    const found = results !== null && { "Authentication-Results": `mx.example.com; ${results}` };
    await at.box.deliver(complaint({ From, "Return-Path": "<>", ...found }, at));
    await drained();
    assert.deepEqual(await marksOf(at), [false, expected], `${From} ${results}`);
  }
});

test("a colleague among the recipients is nobody who forges", async () => {
  const at = await scene();
  const { acme, box } = at;
  const colleague = await acme.member();
  const { email } = await colleague.get("/me/");
  const offered = newMessageId();
  const mail = { from: box.address, to: `victim@client.example, ${email}`, subject: "For both", messageId: offered };
  await box.deliver(letter(mail), { folder: "Sent" });
  await drained();

  await box.deliver(bounce({ From: "MAILER-DAEMON@hosting.example", "Return-Path": "<>" }, { ...at, offered }));
  await drained();

  assert.deepEqual(await marksOf(at), [true, false]);
});

test("who takes a doubted report for a real one can say so", async () => {
  const at = await scene();
  await at.box.deliver(bounce({ From: server, "Return-Path": "<x@other.example>" }, at));
  await drained();
  const [{ id, classification }] = (await at.acme.get(`/activity/email/?lead_id=${at.victim.lead_id}&status=inbox`)).data;

  await at.acme.put(`/activity/email/${id}/`, { classification });
  assert.deepEqual(await marksOf(at), [false, false]);
  await at.acme.put(`/activity/email/${id}/`, { classification: "human" });
  await at.acme.put(`/activity/email/${id}/`, { classification: "bounce" });

  assert.deepEqual(await marksOf(at), [true, false]);
});
