// Incoming calls, with a server that speaks Twilio's API and follows our instructions.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import type { TwilioCall } from "../../../test/support/twilio_calls.ts";
import { withWorker } from "../../../test/support/worker.ts";

const [ours, theirs] = ["+12125551234", "+12125559876"];
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let person: any;
let number: any;
let address: (...parts: string[]) => string;

beforeEach(async () => {
  service = await outboundService();
  twilio = await startTwilio();
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  number = await line(acme, ours);
  person = await acme.contact({ phones: [{ phone: theirs, type: "mobile" }] });
  address = await addressesOf(acme);
});
afterEach(() => twilio.close());

/** A number of the account. */
function line(ws: Workspace, number: string, more: object = {}): Promise<any> {
  twilio.own(number);
  return ws.post("/phone_number/", { number, ...more });
}

/** Where the provider reports the organization's calls. */
async function addressesOf(ws: Workspace): Promise<typeof address> {
  const rows = await ws.service.app.db.query(ws.id, {
    text: "select webhook_token from credential where organization_id = $1",
    values: [ws.id],
  });
  return (...parts) => `http://localhost/provider/twilio/${[rows[0]![0], ...parts].join("/")}/`;
}

const rings = (call: Partial<TwilioCall> = {}) => twilio.calls.arrives(service.url, address("call"), call);
const calls = async () => (await acme.get("/activity/call/?_order_by=activity_at")).data;
const events = async (id: string) => (await acme.events(id)).map((one) => one.event);
const online = (who: Workspace) => who.put("/user/availability/", { availability: "online" });
const drained = () => withWorker(service, (worker) => worker.drained());

/** What a worker does after this time. */
async function after(ms: number): Promise<void> {
  service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + ms);
  await drained();
}

test("a call rings the member whose number it is, is noted at whoever calls, and says how long they spoke", async () => {
  await online(acme);

  const caller = await rings();
  // Without a number of ours to show, Twilio shows the caller's.
  assert.ok(!("callerId" in caller.verbs[0]!.attributes));
  const [ringing] = await calls();
  const leg = await caller.answeredBy(`client:${acme.userId}`);
  const [talking] = await calls();
  await caller.hungUp(leg, 42);

  const [call] = await calls();
  assert.deepEqual(
    caller.verbs.map(({ name }) => name),
    ["Hangup"],
  );
  assert.deepEqual([ringing.status, talking.status, call.status], ["created", "in-progress", "completed"]);
  assert.deepEqual(
    [call.direction, call.source, call.call_method, call.duration, call.disposition],
    ["inbound", "Internal", "regular", 42, "answered"],
  );
  assert.deepEqual(
    [call.contact_id, call.lead_id, call.phone, call.local_phone, call.user_id],
    [person.id, person.lead_id, theirs, ours, acme.userId],
  );
  assert.ok(talking.date_answered);
  assert.deepEqual(await events(call.id), [
    "activity.call.created",
    "activity.call.updated",
    "activity.call.answered",
    "activity.call.updated",
    "activity.call.completed",
  ]);
  assert.deepEqual((await acme.get("/task/?_type=missed_call")).data, []);
});

test("what the provider tells twice, and in any order, is noted once", async () => {
  await online(acme);
  const first = await rings();
  const dial = first.verbs;
  const again = await Promise.all([1, 2, 3].map(() => rings({ sid: first.call.sid })));
  const leg = first.legTo(`client:${acme.userId}`);

  Object.assign(leg, { status: "completed", duration: 30 });
  await first.tellOfLeg(leg);
  leg.status = "in-progress";
  await first.tellOfLeg(leg);
  await first.goesTo(address("call", "ended"), { CallStatus: "completed", CallDuration: "33" });
  first.verbs = dial;
  await first.hungUp(leg, 30);

  const all = await calls();
  assert.deepEqual(
    again.map(({ rings }) => rings),
    [1, 2, 3].map(() => [`client:${acme.userId}`]),
  );
  assert.deepEqual(
    all.map((one: any) => [one.status, one.duration]),
    [["completed", 30]],
  );
  assert.equal((await events(all[0].id)).filter((one) => one === "activity.call.completed").length, 1);
});

test("the number of a group rings its members who are online and not in a call, and the phones it goes on to", async () => {
  const [bob, eve, tom, zoe] = await Promise.all([acme.member(), acme.member(), acme.member(), acme.member()]);
  const support = await line(acme, "+12125551000", {
    is_group_number: true,
    participants: [acme.userId, bob.userId, eve.userId, tom.userId],
    phone_numbers: ["+12125552000"],
  });
  for (const one of [bob, eve, tom, zoe]) await online(one);
  await tom.post("/activity/call/", { lead_id: person.lead_id, status: "in-progress" });

  const caller = await rings({ to: support.number });
  const rung = caller.rings.toSorted();
  await caller.answeredBy(`client:${eve.userId}`);

  const [call] = (await acme.get("/activity/call/?direction=inbound")).data.filter((one: any) => one.direction === "inbound");
  assert.deepEqual(rung, ["+12125552000", `client:${bob.userId}`, `client:${eve.userId}`].toSorted());
  assert.deepEqual([call.user_id, call.is_to_group_number, call.status], [eve.userId, true, "in-progress"]);
});

