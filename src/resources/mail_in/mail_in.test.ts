import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { type ImapServer, imapServer, type TestMailbox } from "../../../test/support/imap.ts";
import { letter, newMessageId } from "../../../test/support/letters.ts";
import { until } from "../../../test/support/processes.ts";
import { type Service, startService } from "../../../test/support/service.ts";
import { startMailServer } from "../../../test/support/smtp.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { write } from "../../core/context.ts";

let service: Service;
let server: ImapServer;

before(async () => {
  [service, server] = await Promise.all([startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } }), imapServer()]);
});

beforeEach(() => {
  service.clock.now = null;
});

after(() => service?.close());

/** Every mailbox is read within ten minutes. */
async function drained(): Promise<void> {
  service.clock.now = new Date((service.clock.now?.getTime() ?? Date.now()) + 600_000);
  await withWorker(service, (worker) => worker.drained());
}

/** An organization with a connected mailbox. */
async function connected(acme?: Workspace): Promise<{ acme: Workspace; box: TestMailbox; account: any }> {
  const ws = acme ?? (await organization(service));
  const box = server.mailbox();
  const account = await ws.post("/connected_account/", {
    email: box.address,
    imap: box.login,
    enabled_features: ["email_syncing"],
  });
  return { acme: ws, box, account };
}

const emailsOf = async (ws: Workspace, lead: { id: string }): Promise<any[]> =>
  (await ws.get(`/activity/email/?lead_id=${lead.id}&_order_by=activity_at`)).data;

test("a message from a contact is an e-mail on their lead", async () => {
  const { acme, box, account } = await connected();
  const lead = await acme.lead();
  const contact = await acme.contact({ lead_id: lead.id, emails: [{ email: "Ann@customer.example" }] });
  const messageId = newMessageId();
  await box.deliver(
    letter({ from: '"Ann Lee" <ann@customer.example>', to: box.address, subject: "Offer", text: "Yes, please.\n", messageId }),
  );

  await drained();

  const [email, ...others] = await emailsOf(acme, lead);
  assert.equal(others.length, 0);
  const { status, direction, sender, to, subject, body_text, contact_id, user_id, email_account_id, message_ids } = email;
  assert.deepEqual(
    { status, direction, sender, to, subject, body_text, contact_id, user_id, email_account_id, message_ids },
    {
      status: "inbox",
      direction: "incoming",
      sender: '"Ann Lee" <ann@customer.example>',
      to: [box.address],
      subject: "Offer",
      body_text: "Yes, please.\n",
      contact_id: contact.id,
      user_id: acme.userId,
      email_account_id: account.id,
      message_ids: [messageId],
    },
  );
  assert.deepEqual(
    (await acme.events(email.id)).map((one: any) => one.event),
    ["activity.email.created", "activity.email.received", "message.created", "message.received"],
  );
  assert.ok((await acme.get(`/connected_account/${account.id}/`)).last_synced_at);
});

test("a message whose subject passes on a link of a mail of ours comes in without it", async () => {
  const { acme, box } = await connected();
  const { lead_id } = await acme.contact({ emails: [{ email: "ann@customer.example" }] });
  const leave = `http://localhost/u/${"s".repeat(43)}/`;
  for (const from of ["ann@customer.example", "stranger@else.example"])
    await box.deliver(letter({ from, to: box.address, subject: `Take me off (${leave})` }));

  await drained();

  const [email] = await emailsOf(acme, { id: lead_id });
  const [prospect] = (await acme.get("/inbox_prospect/")).data;
  assert.deepEqual([email.subject, email.envelope.subject, prospect.subject], Array(3).fill("Take me off ()"));
});

test("who logs a message at a lead of their own gets none of the mail that others exchange with that person", async () => {
  const { acme, box } = await connected();
  const lead = await acme.lead();
  await acme.contact({ lead_id: lead.id, emails: [{ email: "dora@diverted.example" }] });
  const letterOf = (subject: string) => letter({ from: "dora@diverted.example", to: box.address, subject });
  await box.deliver(letterOf("The price"));
  await drained();
  const thief = await acme.memberWith(["manage_lead_statuses"]);
  const own = await thief.contact({ emails: [{ email: "dora@diverted.example" }] });
  await thief.post("/activity/email/", { contact_id: own.id, status: "inbox", sender: "dora@diverted.example", subject: "Hi" });

  await box.deliver(letterOf("The other price"));
  await drained();

  const subjects = (await emailsOf(acme, lead)).map((one) => one.subject);
  assert.deepEqual(subjects, ["The price", "The other price"]);
  assert.equal((await emailsOf(acme, { id: own.lead_id })).length, 1);
});

