// Mail is sent by the mailbox of its sender, arrives as it was written, and shows so.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { between } from "../../../test/support/between.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { imapServer } from "../../../test/support/imap.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import { until } from "../../../test/support/processes.ts";
import type { Service } from "../../../test/support/service.ts";
import { type MailServer, startMailServer } from "../../../test/support/smtp.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { wakeLateJobs } from "../../jobs/claims.ts";
import { claimMs } from "../../jobs/job.ts";

let server: MailServer;
let on: Service;

before(async () => {
  server = await startMailServer();
  on = await outboundService();
});
after(() => server?.close());

let days = 0;
beforeEach(() => {
  Object.assign(server, { refuses: null, beforeReceipt: null });
  server.refusesTo.clear();
  // Each test is some days later than the one before, because timers must not see the clock go back.
  on.clock.now = new Date(Date.UTC(2031, 0, 1 + 10 * days++, 10));
});

let count = 0;
const address = (name = "ann") => `${name}-${process.pid}-${++count}@client.example`;
const drained = () => withWorker(on, (worker) => worker.drained());
const later = (ms: number) => (on.clock.now = new Date(on.clock.now!.getTime() + ms));
const minute = 60_000;

const connect = (ws: Workspace, email: string, body: object = {}): Promise<any> =>
  ws.post("/connected_account/", { email, smtp: server.smtp, ...body });

/** An organization whose admin has a mailbox, and a lead to write to. */
async function writing(body: object = {}) {
  const acme = await organization(on);
  const account = await connect(acme, `ada-${++count}@acme.example`, body);
  const lead_id = (await acme.lead()).id;
  const send = (mail: object, who: Workspace = acme): Promise<any> =>
    who.post("/activity/email/", { lead_id, subject: "Our offer", body_text: "Dear Ann", status: "outbox", ...mail });
  const shown = ({ id }: { id: string }) => acme.get(`/activity/email/${id}/`);
  const told = async (type: string, who: Workspace = acme) => (await who.get(`/notification/?type=${type}`)).data;
  const state = () => acme.get(`/connected_account/${account.id}/`);
  return { acme, account, lead_id, send, shown, told, state };
}

const attemptsOf = (mail: any): string[] => mail.send_attempts.map((one: any) => one.error_class);

