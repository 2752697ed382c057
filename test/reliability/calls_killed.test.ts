// Workers that are killed while they place a call. Each request rings a person at most once, and each call shows its result.
import assert from "node:assert/strict";
import { afterEach, before, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../support/given.ts";
import { outboundService } from "../support/outbound.ts";
import { until } from "../support/processes.ts";
import type { Service } from "../support/service.ts";
import { startTwilio, type TwilioServer } from "../support/twilio.ts";
import { finishLater, withWorker } from "../support/worker.ts";
import { startOutbound, type WorkerSettings } from "../support/worker_process.ts";

let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let call: any;

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
  await acme.put("/user/availability/", { availability: "online" });
  const person = await acme.contact({ phones: [{ phone: "+12125559876" }] });
  call = await acme.post("/dialer/call/", { contact_id: person.id });
});
afterEach(() => {
  service.clock.now = null;
  twilio.close();
});

const start = (more: Partial<WorkerSettings> = {}) => startOutbound(service, more);

const job = async () =>
  (
    await acme.service.app.db.query(acme.id, {
      text: "select state from job where organization_id = $1 and kind = 'call'",
      values: [acme.id],
    })
  )[0];
const providerId = async () =>
  (
    await acme.service.app.db.query(acme.id, {
      text: "select provider_id from activity where organization_id = $1 and id = $2",
      values: [acme.id, call.id],
    })
  )[0]![0];

const later = () =>
  finishLater(
    service,
    async () => (await providerId()) !== null || (await acme.get(`/activity/call/${call.id}/`)).status === "failed",
  );

const places: Record<string, { dies: NonNullable<WorkerSettings["dies"]>; rings: number }> = {
  "before the intent": { dies: { before: "job.hold" }, rings: 0 },
  "after the intent": { dies: { after: "job.hold" }, rings: 0 },
  "after Twilio's answer and before our receipt": { dies: { before: "job.again" }, rings: 1 },
  "after the receipt": { dies: { after: "job.again" }, rings: 1 },
};

for (const [place, { dies, rings }] of Object.entries(places))
  test(`a worker that is killed ${place} rings nobody twice, and the call is known or has failed`, async () => {
    await until(async () => (await job()) !== undefined);
    const doomed = await start({ dies });

    assert.equal(await doomed.ended, "SIGKILL");
    await later();

    const { status, error_message } = await acme.get(`/activity/call/${call.id}/`);
    assert.equal(twilio.calls.all.length, rings);
    assert.deepEqual([status, await providerId()], rings === 1 ? ["created", twilio.calls.all[0]!.sid] : ["failed", null]);
    if (rings === 0) assert.match(error_message, /not placed within a minute/);
  });

test("a worker that is killed while Twilio places a call has it not placed again", async () => {
  const doomed = await start();
  await new Promise<void>((placed) => {
    twilio.calls.onPlaced = () => {
      doomed.kill("SIGKILL");
      placed();
    };
  });

  assert.equal(await doomed.ended, "SIGKILL");
  twilio.calls.onPlaced = null;
  await later();

  assert.deepEqual(
    twilio.calls.all.map(({ sid }) => sid),
    [await providerId()],
  );
});

test("a worker that is killed while it dials ahead has nobody rung twice, and each call is known or has failed", async () => {
  const people = ["+12125559801", "+12125559802", "+12125559803"];
  const leads = [];
  for (const phone of people) leads.push((await acme.lead({ contacts: [{ name: "Carla", phones: [{ phone }] }] })).id);
  const dialer = await acme.post("/dialer/", {
    type: "predictive",
    lead_ids: leads,
    pacing: 3,
    skip_rules: { local_hours: null },
  });
  await acme.post(`/dialer/${dialer.id}/next/`, {});
  const doomed = await start();
  await new Promise<void>((placed) => {
    twilio.calls.onPlaced = ({ to }) => {
      if (!people.includes(to)) return;
      doomed.kill("SIGKILL");
      placed();
    };
  });

  assert.equal(await doomed.ended, "SIGKILL");
  twilio.calls.onPlaced = null;
  await later();
  const known = async () =>
    (
      await acme.service.app.db.query(acme.id, {
        text: `select phone from activity where organization_id = $1 and call_method = 'predictive' and (provider_id is not null or status = 'failed')`,
        values: [acme.id],
      })
    ).length;
  await until(async () => (await known()) === people.length);

  const rung = twilio.calls.all.map(({ to }) => to).filter((to) => people.includes(to));
  assert.ok(rung.length > 0);
  assert.equal(new Set(rung).size, rung.length, rung.join());
});
