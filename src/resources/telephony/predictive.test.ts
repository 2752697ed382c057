// Predictive dialers, with a server that speaks Twilio's API and follows our instructions.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { withTwoWorkers, withWorker } from "../../../test/support/worker.ts";

const ours = "+12125551234";
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let bob: Workspace;
let leads: any[];

beforeEach(async () => {
  service = await outboundService();
  service.clock.now = new Date(`${new Date().toISOString().slice(0, 10)}T17:00:00Z`);
  twilio = await startTwilio();
  twilio.clock = () => service.clock.now ?? new Date();
  acme = await organization(service);
  bob = await acme.member();
  await acme.put("/credentials/twilio/", twilio.credentials);
  twilio.own(ours);
  await acme.post("/phone_number/", { number: ours, sharing: "group" });
  leads = [];
  for (let i = 0; i < 5; i++)
    leads.push(await acme.lead({ contacts: [{ name: "Carla", phones: [{ phone: `+1212555300${i}` }] }] }));
  await drained();
});
afterEach(() => twilio.close());

const drained = () => withWorker(service, (worker) => worker.drained());
const read = ({ id }: { id: string }) => acme.get(`/activity/call/${id}/`);
const next = (who: Workspace, { id }: { id: string }, body: object = {}): Promise<any> => who.post(`/dialer/${id}/next/`, body);
const online = (who: Workspace) => who.put("/user/availability/", { availability: "online" });
const placed = () =>
  twilio.calls.all.filter(({ parent, from }) => parent === null && from === ours).sort((a, b) => (a.to < b.to ? -1 : 1));
const callTo = async (phone: string) => (await acme.get(`/activity/call/?phone=${encodeURIComponent(phone)}`)).data[0];

async function predictive(body: object = {}): Promise<any> {
  const [number] = (await acme.get("/phone_number/")).data;
  const lead_ids = leads.map(({ id }) => id);
  return acme.post("/dialer/", { type: "predictive", caller_id: number.id, lead_ids, ...body });
}

async function after(ms: number): Promise<void> {
  service.clock.now = new Date(service.clock.now!.getTime() + ms);
  await drained();
}

test("people are called ahead for those who wait, and whoever answers is connected to one of them, who gets their lead", async () => {
  const dialer = await predictive();
  await online(acme);
  await online(bob);
  const waiting = await next(acme, dialer);
  service.clock.now = new Date(service.clock.now!.getTime() + 1000);
  await next(bob, dialer);
  await withTwoWorkers(service, (both) => both.drained());
  const rung = placed();

  const first = await twilio.calls.picksUp(service.url, rung[0]!);
  const again = await twilio.calls.picksUp(service.url, rung[0]!);
  const second = await twilio.calls.picksUp(service.url, rung[1]!);
  const rings = [first.rings, again.rings, second.rings];
  const leg = await first.answeredBy(`client:${acme.userId}`);
  const mine = await next(acme, dialer);
  const [busy] = (await acme.get("/user/availability/")).data.filter((one: any) => one.user_id === acme.userId);
  await twilio.calls.tells(service.url, rung[2]!, "busy");
  await first.hungUp(leg, 31);
  const call = await read({ id: mine.call_id });

  assert.deepEqual(waiting, { done: false, wait_until: new Date(service.clock.now!.getTime() + 1000).toISOString() });
  assert.deepEqual(
    rung.map(({ to }) => to),
    ["+12125553000", "+12125553001", "+12125553002"],
    "one and a half for each of two",
  );
  assert.deepEqual(rings, [[`client:${acme.userId}`], [`client:${acme.userId}`], [`client:${bob.userId}`]]);
  assert.deepEqual([mine.lead_id, mine.phone.phone, mine.remaining], [leads[0].id, "+12125553000", 2]);
  assert.deepEqual(busy.active_calls, [{ id: call.id, lead_id: leads[0].id, method: "predictive" }]);
  assert.deepEqual([call.status, call.duration, call.user_id, call.dialer_id], ["completed", 31, acme.userId, dialer.id]);
  assert.equal((await next(acme, dialer, { entry_id: mine.entry_id, outcome: "Interested" })).done, false);
  assert.equal((await read(call)).outcome, "Interested");
  assert.equal((await callTo("+12125553002")).disposition, "busy");
  assert.deepEqual((await acme.get(`/dialer/${dialer.id}/`)).effective_type, "predictive");
});

