// Whatever somebody writes, a mail that leaves is one mail with the headers it should have. What goes over the wire is read as it is said,
// because servers differ in what they take for the end of a line, a header or a mail.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { type Between, between } from "../../../test/support/between.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { imapServer } from "../../../test/support/imap.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { type MailServer, startMailServer } from "../../../test/support/smtp.ts";
import { withWorker } from "../../../test/support/worker.ts";

let server: MailServer;
let wire: Between;
let said = "";
let on: Service;

before(async () => {
  on = await outboundService();
  server = await startMailServer();
  wire = await between(server.smtp.port, (text) => (said += text));
});
after(async () => {
  wire?.close();
  await server?.close();
});

let days = 0;
beforeEach(() => {
  said = "";
  server.received.length = 0;
  server.refusesTo.clear();
  on.clock.now = new Date(Date.UTC(2031, 0, 1 + 10 * days++, 10));
});

const drained = () => withWorker(on, (worker) => worker.drained());

interface Writing {
  acme: Workspace;
  send(mail: object): Promise<any>;
  /** `field` is null where it is the body as a whole that is refused. */
  refused(mail: object, field: string | null): Promise<any>;
}

async function writing(account: object = {}): Promise<Writing> {
  const acme = await organization(on);
  acme.readsReasons = false;
  await acme.post("/connected_account/", { email: "ada@acme.example", smtp: { ...server.smtp, port: wire.port }, ...account });
  const lead_id = (await acme.lead()).id;
  const mail = { lead_id, to: ["ann@client.example"], subject: "Our offer", body_text: "Dear Ann", status: "outbox" };
  return {
    acme,
    send: (body) => acme.post("/activity/email/", { ...mail, ...body }),
    refused: (body, field) => acme.refused(400, "POST", "/activity/email/", { ...mail, ...body }, field ?? undefined),
  };
}

const evil = "eve@evil.example";

/** One mail went over the wire, which no server can take for two, and to nobody else. */
function assertOneMail(to = ["ann@client.example"]): void {
  assert.equal(server.received.length, 1);
  assert.deepEqual(server.received[0]!.recipients, to);
  assert.doesNotMatch(said, /[^\r]\n|\r(?!\n)/, "every line ends with CR LF, and neither stands alone");
  const begins = said.indexOf("\r\nDATA\r\n") + "\r\nDATA\r\n".length;
  const [commands, text] = [said.slice(0, begins), said.slice(begins)];
  assert.equal(commands.match(/^MAIL FROM:/gm)?.length, 1);
  const dots = text.match(/^\.(?!\.).*$/gm) ?? [];
  assert.deepEqual(dots, ["."], "only the end of the mail is a line that begins with a single dot");
  // The pool asks for nothing more behind it than the end of the connection.
  assert.match(text.slice(text.indexOf("\r\n.\r\n") + 5), /^(RSET\r\n|QUIT\r\n)*$/);
}

/** The names of the headers, with those of its parts. */
const headerNames = () => server.received[0]!.headers.map(({ key }) => key);
const usual = ["from", "to", "subject", "message-id", "date", "mime-version", "content-type"];

const breaks = ["\r\n", "\n", "\r", "\u0085", "\u2028", "\u000b\u000c"];

