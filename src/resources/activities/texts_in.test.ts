// Texts that come in, as a server that speaks Twilio's API tells of them.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { type Incoming, signature, startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { write } from "../../core/context.ts";

const [ours, theirs] = ["+12125551234", "+12125559876"];
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let person: any;
let address: string;

beforeEach(async () => {
  service = await outboundService();
  twilio = await startTwilio();
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  twilio.own(ours);
  await acme.post("/phone_number/", { number: ours });
  person = await acme.contact({ phones: [{ phone: theirs, type: "mobile" }] });
  address = await addressOf(acme);
});
afterEach(() => twilio.close());

/** Where the organization's texts are reported. */
async function addressOf(ws: Workspace): Promise<string> {
  const { app } = ws.service;
  const rows = await app.db.query(ws.id, {
    text: "select webhook_token from credential where organization_id = $1",
    values: [ws.id],
  });
  return `http://localhost/provider/twilio/${rows[0]![0]}/message/`;
}

const arrives = (text: Partial<Incoming> = {}) => twilio.receives(service.url, address, text);
const texts = async () => (await acme.get("/activity/sms/?_order_by=activity_at")).data;
const drained = () => withWorker(service, (worker) => worker.drained());

async function sends(text: string): Promise<any> {
  const { id } = await acme.post("/activity/sms/", { contact_id: person.id, status: "outbox", text });
  await drained();
  return acme.get(`/activity/sms/${id}/`);
}

test("a text is with whoever has the number, in a conversation that is unread, and its owner is told", async () => {
  const member = await acme.member();
  await acme.put(`/lead/${person.lead_id}/`, { owner_id: member.userId });

  const { status } = await arrives({ body: "Call me" });

  const [text] = await texts();
  const thread = await acme.get(`/conversation/${text.conversation_id}/`);
  assert.equal(status, 200);
  assert.deepEqual(
    [text.status, text.direction, text.text, text.contact_id, text.lead_id],
    ["inbox", "inbound", "Call me", person.id, person.lead_id],
  );
  assert.deepEqual([text.local_phone, text.remote_phone, text.source], [ours, theirs, "Internal"]);
  assert.deepEqual(
    [thread.channel, thread.is_read, thread.unread_count, thread.last_message_preview],
    ["sms", false, 1, "Call me"],
  );
  const [notice] = (await member.get("/notification/?type=message_received")).data;
  assert.equal(notice.object_id, text.id);
  assert.deepEqual(
    (await acme.events(text.id)).map((one) => one.event),
    ["activity.sms.created", "activity.sms.received", "message.created", "message.received"],
  );
});

test("a text that passes on links of a mail of ours comes in without them, however long the addresses that they lead to", async () => {
  const [leave, click] = [`http://localhost/u/${"s".repeat(43)}/`, `http://localhost/c/${"s".repeat(43)}/target/`];
  const target = `https://acme.example/${"a".repeat(2000)}`;
  await acme.inside(async (ctx) => {
    const text = "insert into mail_link (organization_id, hash, url) values ($1, 'target', $2)";
    write(ctx, { name: "given.mail_link", text, values: [acme.id, target] });
  });

  await arrives({ body: `Take me off: ${leave}` });
  await arrives({ body: `See ${click}` });

  assert.deepEqual((await texts()).map(({ text }: any) => text).sort(), [`See ${target}`.slice(0, 1600), "Take me off: "]);
});

test("of two contacts with one number, a text goes to the one whom we know by our number or its owner, whoever wrote to the other since", async () => {
  await sends("From our number");
  const rex = await acme.member();
  const twin = await rex.contact({ phones: [{ phone: theirs, type: "mobile" }] });
  const [ofRex, ofAcme] = ["+12125554321", "+12125554322"];
  for (const number of [ofRex, ofAcme]) twilio.own(number);
  await acme.post("/phone_number/", { number: ofRex, user_id: rex.userId });
  await acme.post("/phone_number/", { number: ofAcme, user_id: acme.userId });
  await rex.post("/activity/sms/", { contact_id: twin.id, status: "outbox", local_phone: ofRex, text: "From my number" });
  await drained();

  await arrives({ to: ours, body: "To all of you" });
  await arrives({ to: ofAcme, body: "To whoever texted me first" });
  await arrives({ to: ofRex, body: "To Rex" });

  const came = (await texts()).filter((one: any) => one.direction === "inbound").map((one: any) => [one.text, one.contact_id]);
  assert.deepEqual(Object.fromEntries(came), {
    "To all of you": person.id,
    "To whoever texted me first": person.id,
    "To Rex": twin.id,
  });
});

