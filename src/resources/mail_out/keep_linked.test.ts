// What is attached by an address elsewhere is fetched when the mail leaves, and brought like any other file.
import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { after, before, beforeEach, describe, test } from "node:test";
import { agentOf } from "../../../test/support/agent.ts";
import { organization } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { type MailServer, startMailServer } from "../../../test/support/smtp.ts";
import { website } from "../../../test/support/website.ts";
import { withWorker } from "../../../test/support/worker.ts";

let server: MailServer;
let on: Service;
let count = 0;

before(async () => {
  server = await startMailServer();
  on = await outboundService();
});
after(() => server?.close());
beforeEach(() => {
  on.clock.now = new Date(Date.UTC(2031, 0, 1 + 10 * count++, 10));
});

const drained = () => withWorker(on, (worker) => worker.drained());
const minute = 60_000;

async function writing() {
  const acme = await organization(on);
  const email = `ada-${++count}@acme.example`;
  const to = `ann-${process.pid}-${count}@client.example`;
  await acme.post("/connected_account/", { email, smtp: server.smtp });
  const lead_id = (await acme.lead()).id;
  const mail = { lead_id, to: [to], subject: "Our offer", body_text: "Dear Ann" };
  const send = (attachments: object[]): Promise<any> => acme.post("/activity/email/", { ...mail, attachments, status: "outbox" });
  const shown = ({ id }: { id: string }) => acme.get(`/activity/email/${id}/`);
  return { acme, mail, send, shown, arrived: () => server.to(to), lead_id };
}

const picture: RequestListener = (_, response) =>
  response
    .writeHead(200, { "content-type": "text/csv", "content-disposition": 'attachment; filename="prices.csv"' })
    .end("a,b\n1,2\n");

