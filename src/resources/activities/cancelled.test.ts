// What waits to reach a contact does not reach them any more when the contact, or their lead, is deleted.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { type MailServer, startMailServer } from "../../../test/support/smtp.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { withWorker } from "../../../test/support/worker.ts";

let service: Service;
let twilio: TwilioServer;
let mail: MailServer;
let acme: Workspace;
let writer: Workspace;

const ours = "+12125551234";
const kinds = ["email", "sms", "channel_message"] as const;

beforeEach(async () => {
  service = await outboundService();
  service.clock.now = null;
  [twilio, mail] = await Promise.all([startTwilio(), startMailServer()]);
  acme = await organization(service);
  writer = await acme.member();
  await acme.put("/credentials/twilio/", twilio.credentials);
  twilio.own(ours);
  await writer.post("/phone_number/", { number: ours });
  await writer.post("/connected_account/", { email: "writer@acme.example", smtp: mail.smtp });
});
afterEach(async () => {
  await twilio.close();
  await mail.close();
});

async function person(): Promise<any> {
  return acme.contact({ emails: [{ email: "carla@client.example" }], phones: [{ phone: "+12125559876", type: "mobile" }] });
}

/** One message of each kind. */
async function written(contact_id: string, body: object): Promise<any[]> {
  const at = { contact_id, ...body };
  return Promise.all([
    writer.post("/activity/email/", { ...at, subject: "Offer", body_text: "Ours" }),
    writer.post("/activity/sms/", { ...at, text: "Hello" }),
    writer.post("/activity/channel_message/", { ...at, channel: "whatsapp", remote_phone: "+12125559876", text: "Hello" }),
  ]);
}

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const scheduled = () => ({ status: "scheduled", date_scheduled: tomorrow() });
const again = (one: any, i: number) => acme.get(`/activity/${kinds[i]}/${one.id}/`);

async function twoDaysLater(): Promise<void> {
  service.clock.now = new Date(Date.now() + 2 * 86_400_000);
  await withWorker(service, (worker) => worker.drained());
}

test("what is scheduled for a contact, or waits in the outbox, is an error that says so when the contact is deleted, and leaves no more", async () => {
  const { id } = await person();
  const waiting = [await written(id, scheduled()), await written(id, { status: "outbox", send_in: 59 })];
  const drafts = await written(id, { status: "draft" });

  await acme.delete(`/contact/${id}/`);
  const after = (await Promise.all(waiting.map((all) => Promise.all(all.map(again))))).flat();
  await twoDaysLater();

  assert.deepEqual(
    after.map(({ status, contact_id }) => [status, contact_id]),
    Array(6).fill(["error", null]),
  );
  for (const { error_message, send_attempts } of after)
    assert.match(error_message ?? send_attempts.at(-1).error_message, /^The contact was deleted before it was sent: .*outbox/);
  assert.deepEqual([mail.received.length, twilio.messages.length], [0, 0]);
  const told = (await writer.get("/notification/?type=message_failed")).data;
  assert.equal(told.length, 6);
  assert.deepEqual(
    (await Promise.all(drafts.map(again))).map(({ status }) => status),
    ["draft", "draft", "draft"],
  );
});

test("it leaves all the same when somebody puts it into the outbox again, and whoever deletes the contact is not told of their own", async () => {
  const { id } = await person();
  const [offer] = await written(id, scheduled());
  await writer.delete(`/contact/${id}/`);

  await writer.put(`/activity/email/${offer.id}/`, { status: "outbox" });
  await withWorker(service, (worker) => worker.drained());

  assert.equal((await again(offer, 0)).status, "sent");
  assert.deepEqual((await writer.get("/notification/?type=message_failed")).data, []);
});

test("an undo brings the contact back, and what had been cancelled as drafts, which somebody sends by hand", async () => {
  const { id } = await person();
  const waiting = await written(id, scheduled());
  const { headers } = await acme.ask("DELETE", `/contact/${id}/`);

  const undone = await acme.post(`/change_set/${headers.get("x-request-id")}/undo/`, {});
  await twoDaysLater();

  assert.equal((await acme.get(`/contact/${id}/`)).id, id);
  const after = await Promise.all(waiting.map(again));
  assert.deepEqual(
    after.map(({ status, contact_id }) => [status, contact_id]),
    Array(3).fill(["draft", id]),
  );
  for (const one of waiting)
    assert.match(undone.not_undone.find(({ object_id }: any) => object_id === one.id).reason, /^status: a draft, because/);
  assert.deepEqual([mail.received.length, twilio.messages.length], [0, 0]);
  await writer.put(`/activity/email/${waiting[0].id}/`, { status: "outbox" });
  await withWorker(service, (worker) => worker.drained());
  assert.equal(mail.received.length, 1);
});