test("a mail that names somebody else's message comes to its recipient all the same, and answers nothing", async () => {
  const { acme, box } = await connected();
  const lead = await acme.lead();
  await acme.contact({ lead_id: lead.id, emails: [{ email: "carl@named.example" }] });
  const named = newMessageId();
  await box.makeFolder("Sent");
  await box.deliver(letter({ from: box.address, to: "carl@named.example", subject: "Offer", messageId: named }), {
    folder: "Sent",
  });
  const rex = await acme.memberWith(["manage_lead_statuses"]);
  const { box: own } = await connected(rex);
  const rita = await rex.contact({ emails: [{ email: "rita@named.example" }] });
  await drained();

  await own.deliver(letter({ from: "rita@named.example", to: own.address, subject: "Mine", inReplyTo: named }));
  await own.deliver(letter({ from: "sue@strange.example", to: own.address, subject: "Who", inReplyTo: named }));
  await drained();

  const [sent, ...others] = await emailsOf(acme, lead);
  assert.deepEqual([sent.has_reply, others], [false, []]);
  const [mine] = await emailsOf(rex, { id: rita.lead_id });
  assert.deepEqual([mine.subject, mine.contact_id, mine.in_reply_to_id], ["Mine", rita.id, null]);
  assert.deepEqual(
    (await rex.get("/inbox_prospect/")).data.map((one: any) => one.subject),
    ["Who"],
  );
  await box.deliver(letter({ from: "carl@named.example", to: box.address, inReplyTo: named }));
  await drained();
  assert.equal((await acme.get(`/activity/email/${sent.id}/`)).has_reply, true);
});

test("a reply joins its thread and its conversation, and the sent mail shows that it was answered", async () => {
  const { acme, box } = await connected();
  const lead = await acme.lead({ owner_id: acme.userId });
  const contact = await acme.contact({ lead_id: lead.id, emails: [{ email: "ann@answers.example" }] });
  const [first, second] = [newMessageId(), newMessageId()];
  await box.makeFolder("Sent");
  await box.deliver(letter({ from: box.address, to: "ann@answers.example", subject: "Offer", messageId: first }), {
    folder: "Sent",
  });
  await drained();
  const from = "ann@answers.example";
  await box.deliver(letter({ from, to: box.address, subject: "Re: Offer", messageId: second, inReplyTo: first }));
  await drained();
  const [conversation] = (await acme.get(`/conversation/?lead_id=${lead.id}`)).data;
  await acme.put(`/conversation/${conversation.id}/`, { status: "closed" });
  await box.deliver(
    letter({ from, to: box.address, subject: "One more thing", inReplyTo: second, references: `${first} ${second}` }),
  );
  await drained();

  const [sent, answer, more] = await emailsOf(acme, lead);
  assert.deepEqual([sent.status, sent.direction, sent.user_id, sent.contact_id], ["sent", "outgoing", acme.userId, contact.id]);
  assert.deepEqual([sent.has_reply, sent.conversation_id], [true, null]);
  assert.deepEqual([answer.in_reply_to_id, answer.thread_id], [sent.id, sent.thread_id]);
  assert.deepEqual([more.in_reply_to_id, more.thread_id], [answer.id, sent.thread_id]);
  const { status, message_count, unread_count, last_message_direction } = await acme.get(`/conversation/${conversation.id}/`);
  assert.deepEqual([status, message_count, unread_count, last_message_direction], ["open", 2, 2, "incoming"]);
  assert.deepEqual([answer.conversation_id, more.conversation_id], [conversation.id, conversation.id]);
  const replied = (await acme.events(sent.id)).filter((one: any) => one.action === "replied");
  assert.equal(replied.length, 2);
  assert.deepEqual(
    (await acme.get("/notification/")).data.map((one: any) => [one.type, one.object_id]),
    [
      ["message_received", more.id],
      ["message_received", answer.id],
    ],
  );
});

