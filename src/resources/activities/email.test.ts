import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { service } from "../../../test/support/service.ts";

const written = async (acme: Workspace, body: object = {}) =>
  acme.post("/activity/email/", { lead_id: (await acme.lead()).id, to: ["bob@client.example"], subject: "Offer", ...body });

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

test("an e-mail is a draft unless it is said to be more", async () => {
  const acme = await organization();
  const person = await acme.contact({ emails: [{ email: "bob@client.example" }] });

  const email = await acme.post("/activity/email/", { contact_id: person.id });

  assert.equal(email.status, "draft");
  assert.equal(email.direction, "outgoing");
  assert.deepEqual(email.to, ["bob@client.example"]);
  assert.equal(email.subject, "");
  assert.equal(email.sender, null);
  assert.equal(email.date_sent, null);
  assert.deepEqual(await acme.get(`/activity/email/${email.id}/`), email);
});

test("each body follows from the other, and both are kept where both are given", async () => {
  const acme = await organization();

  const plain = await written(acme, { body_text: "Hello\nBob" });
  const rich = await written(acme, { body_html: "<p>Hello <b>Bob</b></p><script>steal()</script>" });
  const both = await written(acme, { body_text: "Plain", body_html: "<p>Rich</p>" });
  const edited = await acme.put(`/activity/email/${both.id}/`, { ...both, body_text: "Anew" });

  assert.equal(plain.body_html, "<body>Hello<br />Bob</body>");
  assert.equal(plain.body_preview, "Hello Bob");
  assert.equal(rich.body_text, "Hello Bob");
  assert.equal(rich.body_html, "<body><p>Hello <b>Bob</b></p></body>");
  assert.deepEqual([both.body_text, both.body_html], ["Plain", "<body><p>Rich</p></body>"]);
  assert.deepEqual([edited.body_text, edited.body_html], ["Anew", "<body>Anew</body>"]);
});

test("what it quotes can be folded away", async () => {
  const acme = await organization();
  const email = await written(acme, { body_text: "Yes.\nOn Monday, Ann wrote:\n> Coming?" });

  const pieces = await acme.get(`/activity/email/${email.id}/?_fields=body_text_quoted,body_html_quoted`);

  assert.deepEqual(pieces.body_text_quoted, [
    { text: "Yes.", expand: true },
    { text: "On Monday, Ann wrote:\n> Coming?", expand: false },
  ]);
  assert.deepEqual(
    pieces.body_html_quoted.map((piece: any) => piece.expand),
    [true, false],
  );
});

test("an answer is previewed by what is new in it, in lists, threads, conversations, the inbox and notifications", async () => {
  const acme = await organization();
  const person = await acme.contact({ emails: [{ email: "bob@client.example" }] });
  const colleague = await acme.member();
  const { id: conversation_id } = await acme.post("/conversation/", { contact_id: person.id });
  const says = "Thanks,\n\nTuesday is fine.\n-- \nBob of Client\n\nOn Fri, Nov 27 Ada wrote:\n> Which day?";
  const passedOn = "---------- Forwarded message ---------\nFrom: Eve <eve@client.example>\nDate: today\nSubject: Hi\n\nHello";

  const mail = { status: "inbox", sender: "bob@client.example", subject: "Re: Offer" };
  const answer = await colleague.post(`/conversation/${conversation_id}/message/`, { type: "email", ...mail, body: says });
  const forward = await written(acme, { body_text: passedOn });

  const preview = "Thanks, Tuesday is fine.";
  const [thread] = (await acme.get(`/activity/emailthread/?contact_id=${person.id}&_fields=emails`)).data;
  await acme.put(`/conversation/${conversation_id}/`, { assigned_to: acme.userId });
  await colleague.post(`/conversation/${conversation_id}/message/`, { type: "email", ...mail, body: says });
  const told = (await acme.get("/notification/?type=message_received")).data;
  assert.equal((await acme.get(`/activity/email/${answer.id}/`)).body_preview, preview);
  assert.equal(thread.emails[0].body_preview, preview);
  assert.equal((await acme.get(`/conversation/${conversation_id}/`)).last_message_preview, preview);
  assert.deepEqual(
    told.map((one: any) => one.body),
    [preview],
  );
  assert.match(forward.body_preview, /^-+ Forwarded message -+ From: Eve .* Hello$/);
});

