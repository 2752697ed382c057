// Mailboxes that workers watch by IDLE: a message is on its lead as soon as the server announces it, whichever worker is killed.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { organization, type Workspace } from "../support/given.ts";
import { type ImapServer, startImapServer, type TestMailbox } from "../support/imap.ts";
import { letter } from "../support/letters.ts";
import { lineTo } from "../support/line.ts";
import { outboundService } from "../support/outbound.ts";
import { until } from "../support/processes.ts";
import type { Service } from "../support/service.ts";
import { startWorker, type WorkerProcess, type WorkerSettings } from "../support/worker_process.ts";

let service: Service;
let server: ImapServer;
let workers: WorkerProcess[] = [];

before(async () => {
  [service, server] = await Promise.all([outboundService(), startImapServer()]);
});
afterEach(async () => {
  await Promise.all(workers.map((one) => one.stop()));
  workers = [];
});
after(() => server?.close());

async function start(more: Partial<WorkerSettings> = {}): Promise<WorkerProcess> {
  const worker = await startWorker({ databaseUrl: service.databaseUrl, outboundAllowCidrs: ["127.0.0.0/8"], ...more });
  workers.push(worker);
  return worker;
}

interface Given {
  acme: Workspace;
  box: TestMailbox;
  account: { id: string };
  write(subject: string): Promise<unknown>;
  subjects(): Promise<string[]>;
}

async function given(port = server.port): Promise<Given> {
  const acme = await organization(service);
  const box = server.mailbox();
  const account = await acme.post("/connected_account/", {
    email: box.address,
    imap: { ...box.login, port },
    enabled_features: ["email_syncing"],
  });
  const contact = await acme.contact({ emails: [{ email: "ann@watched.example" }] });
  return {
    acme,
    box,
    account,
    write: (subject) => box.deliver(letter({ from: "ann@watched.example", to: box.address, subject })),
    subjects: async () =>
      (await acme.get(`/activity/email/?lead_id=${contact.lead_id}`)).data.map((one: any) => one.subject).sort(),
  };
}

/** The worker with the lease of a mailbox. */
async function watcherOf({ acme, account }: Pick<Given, "acme" | "account">): Promise<string | null> {
  const [row] = await service.app.db.unscoped({
    text: "select worker from mailbox_watch where organization_id = $1 and account_id = $2",
    values: [acme.id, account.id],
  });
  return row?.[0] ?? null;
}

/** Some worker has its lease, and its job has run once. It runs again in some minutes. */
async function watched(one: Given): Promise<string> {
  await until(
    async () => (await watcherOf(one)) !== null && (await one.acme.get(`/connected_account/${one.account.id}/`)).last_synced_at,
  );
  return (await watcherOf(one))!;
}

test("a message is on its lead as soon as the server tells of it, without anybody looking", async () => {
  const one = await given();
  await start();
  await watched(one);
  await one.write("First");
  await until(async () => (await one.subjects()).length === 1);

  const began = performance.now();
  await one.write("Second");
  await until(async () => (await one.subjects()).length === 2);

  // The next scheduled run is minutes away.
  assert.ok(performance.now() - began < 10_000);
  assert.deepEqual(await one.subjects(), ["First", "Second"]);
});

test("what a killed worker watched another one watches within 90 seconds, and misses nothing", async () => {
  const one = await given();
  const doomed = await start();
  const first = await watched(one);
  doomed.kill("SIGKILL");
  await doomed.ended;
  await one.write("While nobody watched");

  await start({ clock: { at: Date.now() + 61_000, real: Date.now(), rate: 1 } });
  await until(async () => ![null, first].includes(await watcherOf(one)));
  await until(async () => (await one.subjects()).length === 1);
  await one.write("Afterwards");
  await until(async () => (await one.subjects()).length === 2);

  assert.deepEqual(await one.subjects(), ["Afterwards", "While nobody watched"]);
});

test("a worker that is asked to end leaves its mailboxes to others at once", async () => {
  const one = await given();
  const going = await start();
  await watched(one);

  await going.stop();

  assert.equal(await watcherOf(one), null);
  await start();
  await watched(one);
  await one.write("Hello");
  await until(async () => (await one.subjects()).length === 1);
});

test("a connection that breaks is made again, and nothing that came meanwhile is missed", async () => {
  const line = await lineTo(server.port);
  const one = await given(line.port);
  await start();
  await watched(one);
  await one.write("Before");
  await until(async () => (await one.subjects()).length === 1);

  line.cut();
  await one.write("While it was broken");

  // The next scheduled run is minutes away.
  await until(async () => (await one.subjects()).length === 2);
});

test("a login that was refused is not tried again and again", async () => {
  const line = await lineTo(server.port);
  const one = await given(line.port);
  one.box.changePassword("another");

  await start({ clock: { at: Date.now(), real: Date.now(), rate: 20 } });
  const state = async () => (await one.acme.get(`/connected_account/${one.account.id}/`)).receive_status;
  await until(async () => (await state()) === "error");
  const working = await given();
  await watched(working);
  // Minutes by the worker's clock: long after another mailbox was added and read.
  await working.write("Hello");
  await until(async () => (await working.subjects()).length === 1);

  assert.ok(line.connections < 10, `${line.connections} logins`);
});
