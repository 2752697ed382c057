// Workers that end, connections that break and servers that change while mail is read: in the end every message is there exactly
// once.
import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../support/given.ts";
import { type ImapServer, startImapServer, type TestMailbox } from "../support/imap.ts";
import { letter } from "../support/letters.ts";
import { lineTo } from "../support/line.ts";
import { until } from "../support/processes.ts";
import { type Service, startService } from "../support/service.ts";
import { finishLater, withWorker } from "../support/worker.ts";
import { startOutbound, startSuccessors, type WorkerProcess, type WorkerSettings } from "../support/worker_process.ts";

const senders = ["ann@killed.example", "bob@killed.example", "cat@killed.example"];

let service: Service;
let server: ImapServer;
let acme: Workspace;
let lead: { id: string };
let box: TestMailbox;
let account: { id: string };
let others: WorkerProcess[] = [];

before(async () => {
  [service, server] = await Promise.all([startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } }), startImapServer()]);
});
beforeEach(async () => {
  service.clock.now = null;
  acme = await organization(service);
  lead = await acme.lead();
  await acme.contact({ lead_id: lead.id, emails: senders.map((email) => ({ email })) });
  box = server.mailbox();
});
afterEach(async () => {
  await Promise.all(others.map((one) => one.stop()));
  others = [];
  await acme.delete(`/connected_account/${account.id}/`);
});
after(async () => {
  await server?.close();
  await service?.close();
});

async function connect(port = server.port): Promise<void> {
  const imap = { ...box.login, port };
  account = await acme.post("/connected_account/", { email: box.address, imap, enabled_features: ["email_syncing"] });
}

const start = (more: Partial<WorkerSettings> = {}) => startOutbound(service, more);

async function later(): Promise<void> {
  others = await startSuccessors(service);
}

const subjects = async (): Promise<string[]> =>
  (await acme.all(`/activity/email/?lead_id=${lead.id}&_fields=subject`)).map((one: any) => one.subject).sort();

function deliver(count: number, more: (n: number) => object = () => ({})): string[] {
  const names = Array.from({ length: count }, (_, n) => `Message ${String(n).padStart(3, "0")}`);
  box.deliverAll(names.map((subject, n) => letter({ from: senders[n % 3]!, to: box.address, subject, ...more(n) })));
  return names;
}

/** All messages are there, each once, and so are their events. */
async function once(names: readonly string[]): Promise<void> {
  await until(async () => (await subjects()).length >= names.length);
  assert.deepEqual(await subjects(), names);
  const events = await acme.all("/event/?event=activity.email.received&_fields=object_id");
  const ids = events.map((one: any) => one.object_id);
  assert.deepEqual([ids.length, new Set(ids).size], [names.length, names.length]);
}

const places: Record<string, NonNullable<WorkerSettings["dies"]>> = {
  "after it fetched messages and before it filed any": { before: "mail_identity.find" },
  "while it files several side by side": { before: "mail_identity.note", nth: 4 },
  "between filing messages and noting that they were read": { before: "mailbox_folder.move" },
  "after that": { after: "mailbox_folder.move" },
  "when all is read": { before: "connected_account.fetched" },
};

for (const [place, dies] of Object.entries(places))
  test(`a worker that is killed ${place} loses nothing, and nothing comes twice`, async () => {
    const names = deliver(6, (n) => ({ attachments: [{ filename: "a.txt", type: "text/plain", content: `Content ${n}` }] }));
    await connect();
    const doomed = await start({ dies });

    assert.equal(await doomed.ended, "SIGKILL");
    await finishLater(service, async () => (await subjects()).length >= names.length);

    await once(names);
  });

test("a worker that was stopped past its claim, and goes on, files nothing again", async () => {
  const line = await lineTo(server.port);
  const names = deliver(40, () => ({ text: "A line of text.\n".repeat(2000) }));
  await connect(line.port);
  line.bytesPerSecond = 400_000;
  const slow = await start();
  await until(async () => (await subjects()).length > 2);
  slow.kill("SIGSTOP");
  line.bytesPerSecond = null;
  await later();
  await until(async () => (await subjects()).length >= names.length);
  slow.kill("SIGCONT");
  await slow.stop();

  await once(names);
});