test("whoever answers from another address is found by the thread, and who is copied by their own", async () => {
  const { acme, box } = await connected();
  const lead = await acme.lead();
  await acme.contact({ lead_id: lead.id, emails: [{ email: "carl@copied.example" }] });
  const sent = newMessageId();
  await box.makeFolder("Sent");
  await box.deliver(letter({ from: box.address, to: "carl@copied.example", messageId: sent }), { folder: "Sent" });
  await drained();
  await box.deliver(letter({ from: "private@elsewhere.example", to: box.address, inReplyTo: sent }));
  await box.deliver(
    letter({ from: "eve@elsewhere.example", to: `${box.address}, Carl <carl@copied.example>`, subject: "All of us" }),
  );

  await drained();

  const found = await emailsOf(acme, lead);
  assert.deepEqual(found.map(({ direction, contact_id }) => [direction, contact_id === null]).sort(), [
    ["incoming", true],
    ["incoming", true],
    ["outgoing", false],
  ]);
  assert.deepEqual((await acme.get("/inbox_prospect/")).data, []);
});

test("what a stranger writes before anybody looks is one prospect with all of it, and becomes a lead with all of it", async () => {
  const { acme, box } = await connected();
  const [first, second] = [newMessageId(), newMessageId()];
  const from = "Stella Stranger <stella@strange.example>";
  const attachments = [{ filename: "plan.txt", type: "text/plain", content: "The plan" }];
  await box.deliver(letter({ from, to: box.address, subject: "Question", text: "How much?\n", messageId: first, attachments }));
  await box.deliver(
    letter({ from, to: box.address, subject: "Re: Question", text: "Well?\n", messageId: second, inReplyTo: first }),
  );
  await drained();

  const [prospect, ...others] = (await acme.get("/inbox_prospect/?_fields=id,name,email,subject,message_count,messages,user_id"))
    .data;
  assert.equal(others.length, 0);
  const { name, email, subject, message_count, user_id } = prospect;
  assert.deepEqual(
    [name, email, subject, message_count, user_id],
    ["Stella Stranger", "stella@strange.example", "Re: Question", 2, acme.userId],
  );
  assert.deepEqual(
    prospect.messages.map((one: any) => [one.subject, one.body_text]),
    [
      ["Re: Question", "Well?\n"],
      ["Question", "How much?\n"],
    ],
  );

  const made = await acme.post(`/inbox_prospect/${prospect.id}/convert/`, {});
  const [question, reminder, ...more] = await emailsOf(acme, made.lead);
  assert.equal(more.length, 0);
  assert.deepEqual(
    [made.message_id, reminder.in_reply_to_id, reminder.thread_id],
    [reminder.id, question.id, question.thread_id],
  );
  assert.deepEqual([question.message_ids, question.conversation_id], [[first], made.conversation_id]);
  const [{ filename, file_id }] = question.attachments;
  assert.equal(filename, "plan.txt");
  assert.equal((await acme.ask("GET", `/file/${file_id}/download/`)).text, "The plan");
  assert.equal((await acme.get(`/file/${file_id}/`)).lead_id, made.lead_id);
  await box.changeUidValidity();
  await acme.put(`/connected_account/${(await acme.get("/connected_account/")).data[0].id}/`, {
    imap: { ...box.login, username: box.address },
  });
  await drained();
  assert.equal((await emailsOf(acme, made.lead)).length, 2);
});