describe("a line break", () => {
  for (const at of breaks)
    test(`${JSON.stringify(at)} in a subject or a name begins no header`, async () => {
      const { send } = await writing();

      await send({
        subject: `Hi${at}Bcc: ${evil}${at}${at}Another mail`,
        to: [`"Ann${at}Bcc: ${evil}" <ann@client.example>`],
      });
      await drained();

      assertOneMail();
      assert.deepEqual(headerNames().toSorted(), usual.toSorted());
      assert.match(server.received[0]!.subject!, /^Hi Bcc: eve@evil\.example Another mail$/);
      assert.match(server.received[0]!.to![0]!.name!, /^Ann Bcc: eve@evil\.example$/);
    });

  test("in an address is refused on the field, wherever it stands", async () => {
    const { refused } = await writing();

    for (const at of [...breaks, "\u0000", " ", "<", ">"])
      for (const field of ["to", "cc", "bcc"])
        for (const address of [`ann@client.example${at}x`, `an${at}n@client.example`, `ann@cli${at}ent.example`])
          await refused({ [field]: [address] }, at === "\u0000" ? null : `${field}.0`);
    await refused({ sender: `ada@acme.example>\r\nRCPT TO:<${evil}>` }, "sender");
  });

  test("in the names of a mailbox, and in what is attached, begins no header and no part", async () => {
    const { acme, send } = await writing({ identities: [{ email: "ada@acme.example", name: `Ada\r\nBcc: ${evil}\r\n\r\nHi` }] });
    const { id } = await acme.post("/file/", { name: "a.txt", content_base64: Buffer.from("text").toString("base64") });

    const attached = { file_id: id, filename: `a"; X-Evil: 1.txt`, content_type: "text/plain; X-Evil: 2" };
    const shown = { file_id: id, content_id: "logo> X-Evil: 3", inline_only: true };
    await send({ attachments: [attached, shown] });
    await drained();

    assertOneMail();
    assert.doesNotMatch(said, /^X-Evil/im);
    assert.equal(server.received[0]!.from!.name, `Ada Bcc: ${evil} Hi`);
    assert.equal(server.received[0]!.attachments.length, 1);
  });

  test("in the Message-ID of a mail that is answered begins no header", async () => {
    const box = (await imapServer()).mailbox();
    const { acme, send } = await writing({ email: box.address, imap: box.login });
    await drained();
    const contact = await acme.contact({ emails: [{ email: "ann@client.example" }] });
    const head = `From: ann@client.example\r\nTo: ${box.address}\r\nSubject: Hello\r\nDate: ${on.clock.now!.toUTCString()}`;
    await box.deliver(
      `${head}\r\nMessage-ID: <a\r\n\tBcc: ${evil}\r\n\t@client.example>\r\nReferences: <b>\r\n X-Evil: 1\r\n\r\nHello`,
    );
    on.clock.now = new Date(on.clock.now!.getTime() + 600_000);
    await drained();
    const [received] = (await acme.get(`/activity/email/?contact_id=${contact.id}`)).data;

    await send({ lead_id: received.lead_id, in_reply_to_id: received.id, sender: box.address });
    await drained();

    assertOneMail();
    assert.doesNotMatch(said, /^(X-Evil|Bcc)/im);
  });
});

describe("a body", () => {
  const ends = ["\n.\n", "\r\n.\r\n", "\r\n.\n", "\n.\r\n", "\r.\r", "\r\n.\r", "\r.\r\n", "\n\n.\r\n", "\r\r.\r\r"];

  for (const end of ends)
    test(`with ${JSON.stringify(end)} begins no second mail`, async () => {
      const { send } = await writing();
      const smuggled = `Hello${end}MAIL FROM:<${evil}>\r\nRCPT TO:<${evil}>\r\nDATA\r\nSubject: Mine\r\n\r\nPay me${end}`;

      await send({ body_text: smuggled, body_html: `<p>Hello</p>${end}MAIL FROM:&lt;${evil}&gt;${end}` });
      await drained();

      assertOneMail();
      assert.match(server.received[0]!.text!, /MAIL FROM:<eve@evil\.example>/);
      assert.equal(server.received[0]!.subject, "Our offer");
    });

  test("or any other text with NUL is refused", async () => {
    const { refused } = await writing();

    for (const field of ["subject", "body_text", "body_html"]) await refused({ [field]: "a\u0000b" }, null);
  });

  test("that looks like a boundary or a header stays text", async () => {
    const { send } = await writing();
    const body_text =
      "Content-Type: text/html\r\n\r\n--boundary\r\nContent-Type: text/html\r\n\r\n<script>1</script>\r\n--boundary--\r\n.";

    await send({ body_text });
    await drained();

    assertOneMail();
    assert.equal(server.received[0]!.attachments.length, 0);
    assert.match(server.received[0]!.text!, /^Content-Type: text\/html/);
  });
});