test("whoever answers and finds nobody free hears so after two seconds, and is counted as abandoned", async () => {
  const dialer = await predictive({ pacing: 2 });
  await online(acme);
  await next(acme, dialer);
  await drained();
  const [one, two] = placed();

  const first = await twilio.calls.picksUp(service.url, one!);
  const second = await twilio.calls.picksUp(service.url, two!);
  const waits = [];
  for (; second.verbs.some(({ name }) => name === "Redirect"); await second.goesTo(second.verb("Redirect").text))
    waits.push(second.verb("Pause").attributes.length);
  await first.isAfterDial({ DialCallStatus: "no-answer" });

  assert.deepEqual(waits, ["1", "1"]);
  for (const caller of [first, second]) {
    assert.match(caller.verb("Say").text, /nobody is free/);
    assert.deepEqual(
      caller.verbs.map(({ name }) => name),
      ["Say", "Hangup"],
    );
  }
  const { stats } = await acme.get(`/dialer/${dialer.id}/`);
  assert.deepEqual(stats, { by_disposition: { abandoned: 2 } });
  const power = await next(acme, dialer);
  const told = await acme.get(`/dialer/${dialer.id}/`);
  assert.deepEqual([power.lead_id, power.call_id], [leads[2].id, null]);
  assert.equal(told.effective_type, "power");
  assert.match(told.status_details, /100 % of the people .* found nobody there, and 3 % are allowed/);
  await after(31 * 86_400_000);
  await online(acme);
  await next(acme, dialer, { entry_id: power.entry_id });
  assert.deepEqual((await acme.get(`/dialer/${dialer.id}/`)).effective_type, "predictive");
});

test("whoever answers and hangs up while waiting is counted as abandoned at once, and a second ends calling ahead", async () => {
  const dialer = await predictive({ pacing: 2 });
  await online(acme);
  await next(acme, dialer);
  await drained();
  const [taken, waits] = placed();
  await twilio.calls.picksUp(service.url, taken!);
  const caller = await twilio.calls.picksUp(service.url, waits!);

  await twilio.calls.tells(service.url, waits!, "in-progress");
  await twilio.calls.tells(service.url, waits!, "completed");
  await twilio.calls.tells(service.url, taken!, "completed");

  const left = await callTo(waits!.to);
  const rung = await callTo(taken!.to);
  assert.deepEqual([left.status, left.disposition], ["cancel", "abandoned"]);
  assert.match(left.error_message, /hung up before a member was free/);
  assert.deepEqual((await acme.get(`/dialer/${dialer.id}/`)).stats, { by_disposition: { abandoned: 1 } });
  await caller.goesTo(caller.verb("Redirect").text);
  assert.deepEqual(
    caller.verbs.map(({ name }) => name),
    ["Hangup"],
  );
  const warned = await predictive();
  const still = await next(acme, warned);
  assert.equal(rung.status, "created", "a member was rung: whether they talked is looked up");
  await after(4_000);
  assert.equal((await read(rung)).disposition, "abandoned");
  const capped = await predictive();

  assert.deepEqual([still.done, still.lead_id], [false, undefined], "it still calls ahead");
  assert.equal(warned.effective_type, "predictive");
  assert.match(warned.status_details, /100 % of the people .* a single one is allowed .1 answered., but not a second/);
  assert.deepEqual([capped.effective_type, (await acme.get(`/dialer/${dialer.id}/`)).effective_type], ["power", "power"]);
});