test("nobody answers: the caller can leave a message, and whoever missed the call is told and gets a task", async () => {
  const [owner, bob] = [await acme.member(), await acme.member()];
  await acme.put(`/lead/${person.lead_id}/`, { owner_id: owner.userId });
  const own = await line(bob, "+12125551001");
  await bob.put(`/phone_number/${own.id}/`, { voicemail_greeting_url: "https://example.com/hello.mp3" });
  await online(bob);

  const caller = await rings({ to: own.number });
  await caller.isAfterDial({ DialCallStatus: "no-answer" });

  const [call] = await calls();
  const [task] = (await acme.get("/task/?_type=missed_call")).data;
  assert.deepEqual([call.status, call.disposition, call.user_id], ["no-answer", "no-answer", bob.userId]);
  assert.equal(caller.verb("Play").text, "https://example.com/hello.mp3");
  assert.equal(caller.verb("Record").attributes.maxLength, "180");
  assert.deepEqual([task.assigned_to, task.object_id, task.phone], [bob.userId, call.id, theirs]);
  assert.equal(task.text, `Missed call from ${theirs}`);
  for (const one of [owner, bob]) {
    const [notice] = (await one.get("/notification/?type=missed_call")).data;
    assert.deepEqual([notice.object_id, notice.title], [call.id, `You missed a call from ${theirs}`]);
  }
});

test("while nobody is online a call goes to a message at once", async () => {
  const caller = await rings();

  const [call] = await calls();
  assert.deepEqual(
    caller.verbs.map(({ name }) => name),
    ["Say", "Record", "Hangup"],
  );
  assert.deepEqual([call.status, call.disposition], ["no-answer", "no-answer"]);
  assert.equal((await acme.get("/task/?_type=missed_call")).data[0].assigned_to, acme.userId);
});

test("a phone that a call goes on to rings whoever is online, and takes it by a key where that is wanted", async () => {
  await acme.put(`/phone_number/${number.id}/`, {
    forward_to: "+12125553000",
    forward_to_enabled: true,
    press_1_to_accept: true,
  });

  const caller = await rings();
  const { url = "", statusCallback } = caller.verb("Dial").children[0]!.attributes;
  const phone = await twilio.calls.arrives(service.url, url, { parent: caller.call.sid, to: "+12125553000" });
  const [asked] = await calls();
  await phone.goesTo(phone.verb("Gather").attributes.action!, { Digits: "1" });

  const [taken] = await calls();
  assert.equal(statusCallback, undefined);
  assert.deepEqual([asked.status, taken.status, phone.verbs], ["created", "in-progress", []]);
  await caller.isAfterDial({ DialCallStatus: "completed", DialCallDuration: "12", DialBridged: "true" });
  assert.deepEqual([(await calls())[0].status, (await calls())[0].duration], ["completed", 12]);
});

test("a mailbox that picks up the phone a call goes on to has not answered", async () => {
  await acme.put(`/phone_number/${number.id}/`, {
    forward_to: "+12125553000",
    forward_to_enabled: true,
    press_1_to_accept: true,
  });

  const caller = await rings();
  await caller.isAfterDial({ DialCallStatus: "completed", DialCallDuration: "20", DialBridged: "false" });

  assert.equal((await calls())[0].status, "no-answer");
  assert.equal(caller.verb("Record").name, "Record");
});

test("a call whose end nobody tells us is looked up, and one that the provider forgot is over", async () => {
  await online(acme);
  const [lost, missed, forgotten] = [await rings(), await rings({ from: "+12125559876" }), await rings()];
  const leg = await lost.answeredBy(`client:${acme.userId}`);
  Object.assign(leg, { status: "completed", duration: 77 });
  lost.call.status = missed.call.status = "completed";
  missed.legTo(`client:${acme.userId}`).status = "no-answer";
  twilio.calls.all.splice(twilio.calls.all.indexOf(forgotten.call), 1);

  await after(600_000);

  const all = Object.fromEntries((await calls()).map((one: any) => [one.status, one]));
  assert.deepEqual(Object.keys(all).toSorted(), ["completed", "failed", "no-answer"]);
  assert.equal(all.completed.duration, 77);
});

test("a call whose end nobody tells us and nobody can look up is ended by the clock", async () => {
  await online(acme);
  const caller = await rings();
  await caller.answeredBy(`client:${acme.userId}`);
  const day = new Date(Date.now() + 24 * 3_600_000 + 1000).toISOString();

  await atMoment(service, day, "calls");

  const [call] = await calls();
  assert.deepEqual([call.status, call.duration], ["completed", 0]);
  assert.match(call.error_message, /never said when it ended/);
});

