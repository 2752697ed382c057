// Sending texts, with a server that speaks Twilio's API.
import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { afterEach, beforeEach, test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { signature, startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { website } from "../../../test/support/website.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { createRecord } from "../../records/records.ts";
import { sms } from "./sms.ts";

let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let person: any;

beforeEach(async () => {
  service = await outboundService();
  twilio = await startTwilio();
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  for (const number of ["+12125551234", "+12125551235", "+12125551236"]) twilio.own(number);
  await acme.post("/phone_number/", { number: "+12125551234" });
  person = await acme.contact({ phones: [{ phone: "+12125559876", type: "mobile" }] });
});
afterEach(() => twilio.close());

const write = (body: object = {}) =>
  acme.post("/activity/sms/", { contact_id: person.id, status: "outbox", text: "Hello", ...body });
const read = ({ id }: { id: string }) => acme.get(`/activity/sms/${id}/`);
const drained = () => withWorker(service, (worker) => worker.drained());
const events = async ({ id }: { id: string }) => (await acme.events(id)).map((one) => one.event);

test("a text in the outbox leaves from the number of whoever wrote it, and says so", async () => {
  const text = await write();

  await drained();

  const sent = await read(text);
  assert.deepEqual(
    twilio.messages.map(({ from, to, body }) => [from, to, body]),
    [["+12125551234", "+12125559876", "Hello"]],
  );
  assert.deepEqual([text.status, text.local_phone], ["outbox", "+12125551234"]);
  assert.deepEqual([sent.status, sent.delivery_status, sent.error_message], ["sent", "queued", null]);
  assert.equal(sent.activity_at, sent.date_sent);
  assert.deepEqual(await events(text), ["activity.sms.created", "activity.sms.updated", "activity.sms.sent"]);
});

/** What a worker does after this time. */
async function after(ms: number): Promise<void> {
  service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + ms);
  await drained();
}

const [second, minute, hour] = [1000, 60_000, 3_600_000];

test("what Twilio refuses is an error with a reason a person understands, whoever wrote it is told, and it can be sent again", async () => {
  twilio.mood = { status: 400, code: 21610, message: "Attempt to send to unsubscribed recipient" };
  const text = await write();

  await drained();

  const failed = await read(text);
  assert.deepEqual([failed.status, failed.date_sent], ["error", null]);
  assert.match(failed.error_message, /opted out of texts/);
  assert.deepEqual(await events(text), ["activity.sms.created", "activity.sms.updated", "activity.sms.failed"]);
  assert.equal((await acme.get("/notification/?type=message_failed")).data[0].object_id, text.id);
  twilio.mood = null;
  await acme.put(`/activity/sms/${text.id}/`, { status: "outbox" });
  await drained();
  assert.deepEqual([(await read(text)).status, (await read(text)).error_message], ["sent", null]);
});

test("whether Twilio takes the credentials is shown with them", async () => {
  const shown = async () => {
    const { data } = await acme.get("/credentials/");
    return data.find(({ service: of }: any) => of === "twilio");
  };
  await acme.put("/credentials/twilio/", { ...twilio.credentials, auth_token: "0".repeat(32) });
  await write();
  await drained();
  const wrong = await shown();
  await acme.put("/credentials/twilio/", twilio.credentials);
  await write();
  await drained();
  const right = await shown();

  assert.match(wrong.last_error, /does not accept the organization's credentials/);
  assert.deepEqual([wrong.last_verified_at, right.last_error], [null, null]);
  assert.ok(right.last_verified_at);
});

test("a text of a machine waits until eight in the morning where its recipient is, and one that somebody wrote does not", async () => {
  const tomorrow = new Date(Date.now() + 24 * hour).toISOString().slice(0, 10);
  service.clock.now = new Date(`${tomorrow}T04:00:00Z`);
  await acme.put(`/contact/${person.id}/`, { timezone: "America/Bogota" });
  const values = { contact_id: person.id, status: "outbox", remote_phone: "+12125559876" } as const;
  const ofMachine = { sequence_id: "seq_none", text: "From a sequence" } as object;
  const late = await acme.inside((ctx) => createRecord(ctx, sms, { ...values, ...ofMachine }));
  await write({ text: "From Ada" });
  const sent = () => twilio.messages.map(({ body }) => body);

  await drained();
  const atNight = sent();
  service.clock.now = new Date(`${tomorrow}T12:59:59Z`);
  await drained();
  const justBefore = sent();
  await after(second);

  assert.deepEqual([atNight, justBefore], [["From Ada"], ["From Ada"]]);
  assert.deepEqual(sent(), ["From Ada", "From a sequence"]);
  assert.equal((await read(late)).status, "sent");
});

test("without a provider, a number, or the right to send, a text is an error that says what to do", async () => {
  const bare = await organization(service);
  const member = await acme.member();
  const one = await bare.contact({ phones: [{ phone: "+12125559876" }] });
  const unconnected = await bare.post("/activity/sms/", { contact_id: one.id, status: "outbox", text: "Hello" });
  const numberless = await member.post("/activity/sms/", { contact_id: person.id, status: "outbox", text: "Hello" });
  const own = await member.post("/phone_number/", { number: "+12125551235" });
  const lost = await member.post("/activity/sms/", { contact_id: person.id, status: "outbox", text: "Hello" });
  await acme.put(`/phone_number/${own.id}/`, { user_id: acme.userId });
  const rightless = await acme.memberWith(["view_all_leads", "calling"]);
  await rightless.post("/phone_number/", { number: "+12125551236" });
  const forbidden = await rightless.post("/activity/sms/", { contact_id: person.id, status: "outbox", text: "Hello" });
  const membership = (await acme.get(`/membership/?user_id=${rightless.userId}`)).data[0];
  await acme.put(`/membership/${membership.id}/`, {
    role_id: (await acme.get("/role/?name=Restricted user")).data[0]?.id ?? "user",
  });
  await acme.delete(`/membership/${membership.id}/`);

  await drained();

  assert.match((await bare.get(`/activity/sms/${unconnected.id}/`)).error_message, /no telephony provider is connected/);
  assert.match((await read(numberless)).error_message, /no number to send it from/);
  assert.match((await read(lost)).error_message, /may no longer be used/);
  assert.match((await read(forbidden)).error_message, /no longer a member/);
  assert.deepEqual(twilio.messages, []);
});

test("while the account is past due a text waits and says so, as mail does, and leaves when that is settled", async () => {
  const text = await write();
  const bill = (status: string) =>
    service.app.db.unscopedTransaction(async (tx) =>
      tx.write({ text: "update account set billing_status = $2 where owner_id = $1", values: [acme.userId, status] }),
    );
  await bill("past_due");

  await drained();
  const waiting = await read(text);
  await bill("active");
  await after(hour);

  assert.deepEqual([waiting.status, (await read(text)).status], ["outbox", "sent"]);
  assert.match(waiting.error_message, /past due: its messages wait/);
});

test("only to a number in full can a text leave, so that nobody who opted out gets one under another spelling", async () => {
  const spellings = ["tel:+12125559876", "whatsapp:+12125559876", "0012125559876", "+12125559876x1"];
  for (const remote_phone of spellings) {
    await acme.refused(
      400,
      "POST",
      "/activity/sms/",
      { contact_id: person.id, status: "outbox", text: "Hello", remote_phone },
      "remote_phone",
    );
    const other = await acme.contact({ phones: [{ phone: remote_phone, type: "mobile" }] });
    await acme.refused(400, "POST", "/activity/sms/", { contact_id: other.id, status: "outbox", text: "Hello" }, "remote_phone");
    await acme.refused(
      400,
      "POST",
      "/activity/channel_message/",
      { contact_id: person.id, channel: "whatsapp", status: "outbox", text: "Hello", remote_phone },
      "remote_phone",
    );
  }
  const draft = await write({ status: "draft", remote_phone: spellings[0] });
  await acme.refused(400, "PUT", `/activity/sms/${draft.id}/`, { status: "outbox" }, "remote_phone");
  const spaced = await write({ remote_phone: "+1 (212) 555-9876" });

  await drained();

  assert.equal((await read(spaced)).status, "sent");
  assert.deepEqual(
    twilio.messages.map(({ to }) => to),
    ["+12125559876"],
  );
});

test("by default a text leaves from a number that works, and not from one that may never come", async () => {
  const other = await organization(service);
  const wished = await other.post("/phone_number/", { number: "+12125550000" });
  await other.put("/credentials/twilio/", twilio.credentials);
  await other.post("/phone_number/", { number: "+12125551236" });
  await drained();

  const text = await other.post("/activity/sms/", { contact_id: (await other.contact()).id, status: "draft" });

  assert.equal((await other.get(`/phone_number/${wished.id}/`)).status, "pending");
  assert.equal(text.local_phone, "+12125551236");
});

test("a text leaves when its time has come, and not if it is taken back before", async () => {
  const [later, taken] = [await write({ send_in: 30 }), await write({ send_in: 30 })];

  await drained();
  assert.deepEqual(twilio.messages, []);
  await acme.put(`/activity/sms/${taken.id}/`, { status: "draft" });
  await after(30 * second);

  assert.deepEqual([(await read(later)).status, (await read(taken)).status], ["sent", "draft"]);
  assert.equal(twilio.messages.length, 1);
});

test("while Twilio is away or has too much to do a text waits, ever longer, says why, and leaves when Twilio is back", async () => {
  const text = await write();
  twilio.close();
  await drained();
  const waiting = await read(text);
  twilio = await twilio.start();
  twilio.mood = { status: 429, code: 20429 };
  for (let passed = 0; passed < hour; passed += minute) await after(minute);
  const tries = twilio.asked.filter((one) => one === "POST Messages").length;
  twilio.mood = null;
  await after(hour);

  assert.deepEqual(
    [waiting.status, waiting.error_message],
    ["outbox", "Twilio could not be reached: ECONNREFUSED; it is asked again"],
  );
  assert.ok(tries > 4 && tries < 20, `${tries} tries within an hour`);
  assert.deepEqual([(await read(text)).status, (await read(text)).error_message], ["sent", null]);
  assert.equal(twilio.messages.length, 1);
});

test("where Twilio takes a text and does not answer, it is looked up and not sent again", async () => {
  const text = await write();
  twilio.mood = ({ method }) => (method === "POST" ? "deaf" : null);
  await drained();
  const unknown = await read(text);
  await acme.refused(400, "PUT", `/activity/sms/${text.id}/`, { status: "draft" }, "status");
  await acme.refused(400, "DELETE", `/activity/sms/${text.id}/`, undefined, "status");
  await after(minute);

  assert.equal(unknown.status, "outbox");
  assert.deepEqual(
    twilio.messages.map(({ body }) => body),
    ["Hello"],
  );
  assert.deepEqual([(await read(text)).status, (await read(text)).error_message], ["sent", null]);
});

test("where Twilio has not taken it, it leaves once the answer to that is known", async () => {
  const text = await write();
  twilio.mood = { status: 502 };
  await drained();
  await after(minute);
  assert.equal((await read(text)).status, "outbox");
  twilio.mood = null;
  await after(hour);

  assert.equal((await read(text)).status, "sent");
  assert.equal(twilio.messages.length, 1);
});

test("two texts of the same words to the same person are told apart", async () => {
  const [first, second] = [await write(), await write()];
  twilio.mood = ({ method }) => (method === "POST" ? "deaf" : null);
  await drained();
  await after(minute);

  assert.deepEqual([(await read(first)).status, (await read(second)).status], ["sent", "sent"]);
  assert.equal(twilio.messages.length, 2);
});

test("where nobody can know whether a text was sent, it says so and is not sent again, until Twilio tells", async () => {
  const text = await write();
  twilio.mood = ({ method }) => (method === "POST" ? "deaf" : { status: 503 });
  for (let passed = 0; passed < 73; passed++) await after(hour);
  await atMoment(service, service.clock.now!.toISOString(), "outbox");
  const unsure = await read(text);
  twilio.mood = null;
  await drained();
  const told = await twilio.tells(service.url, twilio.messages[0]!, "delivered");

  assert.equal(unsure.status, "error");
  assert.match(unsure.error_message, /^It may have been sent/);
  assert.equal(twilio.messages.length, 1);
  assert.equal(told.status, 200);
  assert.deepEqual([(await read(text)).status, (await read(text)).delivery_status], ["sent", "delivered"]);
});

test("where what answers is not Twilio, a text is an error within two hours, says where to look, and is not sent by itself", async () => {
  const answers: RequestListener[] = [
    (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>It works!</h1>"),
    (_, response) => response.writeHead(200, { "content-type": "application/json" }).end('{"sid": 7, "messages": "nope"}'),
    (_, response) => response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not here</h1>"),
    (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = () => {
        while (!response.destroyed && response.write(`[${"1,".repeat(100_000)}`));
      };
      response.on("drain", more).on("error", () => {});
      more();
    },
  ];
  for (const answer of answers) {
    const site = await website(answer);
    const text = await write();
    await acme.put("/credentials/twilio/", { ...twilio.credentials, base_url: site.url });
    await drained();
    const [meanwhile, visits] = [await read(text), site.visits];
    for (let passed = 0; passed < 24; passed++) await after(5 * minute);
    const unsure = await read(text);
    await acme.put("/credentials/twilio/", twilio.credentials);
    await after(hour);

    assert.ok(visits > 0);
    assert.deepEqual([meanwhile.status, unsure.status, (await read(text)).status], ["outbox", "error", "error"]);
    assert.match(meanwhile.error_message, /^Twilio answered something that Twilio does not answer: look at base_url/);
    assert.match(
      unsure.error_message,
      /^It may have been sent, because Twilio answered something .* look at base_url of the credentials: ask/,
    );
  }
  assert.equal(twilio.messages.length, 0);
});

test("a text that was begun by an account that is not connected any more is not sent by another", async () => {
  const text = await write();
  twilio.mood = ({ method }) => (method === "POST" ? "deaf" : null);
  await drained();
  const other = await startTwilio();
  await acme.put("/credentials/twilio/", other.credentials);
  await after(minute);

  assert.match((await read(text)).error_message, /^It may have been sent/);
  assert.deepEqual(other.messages, []);
});

test("Twilio tells how a text goes on, in any order and more than once, and it never goes back", async () => {
  const text = await write();
  await drained();
  const message = twilio.messages[0]!;
  for (const state of ["sent", "delivered", "delivered", "sent", "queued"])
    assert.equal((await twilio.tells(service.url, message, state)).status, 200);

  const told = await read(text);
  assert.deepEqual([told.status, told.delivery_status], ["sent", "delivered"]);
  assert.deepEqual((await events(text)).slice(3), ["activity.sms.updated", "activity.sms.updated"]);
});

test("a text that was not delivered is an error with its reason", async () => {
  const text = await write();
  await drained();
  const message = twilio.messages[0]!;
  await twilio.tells(service.url, message, "undelivered", { ErrorCode: "30005" });
  await twilio.tells(service.url, message, "delivered");

  const failed = await read(text);
  assert.deepEqual([failed.status, failed.delivery_status], ["error", "undelivered"]);
  assert.match(failed.error_message, /no such number any more/);
  assert.equal((await acme.get("/notification/?type=message_failed")).data.length, 1);
});

test("what was told of an attempt before is not believed of the next", async () => {
  const text = await write();
  await drained();
  const first = twilio.messages[0]!;
  await twilio.tells(service.url, first, "undelivered", { ErrorCode: "30003" });
  await after(second);
  await acme.put(`/activity/sms/${text.id}/`, { status: "outbox" });
  const early = await twilio.tells(service.url, first, "undelivered", { ErrorCode: "30003" });
  await drained();
  await twilio.tells(service.url, first, "undelivered", { ErrorCode: "30003" });

  assert.equal(early.status, 200);
  assert.deepEqual([(await read(text)).status, (await read(text)).error_message], ["sent", null]);
  assert.equal(twilio.messages.length, 2);
});

test("what Twilio tells before it has answered is believed, and its answer changes nothing", async () => {
  const text = await write();
  twilio.onTaken = async (message) => void (await twilio.tells(service.url, message, "delivered"));
  await drained();

  assert.deepEqual([(await read(text)).status, (await read(text)).delivery_status], ["sent", "delivered"]);
  assert.equal((await events(text)).filter((one) => one.endsWith(".sent")).length, 1);
});

test("what is not signed, signed by another, changed, or for nobody is refused and changes nothing", async () => {
  const text = await write();
  await drained();
  const { statusCallback, sid } = twilio.messages[0]!;
  const form = { MessageSid: sid, MessageStatus: "failed", ErrorCode: "30005" };
  const at = (address: string, token?: string) => twilio.callBack(service.url, address, form, token);
  const unknown = statusCallback!.replace(/twilio\/[^/]+/, `twilio/${"x".repeat(43)}`);
  const elsewhere = await fetch(service.url + new URL(statusCallback!).pathname, {
    method: "POST",
    headers: { "x-twilio-signature": signature(twilio.auth_token, statusCallback!, form) },
    body: new URLSearchParams({ ...form, ErrorCode: "30003" }),
  });

  assert.deepEqual(
    [(await at(statusCallback!, "another token")).status, elsewhere.status, (await at(unknown)).status],
    [403, 403, 404],
  );
  assert.equal((await fetch(service.url + new URL(statusCallback!).pathname)).status, 405);
  assert.equal((await read(text)).status, "sent");
});

test("a text that waits and whose job was lost leaves all the same", async () => {
  const text = await write();
  await acme.inside(async (ctx) => {
    ctx.tx!.write({ text: "delete from job where organization_id = $1 and object_id = $2", values: [acme.id, text.id] });
  });

  await atMoment(service, new Date(Date.now() + 60_000).toISOString(), "waiting_messages");
  await drained();

  assert.equal((await read(text)).status, "sent");
  assert.equal(twilio.messages.length, 1);
});

test("what is attached is fetched by Twilio from links to our files", async () => {
  const bytes = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  Object.assign(twilio.numbers[0]!.capabilities, { mms: true });
  await drained();
  const file = await acme.post("/file/", { name: "map.png", content_base64: bytes.toString("base64"), lead_id: person.lead_id });
  const text = await write({ text: "Our address", attachments: [{ file_id: file.id }] });
  await drained();

  const [link] = twilio.messages[0]!.media;
  const fetched = await fetch(link!.replace("http://localhost", service.url));
  assert.deepEqual([(await read(text)).status, fetched.status, fetched.headers.get("content-type")], ["sent", 200, "image/png"]);
  assert.equal(Buffer.compare(Buffer.from(await fetched.arrayBuffer()), bytes), 0);
});

test("what is attached and gone, or sent from a number that takes texts alone, is an error that says so", async () => {
  await drained();
  const content_base64 = Buffer.from("%PDF-1.4").toString("base64");
  const file = await acme.post("/file/", { name: "a.pdf", content_base64, lead_id: person.lead_id });
  const attachments = [{ file_id: file.id }];
  const plain = await write({ attachments });
  await drained();
  Object.assign(twilio.numbers[0]!.capabilities, { mms: true });
  await acme.put("/credentials/twilio/", twilio.credentials);
  await drained();
  const late = await write({ attachments, send_in: 30 });
  await acme.delete(`/file/${file.id}/`);
  await after(minute);

  assert.match((await read(plain)).error_message, /sends texts without attachments/);
  assert.match((await read(late)).error_message, /no longer exists/);
  assert.deepEqual(twilio.messages, []);
  const many = [...Array(11)].map(() => ({ url: "https://files.example/a.png", content_type: "image/png" }));
  const body = { contact_id: person.id, status: "outbox", text: "Look", attachments: many };
  await acme.refused(400, "POST", "/activity/sms/", body, "attachments");
});

test("a text at a lead that its sender does not see any more stays: they hear only that, and the lead's owner of the text", async () => {
  const [seller, owner] = [await acme.memberWith(["calling"]), await acme.member()];
  await acme.post("/phone_number/", { number: "+12125551235", user_id: seller.userId });
  const own = await seller.contact({ phones: [{ phone: "+12125557777" }] });
  const late = { contact_id: own.id, status: "outbox", text: "Secretly", send_in: 30 };
  const text = await seller.post("/activity/sms/", late);
  await acme.put(`/lead/${own.lead_id}/`, { owner_id: owner.userId });
  await seller.refused(404, "GET", `/activity/sms/${text.id}/`);

  await after(minute);

  const failed = await read(text);
  assert.deepEqual([twilio.messages, failed.status], [[], "error"]);
  assert.match(failed.error_message, /does not see the lead any more/);
  const [told] = (await seller.get("/notification/?type=message_failed")).data;
  assert.match(told.body, /a lead that you do not see any more/);
  assert.doesNotMatch(JSON.stringify(told), new RegExp(`Secretly|${own.lead_id}|${text.id}`));
  assert.equal((await owner.get("/notification/?type=message_failed")).data[0].object_id, text.id);
});