test("what Twilio tells twice, or at the same moment, is there once", async () => {
  const first = await arrives();
  const again = await Promise.all([1, 2, 3].map(() => arrives({ sid: first.sid })));

  assert.deepEqual(
    again.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await texts()).length, 1);
});

test("an answer joins the conversation of what it answers, also one that was closed; else the open one; a deleted one is left alone", async () => {
  await arrives({ body: "One" });
  await arrives({ body: "Two" });
  const [one, two] = await texts();
  await acme.put(`/conversation/${one.conversation_id}/`, { status: "closed" });
  await arrives({ body: "Three" });
  const reopened = await acme.get(`/conversation/${one.conversation_id}/`);
  await acme.delete(`/conversation/${one.conversation_id}/`);
  await arrives({ body: "Four" });
  const all = await texts();

  assert.equal(two.conversation_id, one.conversation_id);
  assert.deepEqual([reopened.status, reopened.unread_count], ["open", 3]);
  assert.equal(all.length, 4);
  assert.notEqual(all[3].conversation_id, one.conversation_id);
});

test("a stranger becomes a prospect, once, however often they write", async () => {
  await arrives({ from: "+12125550001", body: "Who are you?" });
  await arrives({ from: "+12125550001", body: "Hello?" });
  await arrives({ from: "72345", body: "Your code is 1" });

  const prospects = (await acme.get("/inbox_prospect/?channel=sms")).data;
  assert.deepEqual(prospects.map((one: any) => [one.phone, one.preview]).sort(), [
    ["+12125550001", "Hello?"],
    ["72345", "Your code is 1"],
  ]);
  assert.deepEqual(await texts(), []);
});

test("a signed form that was cut at other places is refused, and NUL does not lose a text", async () => {
  const { account_sid } = twilio;
  const token = address.replace("http://localhost", "");
  const signed = {
    AccountSid: account_sid,
    Body: "xFrom+19995550000",
    From: theirs,
    MessageSid: `SM${"1".repeat(32)}`,
    To: ours,
  };
  const recut = {
    AccountSid: account_sid,
    Body: "x",
    From: "+19995550000",
    [`From${theirs}MessageSidSM`]: "1".repeat(32),
    To: ours,
  };
  const headers = { "x-twilio-signature": signature(twilio.auth_token, address, signed) };
  const says = async (form: Record<string, string>) => {
    const sent = { method: "POST", headers, body: new URLSearchParams(form) };
    return (await fetch(service.url + token, sent)).status;
  };

  const { MessageSid, From, ...rest } = signed;
  assert.equal(await says(recut), 403);
  assert.equal(await says({ ...rest, Body: "x", From: `+19995550000From${From}MessageSid${MessageSid}` }), 403);
  assert.equal(
    await says({ ...rest, AccountSid: "AC", [`${account_sid.slice(2)}Body`]: "xFrom+19995550000", From, MessageSid }),
    403,
  );
  const answers = [
    await arrives({ more: { AccountSid: `AC${"0".repeat(32)}` } }),
    await arrives({ sid: "../x" }),
    await arrives({ from: "+12125559876,+12125550000" }),
    await arrives({ more: { "Bo dy": "x" } }),
  ];
  const kept = await arrives({ body: "Call\0 me", more: { FromCity: "New\0 York" } });

  assert.deepEqual(
    answers.map(({ status }) => status),
    [403, 403, 403, 403],
  );
  assert.equal(kept.status, 200);
  assert.deepEqual(
    (await texts()).map((one: any) => one.text),
    ["Call me"],
  );
});

test("a stranger's text that a rule makes a lead of is a lead with the text, at a personal number and at a group's", async () => {
  const group = "+12125551235";
  twilio.own(group);
  await acme.post("/phone_number/", { number: group, is_group_number: true });
  const conditions = [{ field: "body", operator: "contains", value: "H" }];
  const rule = await acme.post("/inbox_rule/", { name: "New", conditions, actions: { create_lead: true } });

  const answers = [
    await arrives({ from: "+12125550001", body: "Hello" }),
    await arrives({ from: "+12125550002", to: group, body: "Hi" }),
  ];

  const found = (await acme.get("/inbox_prospect/?status=converted&_order_by=received_at")).data;
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  assert.deepEqual(
    found.map((one: any) => one.converted_by),
    [acme.userId, null],
  );
  assert.equal((await acme.get("/inbox_rule/")).data.find((one: any) => one.id === rule.id).match_count, 2);
  assert.deepEqual((await texts()).map((one: any) => one.text).toSorted(), ["Hello", "Hi"]);
});

