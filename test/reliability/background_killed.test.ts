// Workers that end in the middle of their work, where something could be lost or repeated, and stopped for longer than their claim
// lasts. In the end every event has reached every healthy receiver. `npm run chaos` kills them at random.
import assert from "node:assert/strict";
import { afterEach, before, test } from "node:test";
import { claimMs } from "../../src/jobs/job.ts";
import { organization, type Workspace } from "../support/given.ts";
import { outboundService } from "../support/outbound.ts";
import { type Answers, type Receiver, receiver } from "../support/receiver.ts";
import type { Service } from "../support/service.ts";
import { withWorker } from "../support/worker.ts";
import { startWorker, type WorkerSettings } from "../support/worker_process.ts";

let service: Service;
let mailbox: Receiver;
let acme: Workspace;

before(async () => {
  service = await outboundService();
});
afterEach(() => mailbox.close());

/** A worker in its own process that is killed at a certain place. */
const doomed = (dies?: WorkerSettings["dies"]) =>
  startWorker({ databaseUrl: service.databaseUrl, outboundAllowCidrs: ["127.0.0.0/8"], dies });

/** An organization with a receiver for new leads, and five leads. */
async function fiveLeads(answers: Answers = 200): Promise<string[]> {
  service.clock.now = null;
  mailbox = await receiver(answers);
  acme = await organization(service);
  await acme.post("/webhook/", { url: mailbox.url, events: ["lead.created"] });
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push((await acme.lead()).id);
  return ids;
}

/** What another worker does after the killed one's claims have expired. */
async function later(): Promise<void> {
  service.clock.now = new Date(Date.now() + claimMs + 1000);
  await withWorker(service, (worker) => worker.drained());
}

const told = () => [...new Set(mailbox.objects())].sort();
const jobs = () =>
  acme.service.app.db.query(acme.id, { text: "select kind from job where organization_id = $1", values: [acme.id] });
const deliveries = async () => (await acme.get(`/webhook/${(await acme.get("/webhook/")).data[0].id}/delivery/`)).data;

const places: Record<string, NonNullable<WorkerSettings["dies"]>> = {
  "after the claim": { after: "job.claim" },
  "between what a consumer writes and its place": { before: "consumer.move" },
  "after the receiver's 200 and before our receipt": { before: "job.hold" },
  "after the receipt": { after: "job.hold" },
};

for (const [place, dies] of Object.entries(places))
  test(`a worker that is killed ${place} loses nothing`, async () => {
    const ids = await fiveLeads();
    const worker = await doomed(dies);

    assert.equal(await worker.ended, "SIGKILL");
    await later();

    assert.deepEqual(told(), ids.sort());
    assert.deepEqual(await jobs(), []);
    assert.deepEqual(
      (await deliveries()).map((one: any) => one.status),
      Array.from({ length: 5 }, () => "succeeded"),
    );
  });

test("a worker that is killed in the middle of a chunk loses nothing", async () => {
  let count = 0;
  const ids = await fiveLeads((_received, response) => {
    if (++count === 3) worker.kill("SIGKILL");
    else response.writeHead(200).end();
  });
  const worker = await doomed();

  assert.equal(await worker.ended, "SIGKILL");
  mailbox.answers = 200;
  await later();

  assert.deepEqual(told(), ids.sort());
  assert.deepEqual(await jobs(), []);
});

test("a receiver that asked for order gets the changes of a record in theirs, though a worker is killed between two of them", async () => {
  service.clock.now = null;
  const kept: string[] = [];
  mailbox = await receiver(({ body: { event } }, response) => {
    if (kept.length === 2) return worker.kill("SIGKILL");
    kept.push(event.data.description);
    return void response.writeHead(200).end();
  });
  acme = await organization(service);
  await acme.post("/webhook/", { url: mailbox.url, events: ["lead.updated"], ordering: "object" });
  const { id } = await acme.lead();
  for (const description of ["1", "2", "3", "4", "5"]) await acme.put(`/lead/${id}/`, { description });
  const worker = await doomed();

  assert.equal(await worker.ended, "SIGKILL");
  mailbox.answers = ({ body: { event } }, response) => {
    kept.push(event.data.description);
    response.writeHead(200).end();
  };
  await later();

  // What was not noted any more comes once again, before all that follows.
  assert.deepEqual([...new Set(kept)], ["1", "2", "3", "4", "5"]);
  assert.deepEqual(kept.slice(2), kept.slice(2).toSorted());
  assert.deepEqual(await jobs(), []);
});

test("a worker that was stopped past its claim, and goes on, writes nothing", async () => {
  const held: (() => void)[] = [];
  const first = Promise.withResolvers<void>();
  const ids = await fiveLeads((_received, response) => {
    held.push(() => response.writeHead(200).end());
    first.resolve();
  });
  const worker = await doomed();
  await first.promise;

  worker.kill("SIGSTOP");
  mailbox.answers = 200;
  await later();
  const written = await deliveries();
  for (const answer of held) answer();
  worker.kill("SIGCONT");
  await worker.stop();

  assert.equal(written.length, 5);
  assert.deepEqual(await deliveries(), written);
  assert.deepEqual(told(), ids.sort());
});