test("an undo of taking a message back sends nothing", async () => {
  const { id } = await person();
  const [offer] = await written(id, scheduled());
  const { headers } = await writer.ask("PUT", `/activity/email/${offer.id}/`, { body: { status: "draft" } });

  const undone = await writer.post(`/change_set/${headers.get("x-request-id")}/undo/`, {});

  assert.match(undone.not_undone[0].reason, /status: a draft, because nothing that comes back is sent by itself/);
  assert.equal((await again(offer, 0)).status, "draft");
});

describe("an e-mail to others that a deleted contact would have got too", () => {
  const dave = "dave@client.example";

  test("goes to the others alone, and says so", async () => {
    const { id, lead_id } = await person();
    const other = await acme.contact({ lead_id, emails: [{ email: dave }] });
    const copies = { to: [dave, "eve@client.example"], cc: ['"Carla" <Carla@client.example>'], bcc: ["carla@client.example"] };
    const offer = await writer.post("/activity/email/", {
      contact_id: other.id,
      ...scheduled(),
      subject: "Offer",
      body_text: "Ours",
      ...copies,
    });

    await acme.delete(`/contact/${id}/`);
    await twoDaysLater();

    const sent = await again(offer, 0);
    assert.deepEqual([sent.status, sent.to, sent.cc, sent.bcc], ["sent", copies.to, [], []]);
    assert.match(
      sent.send_attempts[0].error_message,
      /^Not sent to "Carla" <Carla@.*: the contact was deleted before it was sent$/,
    );
    assert.deepEqual(mail.received[0]!.recipients.sort(), [...copies.to].sort());
    assert.equal((await writer.get("/notification/?type=message_failed")).data.length, 1);
  });

  test("is cancelled where it would go to nobody else", async () => {
    const { id, lead_id } = await person();
    const offer = await writer.post("/activity/email/", {
      lead_id,
      ...scheduled(),
      to: ["carla@client.example"],
      cc: [dave],
      subject: "Offer",
      body_text: "Ours",
    });

    await acme.delete(`/contact/${id}/`);

    const after = await again(offer, 0);
    assert.deepEqual([after.status, after.to], ["error", ["carla@client.example"]]);
    assert.match(after.send_attempts.at(-1).error_message, /^The contact was deleted before it was sent/);
  });

  test("still goes to an address that another contact has", async () => {
    const { id, lead_id } = await person();
    const twin = await acme.contact({ lead_id, emails: [{ email: "carla@client.example" }] });
    const offer = await writer.post("/activity/email/", {
      contact_id: twin.id,
      ...scheduled(),
      to: [dave],
      cc: ["carla@client.example"],
      subject: "Offer",
      body_text: "Ours",
    });

    await acme.delete(`/contact/${id}/`);

    assert.deepEqual((await again(offer, 0)).cc, ["carla@client.example"]);
  });
});

test("with a lead goes whatever waits there, with a merged contact it stays", async () => {
  const [gone, kept, twin] = [await person(), await person(), await person()];
  await written(gone.id, scheduled());
  const moved = await written(twin.id, scheduled());

  await acme.delete(`/lead/${gone.lead_id}/`);
  await acme.post("/contact/merge/", { source: twin.id, destination: kept.id });
  await twoDaysLater();

  assert.deepEqual(
    (await Promise.all(moved.map(again))).map(({ status, contact_id }) => [status, contact_id]),
    Array(3).fill(["sent", kept.id]),
  );
  assert.deepEqual([mail.received.length, twilio.messages.length], [1, 2]);
});

test("a call that is not placed yet rings nobody, and a dialer passes over who is gone", async () => {
  const { id, lead_id } = await person();
  const dialer = await writer.post("/dialer/", { lead_ids: [lead_id] });
  await writer.put("/user/availability/", { availability: "online" });
  const call = await writer.post("/dialer/call/", { contact_id: id });

  await acme.delete(`/contact/${id}/`);
  await withWorker(service, (worker) => worker.drained());

  const after = await acme.get(`/activity/call/${call.id}/`);
  assert.deepEqual([after.status, after.error_message], ["failed", "The contact was deleted before it was placed"]);
  assert.deepEqual([twilio.calls.all.length, (await writer.post(`/dialer/${dialer.id}/next/`, {})).done], [0, true]);
});
