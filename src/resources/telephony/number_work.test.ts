// Numbers of the organization, with a server that speaks Twilio's API.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { withWorker } from "../../../test/support/worker.ts";

const [wanted, other, theirs] = ["+12125551234", "+13105551234", "+12125559876"];
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;

beforeEach(async () => {
  service = await outboundService();
  twilio = await startTwilio();
  acme = await organization(service);
});
afterEach(() => twilio.close());

const connect = () => acme.put("/credentials/twilio/", twilio.credentials);
const drained = () => withWorker(service, (worker) => worker.drained());
const read = ({ id }: { id: string }) => acme.get(`/phone_number/${id}/`);

async function later(ms: number): Promise<void> {
  service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + ms);
  await drained();
}

test("numbers to be had are shown with what they can and cost; without a provider there are none", async () => {
  const before = await acme.get("/phone_number/available/");
  await connect();
  twilio.forSale.push({ number: wanted }, { number: other, address: true }, { number: "+18005552125", type: "TollFree" });

  const { data } = await acme.get("/phone_number/available/?country=US&area_code=212&sms=true");
  const tollfree = await acme.get("/phone_number/available/?type=tollfree&contains=5552");

  assert.deepEqual(before.data, []);
  assert.deepEqual(data, [
    {
      phone_number: wanted,
      number: wanted,
      number_formatted: "+1 212-555-1234",
      friendly_name: wanted,
      country: "US",
      region: "NY",
      locality: "New York",
      postal_code: null,
      carrier_type: "local",
      capabilities: { voice: true, sms: true, mms: false },
      monthly_price: 115,
      currency: "USD",
      address_required: false,
    },
  ]);
  assert.deepEqual(
    tollfree.data.map((one: any) => [one.number, one.carrier_type, one.monthly_price]),
    [["+18005552125", "tollfree", null]],
  );
});

test("a member rents a number, and from then on texts to it come in", async () => {
  await connect();
  twilio.forSale.push({ number: wanted });
  const member = await acme.member();
  const person = await acme.contact({ phones: [{ phone: theirs }] });

  const made = await member.post("/phone_number/", { number: "(212) 555-1234" });
  await drained();
  const active = await read(made);
  await twilio.receives(service.url, twilio.numbers[0]!.sms_url, { from: theirs, to: wanted, body: "Hello" });

  assert.deepEqual([made.number, made.status, made.user_id], [wanted, "pending", member.userId]);
  assert.deepEqual([active.status, active.carrier, active.sms_enabled, active.mms_enabled], ["active", "twilio", true, false]);
  const [text] = (await acme.get(`/activity/sms/?lead_id=${person.lead_id}`)).data;
  assert.deepEqual([text.text, text.local_phone, text.user_id], ["Hello", wanted, member.userId]);
});

test("by its country alone a number is picked that can be had", async () => {
  await connect();
  twilio.forSale.push({ number: other, address: true }, { number: wanted }, { number: "+18005552125", type: "TollFree" });

  const made = await acme.post("/phone_number/", { country: "US" });
  const tollfree = await acme.post("/phone_number/", { number: "+18005552125" });
  await drained();

  assert.deepEqual([made.number, made.carrier_type, (await read(made)).status], [wanted, "local", "active"]);
  assert.equal(tollfree.carrier_type, "tollfree", "as the provider says");
});

test("one request rents one number, however often it is sent and whoever else wants one", async () => {
  await connect();
  twilio.forSale.push({ number: wanted }, { number: other });
  const once = () => acme.ask("POST", "/phone_number/", { body: { country: "US" }, headers: { "idempotency-key": "desk" } });

  const [first, again] = [await once(), await once()];
  await drained();

  assert.deepEqual([first.status, again.body.id], [201, first.body.id]);
  assert.deepEqual(
    twilio.numbers.map(({ phone_number }) => phone_number),
    [wanted],
  );
});

test("a number that the account has already is taken over, and stays the account's when it is deleted here", async () => {
  await connect();
  twilio.own(wanted);
  const made = await acme.post("/phone_number/", { number: wanted });
  await drained();
  const [taken] = twilio.numbers.map((one) => ({ ...one }));
  twilio.numbers[0]!.status_callback = "https://elsewhere.example/";
  await acme.delete(`/phone_number/${made.id}/`);
  await drained();

  assert.match(taken!.sms_url, /^http:\/\/localhost\/provider\/twilio\/[\w-]+\/message\/$/);
  assert.match(taken!.voice_url, /\/provider\/twilio\/[\w-]+\/call\/$/);
  assert.match(taken!.status_callback, /\/provider\/twilio\/[\w-]+\/call\/ended\/$/);
  assert.equal(twilio.rents, 0);
  assert.deepEqual(
    twilio.numbers.map(({ friendly_name, sms_url, status_callback }) => [friendly_name, sms_url, status_callback]),
    [["Front desk", "", "https://elsewhere.example/"]],
  );
});

test("a number that was rented here is given back when it is deleted, and not where another workspace rented it", async () => {
  await connect();
  const neighbour = await organization(service);
  await neighbour.put("/credentials/twilio/", twilio.credentials);
  twilio.forSale.push({ number: wanted });
  const made = await acme.post("/phone_number/", { number: wanted });
  await drained();
  const shared = await neighbour.post("/phone_number/", { number: wanted });
  await drained();
  await neighbour.delete(`/phone_number/${shared.id}/`);
  await drained();
  const kept = twilio.numbers.length;
  await acme.delete(`/phone_number/${made.id}/`);
  await drained();

  assert.deepEqual([kept, twilio.numbers.length], [1, 0]);
});