describe("an e-mail in the outbox", () => {
  test("arrives, and says when it left", async () => {
    const acme = await organization(on);
    const [to, from] = [address(), "ada@acme.example"];
    await connect(acme, from, { identities: [{ email: from, name: "Ada Lovelace" }] });
    const person = await acme.contact({ emails: [{ email: to }] });

    const mail = await acme.post("/activity/email/", {
      contact_id: person.id,
      subject: "Our offer",
      body_html: "<p>Dear <b>Ann</b></p>",
      status: "outbox",
    });
    await drained();

    const sent = await acme.get(`/activity/email/${mail.id}/`);
    const [arrived, ...others] = server.to(to);
    assert.deepEqual(others, []);
    assert.deepEqual([mail.status, sent.status, sent.send_attempts], ["outbox", "sent", []]);
    assert.equal(mail.sender, '"Ada Lovelace" <ada@acme.example>');
    assert.equal(sent.activity_at, sent.date_sent);
    assert.deepEqual(arrived!.from, { name: "Ada Lovelace", address: from });
    assert.equal(arrived!.subject, "Our offer");
    assert.match(arrived!.html!, /<p>Dear <b>Ann<\/b><\/p>/);
    assert.equal(arrived!.text!.trim(), "Dear Ann");
    assert.deepEqual([arrived!.messageId], sent.message_ids);
    const actions = (await acme.events(mail.id)).map((one: any) => one.event);
    assert.deepEqual(actions, ["activity.email.created", "activity.email.updated", "activity.email.sent"]);
  });

  test("reaches everybody it names, and shows nobody the blind copies", async () => {
    const { send } = await writing();
    const [to, cc, bcc] = [address("to"), address("cc"), address("bcc")];

    await send({ to: [`"Ann, Lee" <${to}>`], cc: [cc], bcc: [bcc, to] });
    await drained();

    const [arrived] = server.to(bcc);
    assert.deepEqual(arrived!.recipients.sort(), [bcc, cc, to].sort());
    assert.deepEqual(arrived!.to, [{ name: "Ann, Lee", address: to }]);
    assert.equal(arrived!.bcc, undefined);
    assert.doesNotMatch(JSON.stringify(arrived!.headers), new RegExp(bcc));
  });

  test("answers what it answers", async () => {
    const { send, shown } = await writing();
    const to = address();
    const first = await send({ to: [to] });
    await drained();

    const second = await send({ to: [to], subject: "Re: Our offer", in_reply_to_id: first.id });
    await drained();

    const [id] = (await shown(first)).message_ids;
    const [, arrived] = server.to(to);
    assert.deepEqual([arrived!.inReplyTo, arrived!.references], [id, id]);
    assert.equal((await shown(second)).thread_id, first.thread_id);
  });

  test("answers what had not left yet when it was written", async () => {
    const { send, shown } = await writing();
    const to = address();
    const first = await send({ to: [to] });

    const second = await send({ to: [to], subject: "Re: Our offer", in_reply_to_id: first.id });
    const third = await send({ to: [to], subject: "Re: Our offer", in_reply_to_id: second.id });
    await drained();

    const ids = await Promise.all([first, second, third].map(async (one) => (await shown(one)).message_ids[0]));
    const arrived = new Map(server.to(to).map((one) => [one.messageId, one]));
    assert.deepEqual(
      ids.map((id) => arrived.get(id)!.inReplyTo),
      [undefined, ids[0], ids[1]],
    );
    assert.equal(arrived.get(ids[1])!.references, ids[0]);
  });

  test("says in its text where the links of its HTML lead", async () => {
    const { send, shown } = await writing({ signature: '<a href="https://acme.example/ada">Ada</a> of Acme' });
    const to = address();
    const body_html =
      '<p>Dear Ann, <a href="https://acme.example/offer?a=1&amp;b=2">the offer</a>, see <a href="https://acme.example">acme.example</a></p>';

    const mail = await send({ to: [to], body_html, body_text: undefined });
    await drained();

    const [plain, signature] = server.to(to)[0]!.text!.split("-- \n");
    assert.equal(plain!.trim(), "Dear Ann, the offer (https://acme.example/offer?a=1&b=2), see acme.example");
    assert.equal(signature!.trim(), "Ada (https://acme.example/ada) of Acme");
    assert.equal((await shown(mail)).body_text, "Dear Ann, the offer, see acme.example");
  });

  test("has no line that is longer than servers take, whatever its subject is", async () => {
    const { send } = await writing();
    const to = address();
    const subjects = ["k".repeat(1000), `${"Größe".repeat(100)} ${"k".repeat(400)}`];

    for (const subject of subjects) await send({ to: [to], subject });
    await drained();

    const arrived = server.to(to);
    assert.deepEqual(new Set(arrived.map(({ subject }) => subject)), new Set(subjects));
    assert.ok(arrived.every(({ longestLine }) => longestLine <= 998));
  });

  test("brings what is attached", async () => {
    const { acme, send } = await writing();
    const to = address();
    const bytes = Buffer.from("%PDF-1.4 an offer");
    const file = await acme.post("/file/", { name: "Angebot für Ann.pdf", content_base64: bytes.toString("base64") });

    await send({ to: [to], attachments: [{ file_id: file.id }] });
    await drained();

    const [{ filename, content } = assert.fail()] = server.to(to)[0]!.attachments;
    assert.equal(filename, "Angebot für Ann.pdf");
    assert.deepEqual(Buffer.from(content as ArrayBuffer), bytes);
  });

  test("shows pictures where its text has them", async () => {
    const { acme, send } = await writing();
    const to = address();
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    const { id } = await acme.post("/file/", { name: "logo.png", content_base64: pixel });

    await send({
      to: [to],
      body_html: '<p>Look: <img src="cid:logo" alt="Logo" /></p>',
      attachments: [{ file_id: id, content_id: "logo", inline_only: true }],
    });
    await drained();

    const [arrived] = server.to(to);
    assert.match(arrived!.html!, /<img src="cid:logo"/);
    assert.deepEqual(
      arrived!.attachments.map(({ contentId, disposition, mimeType }) => [contentId, disposition, mimeType]),
      [["<logo>", "inline", "image/png"]],
    );
  });

  test("ends with the signature of its mailbox, once", async () => {
    const { send, shown } = await writing({ signature: "<b>Ada</b> of Acme" });
    const [plain, signed] = [address(), address()];

    const mail = await send({ to: [plain], body_html: "<p>Dear Ann</p>" });
    await send({ to: [signed], body_text: "Dear Ann\n\nAda of Acme" });
    await drained();

    assert.match(server.to(plain)[0]!.text!, /^Dear Ann\s+-- \s+Ada of Acme\s*$/);
    assert.match(server.to(plain)[0]!.html!, /<p>Dear Ann<\/p><br \/><br \/><b>Ada<\/b> of Acme<\/body>/);
    assert.equal(server.to(signed)[0]!.text!.trim(), "Dear Ann\n\nAda of Acme");
    assert.equal((await shown(mail)).body_text, "Dear Ann");
  });

  test("is refused with more attached than servers take", async () => {
    const { acme, lead_id } = await writing();
    const big = { url: "https://files.example/big.zip", filename: "big.zip", size: 26_000_000 };

    await acme.refused(
      400,
      "POST",
      "/activity/email/",
      { lead_id, to: [address()], attachments: [big], status: "outbox" },
      "attachments",
    );
  });

  test("ends no header and begins no other mail, whatever it says", async () => {
    const { send } = await writing();
    const to = address();

    await send({
      to: [`"Ann\r\nBcc: eve@evil.example" <${to}>`],
      subject: "Hi\r\nBcc: eve@evil.example",
      body_text: "Hello\n.\nMAIL FROM:<eve@evil.example>\r\n.\r\nRCPT TO:<eve@evil.example>\n\r.\r",
    });
    await drained();

    const arrived = server.to(to);
    assert.equal(arrived.length, 1);
    assert.deepEqual(arrived[0]!.recipients, [to]);
    assert.equal(arrived[0]!.bcc, undefined);
    assert.match(arrived[0]!.text!, /RCPT TO:<eve@evil\.example>/);
    assert.deepEqual(server.to("eve@evil.example"), []);
  });

  test("is refused with more recipients than anybody writes to", async () => {
    const { acme, lead_id } = await writing();
    const many = (length: number) => Array.from({ length }, (_, i) => `p${i}@client.example`);

    await acme.refused(400, "POST", "/activity/email/", { lead_id, to: many(501), status: "outbox" }, "to");
    await acme.refused(400, "POST", "/activity/email/", { lead_id, to: many(10_000), status: "outbox" }, "body");
  });

  test("can neither be taken back nor deleted while it is handed over", async () => {
    const { acme, send, shown } = await writing();
    const mail = await send({ to: [address()] });
    const path = `/activity/email/${mail.id}/`;
    server.beforeReceipt = async () => {
      await acme.refused(400, "PUT", path, { status: "draft" }, "status");
      await acme.refused(400, "DELETE", path, undefined, "status");
    };

    await drained();

    assert.equal((await shown(mail)).status, "sent");
  });

  test("does not leave before its time, nor once it was taken back", async () => {
    const { acme, send, shown } = await writing();
    const [soon, back, planned] = [
      await send({ to: [address()], send_in: 30 }),
      await send({ to: [address()], send_in: 30 }),
      await send({
        to: [address()],
        status: "scheduled",
        date_scheduled: new Date(on.clock.now!.getTime() + 60 * minute).toISOString(),
      }),
    ];

    await drained();
    const at = async () => Promise.all([soon, back, planned].map(async (one) => (await shown(one)).status));
    const first = await at();
    await acme.put(`/activity/email/${back.id}/`, { status: "draft" });
    later(31_000);
    await drained();
    const second = await at();
    later(60 * minute);
    await drained();

    assert.deepEqual(first, ["outbox", "outbox", "scheduled"]);
    assert.deepEqual(second, ["sent", "draft", "scheduled"]);
    assert.deepEqual(await at(), ["sent", "draft", "sent"]);
  });
});