test("attachments are the prospect's again when its conversion is undone, and the lead's when it is converted once more", async () => {
  const { acme, box } = await connected();
  const attachments = [{ filename: "plan.txt", type: "text/plain", content: "The plan" }];
  await box.deliver(letter({ from: "sue@strange.example", to: box.address, subject: "Plan", text: "Look\n", attachments }));
  await drained();
  const [{ id }] = (await acme.get("/inbox_prospect/")).data;
  const fileOf = async (lead: { id: string }) => (await emailsOf(acme, lead))[0].attachments[0].file_id;
  const requestOf = (answer: any) => answer.headers.get("x-request-id");

  const first = await acme.ask("POST", `/inbox_prospect/${id}/convert/`, { body: {} });
  await acme.post(`/change_set/${requestOf(first)}/undo/`, {});
  await drained();
  const second = await acme.ask("POST", `/inbox_prospect/${id}/convert/`, { body: {} });
  const file = await fileOf(JSON.parse(second.text).lead);
  const there = (await acme.ask("GET", `/file/${file}/download/`)).text;
  await acme.delete(`/file/${file}/`);
  await acme.post(`/change_set/${requestOf(second)}/undo/`, {});
  const third = await acme.post(`/inbox_prospect/${id}/convert/`, {});

  assert.equal(there, "The plan");
  assert.deepEqual((await emailsOf(acme, third.lead))[0].attachments, []);
});

test("messages that share a Message-ID are each there once, and so is one that names no sender", async () => {
  const { acme, box } = await connected();
  const lead = await acme.lead({ contacts: [{ name: "Ann", emails: [{ email: "ann@repeated.example" }] }] });
  const messageId = "<same@shop.example>";
  const of = (from: string, subject: string) => letter({ from, to: box.address, subject, messageId });
  const orders = [of("ann@repeated.example", "Order 1"), of("ann@repeated.example", "Order 2")];
  const strange = [of("shop@strange.example", "Order 3"), of("shop@strange.example", "Order 4")];
  const marked = of("ann@repeated.example", "[Sales] Order 2");
  const nobody = letter({ to: box.address, subject: "Nobody", text: "No sender" }).replace(/^From: .*\r\n/m, "");
  for (const one of [...orders, ...strange, marked, nobody, ...orders, ...strange, nobody]) await box.deliver(one);

  await drained();

  assert.deepEqual((await emailsOf(acme, lead)).map(({ subject }) => subject).sort(), ["Order 1", "Order 2"]);
  const prospects = (await acme.get("/inbox_prospect/?_fields=id,name,email,messages")).data;
  const told = prospects.map((one: any) => [one.name, one.email, one.messages.map(({ subject }: any) => subject).sort()]);
  assert.deepEqual(
    told.toSorted(),
    [
      ["No sender", null, ["Nobody"]],
      [null, "shop@strange.example", ["Order 3", "Order 4"]],
    ].toSorted(),
  );
  const { id } = prospects.find((one: any) => one.email === null);
  assert.equal((await acme.post(`/inbox_prospect/${id}/convert/`, {})).lead.name, "No sender");
});

test("a message in the mailboxes of two members is one e-mail of both, or a prospect for each", async () => {
  const { acme, box } = await connected();
  const bob = await acme.member();
  const { box: bobs } = await connected(bob);
  const lead = await acme.lead();
  await acme.contact({ lead_id: lead.id, emails: [{ email: "ann@both.example" }] });
  const toBoth = `${box.address}, ${bobs.address}`;
  const [known, unknown] = [letter({ from: "ann@both.example", to: toBoth }), letter({ from: "who@both.example", to: toBoth })];
  for (const one of [known, unknown]) {
    await box.deliver(one);
    await bobs.deliver(one);
  }

  await drained();

  const [email, ...others] = await emailsOf(acme, lead);
  assert.equal(others.length, 0);
  assert.deepEqual([...email.users].sort(), [acme.userId, bob.userId].sort());
  const prospectsOf = async (ws: Workspace) => (await ws.get("/inbox_prospect/")).data;
  const [[hers], [his]] = await Promise.all([prospectsOf(acme), prospectsOf(bob)]);
  assert.deepEqual([hers.user_id, his.user_id], [acme.userId, bob.userId]);
  const made = await acme.post(`/inbox_prospect/${hers.id}/convert/`, {});
  const joined = await bob.post(`/inbox_prospect/${his.id}/convert/`, { lead_id: made.lead_id });
  assert.equal(joined.message_id, made.message_id);
  assert.deepEqual([...(await emailsOf(acme, made.lead))[0].users].sort(), [acme.userId, bob.userId].sort());
});