describe("too much", () => {
  test("of recipients or of a subject is refused, with how much there may be", async () => {
    const { refused } = await writing();
    const many = (length: number) => Array.from({ length }, (_, i) => `p${i}@client.example`);

    assert.match((await refused({ to: many(501) }, "to"))["field-errors"].to, /500/);
    for (const field of ["cc", "bcc"]) await refused({ [field]: many(501) }, field);
    await refused({ to: many(10_000) }, "body");
    assert.match((await refused({ subject: "x".repeat(1001) }, "subject"))["field-errors"].subject, /1000/);
    await refused({ subject: "x".repeat(1_000_000) }, "subject");
  });

  test("that is just allowed arrives whole, in lines that servers take", async () => {
    const { send } = await writing();
    const subject = `Ünï ${"ö".repeat(990)}`;

    await send({ subject, body_text: "x".repeat(100_000) });
    await drained();

    assertOneMail();
    assert.equal(server.received[0]!.subject, subject);
    assert.equal(server.received[0]!.text!.trim().length, 100_000);
    assert.ok(Math.max(...said.split("\r\n").map((line) => line.length)) <= 998);
  });
});

describe("letters of other scripts", () => {
  test("in an address reach whoever has it", async () => {
    const { send } = await writing();
    const to = "jörg@bücher.example";

    await send({ to: [`Jörg <${to}>`] });
    await drained();

    const [arrived] = server.received;
    assert.equal(server.received.length, 1);
    assert.match(Buffer.from(said, "latin1").toString(), /^MAIL FROM:<ada@acme\.example> .*SMTPUTF8/m);
    assert.match(Buffer.from(said, "latin1").toString(), /^RCPT TO:<jörg@xn--bcher-kva\.example>/m);
    assert.match(arrived!.recipients[0]!, /^jörg@/);
    assert.equal(arrived!.to![0]!.name, "Jörg");
  });

  describe("where the server takes only ASCII", () => {
    before(async () => {
      await server.close();
      server.offersUtf8 = false;
      await server.open();
    });
    after(async () => {
      await server.close();
      server.offersUtf8 = true;
      await server.open();
    });

    test("in a domain go in the form of ASCII, from and to whomever", async () => {
      const { acme, send } = await writing({ email: "ada@müller.example" });

      const { id } = await send({ to: ["Ann <ann@bücher.example>"], sender: "ada@müller.example" });
      await drained();

      const sent = await acme.get(`/activity/email/${id}/`);
      assert.deepEqual([sent.status, sent.to], ["sent", ["Ann <ann@bücher.example>"]]);
      assert.match(said, /^MAIL FROM:<ada@xn--mller-kva\.example>/m);
      assert.match(said, /^RCPT TO:<ann@xn--bcher-kva\.example>/m);
      assert.match(said, /^[\0-\x7f]*$/);
    });

    test("before the @ keep the mail from them alone, by name, and from no header of the others", async () => {
      const { acme, send } = await writing();

      const { id } = await send({ to: ["jörg@client.example", "ann@client.example"], cc: ["Zoë <zoë@client.example>"] });
      await drained();

      const sent = await acme.get(`/activity/email/${id}/`);
      assert.equal(sent.status, "sent");
      assert.match(
        sent.send_attempts.at(-1).error_message,
        /^Not sent to jörg@client\.example \(.* no address with such letters before the @\), zoë@client\.example/,
      );
      assertOneMail();
      assert.match(said, /^[\0-\x7f]*$/);
    });

    test("before every @ make it an error that says so, and nothing is sent", async () => {
      const { acme, send } = await writing();

      const { id } = await send({ to: ["jörg@client.example"] });
      await drained();

      const lost = await acme.get(`/activity/email/${id}/`);
      assert.equal(lost.status, "error");
      assert.match(lost.send_attempts.at(-1).error_message, /^Not sent to jörg@client\.example \(/);
      assert.doesNotMatch(said, /MAIL FROM/);
    });
  });

  test("that a server does not take keep the mail from nobody else, and who sent it hears of it", async () => {
    const { acme, send } = await writing();
    server.refusesTo.set("jörg@client.example", { code: 553, words: "5.6.7 no such letters here" });

    const { id } = await send({ to: ["ann@client.example", "jörg@client.example"] });
    await drained();

    const sent = await acme.get(`/activity/email/${id}/`);
    assert.equal(sent.status, "sent");
    assert.match(sent.send_attempts[0].error_message, /Not sent to jörg@client\.example \(553/);
    assert.equal(server.to("ann@client.example").length, 1);
  });
});
