// Messages on WhatsApp, with a server that speaks Twilio's API.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { type Incoming, startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { withWorker } from "../../../test/support/worker.ts";

const [ours, theirs] = ["+12125551234", "+12125559876"];
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
  twilio.whatsapp.push({ sid: "XE1", sender_id: `whatsapp:${ours}`, callback_url: "" });
  await acme.post("/phone_number/", { number: ours });
  person = await acme.contact({ phones: [{ phone: theirs, type: "mobile" }] });
  await drained();
});
afterEach(() => twilio.close());

const drained = () => withWorker(service, (worker) => worker.drained());
const read = ({ id }: { id: string }) => acme.get(`/activity/channel_message/${id}/`);
const write = (body: object = {}) =>
  acme.post("/activity/channel_message/", {
    contact_id: person.id,
    channel: "whatsapp",
    status: "outbox",
    text: "Hello",
    ...body,
  });
const arrives = (text: Partial<Incoming> = {}) =>
  twilio.receives(service.url, twilio.whatsapp[0]!.callback_url, {
    ...text,
    from: `whatsapp:${text.from ?? theirs}`,
    to: `whatsapp:${ours}`,
  });
const messages = async () => (await acme.get("/activity/channel_message/?_order_by=activity_at")).data;

test("a message leaves from our number to the contact's, and shows that it was delivered and read", async () => {
  const message = await write();
  await drained();
  const states = [(await read(message)).delivery_status];
  for (const state of ["sent", "delivered", "read", "delivered"]) {
    await twilio.tells(service.url, twilio.messages[0]!, state);
    states.push((await read(message)).delivery_status);
  }

  assert.deepEqual(
    twilio.messages.map(({ from, to, body }) => [from, to, body]),
    [[`whatsapp:${ours}`, `whatsapp:${theirs}`, "Hello"]],
  );
  assert.deepEqual(states, ["queued", "sent", "delivered", "read", "read"]);
  assert.equal((await read(message)).status, "sent");
});

test("more than 24 hours after their last message it is an error that says so, whenever Twilio notices", async () => {
  twilio.mood = ({ method }) => (method === "POST" ? { status: 400, code: 63016, message: "outside the allowed window" } : null);
  const refused = await write();
  await drained();
  twilio.mood = null;
  const late = await write();
  await drained();
  await twilio.tells(service.url, twilio.messages[0]!, "undelivered", { ErrorCode: "63016" });

  for (const one of [await read(refused), await read(late)]) {
    assert.equal(one.status, "error");
    assert.match(one.error_message, /more than 24 hours after their last message only an approved template/);
  }
  assert.equal((await acme.get("/notification/?type=message_failed")).data.length, 2);
});

test("what cannot be sent is refused when it is saved", async () => {
  const nobody = await acme.contact({ phones: [] });
  const member = await acme.memberWith(["view_all_leads"]);
  const path = "/activity/channel_message/";
  const body = { contact_id: person.id, channel: "whatsapp", status: "outbox", text: "Hello" };

  await acme.refused(400, "POST", path, { ...body, contact_id: nobody.id }, "remote_phone");
  await acme.refused(400, "POST", path, { ...body, local_phone: "+12125550000" }, "local_phone");
  await member.refused(403, "POST", path, body);
  const draft = await write({ status: "draft", local_phone: "+12125550000", remote_phone: theirs });
  await acme.refused(400, "PUT", `${path}${draft.id}/`, { status: "outbox" }, "local_phone");
  await drained();
  assert.deepEqual(twilio.messages, []);
});