test("a number that is deleted and added again at once stays ours", async () => {
  await connect();
  twilio.forSale.push({ number: wanted });
  const first = await acme.post("/phone_number/", { number: wanted });
  await drained();

  await acme.delete(`/phone_number/${first.id}/`);
  const second = await acme.post("/phone_number/", { number: wanted });
  await drained();

  assert.equal((await read(second)).status, "active");
  assert.deepEqual([twilio.numbers.length, twilio.rents], [1, 1]);
});

test("a number that is deleted while Twilio rents it is given back", async () => {
  await connect();
  twilio.forSale.push({ number: wanted });
  const made = await acme.post("/phone_number/", { number: wanted });
  twilio.mood = ({ method }) => (method === "POST" ? "deaf" : null);
  await drained();
  await acme.delete(`/phone_number/${made.id}/`);
  twilio.mood = null;
  await later(61_000);

  assert.deepEqual([twilio.rents, twilio.numbers], [1, []]);
});

test("what is not to be had is refused at once, and so is what takes an address or money", async () => {
  await connect();
  twilio.forSale.push({ number: other, address: true });
  const status = async (body: object, field: string) =>
    (await acme.refused(400, "POST", "/phone_number/", body, field))["field-errors"].status;

  assert.equal(await status({ number: wanted }, "number"), "error");
  assert.equal(await status({ number: other }, "number"), "needs-more-info");
  assert.equal(await status({ country: "US" }, "country"), "needs-more-info");
  assert.equal(await status({ country: "US", carrier_type: "mobile" }, "country"), "error");
  twilio.mood = { status: 403, code: 20005, message: "Account not active" };
  await acme.refused(402, "POST", "/phone_number/", { number: wanted });
  assert.deepEqual((await acme.get("/phone_number/")).data, []);
});

test("the provider gets no request for a member who may not add a number", async () => {
  await connect();
  const member = await acme.member();
  twilio.forSale.push({ number: wanted });
  const before = twilio.asked.length;

  await member.refused(403, "POST", "/phone_number/", { number: wanted, is_group_number: true });
  await member.refused(403, "POST", "/phone_number/", { number: wanted, user_id: acme.userId });

  assert.equal(twilio.asked.length, before);
});

test("while Twilio is away a number that is named waits, and one that is to be picked is a 503", async () => {
  await connect();
  twilio.close();

  const unpicked = await fetch(`${service.url}/api/v1/phone_number/`, {
    method: "POST",
    headers: { authorization: `Bearer ${acme.key}`, "content-type": "application/json" },
    body: '{"country": "US"}',
  });
  const made = await acme.post("/phone_number/", { number: wanted });
  await drained();
  const waiting = await read(made);
  twilio = await twilio.start();
  twilio.forSale.push({ number: wanted });
  await later(61_000);

  assert.deepEqual([unpicked.status, unpicked.headers.get("retry-after")], [503, "30"]);
  assert.match(waiting.status_details, /could not be reached.*asked again/);
  assert.deepEqual([waiting.status, (await read(made)).status], ["pending", "active"]);
});

test("numbers that wait are rented when a provider is connected", async () => {
  const made = await acme.post("/phone_number/", { number: wanted });
  await drained();
  const before = await read(made);
  twilio.forSale.push({ number: wanted });
  await connect();
  await drained();

  assert.equal(before.status, "pending");
  assert.equal((await read(made)).status, "active");
});

test("another account at Twilio is not made to pay for numbers of the first: they say that they are missing", async () => {
  await connect();
  twilio.forSale.push({ number: wanted });
  const made = await acme.post("/phone_number/", { number: wanted });
  await drained();
  const second = await startTwilio();
  second.forSale.push({ number: wanted });
  await acme.put("/credentials/twilio/", second.credentials);
  await drained();
  const missing = await read(made);
  await connect();
  await drained();

  assert.equal(second.rents, 0);
  assert.match(missing.status_details, /does not have this number/);
  assert.equal((await read(made)).status_details, null);
});

test("a number that Twilio rents without saying so is found, and not rented twice", async () => {
  await connect();
  twilio.forSale.push({ number: wanted });
  const made = await acme.post("/phone_number/", { number: wanted });
  twilio.mood = ({ method }) => (method === "POST" ? "deaf" : null);
  await drained();
  const unsure = await read(made);
  twilio.mood = null;
  await later(61_000);

  assert.match(unsure.status_details, /asked again/);
  assert.deepEqual([(await read(made)).status, (await read(made)).status_details], ["active", null]);
  assert.equal(twilio.rents, 1);
});

test("a number that Twilio refuses shows why, its creator is notified once, and a timer tries it again", async () => {
  const made = await acme.post("/phone_number/", { number: wanted });
  await connect();
  await drained();
  const refused = await read(made);
  await connect();
  await drained();
  twilio.forSale.push({ number: wanted });
  await atMoment(service, new Date(Date.now() + 3_600_000).toISOString(), "pending_numbers");
  await drained();

  assert.deepEqual([refused.status, refused.status_details], ["pending", "is not to be had any more: choose another"]);
  assert.equal((await acme.get("/notification/?type=account_error")).data.length, 1);
  assert.equal((await read(made)).status, "active");
});