test("nobody is called ahead without a member who waits and is online, and nobody who sleeps", async () => {
  const dialer = await predictive({ skip_rules: { local_hours: "14:00-15:00" } });
  const power = await predictive();
  const alone = await next(acme, power);
  await online(acme);
  const asleep = await next(acme, dialer);
  await drained();

  assert.equal(alone.lead_id, leads[0].id, "who is offline calls by themselves");
  assert.deepEqual([asleep.done, asleep.lead_id], [false, undefined]);
  assert.deepEqual(placed(), []);
  await next(acme, power, { entry_id: alone.entry_id });
  await drained();
  assert.deepEqual(
    placed().map(({ to }) => to),
    ["+12125553001"],
  );
});

test("a dialer that is paused dials nobody any more, and calls those later whom it had not reached", async () => {
  const dialer = await predictive();
  await online(acme);
  await next(acme, dialer);
  twilio.mood = { status: 429, code: 20429 };
  await drained();
  await acme.put(`/dialer/${dialer.id}/`, { action: "pause" });
  twilio.mood = null;
  await after(5_000);
  const paused = await acme.get(`/dialer/${dialer.id}/`);
  await acme.put(`/dialer/${dialer.id}/`, { action: "resume" });
  const none = placed().length;
  await next(acme, dialer);
  await drained();

  assert.deepEqual([paused.status, none], ["paused", 0]);
  assert.deepEqual(
    placed().map(({ to }) => to),
    ["+12125553000"],
  );
  const stopped = (await acme.get(`/activity/call/?phone=${encodeURIComponent("+12125553000")}`)).data.at(-1);
  assert.match(stopped.error_message, /stopped before it was placed/);
  assert.equal((await acme.get(`/dialer/${dialer.id}/`)).n_called, 0, "it still rings");
});

test("phones that ring for a dialer stop when it is paused, and who has just answered is still connected", async () => {
  const dialer = await predictive({ pacing: 2 });
  await online(acme);
  await next(acme, dialer);
  await drained();
  const [rings, answered] = placed();
  answered!.status = "in-progress";

  await acme.put(`/dialer/${dialer.id}/`, { action: "pause" });
  await drained();
  const caller = await twilio.calls.picksUp(service.url, answered!);
  await twilio.calls.tells(service.url, rings!, "canceled");

  assert.deepEqual([rings!.status, answered!.status], ["canceled", "in-progress"]);
  assert.deepEqual(caller.rings, [`client:${acme.userId}`]);
  const { status, disposition } = await callTo("+12125553000");
  assert.deepEqual([status, disposition], ["no-answer", "no-answer"]);
});

test("a predictive dialer without a provider or a number works like power, and says why", async () => {
  await online(bob);
  const [number] = (await acme.get("/phone_number/")).data;
  const dialer = await predictive();
  const numberless = await acme.put(`/dialer/${dialer.id}/`, { caller_id: null });

  const plain = await acme.post("/dialer/", { lead_ids: [leads[0].id] });
  const first = await next(acme, numberless);

  assert.deepEqual([dialer.effective_type, dialer.status_details], ["predictive", null], "from its creation on");
  assert.deepEqual([plain.effective_type, plain.status_details], ["power", null]);
  assert.equal(numberless.effective_type, "power");
  assert.match(numberless.status_details, /no number to call from/);
  assert.equal(first.lead_id, leads[0].id);
  assert.match((await acme.get(`/dialer/${dialer.id}/`)).status_details, /no number to call from/);
  await acme.put(`/dialer/${dialer.id}/`, { caller_id: number.id });
  await acme.delete("/credentials/twilio/");
  const late = await acme.post("/dialer/", { type: "predictive", lead_ids: [leads[2].id] });
  assert.equal(late.effective_type, "power");
  assert.match(late.status_details, /no telephony provider/);
  assert.equal((await next(acme, dialer, { entry_id: first.entry_id })).lead_id, leads[1].id);
  assert.match((await acme.get(`/dialer/${dialer.id}/`)).status_details, /no telephony provider/);
});
