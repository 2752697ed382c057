import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { withWorker } from "../../../test/support/worker.ts";

let service: Service;
let twilio: TwilioServer;
let acme: Workspace;

beforeEach(async () => {
  service = await outboundService();
  service.clock.now = new Date(`${new Date().toISOString().slice(0, 10)}T17:00:00Z`);
  twilio = await startTwilio();
  twilio.clock = () => service.clock.now!;
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
});
afterEach(() => twilio.close());
const drained = () => withWorker(service, (worker) => worker.drained());

const numbers = new Map([
  ["New York", "+12125551234"],
  ["Buffalo", "+17165551234"],
  ["Boston", "+16175551234"],
  ["anywhere", "+18005551234"],
  ["London", "+442079460958"],
  ["Manchester", "+441614960958"],
  ["another's", "+13125551234"],
]);

/** The organization's numbers, by the places they are of. */
async function rented(...places: string[]): Promise<Map<string, any>> {
  const made = new Map<string, any>();
  for (const place of places) {
    const number = numbers.get(place)!;
    twilio.own(number);
    made.set(place, await acme.post("/phone_number/", { number, sharing: "group" }));
  }
  await drained();
  return made;
}

test("a dialer calls from the number nearest to whoever is called, of those that its member may use", async () => {
  const ours = await rented("New York", "Buffalo", "Boston", "anywhere", "London", "Manchester", "another's");
  const bob = await acme.member();
  await acme.put(`/phone_number/${ours.get("another's").id}/`, { participants: [bob.userId] });
  const lead_ids = [(await acme.lead()).id];
  const body = { lead_ids, caller_id: ours.get("Boston").id };
  const local = await acme.post("/dialer/", { ...body, caller_id_mode: "local_presence" });
  const fixed = await acme.post("/dialer/", body);
  const from = async (of: { id: string }, phone: string, who = acme) =>
    (await who.post("/dialer/call/", { dialer_id: of.id, phone, lead_id: lead_ids[0] })).local_phone;
  const near = (phone: string, who?: Workspace) => from(local, phone, who);
  const place = (name: string) => numbers.get(name);

  assert.equal(await near("+17165559999"), place("Buffalo"), "of the same area code");
  assert.equal(await near("+17185559999"), place("New York"), "of the same state");
  assert.equal(await near("+14155559999"), place("Boston"), "of the same country: its own");
  assert.equal(await near("+441614969999"), place("Manchester"));
  assert.equal(await near("+442079469999"), place("London"));
  assert.equal(await near("+4930123456"), place("Boston"), "of no country that they have a number in: its own");
  assert.equal(await near("+13125559999"), place("Boston"), "a group without the member");
  assert.equal(await near("+13125559999", bob), place("another's"));
  assert.equal(await from(fixed, "+17165559999"), place("Boston"));
  const named = { dialer_id: local.id, phone: "+17165559999", from: place("London"), lead_id: lead_ids[0] };
  assert.equal((await acme.post("/dialer/call/", named)).local_phone, place("London"), "whoever names a number calls from it");
  await acme.refused(400, "PUT", `/dialer/${local.id}/`, { caller_id_mode: "random" }, "caller_id_mode");
});

test("people who are called ahead see the number nearest to them", async () => {
  await rented("New York", "London");
  const phones = ["+442079461111", "+12125551111"];
  const lead_ids = [];
  for (const phone of phones) lead_ids.push((await acme.lead({ contacts: [{ name: "Carla", phones: [{ phone }] }] })).id);
  const skip_rules = { local_hours: null };
  const dialer = await acme.post("/dialer/", {
    type: "predictive",
    pacing: 2,
    lead_ids,
    skip_rules,
    caller_id_mode: "local_presence",
  });
  await acme.put("/user/availability/", { availability: "online" });
  await acme.post(`/dialer/${dialer.id}/next/`, {});
  await drained();

  const rung = twilio.calls.all.map(({ from, to }) => [from, to]).sort();

  assert.deepEqual(rung, [
    [numbers.get("New York"), "+12125551111"],
    [numbers.get("London"), "+442079461111"],
  ]);
});