test("a text at one's own number from somebody whose lead one does not see is told of, and says no more than the number", async () => {
  const member = await acme.memberWith(["send_sms"]);
  twilio.own("+12125551236");
  await acme.post("/phone_number/", { number: "+12125551236", user_id: member.userId });
  const seen = await member.contact({ phones: [{ phone: "+12125550009" }] });

  await arrives({ to: "+12125551236", body: "Secret" });
  await arrives({ from: "+12125550009", to: "+12125551236", body: "For you" });

  const told = (await member.get("/notification/?type=message_received&_order_by=date_created")).data;
  assert.equal((await member.get("/activity/sms/")).data.length, 1);
  assert.deepEqual(
    told.map(({ title, lead_id }: any) => [title, lead_id]),
    [
      [`A text came to your number from ${theirs}`, null],
      ["New text message", seen.lead_id],
    ],
  );
  assert.doesNotMatch(JSON.stringify(told[0]), /Secret|Contact/);
});

test("a text to a group's number is told to its participants, as a call is, and to nobody else", async () => {
  const [inside, outside] = [await acme.member(), await acme.member()];
  const group = "+12125551237";
  twilio.own(group);
  await acme.post("/phone_number/", { number: group, is_group_number: true, participants: [inside.userId] });

  await arrives({ to: group, body: "Anybody?" });

  const told = async (who: Workspace) =>
    (await who.get("/notification/?type=message_received")).data.map((one: any) => one.object_id);
  assert.deepEqual([await told(inside), await told(outside)], [[(await texts())[0].id], []]);
});

test("who texts under a name, or hides, becomes a lead without a phone", async () => {
  for (const from of ["AMAZON", "Web Shop-1", "anonymous"]) {
    await arrives({ from, body: `From ${from}` });
    const [prospect] = (await acme.get("/inbox_prospect/")).data;

    const made = await acme.post(`/inbox_prospect/${prospect.id}/convert/`, {});

    assert.deepEqual([made.lead.name, made.contact.name, made.contact.phones], [from, from, []]);
    assert.deepEqual([made.message.text, made.message.remote_phone], [`From ${from}`, null]);
  }
});

test("a stranger who texts a personal number is a prospect of its owner alone, and of everybody at a group's number", async () => {
  const [group, member] = ["+12125551235", await acme.member()];
  twilio.own(group);
  await acme.post("/phone_number/", { number: group, is_group_number: true });
  for (const to of [ours, group, ours]) await arrives({ from: "+12125550001", to, body: `To ${to}` });

  const seenBy = async (who: Workspace) =>
    (await who.get("/inbox_prospect/")).data.map((one: any) => [one.user_id, one.preview, one.message_count]);
  const [own] = (await acme.get(`/inbox_prospect/?user_id=${acme.userId}`)).data;

  assert.deepEqual(
    (await seenBy(acme)).sort(),
    [
      [acme.userId, `To ${ours}`, 2],
      [null, `To ${group}`, 1],
    ].sort(),
  );
  assert.deepEqual(await seenBy(member), [[null, `To ${group}`, 1]]);
  await member.refused(404, "GET", `/inbox_prospect/${own.id}/`);
  await member.refused(404, "POST", `/inbox_prospect/${own.id}/convert/`, {});
});

test("a contact that somebody makes of a member's prospect gets no texts at that member's own number until they say so", async () => {
  const from = "+12125550077";
  await arrives({ from, body: "First" });
  const rex = await acme.member();
  const made = await rex.contact({ phones: [{ phone: from }] });
  await arrives({ from, body: "Second" });
  const [prospect] = (await acme.get("/inbox_prospect/")).data;

  await acme.post(`/inbox_prospect/${prospect.id}/convert/`, { lead_id: made.lead_id });
  await arrives({ from, body: "Third" });

  assert.deepEqual([prospect.message_count, prospect.preview], [2, "Second"]);
  const there = (await acme.get(`/activity/sms/?contact_id=${made.id}&_order_by=activity_at`)).data;
  assert.deepEqual(
    there.map((one: any) => one.text),
    ["First", "Second", "Third"],
  );
});