test("whoever may manage everything sees nothing of somebody else's mailbox that became no lead", async () => {
  const acme = await organization(service);
  const bob = await acme.member();
  const { box, account } = await connected(bob);
  await box.deliver(letter({ from: "doctor@private.example", to: box.address, subject: "Your results" }));
  await drained();

  const [prospect] = (await bob.get("/inbox_prospect/")).data;
  assert.deepEqual((await acme.get("/inbox_prospect/?status=all")).data, []);
  await acme.refused(404, "POST", `/inbox_prospect/${prospect.id}/convert/`, {});
  await acme.refused(404, "POST", `/inbox_prospect/${prospect.id}/dismiss/`, {});
  assert.deepEqual((await acme.get(`/event/?object_id=${prospect.id}`)).data, []);
  assert.equal((await bob.get(`/event/?object_id=${prospect.id}`)).data.length, 1);
  const counts = async (ws: Workspace) =>
    (await ws.get("/inbox_folder/?_fields=name,total_count")).data.find((one: any) => one.name === "Inbox").total_count;
  assert.deepEqual([await counts(acme), await counts(bob)], [0, 1]);
  assert.doesNotMatch(JSON.stringify(await acme.get(`/connected_account/${account.id}/`)), /secret|results/);
  const other = await acme.member();
  await other.refused(404, "GET", `/connected_account/${account.id}/`);
});

test("mail among members, and what they write to people whom nobody knows, stays theirs", async () => {
  const { acme, box } = await connected();
  const bob = await acme.member();
  const { box: bobs } = await connected(bob);
  await box.makeFolder("Sent");
  await box.deliver(letter({ from: bobs.address, to: box.address, subject: "Lunch?" }));
  await box.deliver(letter({ from: box.address, to: "friend@home.example", subject: "Tonight" }), { folder: "Sent" });

  await drained();

  assert.deepEqual((await acme.get("/activity/email/")).data, []);
  assert.deepEqual((await acme.get("/inbox_prospect/?status=all")).data, []);
});

test("what members write to each other stays theirs also where it answers a mail of a lead, and with the customer in copy it is on the lead", async () => {
  const { acme, box } = await connected();
  const bob = await acme.member();
  const { box: bobs } = await connected(bob);
  await box.makeFolder("Sent");
  const lead = await acme.lead();
  await acme.contact({ lead_id: lead.id, emails: [{ email: "carla@client.example" }] });
  const inReplyTo = newMessageId();
  await box.deliver(letter({ from: "carla@client.example", to: `${box.address}, ${bobs.address}`, messageId: inReplyTo }));
  await drained();

  const aside = { from: bobs.address, to: box.address, text: "Between us, he is overpaying.", inReplyTo };
  await box.deliver(letter(aside));
  await box.deliver(letter({ ...aside, from: box.address, to: bobs.address }), { folder: "Sent" });
  await box.deliver(letter({ ...aside, text: "Carla, see below.", cc: "carla@client.example" }));
  await drained();

  const texts = (await emailsOf(acme, lead)).map((one) => one.body_text.trim());
  assert.equal(texts.length, 2);
  assert.equal(texts.at(-1), "Carla, see below.");
  assert.deepEqual((await acme.get("/inbox_prospect/?status=all")).data, []);
});

test("the copy of what was sent from here is no second e-mail, and its answer is an answer", async (t) => {
  const acme = await organization(service);
  const box = server.mailbox();
  await box.makeFolder("Sent");
  const smtp = await startMailServer();
  t.after(() => smtp.close());
  await acme.post("/connected_account/", { email: box.address, imap: box.login, smtp: smtp.smtp });
  const contact = await acme.contact({ emails: [{ email: "ann@copies.example" }] });
  const offer = await acme.post("/activity/email/", {
    contact_id: contact.id,
    subject: "Offer",
    body_text: "Dear Ann",
    status: "outbox",
  });
  await drained();
  const [{ messageId }] = smtp.to("ann@copies.example") as unknown as [{ messageId: string }];
  await box.deliver(letter({ from: box.address, to: "ann@copies.example", subject: "Offer", messageId }), { folder: "Sent" });
  await box.deliver(letter({ from: "ann@copies.example", to: box.address, subject: "Re: Offer", inReplyTo: messageId }));
  await drained();

  // By the moved clock, the offer was sent after its answer was written.
  const [answer, sent, ...more] = await emailsOf(acme, { id: contact.lead_id });
  assert.equal(more.length, 0);
  assert.deepEqual([sent.id, sent.status, sent.has_reply], [offer.id, "sent", true]);
  assert.deepEqual([answer.status, answer.in_reply_to_id, answer.classification.class], ["inbox", offer.id, "human"]);
});