test("a draft that somebody else sends off is theirs, unless an admin says whose it is", async () => {
  const acme = await organization();
  const [sam, bob] = [await acme.member(), await acme.member()];
  const number = await acme.post("/phone_number/", { number: "+12125550199", is_group_number: true });
  const person = await acme.contact({ phones: [{ phone: "+12125559876", type: "mobile" }] });
  const drafts: [string, object][] = [
    ["email", { to: ["bob@client.example"] }],
    ["sms", { contact_id: person.id, text: "Hello", local_phone: number.number }],
    [
      "channel_message",
      { contact_id: person.id, channel: "whatsapp", text: "Hello", local_phone: number.number, remote_phone: "+12125559876" },
    ],
  ];

  for (const [kind, body] of drafts) {
    const made = { lead_id: person.lead_id, status: "draft", ...body };
    const of = async (who: Workspace, then: object) => {
      const { id, user_id } = await sam.post(`/activity/${kind}/`, made);
      assert.equal(user_id, sam.userId);
      return (await who.put(`/activity/${kind}/${id}/`, then)).user_id;
    };
    assert.equal(await of(bob, { status: "outbox" }), bob.userId, kind);
    assert.equal(await of(bob, { status: "outbox", user_id: sam.userId }), bob.userId, kind);
    assert.equal(await of(acme, { status: "outbox", user_id: bob.userId }), bob.userId, kind);
    assert.equal(await of(bob, kind === "email" ? { subject: "Offer" } : { text: "Hi" }), sam.userId, kind);
  }
});

test("a signature is a piece of its own, and quotations are known in other languages and in the shape of Outlook", async () => {
  const acme = await organization();
  const expanded = async (body_text: string) => {
    const { id } = await written(acme, { body_text });
    const { body_text_quoted } = await acme.get(`/activity/email/${id}/?_fields=body_text_quoted`);
    assert.equal(body_text_quoted.map((piece: any) => piece.text).join("\n"), body_text);
    return body_text_quoted.map((piece: any) => [piece.text.split("\n")[0], piece.expand]);
  };

  assert.deepEqual(await expanded("Yes.\n-- \nAnn Lee\nAcme\n> Coming?"), [
    ["Yes.", true],
    ["-- ", false],
    ["> Coming?", false],
  ]);
  assert.deepEqual(await expanded("Ja.\n\nAm Montag, 2. März 2026 um 10:00 schrieb Ann Lee:\nKommst du?"), [
    ["Ja.", true],
    ["Am Montag, 2. März 2026 um 10:00 schrieb Ann Lee:", false],
  ]);
  assert.deepEqual(await expanded("Yes.\n\nFrom: Ann\nSent: Monday\nTo: Bob\nSubject: Coming?\n\nComing?"), [
    ["Yes.", true],
    ["From: Ann", false],
  ]);
  assert.deepEqual(await expanded("> Coming?\nYes.\n> When?\nAt noon."), [
    ["> Coming?", false],
    ["Yes.", true],
    ["> When?", false],
    ["At noon.", true],
  ]);
});

test("addresses are addresses", async () => {
  const acme = await organization();
  const lead = await acme.lead();

  const email = await written(acme, { to: ['"Bob B" <bob@client.example>'], cc: ["ann@client.example"] });

  assert.deepEqual(email.envelope.to, [{ name: "Bob B", email: "bob@client.example" }]);
  assert.deepEqual(email.envelope.cc, [{ name: null, email: "ann@client.example" }]);
  await acme.refused(400, "POST", "/activity/email/", { lead_id: lead.id, to: ["bob@client.example", "bob"] }, "to.1");
  await acme.refused(400, "POST", "/activity/email/", { lead_id: lead.id, to: "bob@client.example" }, "to");
  await acme.refused(400, "POST", "/activity/email/", { lead_id: lead.id, sender: "me" }, "sender");
});

test("an e-mail put into the outbox waits there, from the caller to the contact", async () => {
  const acme = await organization();
  const me = await acme.get("/me/");

  const email = await written(acme, { status: "outbox", send_in: 20 });

  assert.equal(email.status, "outbox");
  assert.ok(email.sender.includes(me.email), email.sender);
  assert.equal(email.date_sent, null);
  await acme.refused(400, "POST", "/activity/email/", { lead_id: email.lead_id, status: "outbox" }, "to");
  await acme.refused(400, "POST", "/activity/email/", { lead_id: email.lead_id, send_in: 5 }, "send_in");
  await acme.refused(400, "POST", "/activity/email/", { lead_id: email.lead_id, status: "outbox", send_in: 60 }, "send_in");
});

