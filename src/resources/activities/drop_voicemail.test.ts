// Messages that members leave in their own calls, with a server that speaks Twilio's API and follows our instructions.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import type { Caller, TwilioCall } from "../../../test/support/twilio_calls.ts";
import { withWorker } from "../../../test/support/worker.ts";

const [ours, theirs] = ["+12125551234", "+12125559876"];
const mp3 = Buffer.concat([Buffer.from("ID3\u0004\0\0\0\0\0\0"), Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(400)]);
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let person: any;

beforeEach(async () => {
  service = await outboundService();
  service.clock.now = new Date(`${new Date().toISOString().slice(0, 10)}T17:00:00Z`);
  twilio = await startTwilio();
  twilio.clock = () => service.clock.now!;
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  twilio.own(ours);
  await acme.post("/phone_number/", { number: ours });
  person = await acme.contact({ phones: [{ phone: theirs }] });
  await acme.put("/user/availability/", { availability: "online" });
  await drained();
});
afterEach(() => twilio.close());

const drained = () => withWorker(service, (worker) => worker.drained());
const later = (ms: number) => {
  service.clock.now = new Date(service.clock.now!.getTime() + ms);
};
const recording = (): Promise<any> =>
  acme.post("/file/", { name: "message.mp3", mime: "audio/mpeg", content_base64: mp3.toString("base64") });
const read = ({ id }: { id: string }): Promise<any> => acme.get(`/activity/call/${id}/`);
const dropIn = ({ id }: { id: string }) => `/activity/call/${id}/voicemail_drop/`;

interface Talking {
  call: any;
  caller: Caller;
  leg: TwilioCall;
}

/** The member has called, and somebody or something there has picked up. */
async function talking(more: object = {}): Promise<Talking> {
  const call = await acme.post("/dialer/call/", { contact_id: person.id, ...more });
  await drained();
  const caller = await twilio.calls.picksUp(service.url, twilio.calls.all.at(-1)!);
  return { call, caller, leg: await caller.answeredBy(theirs) };
}

/** What the phone hears that was taken off the member. */
async function hears(leg: TwilioCall): Promise<string[]> {
  const phone = await twilio.calls.picksUp(service.url, leg);
  return phone.verbs.map(({ name, text }) => (name === "Play" ? text : name));
}

test("a member leaves a recording in their call: they are free at once, the mailbox hears it, and the call says so", async () => {
  const message = await recording();
  const { call, caller, leg } = await talking();
  later(9_000);

  const over = await acme.post(dropIn(call), { file_id: message.id });
  const [{ active_calls }] = (await acme.get("/user/availability/")).data;
  await drained();
  const heard = await hears(leg);
  await caller.isAfterDial({ DialCallStatus: "completed", DialCallDuration: "40", DialBridged: "true" });
  await drained();

  const after = await read(call);
  assert.deepEqual([over.status, over.disposition, over.duration, active_calls], ["completed", "vm-answer", 9, []]);
  assert.deepEqual(heard, [message.share_url, "Hangup"]);
  assert.deepEqual([after.status, after.disposition, after.duration], ["completed", "vm-left", 9]);
  assert.deepEqual(
    (await acme.events(call.id)).map((one) => one.event.replace("activity.call.", "")),
    ["created", "updated", "answered", "updated", "completed", "updated"],
  );
  await acme.refused(400, "POST", dropIn(call), { file_id: message.id }, "status");
});

test("from a dialer the message is the dialer's, unless the member names another", async () => {
  const [usual, other] = [await recording(), await recording()];
  const dialer = await acme.post("/dialer/", { lead_ids: [person.lead_id], voicemail_drop_file_id: usual.id });
  const [first, second] = [await talking({ dialer_id: dialer.id }), await talking({ dialer_id: dialer.id })];

  await acme.post(dropIn(first.call));
  await acme.post(dropIn(second.call), { file_id: other.id });
  await drained();

  assert.deepEqual(
    [await hears(first.leg), await hears(second.leg)].map(([url]) => url),
    [usual.share_url, other.share_url],
  );
});

test("a report that got lost does not keep a member from leaving a message", async () => {
  const message = await recording();
  const call = await acme.post("/dialer/call/", { contact_id: person.id });
  await drained();
  const caller = await twilio.calls.picksUp(service.url, twilio.calls.all.at(-1)!);
  const leg = caller.legTo(theirs);
  leg.status = caller.call.status = "in-progress";
  later(11 * 60_000);
  await drained();

  await acme.post(dropIn(call), { file_id: message.id });
  await drained();

  assert.deepEqual(await hears(leg), [message.share_url, "Hangup"]);
});

test("whoever has hung up meanwhile hears nothing, and the call does not claim that a message was left", async () => {
  const message = await recording();
  const { call, leg } = await talking();

  await acme.post(dropIn(call), { file_id: message.id });
  leg.status = "completed";
  await drained();

  assert.equal((await read(call)).disposition, "vm-answer");
});

test("a message is left only by whoever calls, while they are connected, and only a recording that they see", async () => {
  const message = await recording();
  const words = await acme.post("/file/", { name: "a.txt", mime: "text/plain", content_base64: "SGVsbG8=" });
  const colleague = await acme.member();
  const silent = await acme.memberWith(["view_all_leads"]);
  const stranger = await organization(service);
  const [waiting, logged] = [
    await acme.post("/dialer/call/", { contact_id: person.id }),
    await acme.post("/activity/call/", { contact_id: person.id, status: "in-progress" }),
  ];
  const received = await acme.post("/activity/call/", { contact_id: person.id, direction: "inbound", status: "in-progress" });
  await drained();
  const { call } = await talking();
  const body = { file_id: message.id };

  await colleague.refused(403, "POST", dropIn(call), body);
  await silent.refused(403, "POST", dropIn(call), body);
  await stranger.refused(404, "POST", dropIn(call), body);
  await acme.refused(400, "POST", dropIn(call), {}, "file_id");
  await acme.refused(400, "POST", dropIn(call), { file_id: words.id }, "file_id");
  await acme.refused(400, "POST", dropIn(call), { file_id: "file_nobody" }, "file_id");
  await acme.refused(400, "POST", dropIn(waiting), body, "status");
  await acme.refused(400, "POST", dropIn(logged), body, "source");
  await acme.refused(400, "POST", dropIn(received), body, "direction");
  assert.equal((await read(call)).status, "in-progress");
});
