// Calls of dialers that a machine answers, with a server that speaks Twilio's API and follows our instructions.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import type { Caller, TwilioCall } from "../../../test/support/twilio_calls.ts";
import { withWorker } from "../../../test/support/worker.ts";

const [ours, theirs, others] = ["+12125551234", "+12125553000", "+12125553001"];
const mp3 = Buffer.concat([Buffer.from("ID3\u0004\0\0\0\0\0\0"), Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(400)]);
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let lead_ids: string[];

beforeEach(async () => {
  service = await outboundService();
  service.clock.now = new Date(`${new Date().toISOString().slice(0, 10)}T17:00:00Z`);
  twilio = await startTwilio();
  twilio.clock = () => service.clock.now!;
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  twilio.own(ours);
  await acme.post("/phone_number/", { number: ours });
  lead_ids = [];
  for (const phone of [theirs, others])
    lead_ids.push((await acme.lead({ contacts: [{ name: "Carla", phones: [{ phone }] }] })).id);
  await acme.put("/user/availability/", { availability: "online" });
  await drained();
});
afterEach(() => twilio.close());

const drained = () => withWorker(service, (worker) => worker.drained());
const next = ({ id }: { id: string }): Promise<any> => acme.post(`/dialer/${id}/next/`, {});
const callTo = async (phone: string) => (await acme.get(`/activity/call/?phone=${encodeURIComponent(phone)}`)).data[0];
const recording = () => acme.post("/file/", { name: "message.mp3", mime: "audio/mpeg", content_base64: mp3.toString("base64") });
const dialer = (body: object) => acme.post("/dialer/", { lead_ids, ...body });
const later = (ms: number) => {
  service.clock.now = new Date(service.clock.now!.getTime() + ms);
};

/** A member calls from the dialer, and somebody or something there picks up. */
async function connected(of: { id: string }): Promise<{ caller: Caller; leg: TwilioCall }> {
  const { contact_id } = await next(of);
  await acme.post("/dialer/call/", { dialer_id: of.id, contact_id });
  await drained();
  const caller = await twilio.calls.picksUp(service.url, twilio.calls.all.at(-1)!);
  return { caller, leg: await caller.answeredBy(theirs) };
}

/** What a phone hears after it was taken off the member. */
async function hears(leg: TwilioCall): Promise<string[]> {
  const phone = await twilio.calls.picksUp(service.url, leg);
  return phone.verbs.map(({ name, text }) => (name === "Play" ? text : name));
}

test("where a mailbox answers, the dialer's message is left there, and the member is free at once", async () => {
  const message = await recording();
  const of = await dialer({ voicemail_drop_file_id: message.id });
  const { caller, leg } = await connected(of);
  const asked = caller.verb("Dial").children[0]!.attributes;
  later(12_000);

  await caller.isAnsweredBy("machine_end_beep", leg);
  await caller.isAnsweredBy("machine_end_beep", leg);
  const [{ active_calls }] = (await acme.get("/user/availability/")).data;
  const over = await callTo(theirs);
  await drained();
  const heard = [await hears(leg), await hears(leg)];
  await caller.isAfterDial({ DialCallStatus: "completed", DialCallDuration: "40", DialBridged: "true" });
  await drained();

  const call = await callTo(theirs);
  assert.equal(asked.machineDetection, "DetectMessageEnd");
  assert.deepEqual([over.status, over.disposition, over.duration, active_calls], ["completed", "vm-answer", 12, []]);
  assert.deepEqual(heard, [
    [message.share_url, "Hangup"],
    [message.share_url, "Hangup"],
  ]);
  assert.deepEqual([call.status, call.disposition, call.duration], ["completed", "vm-left", 12]);
  assert.deepEqual((await acme.get(`/dialer/${of.id}/`)).stats, { by_disposition: { "vm-left": 1 } });
  assert.equal(twilio.asked.filter((one) => one === `POST Calls/${leg.sid}`).length, 1);
});