test("a scheduled e-mail has a date, in the future", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const scheduled = { lead_id: lead.id, to: ["bob@client.example"], status: "scheduled" };

  const email = await acme.post("/activity/email/", { ...scheduled, date_scheduled: inAnHour() });

  await acme.refused(400, "POST", "/activity/email/", scheduled, "date_scheduled");
  await acme.refused(400, "POST", "/activity/email/", { ...scheduled, date_scheduled: "2020-01-01T00:00:00Z" }, "date_scheduled");
  await acme.refused(400, "PUT", `/activity/email/${email.id}/`, { date_scheduled: "2020-01-01T00:00:00Z" }, "date_scheduled");
  const { clock } = await service();
  clock.now = new Date(Date.now() + 7_200_000);
  const renamed = await acme
    .put(`/activity/email/${email.id}/`, { followup_date: "2030-01-01" })
    .finally(() => (clock.now = null));
  assert.equal(renamed.status, "scheduled", "what waits longer than planned can still be looked after");
});

test("a draft can be sent or scheduled, what waits can be taken back, and the rest is the sender's", async () => {
  const acme = await organization();
  const email = await written(acme);
  const become = (status: string, more: object = {}) => acme.put(`/activity/email/${email.id}/`, { status, ...more });
  const refuse = (status: string) => acme.refused(400, "PUT", `/activity/email/${email.id}/`, { status }, "status");

  await refuse("sent");
  await refuse("inbox");
  await become("scheduled", { date_scheduled: inAnHour() });
  await refuse("error");
  await become("draft");
  await become("outbox");
  await refuse("scheduled");
  await refuse("sent");
  assert.equal((await become("draft")).status, "draft");
});

test("only a draft can be edited, also in the change that makes it one or ends it", async () => {
  const acme = await organization();
  const email = await written(acme);
  const path = `/activity/email/${email.id}/`;

  await acme.put(path, { subject: "Better", status: "outbox" });

  await acme.refused(400, "PUT", path, { subject: "Worse" }, "subject");
  await acme.refused(400, "PUT", path, { to: ["eve@client.example"] }, "to");
  assert.equal((await acme.put(path, { subject: "Best", status: "draft" })).subject, "Best");
});

test("what was sent or received is logged as it was and stays so", async () => {
  const acme = await organization();
  const person = await acme.contact({ emails: [{ email: "bob@client.example" }] });

  const sent = await written(acme, { status: "sent", date_sent: "2024-03-04T05:06:07Z", body_text: "Hi" });
  const received = await acme.post("/activity/email/", {
    status: "inbox",
    sender: "Bob <bob@client.example>",
    subject: "Question",
  });

  assert.equal(sent.activity_at, "2024-03-04T05:06:07.000Z");
  assert.equal(received.lead_id, person.lead_id, "the sender's address tells the lead");
  assert.equal(received.contact_id, person.id);
  assert.equal(received.direction, "incoming");
  assert.ok(received.date_sent);
  await acme.refused(400, "PUT", `/activity/email/${sent.id}/`, { body_text: "Ho" }, "body_text");
  await acme.refused(400, "PUT", `/activity/email/${received.id}/`, { status: "draft" }, "status");
  await acme.refused(400, "POST", "/activity/email/", { lead_id: sent.lead_id, status: "inbox" }, "sender");
  await acme.refused(400, "POST", "/activity/email/", { lead_id: sent.lead_id, date_sent: "2024-03-04" }, "date_sent");
  assert.deepEqual(
    (await acme.events(sent.id)).map((event) => event.event),
    ["activity.email.created", "activity.email.sent"],
  );
});

test("an e-mail to a lead's own address belongs to the lead", async () => {
  const acme = await organization();
  const company = await acme.lead({ emails: [{ email: "info@client.example" }] });

  const email = await acme.post("/activity/email/", { to: ["Info <INFO@client.example>"] });

  assert.equal(email.lead_id, company.id);
  await acme.refused(400, "POST", "/activity/email/", { to: ["nobody@client.example"] }, "lead_id");
});

test("members that it names took part", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const { email: address } = await bob.get("/me/");

  const email = await written(acme, { cc: [address] });

  assert.deepEqual(email.users.sort(), [acme.userId, bob.userId].sort());
});

test("what does not exist yet cannot be named", async () => {
  const acme = await organization();
  const lead = await acme.lead();

  for (const field of ["template_id", "email_account_id", "send_as_id", "followup_sequence_id", "conversation_id"])
    await acme.refused(400, "POST", "/activity/email/", { lead_id: lead.id, [field]: "none_1" }, field);
});

