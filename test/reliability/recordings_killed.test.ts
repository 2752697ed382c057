// Workers that are killed while they fetch a voicemail. In the end it is stored once, and deleted at the provider.
import assert from "node:assert/strict";
import { afterEach, before, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../support/given.ts";
import { outboundService } from "../support/outbound.ts";
import type { Service } from "../support/service.ts";
import { startTwilio, type TwilioServer } from "../support/twilio.ts";
import { finishLater, withWorker } from "../support/worker.ts";
import { startOutbound, type WorkerSettings } from "../support/worker_process.ts";

let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let person: any;

before(async () => {
  service = await outboundService();
});
beforeEach(async () => {
  twilio = await startTwilio();
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  twilio.own("+12125551234");
  await acme.post("/phone_number/", { number: "+12125551234" });
  await withWorker(service, (worker) => worker.drained());
  person = await acme.contact({ phones: [{ phone: "+12125559876" }] });
  const caller = await twilio.calls.arrives(service.url, twilio.numbers[0]!.voice_url);
  await caller.recorded(Buffer.from(`ID3${"\0".repeat(7)}sound`), 5);
});
afterEach(() => {
  service.clock.now = null;
  twilio.close();
});

const start = (more: Partial<WorkerSettings> = {}) => startOutbound(service, more);

const waiting = async (): Promise<number> => {
  const found = { text: "select id from call_recording where organization_id = $1", values: [acme.id] };
  return (await service.app.db.query(acme.id, found)).length;
};

const places: Record<string, NonNullable<WorkerSettings["dies"]>> = {
  "before the bytes are a file": { before: "job.hold" },
  "after the bytes are a file": { after: "job.hold" },
  "after Twilio deleted it and before we noted it": { before: "job.done" },
};

for (const [place, dies] of Object.entries(places))
  test(`a worker that is killed ${place} leaves one file, and nothing at Twilio`, async () => {
    const doomed = await start({ dies });

    assert.equal(await doomed.ended, "SIGKILL");
    await finishLater(service, async () => (await waiting()) === 0);

    const [call] = (await acme.get("/activity/call/")).data;
    assert.equal((await acme.get(`/file/?lead_id=${person.lead_id}`)).data.length, 1);
    assert.deepEqual([call.disposition, call.voicemail_duration, twilio.calls.recordings.size], ["vm-left", 5, 0]);
  });
