// Workers that end while they rent numbers or give them back. In the end each number is rented once, or no longer at all.
import assert from "node:assert/strict";
import { afterEach, before, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../support/given.ts";
import { outboundService } from "../support/outbound.ts";
import type { Service } from "../support/service.ts";
import { startTwilio, type TwilioServer } from "../support/twilio.ts";
import { finishLater } from "../support/worker.ts";
import { startOutbound, type WorkerSettings } from "../support/worker_process.ts";

const numbers = ["+12125551231", "+12125551232", "+12125551233"];
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let ids: string[];

before(async () => {
  service = await outboundService();
});
beforeEach(async () => {
  twilio = await startTwilio();
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  ids = [];
  for (const number of numbers) {
    twilio.forSale.push({ number });
    ids.push((await acme.post("/phone_number/", { number })).id);
  }
});
afterEach(() => {
  service.clock.now = null;
  twilio.close();
});

const start = (more: Partial<WorkerSettings> = {}) => startOutbound(service, more);

const later = (isDone: () => Promise<boolean> | boolean) => finishLater(service, isDone);

const areActive = async () =>
  (await Promise.all(ids.map((id) => acme.get(`/phone_number/${id}/`)))).every(({ status }) => status === "active");

const rented = () => twilio.numbers.map(({ phone_number }) => phone_number).sort();

/** Ends a worker after Twilio has handled its request by this method, and before the response. */
async function killedAt(method: string): Promise<void> {
  const doomed = await start();
  await new Promise<void>((asked) => {
    twilio.onDone = (done) => {
      if (done.method !== method || !done.path.startsWith("IncomingPhoneNumbers")) return;
      doomed.kill("SIGKILL");
      asked();
    };
  });
  assert.equal(await doomed.ended, "SIGKILL");
  twilio.onDone = null;
}

test("a worker that is killed between Twilio's answer and our receipt has no number rented twice", async () => {
  await killedAt("POST");
  await later(areActive);

  assert.deepEqual([rented(), twilio.rents], [numbers, 3]);
});

for (const dies of [{ before: "job.hold" }, { before: "job.done" }, { after: "job.done" }] as const)
  test(`a worker that is killed at ${JSON.stringify(dies)} leaves every number rented once`, async () => {
    const doomed = await start({ dies });
    assert.equal(await doomed.ended, "SIGKILL");
    await later(areActive);

    assert.deepEqual([rented(), twilio.rents], [numbers, 3]);
  });

test("a worker that is killed while it gives numbers back leaves none that is paid for", async () => {
  await later(areActive);
  service.clock.now = null;
  for (const id of ids) await acme.delete(`/phone_number/${id}/`);
  await killedAt("DELETE");
  await later(() => rented().length === 0);

  assert.deepEqual(rented(), []);
});