test("mail whose address is on two leads is filed where the latest exchange was, and says which others there are", async () => {
  const acme = await organization();
  const member = await acme.memberWith([]);
  const emails = [{ email: "Ann@x.io" }];
  const [old, recent, third] = [await acme.lead(), await acme.lead(), await acme.lead({ emails })];
  const [there, here] = [await acme.contact({ lead_id: old.id, emails }), await acme.contact({ lead_id: recent.id, emails })];
  const call = (contact_id: string, activity_at: string) => acme.post("/activity/call/", { contact_id, activity_at });
  await call(there.id, "2025-01-01T10:00:00Z");
  await call(here.id, "2025-06-01T10:00:00Z");
  await acme.put(`/contact/${there.id}/`, { title: "Changed last" });
  await acme.note({ lead_id: old.id, contact_id: there.id });
  const mail = { status: "inbox", sender: "ann@x.io", to: ["me@acme.io"], subject: "Hello" };

  const filed = await acme.post("/activity/email/", mail);
  await call(there.id, "2025-12-01T10:00:00Z");
  await acme.delete(`/activity/email/${filed.id}/`);
  const next = await acme.post("/activity/email/", mail);

  assert.deepEqual([filed.lead_id, filed.contact_id], [recent.id, here.id]);
  assert.deepEqual(filed.other_lead_ids, [old.id, third.id].sort());
  assert.deepEqual([next.lead_id, next.contact_id], [old.id, there.id]);
  const path = `/activity/email/${next.id}/?_fields=other_lead_ids`;
  assert.deepEqual((await acme.get(path)).other_lead_ids, [recent.id, third.id].sort());
  await acme.put(`/lead/${old.id}/`, { owner_id: member.userId });
  assert.deepEqual((await member.get(path)).other_lead_ids, []);
  assert.equal("other_lead_ids" in (await acme.post("/activity/email/", { ...mail, lead_id: old.id })), false);
});

test("a member whose address is at localhost logs, writes and sends e-mails as anybody does", async () => {
  const acme = await organization();
  const ada = await acme.member("user", "localhost");
  const me = await ada.get("/me/");
  const lead_id = (await ada.lead()).id;
  const mail = { lead_id, subject: "Offer", to: ["bob@client.example"] };
  const from = `"${me.first_name} ${me.last_name}" <${me.email}>`;
  const states = [
    { status: "sent" },
    { status: "sent", sender: null },
    { status: "outbox" },
    { status: "scheduled", date_scheduled: inAnHour() },
    { status: "error" },
    { status: "outbox", sender: me.email },
  ];

  for (const state of states) {
    const made = await ada.post("/activity/email/", { ...mail, ...state });
    assert.equal(made.sender, state.sender ?? from, JSON.stringify(state));
    assert.equal(made.envelope.from[0].email, me.email);
    assert.deepEqual(made.users, [ada.userId]);
    assert.deepEqual(await ada.put(`/activity/email/${made.id}/`, { sender: made.sender }), made);
  }
  const draft = await ada.post("/activity/email/", mail);
  assert.equal((await ada.put(`/activity/email/${draft.id}/`, { status: "outbox" })).sender, from);
  const [thread] = (await ada.get(`/activity/emailthread/?lead_id=${lead_id}`)).data;
  assert.equal(thread.participants.filter((one: any) => one.email === me.email).length, 1);
  await acme.refused(400, "POST", "/activity/email/", { ...mail, status: "outbox", sender: me.email }, "sender");
  await ada.refused(400, "POST", "/activity/email/", { ...mail, to: [me.email] }, "to.0");
});

test("a member at localhost answers in a conversation and asks colleagues to meetings", async () => {
  const acme = await organization();
  const ada = await acme.member("user", "localhost");
  const { email } = await ada.get("/me/");
  const lead_id = (await ada.lead()).id;
  const thread = await ada.post("/conversation/", { lead_id, channel: "email", subject: "Offer" });

  for (const status of ["sent", "outbox"])
    await ada.post(`/conversation/${thread.id}/message/`, { type: "email", status, body: "Yes", to: ["bob@client.example"] });
  const meeting = { lead_id, title: "Demo", starts_at: inAnHour(), attendees: [{ user_id: ada.userId }] };
  const made = await ada.post("/activity/meeting/", meeting);

  const { participants } = await ada.get(`/conversation/${thread.id}/`);
  assert.deepEqual(
    participants.filter((one: any) => one.email?.endsWith("@localhost")).map((one: any) => [one.user_id, one.email]),
    [[ada.userId, email]],
  );
  assert.equal(made.attendees[0].email, email);
  assert.deepEqual(await ada.put(`/activity/meeting/${made.id}/`, { attendees: made.attendees }), made);
});
