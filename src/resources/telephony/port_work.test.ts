// Numbers that come over from another carrier to an account at a server that speaks Twilio's API.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { withWorker } from "../../../test/support/worker.ts";

const [one, two] = ["+12125551234", "+12125551235"];
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;

beforeEach(async () => {
  service = await outboundService();
  twilio = await startTwilio();
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
});
afterEach(() => twilio.close());

const order = (...phone_numbers: string[]) =>
  acme.post("/port/close/", { phone_numbers, authorized_name: "Ada Admin", account_number: "12345" });

/** An hour later, with all that follows. */
async function later(): Promise<void> {
  const moment = new Date((service.clock.now ?? new Date()).getTime() + 3_600_000).toISOString();
  await atMoment(service, moment, "open_ports");
  await withWorker(service, (worker) => worker.drained());
}

test("a port is done when all its numbers are in the account, and says meanwhile how many are", async () => {
  const { id, status_details: wanted } = await order(one, two);
  const states = [];
  for (const arrives of [null, one, two]) {
    if (arrives !== null) twilio.own(arrives);
    await later();
    const { status, status_details, exceptions, completed_at } = await acme.get(`/port/${id}/`);
    states.push([status, status_details, exceptions.length, completed_at !== null]);
  }
  await acme.refused(400, "POST", "/port/close/", { port_id: id }, "port_id");

  assert.deepEqual(states, [
    ["submitted", wanted, 1, false],
    ["in_process", "1 of 2 numbers have come over", 1, false],
    ["ported", null, 0, true],
  ]);
});

test("a number that is being ported is not rented but waited for, and works from the moment it is there", async () => {
  await order(one);
  twilio.forSale.push({ number: one });
  const made = await acme.post("/phone_number/", { number: one });
  const read = () => acme.get(`/phone_number/${made.id}/`);
  await later();
  const waiting = await read();
  twilio.own(one);
  await later();

  const there = await read();
  assert.deepEqual([made.status, waiting.status, there.status], ["porting", "porting", "active"]);
  assert.deepEqual([waiting.was_ported, there.was_ported], [false, true]);
  assert.equal(twilio.rents, 0);
  assert.match(twilio.numbers[0]!.sms_url, /\/message\/$/);
  assert.deepEqual((await acme.get("/notification/?type=account_error")).data, []);
});

test("a number that waits to be rented is waited for once its port is ordered, and rented if that is called off", async () => {
  await acme.delete("/credentials/twilio/");
  const made = await acme.post("/phone_number/", { number: one });
  const port = await order(one);
  const porting = (await acme.get(`/phone_number/${made.id}/`)).status;
  await acme.post("/port/close/", { port_id: port.id });

  assert.deepEqual([porting, (await acme.get(`/phone_number/${made.id}/`)).status], ["porting", "pending"]);
});

test("while Twilio is away, and after a port was ended, nothing changes", async () => {
  const [ended, open] = [await order(one), await order(two)];
  twilio.own(one);
  await acme.post("/port/close/", { port_id: ended.id });
  twilio.mood = { status: 503 };
  twilio.own(two);
  await later();
  const states = [(await acme.get(`/port/${ended.id}/`)).status, (await acme.get(`/port/${open.id}/`)).status];

  assert.deepEqual(states, ["cancelled", "submitted"]);
});
