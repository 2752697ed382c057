// Recordings and voicemails, from a server that speaks Twilio's API.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import type { Caller } from "../../../test/support/twilio_calls.ts";
import { withWorker } from "../../../test/support/worker.ts";

const [ours, theirs] = ["+12125551234", "+12125559876"];
const sound = Buffer.from(`ID3${"\0".repeat(7)}some sound`);
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let person: any;

beforeEach(async () => {
  service = await outboundService();
  twilio = await startTwilio();
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  twilio.own(ours);
  await acme.post("/phone_number/", { number: ours });
  person = await acme.contact({ phones: [{ phone: theirs, type: "mobile" }] });
  await drained();
});
afterEach(() => twilio.close());

const drained = () => withWorker(service, (worker) => worker.drained());
const calls = async () => (await acme.get("/activity/call/")).data;
const rings = (from = theirs): Promise<Caller> => twilio.calls.arrives(service.url, twilio.numbers[0]!.voice_url, { from });

/** Retries that are due, for as long as there are any. */
async function triedAgain(failures: Error[]): Promise<void> {
  for (let i = 0; i < 12; i++) {
    service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + 600_000);
    await withWorker(service, (worker) => worker.drained(), { failures });
  }
}

async function heard(url: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(url.replace("http://localhost", service.url))).arrayBuffer());
}

/** A call that is recorded, and over. */
async function recordedCall(): Promise<Caller> {
  const [mine] = (await acme.get(`/membership/?user_id=${acme.userId}`)).data;
  await acme.put(`/membership/${mine.id}/`, { auto_record_calls: "enabled" });
  await acme.put("/user/availability/", { availability: "online" });
  const caller = await rings();
  const leg = await caller.answeredBy(`client:${acme.userId}`);
  const { verbs } = caller;
  await caller.hungUp(leg, 20);
  caller.verbs = verbs;
  return caller;
}

test("a voicemail is a file of the lead, on the call and on the task to call back, and gone at Twilio", async () => {
  const caller = await rings();
  const sid = await caller.recorded(sound, 7);
  await caller.recorded(sound, 7, { RecordingSid: sid });

  await drained();

  const [call] = await calls();
  const [task] = (await acme.get("/task/?_type=missed_call")).data;
  const files = (await acme.get(`/file/?lead_id=${person.lead_id}`)).data;
  assert.deepEqual([call.disposition, call.voicemail_duration, call.has_recording], ["vm-left", 7, false]);
  assert.deepEqual([task.voicemail_url, task.voicemail_duration], [call.voicemail_url, 7]);
  assert.deepEqual(
    files.map((one: any) => [one.mime, one.size, one.contact_id]),
    [["audio/mpeg", sound.length, person.id]],
  );
  assert.equal((await heard(call.voicemail_url)).compare(sound), 0);
  assert.equal(twilio.calls.recordings.has(sid), false);
});

test("a stranger's voicemail becomes a file of the lead when the stranger is converted", async () => {
  const caller = await rings("+12125550001");
  await caller.recorded(sound, 7);
  await drained();
  const [prospect] = (await acme.get("/inbox_prospect/?channel=call")).data;

  const { lead_id, contact_id } = await acme.post(`/inbox_prospect/${prospect.id}/convert/`, { lead_name: "Newcomer" });

  const [call] = await calls();
  const files = (await acme.get(`/file/?lead_id=${lead_id}`)).data;
  assert.deepEqual(
    files.map((one: any) => [one.contact_id, one.share_url]),
    [[contact_id, call.voicemail_url]],
  );
});

test("a call is recorded where its member wants it, and not otherwise", async () => {
  await acme.put("/user/availability/", { availability: "online" });
  const plain = await rings();
  const { attributes } = plain.verb("Dial");
  await plain.isAfterDial({ DialCallStatus: "no-answer" });
  const caller = await recordedCall();
  await caller.recorded(sound, 20);
  await drained();

  const call = (await calls()).find((one: any) => one.status === "completed");
  assert.deepEqual([attributes.record, caller.verb("Dial").attributes.record], [undefined, "record-from-answer-dual"]);
  assert.equal(call.has_recording, true);
  assert.equal((await heard(call.recording_url)).compare(sound), 0);
});