test("a note of absence is no answer, and a report about a mail is nobody's", async () => {
  const { acme, box } = await connected();
  const lead = await acme.lead();
  await acme.contact({ lead_id: lead.id, emails: [{ email: "ann@away.example" }] });
  await box.makeFolder("Sent");
  const messageId = newMessageId();
  await box.deliver(letter({ from: box.address, to: "ann@away.example", subject: "Offer", messageId }), { folder: "Sent" });
  await drained();
  const away = { "Auto-Submitted": "auto-replied" };
  await box.deliver(letter({ from: "ann@away.example", subject: "Out of office: Offer", inReplyTo: messageId, headers: away }));
  const report = [
    "Reporting-MTA: dns; mx.away.example",
    "",
    "Final-Recipient: rfc822; nobody@else.example",
    "Action: failed",
    "Status: 5.1.1",
  ];
  await box.deliver(
    `From: MAILER-DAEMON@mx.away.example\r\nSubject: Undelivered Mail Returned to Sender\r\nMessage-ID: ${newMessageId()}\r\nMIME-Version: 1.0\r\n` +
      `Content-Type: multipart/report; report-type=delivery-status; boundary=x\r\n\r\n--x\r\n\r\nIt failed.\r\n--x\r\n` +
      `Content-Type: message/delivery-status\r\n\r\n${report.join("\r\n")}\r\n--x--\r\n`,
  );
  await drained();

  const [sent, note, ...more] = await emailsOf(acme, lead);
  assert.equal(more.length, 0);
  assert.deepEqual([sent.has_reply, note.classification.class, note.envelope.is_autoreply], [false, "auto_reply", true]);
  assert.deepEqual((await acme.get("/inbox_prospect/?status=all")).data, []);
});

/** Parts within parts, deeper than anybody reads. */
function nested(depth: number): string {
  let body = "Content-Type: text/plain\r\n\r\nDeep.\r\n";
  for (let i = 0; i < depth; i++)
    body = `Content-Type: multipart/mixed; boundary="b${i}"\r\n\r\n--b${i}\r\n${body}\r\n--b${i}--\r\n`;
  return body;
}

test("what cannot be taken apart is kept as it came, and holds up nothing behind it", async () => {
  const { acme, box } = await connected();
  const lead = await acme.lead();
  await acme.contact({ lead_id: lead.id, emails: [{ email: "ann@broken.example" }] });
  const head = (subject: string) => `From: Ann <ann@broken.example>\r\nTo: ${box.address}\r\nSubject: ${subject}\r\n`;
  const deep = `${head("Deep")}MIME-Version: 1.0\r\n${nested(300)}`;
  await box.deliver(deep);
  await box.deliver(letter({ from: "Ann <ann@broken.example>", to: box.address, subject: "Behind it" }));

  await drained();

  const [broken, behind] = await emailsOf(acme, lead);
  assert.deepEqual([broken.subject, behind.subject], ["Deep", "Behind it"]);
  assert.match(broken.body_text, /attached as it came/);
  const [attachment] = broken.attachments;
  assert.equal(attachment.filename, "message.eml");
  assert.equal((await acme.ask("GET", `/file/${attachment.file_id}/download/`)).text, deep);
});

test("a large message comes with what is attached; of one that is larger still the mailbox keeps the rest", async () => {
  const { acme, box } = await connected();
  const lead = await acme.lead();
  await acme.contact({ lead_id: lead.id, emails: [{ email: "ann@large.example" }] });
  const from = "Ann <ann@large.example>";
  const bytesOf = (megabytes: number) => [
    { filename: "film.bin", type: "application/octet-stream", content: Buffer.alloc(megabytes * 1_000_000, 7) },
  ];
  box.deliverAll([
    letter({ from, to: box.address, subject: "20 MB", attachments: bytesOf(20) }),
    letter({ from, to: box.address, subject: "60 MB", attachments: bytesOf(45) }),
    letter({ from, to: box.address, subject: "Small" }),
  ]);

  await drained();

  const emails = new Map((await emailsOf(acme, lead)).map((one) => [one.subject, one]));
  assert.deepEqual([...emails.keys()].sort(), ["20 MB", "60 MB", "Small"]);
  assert.equal(emails.get("20 MB").attachments[0].size, 20_000_000);
  assert.match(emails.get("60 MB").body_text, /too many to be fetched\. It lies in the mailbox/);
  assert.deepEqual(emails.get("60 MB").attachments, []);
});