test("a person stays connected, and without a message nobody listens who answers", async () => {
  const { caller, leg } = await connected(await dialer({ voicemail_drop_file_id: (await recording()).id }));
  await caller.isAnsweredBy("human", leg);
  await caller.isAnsweredBy("unknown", leg);
  await drained();
  const talking = await callTo(theirs);
  await caller.hungUp(leg, 31);
  await drained();
  const plain = await connected(await dialer({}));

  assert.equal(talking.status, "in-progress");
  assert.deepEqual(
    twilio.asked.filter((one) => one === `POST Calls/${leg.sid}`),
    [],
  );
  assert.deepEqual((await callTo(theirs)).dialer_id === null, false);
  assert.equal(plain.caller.verb("Dial").children[0]!.attributes.machineDetection, undefined);
});

test("a predictive dialer takes machines off its members, leaves them its message, and counts none of them as abandoned", async () => {
  const message = await recording();
  const of = await dialer({ type: "predictive", pacing: 2, voicemail_drop_file_id: message.id });
  await next(of);
  await drained();
  const rung = twilio.calls.all.filter(({ parent }) => parent === null);
  const [first, second] = [await twilio.calls.picksUp(service.url, rung[0]!), await twilio.calls.picksUp(service.url, rung[1]!)];
  // Nobody is free for the second: it waits, is told so, and turns out to be a mailbox.
  while (second.verbs.some(({ name }) => name === "Redirect")) await second.goesTo(second.verb("Redirect").text);
  await first.answeredBy(`client:${acme.userId}`);

  await second.isAnsweredBy("machine_end_other");
  await first.isAnsweredBy("machine_end_silence");
  await drained();
  const heard = [await hears(rung[0]!), await hears(rung[1]!)];
  const again = await next(of);

  assert.deepEqual(
    rung.map(({ detection }) => detection!.mode),
    ["DetectMessageEnd", "DetectMessageEnd"],
  );
  assert.deepEqual(heard, [
    [message.share_url, "Hangup"],
    [message.share_url, "Hangup"],
  ]);
  const shown = await acme.get(`/dialer/${of.id}/`);
  assert.deepEqual([shown.stats, shown.effective_type], [{ by_disposition: { "vm-left": 2 } }, "predictive"]);
  assert.deepEqual(again, { done: true });
});

test("without a message a predictive dialer hangs up on machines as soon as it knows, and tries while Twilio is away", async () => {
  const of = await dialer({ type: "predictive", lead_ids: lead_ids.slice(0, 1) });
  await next(of);
  await drained();
  const [rung] = twilio.calls.all;
  const caller = await twilio.calls.picksUp(service.url, rung!);
  twilio.mood = { status: 503 };

  await caller.isAnsweredBy("machine_start");
  await drained();
  const before = rung!.url;
  twilio.mood = null;
  later(2_000);
  await drained();

  const { status, disposition } = await callTo(theirs);
  assert.equal(rung!.detection!.mode, "Enable");
  assert.notEqual(rung!.url, before);
  assert.deepEqual(await hears(rung!), ["Hangup"]);
  assert.deepEqual([status, disposition], ["no-answer", "vm-answer"]);
});

test("the message is a recording that the caller sees, and somebody else's word about who answers is refused", async () => {
  const text = await acme.post("/file/", { name: "a.txt", mime: "text/plain", content_base64: "SGVsbG8=" });
  const stranger = await organization(service);
  const theirs = await stranger.post("/file/", { name: "m.mp3", mime: "audio/mpeg", content_base64: mp3.toString("base64") });

  await acme.refused(400, "POST", "/dialer/", { voicemail_drop_file_id: text.id }, "voicemail_drop_file_id");
  await acme.refused(400, "POST", "/dialer/", { voicemail_drop_file_id: theirs.id }, "voicemail_drop_file_id");
  const of = await dialer({});
  await acme.refused(400, "PUT", `/dialer/${of.id}/`, { voicemail_drop_file_id: text.id }, "voicemail_drop_file_id");
  const { caller, leg } = await connected(await dialer({ voicemail_drop_file_id: (await recording()).id }));
  const address = caller.verb("Dial").children[0]!.attributes.amdStatusCallback!;
  const forged = await twilio.callBack(
    service.url,
    address,
    { CallSid: leg.sid, AnsweredBy: "machine_end_beep" },
    "f".repeat(32),
  );
  assert.equal(forged.status, 403);
});
