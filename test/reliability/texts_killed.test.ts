// Workers that end while they send a text. In the end everybody got at most one text for each message, and every message shows
// its result.
import assert from "node:assert/strict";
import { afterEach, before, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../support/given.ts";
import { outboundService } from "../support/outbound.ts";
import { until } from "../support/processes.ts";
import type { Service } from "../support/service.ts";
import { startTwilio, type TwilioServer } from "../support/twilio.ts";
import { finishLater } from "../support/worker.ts";
import { startOutbound, type WorkerSettings } from "../support/worker_process.ts";

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
  twilio.own("+12125551234");
  await acme.post("/phone_number/", { number: "+12125551234" });
  const person = await acme.contact({ phones: [{ phone: "+12125559876" }] });
  ids = [];
  for (let i = 0; i < 5; i++)
    ids.push((await acme.post("/activity/sms/", { contact_id: person.id, status: "outbox", text: `Text ${i}` })).id);
});
afterEach(() => {
  service.clock.now = null;
  twilio.close();
});

const start = (more: Partial<WorkerSettings> = {}) => startOutbound(service, more);

const later = () => finishLater(service, async () => (await states()).every((one) => one === "sent" || one === "error"));

const states = () => Promise.all(ids.map(async (id) => (await acme.get(`/activity/sms/${id}/`)).status as string));
const got = () => twilio.messages.map(({ body }) => body).sort();
const all = ["Text 0", "Text 1", "Text 2", "Text 3", "Text 4"];

const places: Record<string, NonNullable<WorkerSettings["dies"]>> = {
  "before the intent": { before: "job.hold" },
  "after the intent": { after: "job.hold" },
  "after Twilio's answer and before our receipt": { before: "job.done" },
  "after the receipt": { after: "job.done" },
};

for (const [place, dies] of Object.entries(places))
  test(`a worker that is killed ${place} has no text sent twice, and none forgotten`, async () => {
    const doomed = await start({ dies });

    assert.equal(await doomed.ended, "SIGKILL");
    await later();

    assert.deepEqual(got(), all);
    assert.deepEqual(
      await states(),
      all.map(() => "sent"),
    );
  });

test("a worker that is killed while Twilio takes a text has it not sent again", async () => {
  const doomed = await start();
  await new Promise<void>((taken) => {
    twilio.onTaken = () => {
      doomed.kill("SIGKILL");
      taken();
    };
  });

  assert.equal(await doomed.ended, "SIGKILL");
  twilio.onTaken = null;
  await later();

  assert.deepEqual(got(), all);
  assert.deepEqual(
    await states(),
    all.map(() => "sent"),
  );
});

test("a worker that was stopped past its claim, and goes on, neither sends nor writes anything again", async () => {
  const taken: (() => void)[] = [];
  twilio.onTaken = () => new Promise<void>((go) => taken.push(go));
  const slow = await start();
  await until(() => taken.length === 5);
  slow.kill("SIGSTOP");
  twilio.onTaken = null;
  await later();
  for (const go of taken) go();
  slow.kill("SIGCONT");
  await slow.stop();

  assert.deepEqual(got(), all);
  assert.deepEqual(
    await states(),
    all.map(() => "sent"),
  );
  const sent = await Promise.all(
    ids.map(async (id) => (await acme.events(id)).filter((one) => one.event === "activity.sms.sent")),
  );
  assert.deepEqual(
    sent.map((one) => one.length),
    ids.map(() => 1),
  );
});