test("a recording is visible to whoever sees the call, and to nobody else", async () => {
  const caller = await rings();
  await caller.recorded(sound, 7);
  await drained();
  const [call] = await calls();
  const stranger = await organization(service);
  const restricted = await acme.memberWith(["calling", "export_data"]);
  const [file] = (await acme.get(`/file/?lead_id=${person.lead_id}`)).data;

  for (const other of [stranger, restricted]) {
    await hidesFile(other, file.id);
    await other.refused(404, "GET", `/activity/call/${call.id}/`);
  }
});

/** By no way that takes a key does this member get to the file, or learn that it exists. */
async function hidesFile(who: Workspace, id: string): Promise<void> {
  for (const path of ["/file/", "/file/?query=voicemail", `/event/?object_id=${id}`])
    assert.deepEqual((await who.get(path)).data, [], path);
  for (const path of [`/file/${id}/`, `/file/${id}/download/`]) await who.refused(404, "GET", path);
  await who.refused(404, "PUT", `/file/${id}/`, { name: "Mine" });
  await who.refused(404, "DELETE", `/file/${id}/`);
}

test("a stranger's voicemail to a member's own number is hidden from everybody else, until it belongs to a lead", async () => {
  const bob = await acme.member("admin");
  const caller = await rings("+12125550001");
  await caller.recorded(sound, 7);
  await drained();
  const [mine] = (await acme.get("/file/")).data;

  await hidesFile(bob, mine.id);
  const [prospect] = (await acme.get("/inbox_prospect/?channel=call")).data;
  await acme.post(`/inbox_prospect/${prospect.id}/convert/`, {});

  assert.deepEqual([mine.private_to, (await bob.get(`/file/${mine.id}/`)).private_to], [acme.userId, null]);
});

test("while Twilio cannot give a recording it is tried again; in the end it stays there, and the call says so", async () => {
  const [late, lost] = [await rings(), await rings()];
  const failures: Error[] = [];
  const sid = await late.recorded(sound, 5);
  const lostSid = await lost.recorded(sound, 5);
  twilio.calls.recordings.clear();
  await withWorker(service, (worker) => worker.drained(), { failures });
  twilio.calls.recordings.set(sid, sound);
  await triedAgain(failures);

  const all = await calls();
  assert.equal(all.filter((one: any) => one.voicemail_url !== null).length, 1);
  assert.match(all.find((one: any) => one.voicemail_url === null).error_message, /still with the provider/);
  assert.ok(failures.length > 2 && failures.length <= 10, `${failures.length} failures`);
  assert.ok(!twilio.calls.recordings.has(lostSid));
});

test("a recording that never ends is not fetched whole", async () => {
  const caller = await rings();
  await caller.recorded(Buffer.alloc(0), 5);

  await drained();

  const [call] = await calls();
  assert.match(call.error_message, /larger than 100 MB/);
  assert.equal(call.voicemail_url, null);
});

test("the voicemail of a stranger comes along when the prospect is converted", async () => {
  const caller = await rings("+12125550001");
  await caller.recorded(sound, 9);
  await drained();
  const [prospect] = (await acme.get("/inbox_prospect/?channel=call")).data;
  await acme.post(`/inbox_prospect/${prospect.id}/convert/`, {});

  const [call] = await calls();
  assert.equal(prospect.message.voicemail_duration, 9);
  assert.deepEqual([call.voicemail_url, call.disposition], [prospect.message.voicemail_url, "vm-left"]);
  assert.equal((await heard(call.voicemail_url)).compare(sound), 0);
});

test("the recording of a call that was deleted is only deleted at Twilio; forged notices fetch nothing", async () => {
  const caller = await rings();
  const [call] = await calls();
  await acme.delete(`/activity/call/${call.id}/`);
  const sid = await caller.recorded(sound, 5);
  await drained();
  const other = await startTwilio();
  const callback = caller.verb("Record").attributes.recordingStatusCallback!;
  const forged = await other.callBack(service.url, callback, { ...caller.form(), RecordingSid: `RE${"0".repeat(32)}` });
  const odd = await twilio.callBack(service.url, callback, { ...caller.form(), RecordingSid: "../Calls" });
  other.close();

  assert.deepEqual([forged.status, odd.status], [403, 200]);
  assert.equal(twilio.calls.recordings.has(sid), false);
  assert.deepEqual((await acme.get(`/file/?lead_id=${person.lead_id}`)).data, []);
  const jobs = await service.app.db.query(acme.id, {
    text: "select kind from job where organization_id = $1 and kind = 'call_recording'",
    values: [acme.id],
  });
  assert.deepEqual(jobs, []);
});