describe("who sends", () => {
  test("needs a mailbox, and is told so", async () => {
    const acme = await organization(on);
    const mail = await acme.post("/activity/email/", { lead_id: (await acme.lead()).id, to: [address()], status: "outbox" });

    await drained();

    const failed = await acme.get(`/activity/email/${mail.id}/`);
    assert.equal(failed.status, "error");
    assert.match(failed.send_attempts[0].error_message, /has no mailbox to send from: connect one/);
    assert.deepEqual(
      (await acme.get("/notification/")).data.map((one: any) => one.type),
      ["message_failed"],
    );
  });

  test("may be anybody with whom a mailbox is shared, and nobody else", async () => {
    const { acme, account, send, shown } = await writing();
    const [bob, eve] = [await acme.member(), await acme.member()];
    const path = `/connected_account/${account.id}/`;
    await acme.refused(400, "PUT", path, { shared_with: ["user_none"] }, "shared_with.0");
    await bob.refused(404, "GET", path);
    await acme.put(path, { shared_with: [bob.userId] });

    const mail = await send({ to: [address()] }, bob);
    await eve.refused(
      400,
      "POST",
      "/activity/email/",
      { lead_id: mail.lead_id, to: [address()], email_account_id: account.id, status: "outbox" },
      "email_account_id",
    );
    await bob.refused(403, "PUT", path, { shared_with: [bob.userId, eve.userId] });
    await drained();

    assert.deepEqual([mail.email_account_id, mail.user_id], [account.id, bob.userId]);
    assert.match(mail.sender, new RegExp(account.email));
    assert.equal((await shown(mail)).status, "sent");
    assert.equal((await bob.get(path)).smtp.password, undefined);
  });

  test("is asked again when it leaves: neither a member who left nor one who may no more sends", async () => {
    const { acme, account, send, shown } = await writing();
    const [bob, eve] = [await acme.member(), await acme.member()];
    await acme.put(`/connected_account/${account.id}/`, { shared_with: [bob.userId, eve.userId] });
    const to = [address()];
    const [gone, barred] = [await send({ to, send_in: 10 }, bob), await send({ to, send_in: 10 }, eve)];

    const [membership] = (await acme.get(`/membership/?user_id=${bob.userId}`)).data;
    await acme.delete(`/membership/${membership.id}/`);
    await acme.put(`/connected_account/${account.id}/`, { shared_with: [] });
    later(11_000);
    await drained();

    const [left, kept] = [await shown(gone), await shown(barred)];
    assert.deepEqual([left.status, kept.status], ["error", "error"]);
    assert.match(left.send_attempts[0].error_message, /is not a member any more/);
    assert.match(kept.send_attempts[0].error_message, /may not send as/);
    assert.deepEqual(server.to(to[0]!), []);
  });
});

