import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { selfSigned } from "../../test/support/certificate.ts";
import { folderMarkedAsSent, imapServer, startImapServer } from "../../test/support/imap.ts";
import { lineTo } from "../../test/support/line.ts";
import { inMailbox, type MailboxLogin, type MailboxProblem } from "./imap.ts";
import { publicAddresses } from "./public_address.ts";

const here = publicAddresses(["127.0.0.0/8"]);

async function all<T>(coming: AsyncIterable<T>): Promise<T[]> {
  const those: T[] = [];
  for await (const one of coming) those.push(one);
  return those;
}

const hello = "From: ann@example.com\r\nMessage-ID: <one@example.com>\r\nSubject: Hello\r\n\r\nHello\r\n";

test("what is in a mailbox can be read, and stays unread there", async () => {
  const box = (await imapServer()).mailbox();
  await box.deliver(hello);
  box.deliverAll([hello.replace("one@", "two@")]);

  const found = await inMailbox(here, box.login, async (mailbox) => {
    const { exists } = await mailbox.open("INBOX");
    const messages = await all(mailbox.fetch(await mailbox.above(0), { source: true }));
    return {
      exists,
      texts: messages.map(({ source }) => source!.toString()),
      second: await mailbox.withMessageId("<two@example.com>"),
    };
  });

  assert.deepEqual(found, { exists: 2, texts: [hello, hello.replace("one@", "two@")], second: [2] });
  assert.deepEqual(
    (await box.list()).map(({ flags }) => flags.has("\\Seen")),
    [false, false],
  );
});

test("the folder of sent mail is known by its mark, or by its name in the language of its owner", async () => {
  const server = await imapServer();
  for (const [folder, isFound] of [
    ["Sent", true],
    [folderMarkedAsSent, true],
    ["Gesendete Elemente", true],
    ["Éléments envoyés", true],
    ["Отправленные", true],
    ["送信済み", true],
    ["Sent to clients", false],
  ] as const) {
    const box = server.mailbox();
    await box.makeFolder("Projects");
    await box.makeFolder(folder);
    assert.equal(await inMailbox(here, box.login, (mailbox) => mailbox.sentFolder()), isFound ? folder : null, folder);
  }
});

test("a copy that is kept in a folder is found there by its id, and counts as read", async () => {
  const box = (await imapServer()).mailbox();
  await box.makeFolder("Sent");

  const found = await inMailbox(here, box.login, async (mailbox) => {
    await mailbox.append("Sent", Buffer.from(hello), new Date("2026-01-02T03:04:05Z"));
    await mailbox.open("Sent");
    return [await mailbox.withMessageId("<one@example.com>"), await mailbox.withMessageId("<other@example.com>")];
  });

  assert.deepEqual(found, [[1], []]);
  const [kept] = await box.list("Sent");
  assert.deepEqual([kept!.raw, kept!.flags.has("\\Seen")], [hello, true]);
});

test("a slow line has the time it needs while bytes come over it, and no more than its owner has", async () => {
  const box = (await imapServer()).mailbox();
  const line = await lineTo(box.login.port);
  await box.deliver(`${hello}${"x".repeat(70)}\r\n`.repeat(10_000));
  const readBy = async (goOn?: () => Promise<void>) => {
    line.bytesPerSecond = null;
    return inMailbox(
      here,
      { ...box.login, port: line.port },
      async (mailbox) => {
        await mailbox.open("INBOX");
        line.bytesPerSecond = 1_000_000;
        return all(mailbox.fetch([1], { source: true }));
      },
      { limitMs: 300, goOn },
    ).catch(({ problem }: { problem: MailboxProblem }) => problem);
  };

  let asked = 0;
  const [whole] = (await readBy(async () => void asked++)) as { source: Buffer }[];
  const cut = await readBy();
  const lost = await readBy(async () => Promise.reject(new Error("somebody else's by now")));

  assert.ok(whole!.source.length > 1_000_000);
  assert.ok(asked >= 3, `${asked}`);
  assert.deepEqual([cut, lost], ["timeout", "timeout"]);
});

test("what goes wrong is said in words that its owner can act on", async () => {
  const server = await startImapServer();
  const { login, ...box } = server.mailbox();
  const problemOf = (change: Partial<MailboxLogin>, addresses = here, limitMs = 5000) =>
    inMailbox(addresses, { ...login, ...change }, async () => {}, { limitMs }).then(
      () => assert.fail("it was entered"),
      ({ problem, message }: { problem: MailboxProblem; message: string }) => [problem, message],
    );
  const silent = createServer().listen(0, "127.0.0.1");
  const unknown = createTlsServer(selfSigned).listen(0, "127.0.0.1");
  await Promise.all([once(silent, "listening"), once(unknown, "listening")]);
  const portOf = (one: typeof silent) => (one.address() as AddressInfo).port;

  const refused = await problemOf({ password: "wrong" });
  const mistrusted = await problemOf({ port: portOf(unknown), use_ssl: true });
  const late = await problemOf({ port: portOf(silent) }, here, 200);
  const nowhere = await problemOf({ host: "nobody.invalid" });
  const inside = await problemOf({ port: 993 }, publicAddresses([]));
  await server.stop();
  const gone = await problemOf({});
  await server.start();
  const back = await inMailbox(here, login, async (mailbox) => (await mailbox.open("INBOX")).exists);

  assert.equal(box.password, "secret");
  assert.deepEqual(refused, ["login", "The server refused the user name or the password: Authentication failed."]);
  assert.deepEqual(mistrusted, ["tls", "The server offers no valid encryption: DEPTH_ZERO_SELF_SIGNED_CERT."]);
  assert.deepEqual(late, ["timeout", "The server took too long to answer."]);
  assert.deepEqual([nowhere, inside], Array(2).fill(["address", "The server has no public address."]));
  assert.deepEqual(gone, ["connect", "The server could not be reached: ECONNREFUSED."]);
  assert.equal(back, 0);
  silent.close();
  unknown.close();
  await server.close();
});