test("forty mailboxes whose server never answers hold up no other one of their organization", async (t) => {
  const acme = await organization(service);
  const lead = await acme.lead();
  await acme.contact({ lead_id: lead.id, emails: [{ email: "ann@client.example" }] });
  const waiting = new Set<Socket>();
  const silent = createServer((socket) => void waiting.add(socket.on("error", () => {}))).listen(0, "127.0.0.1");
  t.after(() => silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  for (let i = 0; i < 40; i++)
    await acme.post("/connected_account/", {
      email: `silent-${i}@acme.example`,
      imap: { host: "127.0.0.1", port, username: `silent-${i}`, password: "secret", use_ssl: false },
      enabled_features: ["email_syncing"],
    });

  await withWorker(service, async () => {
    await until(() => waiting.size > 0);
    const { box } = await connected(acme);
    await box.deliver(letter({ from: "ann@client.example", to: box.address, subject: "At once" }));
    await until(async () => (await emailsOf(acme, lead)).length === 1);
    silent.close();
    for (const socket of waiting) socket.destroy();
  });
});

test("a mailbox whose job was lost is read again, and one that waits for its owner is left in peace", async () => {
  const { acme, box, account } = await connected();
  const { box: locked, account: refused, acme: other } = await connected();
  locked.changePassword("another");
  const lead = await acme.lead();
  await acme.contact({ lead_id: lead.id, emails: [{ email: "ann@lost.example" }] });
  await drained();
  assert.equal((await other.get(`/connected_account/${refused.id}/`)).receive_status, "error");
  await acme.inside(async (ctx) =>
    write(ctx, { text: "delete from job where organization_id = $1 and kind = 'mailbox'", values: [acme.id] }),
  );
  await box.deliver(letter({ from: "ann@lost.example", to: box.address, subject: "Hello?" }));

  await drained();
  await drained();

  assert.equal((await emailsOf(acme, lead)).length, 1);
  const jobsOf = (ws: Workspace, { id }: { id: string }) =>
    service.app.db.unscoped({
      text: "select from job where organization_id = $1 and kind = 'mailbox' and object_id = $2",
      values: [ws.id, id],
    });
  assert.deepEqual([(await jobsOf(acme, account)).length, (await jobsOf(other, refused)).length], [1, 0]);
});

test("no machine answers a machine: a rule forwards no automatic reply, and our own digest is nobody's message", async () => {
  const { acme, box } = await connected();
  const lead = await acme.lead();
  await acme.contact({ lead_id: lead.id, emails: [{ email: "ann@loops.example" }] });
  await acme.post("/inbox_rule/", {
    name: "Invoices",
    conditions: { subject_contains: ["Invoice"] },
    actions: { forward_to: ["books@elsewhere.example", "ann@loops.example"] },
  });
  const away = { "Auto-Submitted": "auto-replied" };
  await box.deliver(letter({ from: "ann@loops.example", to: box.address, subject: "Automatic reply: Invoice", headers: away }));
  await box.deliver(letter({ from: "ann@loops.example", to: box.address, subject: "Invoice 17" }));
  await box.deliver(letter({ from: "crm@ours.example", to: box.address, messageId: "<smail_01J@localhost>" }));

  await drained();

  const forwarded = (await emailsOf(acme, lead)).filter(({ direction }) => direction === "outgoing");
  assert.deepEqual(
    forwarded.map(({ subject, to }) => [subject, to]),
    [["Fwd: Invoice 17", ["books@elsewhere.example"]]],
  );
  assert.deepEqual((await acme.get("/inbox_prospect/?status=all")).data, []);
});