test("UIDs that change while a mailbox is read, with the worker killed, bring nothing twice", async () => {
  const names = deliver(12);
  await connect();
  const doomed = await start({ dies: { before: "mail_identity.note", nth: 6 } });
  assert.equal(await doomed.ended, "SIGKILL");

  await box.changeUidValidity();
  await finishLater(service, async () => (await subjects()).length >= names.length);

  await once(names);
});

test("UIDs that change under a worker that reads bring nothing twice", async () => {
  const line = await lineTo(server.port);
  const names = deliver(60, () => ({ text: "A line of text.\n".repeat(2000) }));
  await connect(line.port);
  line.bytesPerSecond = 400_000;
  await later();
  await until(async () => (await subjects()).length > 2);

  await box.changeUidValidity();
  line.cut();
  line.bytesPerSecond = null;

  await once(names);
});

/** Does what is due within this many minutes, as on any other day. */
async function passes(minutes: number, failures?: Error[]): Promise<void> {
  service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + minutes * 60_000);
  await withWorker(service, (worker) => worker.drained(), { failures });
}

test("a line that breaks in the middle of every fetch brings all of it in the end, and nobody is alarmed", async () => {
  const line = await lineTo(server.port);
  const names = deliver(12, () => ({ text: "A line of text.\n".repeat(2000) }));
  await connect(line.port);
  line.breaksAfter = 150_000;

  for (let i = 0; i < 12; i++) await passes(15);

  await once(names);
  assert.equal((await acme.get(`/connected_account/${account.id}/`)).receive_status, "ok");
});

test("a large message that never comes whole is there with its beginning, and those behind it are there whole", async () => {
  const line = await lineTo(server.port);
  box.deliverAll([
    letter({ from: "ann@killed.example", subject: "Large", attachments: [film] }),
    letter({ from: "ann@killed.example", subject: "Small" }),
  ]);
  await connect(line.port);
  line.breaksAfter = 1_000_000;

  for (let i = 0; i < 6; i++) await passes(15);

  const [large, small, ...more] = (await acme.get(`/activity/email/?lead_id=${lead.id}`)).data.sort((a: any, b: any) =>
    a.subject < b.subject ? -1 : 1,
  );
  assert.equal(more.length, 0);
  assert.match(large.body_text, /3 MB, and its server did not hand it over in several attempts/);
  assert.deepEqual([small.subject, small.body_text], ["Small", "Hello\n"]);
});

const film = { filename: "film.bin", type: "application/octet-stream", content: Buffer.alloc(2_000_000, 7) };

test("a server that is away for an hour delays mail and loses none; the owner is told once", async () => {
  const names = deliver(3);
  await connect();
  await passes(0);
  await server.stop();
  for (let i = 0; i < 12; i++) await passes(5);
  const state = async () => (await acme.get(`/connected_account/${account.id}/`)).receive_status;
  assert.equal(await state(), "error");

  await server.start();
  box.deliverAll([letter({ from: "ann@killed.example", subject: "Since then" })]);
  await passes(20);

  await once([...names, "Since then"]);
  assert.equal(await state(), "ok");
  const told = (await acme.get("/notification/")).data.filter((one: any) => one.type === "account_error");
  assert.equal(told.length, 1);
});

test("where no more files can be stored mail waits, and comes whole when they can", async () => {
  const names = deliver(3, (n) => ({ attachments: [{ filename: "a.txt", type: "text/plain", content: `Content ${n}` }] }));
  await connect();
  const elsewhere = `${service.filesDir}-away`;
  renameSync(service.filesDir, elsewhere);
  writeFileSync(service.filesDir, "");
  const failures: Error[] = [];
  await passes(0, failures);
  assert.ok(failures.length > 0);
  assert.deepEqual(await subjects(), []);

  rmSync(service.filesDir);
  renameSync(elsewhere, service.filesDir);
  await passes(20);

  await once(names);
  const [first] = (await acme.get(`/activity/email/?lead_id=${lead.id}`)).data;
  assert.deepEqual(
    first.attachments.map((one: any) => one.filename),
    ["a.txt"],
  );
});