describe("what is attached by an address", () => {
  test("arrives, and is a file of the lead from then on", async () => {
    const { acme, send, shown, arrived, lead_id } = await writing();
    const site = await website(picture);
    const stored = await acme.post("/file/", { name: "a.txt", content_base64: Buffer.from("text").toString("base64") });

    const mail = await send([
      { url: `${site.url}list`, filename: "Our prices.csv" },
      { file_id: stored.id },
      { url: `${site.url}list` },
    ]);
    await drained();

    const sent = await shown(mail);
    const files = (await acme.get(`/file/?lead_id=${lead_id}`)).data;
    const [got] = arrived();
    assert.deepEqual([sent.status, sent.send_attempts], ["sent", []]);
    assert.deepEqual(
      got!.attachments.map((one) => one.filename),
      ["Our prices.csv", "a.txt", "prices.csv"],
    );
    assert.equal(Buffer.from(got!.attachments[0]!.content as ArrayBuffer).toString(), "a,b\n1,2\n");
    assert.deepEqual(new Set(files.map((one: any) => one.name)), new Set(["Our prices.csv", "prices.csv"]));
    assert.ok(sent.attachments.every((one: any) => one.file_id !== null && one.size > 0));
    assert.deepEqual([got!.messageId], sent.message_ids);
  });

  test("is fetched once in a minute for all mails of the organization, unless the file that it became is gone", async () => {
    const { acme, send, shown, arrived } = await writing();
    const other = await writing();
    const site = await website(picture);
    const linked = [{ url: site.url }];

    const mails = [];
    for (let turn = 0; turn < 3; turn++) {
      mails.push(await send(linked));
      await drained();
    }
    const visits = [site.visits];
    const [first] = (await shown(mails[0])).attachments;
    await acme.delete(`/file/${first.file_id}/`);
    mails.push(await send(linked));
    await drained();
    visits.push(site.visits);
    await other.send(linked);
    await drained();
    visits.push(site.visits);
    on.clock.now = new Date(on.clock.now!.getTime() + minute);
    mails.push(await send(linked));
    await drained();

    const [sent, got] = [await Promise.all(mails.map(shown)), arrived()];
    assert.deepEqual([...visits, site.visits], [1, 2, 3, 4]);
    assert.equal(new Set(sent.map(({ attachments }) => attachments[0].file_id)).size, 5);
    assert.deepEqual(
      got.map((one) => [one.attachments[0]!.filename, Buffer.from(one.attachments[0]!.content as ArrayBuffer).toString()]),
      Array(5).fill(["prices.csv", "a,b\n1,2\n"]),
    );
  });

  test("is fetched again where its server is away, and leaves once it is back, with the bytes fetched once", async () => {
    const { send, shown, arrived } = await writing();
    let isAway = true;
    const site = await website((request, response) => (isAway ? void response.writeHead(503).end() : picture(request, response)));

    const mail = await send([{ url: site.url, filename: "prices.csv" }]);
    await drained();
    const meanwhile = await shown(mail);
    isAway = false;
    on.clock.now = new Date(on.clock.now!.getTime() + 5 * minute);
    await drained();

    assert.equal(meanwhile.status, "outbox");
    assert.match(meanwhile.send_attempts[0].error_message, /prices\.csv cannot be fetched from its address: it is tried again/);
    assert.equal((await shown(mail)).status, "sent");
    assert.deepEqual([arrived().length, site.visits], [1, 2]);
  });

  test("and cannot be had makes the mail an error that says so, and it leaves once another is attached", async () => {
    const { acme, send, shown, arrived } = await writing();
    const gone = await website((_, response) => void response.writeHead(404).end());
    const there = await website(picture);

    const mail = await send([{ url: gone.url, filename: "prices.csv" }]);
    await drained();
    const lost = await shown(mail);
    await acme.put(`/activity/email/${mail.id}/`, { status: "draft", attachments: [{ url: there.url }] });
    await acme.put(`/activity/email/${mail.id}/`, { status: "outbox" });
    await drained();

    assert.equal(lost.status, "error");
    assert.match(lost.send_attempts[0].error_message, /prices\.csv cannot be fetched .*: attach it as a stored file/);
    assert.equal((await shown(mail)).status, "sent");
    assert.equal(arrived().length, 1);
  });

  test("and never comes back is an error within the hour", async () => {
    const { send, shown } = await writing();
    const site = await website((_, response) => void response.writeHead(500).end());

    const mail = await send([{ url: site.url, filename: "prices.csv" }]);
    for (let turn = 0; turn < 6; turn++) {
      await drained();
      on.clock.now = new Date(on.clock.now!.getTime() + 10 * minute);
    }

    const lost = await shown(mail);
    assert.equal(lost.status, "error");
    assert.match(lost.send_attempts.at(-1).error_message, /attach it as a stored file/);
    assert.equal(site.visits, 5);
  });

  test("and has more bytes than servers take makes the mail an error, however it calls itself", async () => {
    const { send, shown, arrived } = await writing();
    const big = await website((_, response) => {
      response.writeHead(200, { "content-type": "application/zip" });
      const more = () => {
        while (response.write(Buffer.alloc(1_000_000))) if (response.destroyed) return;
      };
      response.on("drain", more).on("error", () => {});
      more();
    });

    const mail = await send([{ url: big.url, filename: "big.zip", size: 10 }]);
    await drained();

    const lost = await shown(mail);
    assert.equal(lost.status, "error");
    assert.match(lost.send_attempts[0].error_message, /big\.zip the e-mail has more than 25 MB/);
    assert.equal(arrived().length, 0);
  });

  test("is refused where it is not public, as soon as the mail is to leave", async () => {
    const { acme, mail } = await writing();
    const attachments = [{ url: "http://10.0.0.1/secret", filename: "a" }];

    await acme.refused(400, "POST", "/activity/email/", { ...mail, attachments, status: "outbox" }, "attachments.0.url");
    const draft = await acme.post("/activity/email/", { ...mail, attachments });
    await acme.refused(400, "PUT", `/activity/email/${draft.id}/`, { status: "outbox" }, "attachments.0.url");
    await acme.post("/activity/email/", { ...mail, attachments, status: "sent" });
  });

  test("is not fetched for tools", async () => {
    const { acme, mail, arrived } = await writing();
    const person = await acme.contact({ emails: [{ email: mail.to[0] }] });
    const agent = await agentOf(acme, { scope: "write_destructive" });
    const linked = [{ url: "https://93.184.216.34/?what=i-read", filename: "a" }];

    const { subject, body_text } = mail;
    const letter = { contact_id: person.id, subject, body_text };
    const refused = await agent.call("send_email", { ...letter, data: { attachments: linked } });
    await agent.call("send_email", letter);
    await drained();

    assert.match(JSON.stringify(refused.structuredContent), /is not fetched for tools: store it as a file/);
    assert.equal(arrived().length, 1);
  });
});

test("what is attached, whatever to, has a name and a type of one line", async () => {
  const { acme, mail, lead_id } = await writing();
  const breaks = ["\r\n", "\n", "\r", "\u0007", "\u0085", "\u2028"];
  const url = "https://files.example/a.png";
  const places: [string, object][] = [
    ["/activity/email/", mail],
    ["/activity/sms/", { lead_id, text: "Hello" }],
    ["/activity/channel_message/", { lead_id, channel: "telegram", text: "Hello" }],
    ["/activity/note/", { lead_id, note: "Hello" }],
    ["/email_template/", { name: "Hello" }],
    ["/sms_template/", { name: "Hello", text: "Hello" }],
    ["/opportunity/", { lead_id }],
  ];

  for (const [path, body] of places)
    for (const at of breaks) {
      const named = { ...body, attachments: [{ url, filename: `x${at}X-Inj: y.png` }] };
      await acme.refused(400, "POST", path, named, "attachments.0.filename");
      const typed = { ...body, attachments: [{ url, content_type: `image/png${at}X-Inj: y` }] };
      await acme.refused(400, "POST", path, typed, "attachments.0.content_type");
    }
});