test("on a channel that nothing here sends on, a message is a draft or logged, and is never put into the outbox", async () => {
  const path = "/activity/channel_message/";
  const body = { contact_id: person.id, channel: "linkedin", text: "Hello" };
  const date_scheduled = new Date(Date.now() + 86_400_000).toISOString();
  const draft = await acme.post(path, { ...body, status: "draft" });
  const conversation = await acme.post("/conversation/", { contact_id: person.id, channel: "linkedin" });

  const refused = await acme.refused(400, "POST", path, { ...body, status: "outbox" }, "status");
  await acme.refused(400, "POST", path, { ...body, status: "scheduled", date_scheduled }, "status");
  await acme.refused(400, "PUT", `${path}${draft.id}/`, { status: "outbox" }, "status");
  const message = { type: "channel_message", state: "outbox", body: "Hello" };
  await acme.refused(400, "POST", `/conversation/${conversation.id}/message/`, message, "state");
  const logged = await acme.post(path, body);

  assert.match(JSON.stringify(refused), /nothing here sends on linkedin\. Send it there, and log it as sent/);
  assert.deepEqual([draft.status, logged.status], ["draft", "sent"]);
});

test("an answer is filed with whoever has the number, once, in the conversation, with the name they go by", async () => {
  const first = await arrives({ body: "Hi there", more: { ProfileName: "Ann" } });
  await arrives({ body: "Hi there", sid: first.sid });
  await arrives({ body: "Still there?" });
  const [one, two, ...more] = await messages();

  assert.deepEqual(more, []);
  assert.deepEqual([one.status, one.direction, one.text, one.contact_id], ["inbox", "incoming", "Hi there", person.id]);
  assert.deepEqual([one.local_phone, one.remote_phone, one.remote_handle], [ours, theirs, "Ann"]);
  assert.deepEqual([one.external_message_id, two.conversation_id], [first.sid, one.conversation_id]);
  assert.equal((await acme.get(`/conversation/${one.conversation_id}/`)).channel, "whatsapp");
});

test("places, and kinds of messages that have no text, are not lost", async () => {
  await arrives({ body: "", more: { Latitude: "37.78", Longitude: "-122.39", Label: "Pier 1", Address: "San Francisco" } });
  await arrives({ body: "", more: { MessageType: "reaction" } });
  const statuses = (await messages()).map(({ text }: any) => text);

  assert.deepEqual(statuses, [
    "Location: 37.78, -122.39 (Pier 1, San Francisco)",
    "(a message of a kind that cannot be shown here)",
  ]);
});

test("pictures come along as files, also those of a stranger once they are a lead", async () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  await arrives({ body: "Look", media: [{ type: "image/png", bytes: png }] });
  await arrives({ body: "", from: "+12125550001", media: [{ type: "image/png", bytes: png }] });
  const [prospect] = (await acme.get("/inbox_prospect/?channel=whatsapp")).data;
  const made = await acme.post(`/inbox_prospect/${prospect.id}/convert/`, {});
  await drained();
  const [known] = await messages();
  const stranger = await read({ id: made.message_id });

  for (const one of [known, stranger]) {
    const [picture] = one.attachments;
    assert.deepEqual([picture.content_type, picture.size], ["image/png", png.length]);
    assert.equal((await acme.get(`/file/${picture.file_id}/`)).lead_id, one.lead_id);
  }
  assert.deepEqual([stranger.remote_phone, stranger.local_phone], ["+12125550001", ours]);
});

test("who writes STOP gets no more messages there, and no texts, until they write START", async () => {
  await arrives({ body: "STOP" });
  const message = await write();
  await drained();
  const stopped = await read(message);
  await arrives({ body: "START" });
  await acme.put(`/activity/channel_message/${message.id}/`, { status: "outbox" });
  await drained();

  assert.match(stopped.error_message, /opted out of texts/);
  assert.equal((await read(message)).status, "sent");
});

test("when a number is deleted here its sender on WhatsApp leads here no more", async () => {
  const [number] = (await acme.get("/phone_number/")).data;
  const before = twilio.whatsapp[0]!.callback_url;
  await acme.delete(`/phone_number/${number.id}/`);
  await drained();

  assert.match(before, /\/provider\/twilio\/[\w-]+\/message\/$/);
  assert.equal(twilio.whatsapp[0]!.callback_url, "");
});