test("STOP in any language ends texts to the number at once, also those that wait; START begins them again", async () => {
  const waiting = await acme.post("/activity/sms/", { contact_id: person.id, status: "outbox", text: "Offer", send_in: 30 });
  await arrives({ body: " Stopp. " });
  const refused = await sends("Another offer");
  service.clock.now = new Date(Date.now() + 60_000);
  await drained();
  const held = await acme.get(`/activity/sms/${waiting.id}/`);
  await arrives({ body: "START" });
  const allowed = await sends("Welcome back");

  assert.match(refused.error_message, /opted out of texts/);
  assert.deepEqual([refused.status, held.status, allowed.status], ["error", "error", "sent"]);
  assert.deepEqual(
    twilio.messages.map(({ body }) => body),
    ["Welcome back"],
  );
  assert.deepEqual(
    (await texts())
      .filter((one: any) => one.status === "inbox")
      .map((one: any) => one.text)
      .sort(),
    [" Stopp. ", "START"],
  );
});

test("only the whole word asks to stop, and Twilio's own reading of it goes before ours", async () => {
  await arrives({ body: "Stop by on Monday, and don't cancel!" });
  const first = await sends("Fine");
  await arrives({ body: "nada mas", more: { OptOutType: "STOP" } });
  const second = await sends("Still there?");
  await arrives({ from: "+12125550002", body: "STOP" });

  assert.deepEqual([first.status, second.status], ["sent", "error"]);
  assert.deepEqual((await acme.get("/inbox_prospect/?channel=sms")).data, []);
});

test("somebody who asks for help is a message, or a prospect, and is written to as before", async () => {
  await arrives({ body: "HELP" });
  await arrives({ from: "+12125550003", body: "Help!" });
  const after = await sends("How can we help?");

  assert.deepEqual([(await texts())[0].text, after.status], ["HELP", "sent"]);
  assert.equal((await acme.get("/inbox_prospect/?channel=sms")).data[0].phone, "+12125550003");
});

test("what was deleted here does not come back when an old request is sent again", async () => {
  const { sid } = await arrives({ body: "Once" });
  const [text] = await texts();
  await acme.delete(`/activity/sms/${text.id}/`);
  service.clock.now = new Date(Date.now() + 30 * 86_400_000);

  assert.equal((await arrives({ sid, body: "Once" })).status, 200);
  assert.deepEqual(await texts(), []);
});

test("pictures come along as files of the lead, fetched with the organization's credentials", async () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  await arrives({
    body: "",
    media: [
      { type: "image/png", bytes: png },
      { type: "application/smil", bytes: Buffer.from("<smil/>") },
    ],
  });
  await drained();

  const [text] = await texts();
  const [picture, other] = text.attachments;
  const stored = await acme.get(`/file/${picture.file_id}/`);
  assert.deepEqual(
    [picture.content_type, picture.size, stored.lead_id, stored.sha256.length],
    ["image/png", png.length, person.lead_id, 64],
  );
  assert.equal(
    Buffer.from(await (await fetch(picture.url.replace("http://localhost", service.url))).arrayBuffer()).compare(png),
    0,
  );
  assert.ok(other.file_id);
  assert.equal(text.text, null);
});

test("media that never ends or cannot be had holds nothing up: the text is there with its address", async () => {
  await arrives({ body: "Look", media: [{ type: "video/mp4", bytes: Buffer.alloc(0), ends: false }] });
  await arrives({ body: "Here", media: [{ type: "image/png", bytes: Buffer.from("x") }] });
  twilio.media.clear();
  twilio.media.set("none", { type: "image/png", bytes: Buffer.alloc(0) });
  const failures: Error[] = [];
  await withWorker(
    service,
    async (worker) => {
      for (let i = 0; i < 12; i++) {
        await worker.drained();
        service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + 600_000);
      }
    },
    { failures },
  );

  const all = await texts();
  assert.deepEqual(
    all.map((one: any) => [one.text, one.attachments[0].file_id]),
    [
      ["Look", null],
      ["Here", null],
    ],
  );
  assert.ok(failures.length <= 18, `${failures.length} tries`);
  const jobs = await service.app.db.query(acme.id, { text: "select from job where organization_id = $1", values: [acme.id] });
  assert.deepEqual(jobs, []);
});

test("what another account signs, or nobody, is not filed", async () => {
  const other = await startTwilio();
  const { status } = await other.receives(service.url, address);
  other.close();
  const unsigned = await fetch(service.url + new URL(address).pathname, {
    method: "POST",
    body: new URLSearchParams({ From: theirs, Body: "Hi" }),
  });

  assert.deepEqual([status, unsigned.status], [403, 403]);
  assert.deepEqual(await texts(), []);
});