test("whoever hangs up while it rings has been missed", async () => {
  await online(acme);
  const caller = await rings();
  caller.call.status = "completed";

  await caller.goesTo(address("call", "ended"), { CallStatus: "completed", CallDuration: "9" });
  await after(30_000);

  assert.equal((await calls())[0].status, "no-answer");
});

test("a stranger rings like anybody else, is a prospect, and the call comes along when the prospect is converted", async () => {
  await online(acme);
  const caller = await rings({ from: "+12125550001" });
  const leg = await caller.answeredBy(`client:${acme.userId}`);
  await caller.hungUp(leg, 65);

  const [prospect] = (await acme.get("/inbox_prospect/?channel=call")).data;
  assert.deepEqual([prospect.phone, prospect.preview], ["+12125550001", `Called ${ours}`]);
  await (await acme.member()).refused(404, "GET", `/inbox_prospect/${prospect.id}/`);
  assert.deepEqual(await calls(), []);
  const { message } = await acme.post(`/inbox_prospect/${prospect.id}/convert/`, { lead_name: "Newcomer" });
  const [call] = await calls();
  assert.equal(message.id, call.id);
  assert.deepEqual(
    [call.direction, call.status, call.duration, call.phone, call.user_id],
    ["inbound", "completed", 65, "+12125550001", acme.userId],
  );
});

test("a stranger's missed call is told to whose number it is, or whom it rings, once", async () => {
  const [bob, eve] = [await acme.member(), await acme.member()];
  const own = await line(bob, "+12125551001");
  const support = await line(acme, "+12125551000", { is_group_number: true, participants: [bob.userId, eve.userId] });
  await online(eve);

  await rings({ to: own.number, from: "+12125550001" });
  const caller = await rings({ to: support.number, from: "+12125550002" });
  await caller.isAfterDial({ DialCallStatus: "no-answer" });

  const toldTo = async (one: Workspace) =>
    (await one.get("/notification/?type=missed_call")).data.map((notice: any) => notice.title).toSorted();
  const [first, second] = ["+12125550001", "+12125550002"].map((phone) => `You missed a call from ${phone}`);
  assert.deepEqual([await toldTo(bob), await toldTo(eve), await toldTo(acme)], [[first, second], [second], []]);
  for (const one of (await bob.get("/inbox_prospect/?channel=call")).data)
    await bob.post(`/inbox_prospect/${one.id}/convert/`, { lead_name: one.phone });
  assert.deepEqual([await toldTo(bob), await toldTo(eve)], [[first, second], [second]]);
});

test("a stranger who is converted during the call is told of as the call that it became; one who hides is a prospect too", async () => {
  await online(acme);
  const caller = await rings({ from: "+12125550001" });
  const hidden = await rings({ from: "anonymous" });
  const prospects = (await acme.get("/inbox_prospect/?channel=call")).data;
  const known = prospects.find((one: any) => one.phone !== null);
  await acme.post(`/inbox_prospect/${known.id}/convert/`, {});

  await caller.hungUp(await caller.answeredBy(`client:${acme.userId}`), 5);
  await hidden.isAfterDial({ DialCallStatus: "no-answer" });

  const [call] = await calls();
  const unknown = await acme.get(`/inbox_prospect/?channel=call`);
  assert.deepEqual([call.status, call.duration], ["completed", 5]);
  assert.deepEqual(
    unknown.data.map((one: any) => [one.name, one.phone, one.message.status]),
    [["Unknown caller", null, "no-answer"]],
  );
  const made = await acme.post(`/inbox_prospect/${unknown.data[0].id}/convert/`, {});
  assert.deepEqual([made.contact.name, made.contact.phones, made.message.phone], ["Unknown caller", [], null]);
});

test("a number that is not ours any more takes no calls; what another signs, or nobody, changes nothing", async () => {
  await online(acme);
  const gone = await rings({ to: "+12125557777" });
  const caller = await rings();
  const other = await startTwilio();
  const forged = await other.calls.arrives(service.url, address("call"));
  const callback = caller.verb("Dial").attributes.action!;
  const form = { ...caller.form(), DialCallStatus: "completed", DialCallDuration: "5" };
  const { status } = await other.callBack(service.url, callback, form);
  other.close();
  const unsigned = await fetch(service.url + new URL(callback).pathname, { method: "POST", body: new URLSearchParams(form) });

  assert.deepEqual(
    gone.verbs.map(({ name }) => name),
    ["Reject"],
  );
  assert.deepEqual([forged.status, status, unsigned.status], [403, 403, 403]);
  assert.deepEqual(
    (await calls()).map((one: any) => one.status),
    ["created"],
  );
});
