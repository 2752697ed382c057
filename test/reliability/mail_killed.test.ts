// Workers that end while they send mail. In the end everybody got each mail once at most, every mail says what became of it, and the
// folder of sent mail has it once.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { mailWork } from "../../src/resources/mail_out/mail_work.ts";
import { between } from "../support/between.ts";
import { organization, type Workspace } from "../support/given.ts";
import { imapServer } from "../support/imap.ts";
import { outboundService } from "../support/outbound.ts";
import { until } from "../support/processes.ts";
import type { Service } from "../support/service.ts";
import { type MailServer, startMailServer } from "../support/smtp.ts";
import { finishLater, withWorker } from "../support/worker.ts";
import { startOutbound, type WorkerProcess, type WorkerSettings } from "../support/worker_process.ts";

let service: Service;
let server: MailServer;
let acme: Workspace;
let ids: string[];

before(async () => {
  service = await outboundService();
  server = await startMailServer();
});
after(() => server?.close());
beforeEach(async () => {
  Object.assign(server, { received: [], beforeReceipt: null });
  acme = await organization(service);
  ids = [];
});
afterEach(() => {
  service.clock.now = null;
});

const start = (more: Partial<WorkerSettings> = {}) => startOutbound(service, more);

const all = ["Mail 0", "Mail 1", "Mail 2", "Mail 3", "Mail 4"];

/** Five mails in the outbox of a member with a mailbox. */
async function fiveMails(account: object = {}): Promise<void> {
  await acme.post("/connected_account/", { email: "ada@acme.example", smtp: server.smtp, ...account });
  const lead_id = (await acme.lead()).id;
  const mail = { lead_id, to: ["ann@client.example"], body_text: "Dear Ann", status: "outbox" };
  for (const subject of all) ids.push((await acme.post("/activity/email/", { ...mail, subject })).id);
}

const later = (isDone = async () => (await states()).every((one) => one === "sent" || one === "error")) =>
  finishLater(service, isDone);

const shown = () => Promise.all(ids.map((id) => acme.get(`/activity/email/${id}/`)));
const states = async () => (await shown()).map((one) => one.status as string);
const got = () => server.received.map(({ subject }) => subject!).sort();

/** What says that it was sent was received once; what says that nobody knows, once at most. */
async function everyMailSaysWhatBecameOfIt(): Promise<void> {
  for (const mail of await shown()) {
    const times = got().filter((subject) => subject === mail.subject).length;
    if (mail.status === "sent") assert.equal(times, 1, mail.subject);
    else {
      assert.ok(times <= 1, `${mail.subject} arrived ${times} times`);
      assert.match(mail.send_attempts.at(-1).error_message, /It may have been sent to ann@client\.example/);
    }
  }
}

test("a worker that is killed before it notes that it begins has every mail sent, once", async () => {
  await fiveMails();
  const doomed = await start({ dies: { before: "job.hold" } });

  assert.equal(await doomed.ended, "SIGKILL");
  await later();

  assert.deepEqual([got(), await states()], [all, all.map(() => "sent")]);
});

for (const [place, dies] of Object.entries({
  "after it has noted that it begins": { after: "job.hold" },
  "after the server's answer and before our receipt": { before: "email.lock_to_send" },
  "after the receipt": { after: "email.lock_to_send" },
}) as [string, NonNullable<WorkerSettings["dies"]>][])
  test(`a worker that is killed ${place} has no mail sent twice, and none forgotten`, async () => {
    await fiveMails();
    const doomed = await start({ dies });

    assert.equal(await doomed.ended, "SIGKILL");
    await later();

    await everyMailSaysWhatBecameOfIt();
  });

test("a worker that was stopped past its claim, and goes on, sends and writes nothing again", async () => {
  await fiveMails();
  const taken: (() => void)[] = [];
  server.beforeReceipt = () => new Promise<void>((go) => taken.push(go));
  const slow = await start();
  await until(() => taken.length === 3);
  slow.kill("SIGSTOP");
  server.beforeReceipt = null;
  await later();
  const before = await shown();
  for (const go of taken) go();
  slow.kill("SIGCONT");
  await slow.stop();

  await everyMailSaysWhatBecameOfIt();
  assert.deepEqual(await shown(), before);
});

test("a mail that the provider has put into the folder of sent mail has left, whatever became of the worker", async () => {
  const box = (await imapServer()).mailbox();
  await box.makeFolder("Sent");
  await fiveMails({ email: box.address, imap: box.login });
  // The provider keeps what it takes, as large ones do.
  server.beforeReceipt = async () => {
    const { messageId, subject } = server.received.at(-1)!;
    await box.deliver(`Message-ID: ${messageId}\r\nSubject: ${subject}\r\n\r\nDear Ann`, { folder: "Sent" });
  };
  const doomed = await start({ dies: { before: "email.lock_to_send" } });

  assert.equal(await doomed.ended, "SIGKILL");
  await later();

  // What was begun and never reached the server is no one's: it says that nobody knows.
  await everyMailSaysWhatBecameOfIt();
  const sent = (await shown()).filter(({ status }) => status === "sent").map(({ subject }) => subject as string);
  assert.ok(got().length > 0);
  assert.deepEqual(sent.sort(), got());
});

for (const [place, dies] of [
  ["in the middle of putting a copy into the folder of sent mail", undefined],
  ["after that, and before it is noted", { before: "job.done" }],
] as const)
  test(`a worker that is killed ${place} has it there once`, async () => {
    const imap = await imapServer();
    const box = imap.mailbox();
    let doomed: WorkerProcess | null = null;
    const wire = await between(imap.port, (said) => dies === undefined && / APPEND /.test(said) && doomed?.kill("SIGKILL"));
    await fiveMails({ email: box.address, imap: { ...box.login, port: wire.port }, enabled_features: ["email_sending"] });
    await withWorker(service, (worker) => worker.drained(), { does: { works: [mailWork] } });

    doomed = await start({ dies });
    assert.equal(await doomed.ended, "SIGKILL");
    const copies = async () => (await box.list("Sent")).map(({ raw }) => /^Subject: (.*)$/im.exec(raw)![1]!.trim()).sort();
    const jobs = () => service.app.db.query(acme.id, { text: "select 1 from job where organization_id = $1", values: [acme.id] });
    await later(async () => (await jobs()).length === 0);

    assert.deepEqual(await copies(), all);
    assert.deepEqual(
      await states(),
      all.map(() => "sent"),
    );
    wire.close();
  });
