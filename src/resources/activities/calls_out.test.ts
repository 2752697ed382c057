// Outgoing calls, with a server that speaks Twilio's API and follows our instructions.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { withWorker } from "../../../test/support/worker.ts";

const [ours, theirs] = ["+12125551234", "+12125559876"];
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let person: any;
let number: any;

beforeEach(async () => {
  service = await outboundService();
  twilio = await startTwilio();
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  twilio.own(ours);
  number = await acme.post("/phone_number/", { number: ours });
  person = await acme.contact({ phones: [{ phone: theirs, type: "mobile" }] });
  await acme.put("/user/availability/", { availability: "online" });
});
afterEach(() => twilio.close());

const drained = () => withWorker(service, (worker) => worker.drained());
const read = ({ id }: { id: string }) => acme.get(`/activity/call/${id}/`);
const events = async ({ id }: { id: string }) => (await acme.events(id)).map((one) => one.event.replace("activity.call.", ""));

/** What a worker does when so much time has gone by. */
async function after(ms: number): Promise<void> {
  service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + ms);
  await drained();
}

async function dialled(): Promise<any> {
  const call = await acme.post("/dialer/call/", { contact_id: person.id });
  await drained();
  return call;
}

test("a call rings whoever makes it in their browser, connects them to the other side, and says how long they spoke", async () => {
  const call = await dialled();
  const placed = twilio.calls.all.at(-1)!;

  const caller = await twilio.calls.picksUp(service.url, placed);
  const { attributes } = caller.verb("Dial");
  const { rings } = caller;
  const leg = await caller.answeredBy(theirs);
  const talking = await read(call);
  const [busy] = (await acme.get("/user/availability/")).data;
  await caller.hungUp(leg, 31);
  await twilio.calls.tells(service.url, placed, "completed");
  await after(30_000);

  const ended = await read(call);
  assert.deepEqual([placed.from, placed.to], [ours, `client:${acme.userId}`]);
  assert.deepEqual([rings, attributes.callerId], [[theirs], ours]);
  assert.deepEqual(busy.active_calls, [{ id: call.id, lead_id: person.lead_id, method: "regular" }]);
  assert.deepEqual((await acme.get("/user/availability/")).data[0].active_calls, []);
  assert.deepEqual([call.status, talking.status, ended.status], ["created", "in-progress", "completed"]);
  assert.deepEqual([ended.duration, ended.disposition, ended.user_id], [31, "answered", acme.userId]);
  assert.deepEqual(await events(call), ["created", "updated", "answered", "updated", "completed"]);
  assert.equal(twilio.calls.all.length, 2);
});

test("whoever is offline is rung at the phone that their number goes on to; without one the call waits for a browser", async () => {
  await acme.put("/user/availability/", { availability: "offline" });
  const waiting = await dialled();
  await acme.put(`/phone_number/${number.id}/`, { forward_to: "+12125553000", forward_to_enabled: true });
  await dialled();

  assert.deepEqual(
    twilio.calls.all.map(({ to }) => to),
    ["+12125553000"],
  );
  assert.equal((await read(waiting)).status, "created");
});

for (const [state, status, disposition] of [
  ["busy", "busy", "busy"],
  ["no-answer", "no-answer", "no-answer"],
  ["failed", "failed", "error"],
  ["canceled", "cancel", "abandoned"],
])
  test(`a call that is ${state} on the other side says so, and is nobody's missed call`, async () => {
    const call = await dialled();
    const caller = await twilio.calls.picksUp(service.url, twilio.calls.all.at(-1)!);
    await caller.isAfterDial({ DialCallStatus: state! });
    await caller.goesTo(twilio.calls.all[0]!.url!);

    const ended = await read(call);
    assert.deepEqual([ended.status, ended.disposition, ended.duration], [status, disposition, 0]);
    assert.deepEqual(
      caller.verbs.map(({ name }) => name),
      ["Hangup"],
    );
    assert.deepEqual((await acme.get("/task/?_type=missed_call")).data, []);
  });

test("a call that whoever makes it does not take up reaches nobody", async () => {
  const call = await dialled();

  await twilio.calls.tells(service.url, twilio.calls.all[0]!, "no-answer");
  await twilio.calls.tells(service.url, twilio.calls.all[0]!, "no-answer");

  const ended = await read(call);
  assert.deepEqual([ended.status, ended.disposition], ["cancel", "abandoned"]);
  assert.match(ended.error_message, /did not answer/);
  assert.deepEqual(await events(call), ["created", "updated"]);
});

test("what Twilio refuses is a call that failed, with a reason a person understands", async () => {
  twilio.mood = { status: 400, code: 21215, message: "Geo Permission" };

  const call = await dialled();

  const failed = await read(call);
  assert.deepEqual([failed.status, failed.disposition], ["failed", "error"]);
  assert.match(failed.error_message, /calls to this country are switched off/);
});

test("a call is for the moment: while Twilio is busy it is tried for a minute, and not placed later", async () => {
  twilio.mood = { status: 429, code: 20429 };
  const call = await dialled();
  for (let i = 0; i < 20; i++) await after(5_000);
  const tries = twilio.asked.filter((one) => one === "POST Calls").length;
  twilio.mood = null;
  await after(60_000);

  assert.deepEqual([(await read(call)).status, twilio.calls.all.length], ["failed", 0]);
  assert.match((await read(call)).error_message, /within a minute/);
  assert.ok(tries >= 5 && tries <= 13, `${tries} tries`);
});

test("an answer that got lost leaves one call: it is looked up, or Twilio tells of it first", async () => {
  twilio.mood = ({ method, path }) => (method === "POST" && path === "Calls" ? "deaf" : null);
  const lookedUp = await dialled();
  await after(30_000);
  const told = await dialled();
  const caller = await twilio.calls.picksUp(service.url, twilio.calls.all.at(-1)!);
  await after(30_000);
  const leg = await caller.answeredBy(theirs);
  await caller.hungUp(leg, 8);

  await twilio.calls.tells(service.url, twilio.calls.all[0]!, "busy");

  assert.equal(twilio.calls.all.filter(({ parent }) => parent === null).length, 2);
  assert.deepEqual([(await read(lookedUp)).status, (await read(told)).status], ["cancel", "completed"]);
  assert.equal((await read(told)).duration, 8);
});

test("who may not call, or not from this number, has nobody rung: the call says why", async () => {
  const member = await acme.member();
  await member.put("/user/availability/", { availability: "online" });
  const numberless = await member.post("/dialer/call/", { contact_id: person.id });
  const call = await acme.post("/dialer/call/", { contact_id: person.id });
  await acme.put(`/phone_number/${number.id}/`, { user_id: member.userId });

  await drained();

  assert.match((await read(numberless)).error_message, /no number to call from/);
  assert.match((await read(call)).error_message, /may no longer be used/);
  assert.deepEqual(twilio.calls.all, []);
});

test("forged words about a call change nothing, and neither do those about another call", async () => {
  const call = await dialled();
  const placed = twilio.calls.all[0]!;
  const other = await startTwilio();
  const forged = await other.callBack(service.url, placed.url!, { CallSid: placed.sid, CallStatus: "in-progress" });
  other.close();
  await twilio.callBack(service.url, placed.callback!, { CallSid: "CA_of_another", CallStatus: "busy" });

  assert.equal(forged.status, 403);
  assert.equal((await read(call)).status, "created");
});