describe("a server", () => {
  test("that refuses a recipient stops no other, and who sent it hears of it", async () => {
    const { send, shown, told } = await writing();
    const [good, bad] = [address(), address()];
    server.refusesTo.set(bad, { code: 550, words: "5.1.1 nobody of that name" });

    const mail = await send({ to: [good, bad] });
    await drained();

    const sent = await shown(mail);
    assert.equal(sent.status, "sent");
    assert.match(sent.send_attempts[0].error_message, new RegExp(`Not sent to ${bad} \\(550 5\\.1\\.1 nobody`));
    assert.deepEqual(server.to(good).length, 1);
    assert.match((await told("message_failed"))[0].body, /nobody of that name/);
  });

  test("that takes one recipient later gets it later, and nobody twice", async () => {
    const { send, shown } = await writing();
    const [good, slow] = [address(), address()];
    server.refusesTo.set(slow, { code: 450, words: "4.7.1 greylisted" });

    const mail = await send({ to: [good, slow] });
    await drained();
    const first = (await shown(mail)).status;
    server.refusesTo.clear();
    later(10 * minute);
    await drained();

    assert.equal(first, "sent");
    assert.deepEqual([server.to(good).length, server.to(slow).length], [1, 1]);
    assert.equal(server.to(slow)[0]!.messageId, server.to(good)[0]!.messageId);
  });

  test("that takes nothing of it makes it an error with its words", async () => {
    for (const at of ["recipient", "text"] as const) {
      const { send, shown, told } = await writing();
      server.refuses = { at, code: 554, words: "5.7.1 we take no such mail" };

      const mail = await send({ to: [address()] });
      await drained();
      later(60 * minute);
      await drained();

      const failed = await shown(mail);
      assert.deepEqual([failed.status, failed.send_attempts.length], ["error", 1]);
      assert.match(failed.send_attempts[0].error_message, /554 5\.7\.1 we take no such mail/);
      assert.equal((await told("message_failed")).length, 1);
    }
  });

  test("that has no space left is asked again, ever later", async () => {
    const { send, shown } = await writing();
    const to = address();
    server.refuses = { at: "text", code: 452, words: "4.3.1 insufficient system storage" };

    const mail = await send({ to: [to] });
    await drained();
    const waiting = await shown(mail);
    later(30_000);
    await drained();
    const soon = await shown(mail);
    server.refuses = null;
    later(10 * minute);
    await drained();

    assert.equal(waiting.status, "outbox");
    assert.match(waiting.send_attempts[0].error_message, /has no space left for it \(452/);
    assert.equal(soon.send_attempts.length, 1);
    assert.deepEqual([(await shown(mail)).status, server.to(to).length], ["sent", 1]);
  });

  test("that will never have space for it is asked once, and the mail says so", async () => {
    const { send, shown, told, state } = await writing();
    server.refuses = { at: "text", code: 552, words: "5.2.2 exceeded storage allocation" };

    const mail = await send({ to: [address()] });
    await drained();
    server.refuses = null;
    later(60 * minute);
    await drained();

    const failed = await shown(mail);
    assert.deepEqual([failed.status, failed.send_attempts.length], ["error", 1]);
    assert.match(failed.send_attempts[0].error_message, /has no space left for it \(552/);
    assert.deepEqual([(await told("message_failed")).length, (await state()).latest_smtp_error], [1, null]);
  });

  test("that is away for an hour loses nothing, and its owner is told once", async () => {
    const { send, shown, told, state } = await writing();
    const to = Array.from({ length: 5 }, () => address());
    assert.equal((await state()).send_status, "untested");
    const mails: any[] = [];
    for (const one of to) mails.push(await send({ to: [one] }));
    await server.close();

    for (let passed = 0; passed < 60; passed += 5) {
      await drained();
      later(5 * minute);
    }
    const down = await state();
    const notices = (await told("account_error")).length;
    await server.open();
    later(60 * minute);
    await drained();
    await drained();

    assert.equal(down.send_status, "error");
    assert.match(down.latest_smtp_error, /cannot be reached/);
    assert.equal(notices, 1);
    assert.deepEqual(
      to.map((one) => server.to(one).length),
      to.map(() => 1),
    );
    assert.ok((await shown(mails[0])).send_attempts.length < 20);
    const up = await state();
    assert.deepEqual([up.send_status, up.latest_smtp_error, (await told("account_error")).length], ["ok", null, 1]);
  });

  test("that is slow holds up nobody else's mail", async () => {
    const [slow, quick] = [await writing(), await writing()];
    const other = await startMailServer();
    const [waits, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await slow.acme.put(`/connected_account/${slow.account.id}/`, { smtp: other.smtp });
    other.beforeReceipt = () => (waits.resolve(), go.promise);
    const mails: any[] = [];
    for (let i = 0; i < 10; i++) mails.push(await slow.send({ to: [address()] }));
    const to = address();

    await withWorker(on, async (worker) => {
      await waits.promise;
      const mail = await quick.send({ to: [to] });
      await until(async () => (await quick.shown(mail)).status === "sent");
      assert.equal(other.received.length, 3, "a few at once are handed to one mailbox");
      go.resolve();
      await worker.drained();
    });

    assert.equal(server.to(to).length, 1);
    const states = await Promise.all(mails.map(async (mail) => (await slow.shown(mail)).status));
    assert.deepEqual([states, other.received.length], [mails.map(() => "sent"), 10]);
    await other.close();
  });

  test("that never answers holds up nobody else's mail, not even with 39 more like it in the same organization", async () => {
    const [acme, other] = [await writing(), await writing()];
    const silent = await Promise.all(Array.from({ length: 40 }, startMailServer));
    const go = Promise.withResolvers<void>();
    const stuck: any[] = [];
    for (const one of silent) {
      one.beforeReceipt = () => go.promise;
      const { id } = await connect(acme.acme, `silent-${++count}@acme.example`, { smtp: one.smtp });
      stuck.push(await acme.send({ to: [address()], email_account_id: id }));
    }

    await withWorker(on, async (worker) => {
      await until(() => silent.every(({ received }) => received.length > 0));
      const good: any[] = [];
      for (let i = 0; i < 5; i++)
        good.push(await acme.send({ to: [address()], email_account_id: acme.account.id }), await other.send({ to: [address()] }));
      await until(() => good.every((mail) => server.to(mail.to[0]).length === 1));
      go.resolve();
      await worker.drained();
    });

    const states = await Promise.all(stuck.map(async (mail) => (await acme.shown(mail)).status));
    assert.deepEqual([states, silent.map(({ received }) => received.length)], [stuck.map(() => "sent"), silent.map(() => 1)]);
    await Promise.all(silent.map((one) => one.close()));
  });

  test("that hangs up before it says that it has the mail gets it no second time, and who sent it is told", async () => {
    const wire = await between(server.smtp.port, () => {});
    const { send, shown, told } = await writing({ smtp: { ...server.smtp, port: wire.port } });
    const to = address();
    server.beforeReceipt = async () => wire.drop();

    const mail = await send({ to: [to] });
    await drained();
    server.beforeReceipt = null;
    later(24 * 60 * minute);
    await drained();

    const doubtful = await shown(mail);
    assert.deepEqual([doubtful.status, server.to(to).length], ["error", 1]);
    assert.match(doubtful.send_attempts[0].error_message, new RegExp(`It may have been sent to ${to}.*Look whether it arrived`));
    assert.equal((await told("message_failed")).length, 1);
    wire.close();
  });

  test("that does not take the password is left in peace until there is another", async () => {
    await server.close();
    server.password = "right";
    await server.open();
    try {
      const { acme, account, send, shown, told, state } = await writing({ smtp: { ...server.smtp, password: "wrong" } });
      const mail = await send({ to: [address()] });
      await drained();
      const refused = await state();
      await acme.put(`/connected_account/${account.id}/`, { smtp: { ...server.smtp, password: "right" } });
      await drained();

      assert.equal(refused.send_status, "error");
      assert.match(refused.latest_smtp_error, /does not take the login: give the password again.*535/);
      assert.equal((await told("account_error")).length, 1);
      assert.equal((await shown(mail)).status, "sent");
    } finally {
      await server.close();
      server.password = null;
      await server.open();
    }
  });
});

describe("a mailbox", () => {
  test("sends no more on a day than it may, and the rest on the next one", async () => {
    const { send, shown } = await writing({ daily_cap: 2 });
    const to = Array.from({ length: 5 }, () => address());
    const mails: any[] = [];
    for (const one of to) mails.push(await send({ to: [one] }));
    const sentNow = () => to.filter((one) => server.to(one).length > 0).length;

    const counts: number[] = [];
    for (let day = 0; day < 3; day++) {
      await drained();
      counts.push(sentNow());
      later(24 * 60 * minute);
    }

    assert.deepEqual(counts, [2, 4, 5]);
    const all = await Promise.all(mails.map(shown));
    assert.deepEqual(
      all.map(({ status }) => status),
      mails.map(() => "sent"),
    );
    // Nothing is promised about which of them is sent first.
    const [last, ...others] = all.filter(({ send_attempts }) => send_attempts.length > 0);
    assert.equal(others.length, 2);
    assert.deepEqual(attemptsOf(last), ["daily_cap"]);
    assert.match(last.send_attempts[0].error_message, /as much as it may on a day: this mail waits until 20/);
  });

  test("sends what was over its limit at once when the limit is raised or lifted, by itself and by sequences", async () => {
    const { acme, account, send, shown } = await writing({ daily_cap: 1 });
    const mails: any[] = [];
    for (let i = 0; i < 4; i++) mails.push(await send({ to: [address()] }));
    const of = await acme.post("/sequence/", {
      name: "Outreach",
      steps: [{ step_type: "email", subject: "One", body: "<p>Hello</p>" }],
    });
    const person = await acme.contact({ emails: [{ email: address() }] });
    const way = await acme.post("/sequence_subscription/", { sequence_id: of.id, contact_id: person.id });
    const counts: number[] = [];
    const sent = async () => {
      await drained();
      counts.push((await Promise.all(mails.map(shown))).filter(({ status }) => status === "sent").length);
    };

    await sent();
    await acme.put(`/connected_account/${account.id}/`, { daily_cap: 3 });
    await sent();
    await acme.put(`/connected_account/${account.id}/`, { daily_cap: null });
    await sent();
    await drained();

    assert.deepEqual(counts, [1, 3, 4]);
    assert.equal((await acme.get(`/sequence_subscription/${way.id}/`)).status, "finished");
  });
});

test("how much a mailbox sent on a day is forgotten after 90 days", async () => {
  const { acme, send } = await writing();
  await send({ to: [address()] });
  await drained();
  const days = () =>
    on.app.db.query(acme.id, { text: "select sent::text from mailbox_day where organization_id = $1", values: [acme.id] });

  const before = await days();
  later(91 * 24 * 60 * minute);
  await drained();

  assert.deepEqual([before, await days()], [[["1"]], []]);
});

test("an address that mail came back from gets none, and the others do", async () => {
  const { acme, send, shown } = await writing();
  const [good, bounced] = [address(), address()];
  await acme.inside((ctx) =>
    Promise.resolve(
      ctx.tx!.write({
        text: `insert into unsubscribed_email (organization_id, id, channel, address, scope, reason, date_created, date_updated)
               values ($1, 'unsub_1', 'email', $2, 'all', 'bounced', now(), now())`,
        values: [acme.id, bounced],
      }),
    ),
  );

  const mail = await send({ to: [good, bounced] });
  await drained();

  assert.deepEqual([server.to(good).length, server.to(bounced).length], [1, 0]);
  const sent = await shown(mail);
  assert.deepEqual([sent.status, attemptsOf(sent)], ["sent", ["suppressed"]]);
});

test("a worker that loses its claim before the server's receipt has it sent once, and says that nobody knows", async () => {
  const { acme, send, shown, told } = await writing();
  const to = address();
  const mail = await send({ to: [to] });
  // Another worker takes over our claim, as after a minute of silence. Then the server confirms the mail.
  server.beforeReceipt = async () => {
    server.beforeReceipt = null;
    later(claimMs);
    await wakeLateJobs(on.app.core, acme.id);
  };

  await drained();
  await drained();

  assert.equal(server.to(to).length, 1);
  const doubtful = await shown(mail);
  assert.equal(doubtful.status, "error");
  assert.match(doubtful.send_attempts[0].error_message, /It may have been sent to/);
  assert.equal((await told("message_failed")).length, 1);
});

test("whoever has no answer by the follow-up date gets a task, once, and who has one gets none", async () => {
  const { acme, send } = await writing();
  const followup_date = new Date(on.clock.now!.getTime() + 60 * minute).toISOString();
  const [silent, answered] = [
    await send({ to: [address()], followup_date }),
    await send({ to: ["ann@client.example"], subject: "Else", followup_date }),
  ];
  await drained();
  await acme.post("/activity/email/", {
    in_reply_to_id: answered.id,
    status: "inbox",
    sender: "ann@client.example",
    subject: "Re: Else",
  });
  const tasks = async () => (await acme.get("/task/?_type=email_followup")).data;

  const early = await tasks();
  later(61 * minute);
  await drained();
  later(10 * minute);
  await drained();

  assert.deepEqual(early, []);
  const made = await tasks();
  assert.deepEqual(
    made.map((one: any) => [one.object_id, one.lead_id, one.assigned_to]),
    [[silent.id, silent.lead_id, acme.userId]],
  );
});

test("what was sent lies in the mailbox's folder of sent mail, with its blind copies, and is not read as another mail", async () => {
  const box = (await imapServer()).mailbox();
  const { acme, send, shown } = await writing({ email: box.address, imap: box.login });
  const [to, bcc] = [address(), address()];

  const mail = await send({ to: [to], bcc: [bcc], body_text: "Dear Ann\n\nNo more: {{ unsubscribe_link }}" });
  await drained();
  later(30 * minute);
  await drained();

  const copies = await box.list("Sent");
  assert.equal(copies.length, 1);
  const [id] = (await shown(mail)).message_ids;
  assert.doesNotMatch(copies[0]!.raw, /unsubscribe_link|%7B%7B/);
  assert.match(copies[0]!.raw, new RegExp(`^Message-ID: ${id}`, "im"));
  assert.match(copies[0]!.raw, new RegExp(`^Bcc: ${bcc}`, "im"));
  assert.ok(copies[0]!.flags.has("\\Seen"));
  assert.equal((await acme.get(`/activity/email/?lead_id=${mail.lead_id}`)).data.length, 1);
});

test("a mailbox that cannot store its copy of a sent mail gets it later, once, and the mail is sent all the same", async () => {
  const box = (await imapServer()).mailbox();
  const { send, shown } = await writing({ email: box.address, imap: box.login });
  const to = address();
  await box.makeFolder("Sent");
  box.canStore(false, "Sent");

  const mail = await send({ to: [to] });
  await drained();
  const refused = [(await shown(mail)).status, (await box.list("Sent")).length];
  box.canStore(true, "Sent");
  later(10 * minute);
  await drained();
  later(30 * minute);
  await drained();

  assert.deepEqual(refused, ["sent", 0]);
  assert.deepEqual([(await shown(mail)).status, (await box.list("Sent")).length, server.to(to).length], ["sent", 1, 1]);
});
