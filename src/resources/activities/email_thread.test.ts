import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

async function lead(acme: Workspace) {
  const { id } = await acme.lead();
  const send = (body: object = {}) =>
    acme.post("/activity/email/", { lead_id: id, status: "sent", to: ["bob@client.example"], subject: "Our offer", ...body });
  const receive = (body: object = {}) =>
    acme.post("/activity/email/", {
      lead_id: id,
      status: "inbox",
      sender: "Bob <bob@client.example>",
      subject: "Re: Our offer",
      ...body,
    });
  return { id, send, receive };
}

const thread = (acme: Workspace, id: string) => acme.get(`/activity/emailthread/${id}/`);

test("a reply joins the thread of what it answers", async () => {
  const acme = await organization();
  const { send, receive } = await lead(acme);
  const first = await send();

  const answer = await receive({ in_reply_to_id: first.id, subject: "Something else" });

  const found = await thread(acme, first.thread_id);
  assert.equal(answer.thread_id, first.thread_id);
  assert.equal(found.n_emails, 2);
  assert.equal(found.latest_normalized_subject, "Something else");
  assert.deepEqual(
    found.emails.map((line: any) => line.id),
    [answer.id, first.id],
  );
  assert.ok(!("body_text" in found.emails[0]));
  assert.equal(found.emails[0].date_sent, answer.date_sent);
  assert.deepEqual(found.latest_emails, found.emails);
});

test("an answer without a subject has that of what it answers", async () => {
  const acme = await organization();
  const { send } = await lead(acme);
  const first = await send({ subject: "AW: Our offer" });
  const unsaid = { lead_id: first.lead_id, to: ["ann@client.example"], subject: undefined };

  const answer = await acme.post("/activity/email/", { ...unsaid, in_reply_to_id: first.id });
  const draft = await acme.post("/activity/email/", unsaid);
  const later = await acme.put(`/activity/email/${draft.id}/`, { in_reply_to_id: first.id });
  const silent = await acme.post("/activity/email/", { ...unsaid, subject: "", in_reply_to_id: first.id });

  assert.deepEqual([answer.subject, later.subject, silent.subject], ["Re: Our offer", "Re: Our offer", ""]);
});

test("e-mails at one lead with the same subject and people are a thread", async () => {
  const acme = await organization();
  const { send, receive } = await lead(acme);
  const other = await lead(acme);

  const first = await send();
  const answer = await receive({ subject: "AW: Re:  our OFFER" });
  const toSomeoneElse = await send({ to: ["eve@client.example"] });
  const elsewhere = await other.send();
  const without = [await send({ subject: "" }), await send({ subject: "Re:" })];

  assert.equal(answer.thread_id, first.thread_id);
  assert.equal(new Set([first, toSomeoneElse, elsewhere, ...without].map((one) => one.thread_id)).size, 5);
});

test("a thread knows everybody in it, but not who got a blind copy", async () => {
  const acme = await organization();
  const { send, receive } = await lead(acme);
  const first = await send({ sender: "ann@us.example", cc: ["Carl <carl@client.example>"], bcc: ["boss@us.example"] });

  await receive();

  const { participants } = await thread(acme, first.thread_id);
  assert.deepEqual(participants, [
    { email: "ann@us.example", name: null },
    { email: "bob@client.example", name: "Bob" },
    { email: "carl@client.example", name: "Carl" },
  ]);
});

test("an answer is noted on what it answers", async () => {
  const acme = await organization();
  const { send, receive } = await lead(acme);
  const first = await send();

  await receive({ in_reply_to_id: first.id });

  assert.equal((await acme.get(`/activity/email/${first.id}/`)).has_reply, true);
});

test("a thread follows its e-mails as they are edited and deleted, and goes with the last of them", async () => {
  const acme = await organization();
  const { send } = await lead(acme);
  const first = await send({ activity_at: "2025-01-01T00:00:00Z" });
  const draft = await send({ status: "draft" });
  assert.equal(draft.thread_id, first.thread_id);

  await acme.put(`/activity/email/${draft.id}/`, { to: ["eve@client.example"], subject: "Re: Another offer" });
  const edited = await thread(acme, first.thread_id);
  await acme.delete(`/activity/email/${draft.id}/`);
  const shorter = await thread(acme, first.thread_id);
  await acme.delete(`/activity/email/${first.id}/`);

  assert.deepEqual(edited.participants.map((one: any) => one.email).at(-1), "eve@client.example");
  assert.equal(edited.latest_normalized_subject, "Another offer");
  assert.equal(shorter.n_emails, 1);
  assert.equal(shorter.latest_normalized_subject, "Our offer");
  assert.equal(shorter.activity_at, "2025-01-01T00:00:00.000Z");
  await acme.refused(404, "GET", `/activity/emailthread/${first.thread_id}/`);
  const events = await acme.events(first.thread_id);
  assert.equal(events[0].event, "activity.email_thread.created");
  assert.equal(events.at(-1).event, "activity.email_thread.deleted");
});

test("a draft can be made an answer to another e-mail, and its old thread goes", async () => {
  const acme = await organization();
  const { send } = await lead(acme);
  const first = await send();
  const draft = await send({ status: "draft", subject: "By itself" });

  const moved = await acme.put(`/activity/email/${draft.id}/`, { in_reply_to_id: first.id });

  assert.equal(moved.thread_id, first.thread_id);
  assert.equal((await thread(acme, first.thread_id)).n_emails, 2);
  await acme.refused(404, "GET", `/activity/emailthread/${draft.thread_id}/`);
  await acme.refused(400, "PUT", `/activity/email/${draft.id}/`, { in_reply_to_id: draft.id }, "in_reply_to_id");
});

test("an e-mail answers another e-mail of its lead", async () => {
  const acme = await organization();
  const { id, send } = await lead(acme);
  const elsewhere = await (await lead(acme)).send();
  const note = await acme.note({ lead_id: id });

  const body = { lead_id: id, in_reply_to_id: elsewhere.id };
  await acme.refused(400, "POST", "/activity/email/", body, "in_reply_to_id");
  await acme.refused(400, "POST", "/activity/email/", { ...body, in_reply_to_id: note.id }, "in_reply_to_id");
  await acme.refused(400, "POST", "/activity/email/", { ...body, in_reply_to_id: "acti_nothing" }, "in_reply_to_id");
  const first = await send();
  const reply = await acme.post("/activity/email/", { in_reply_to_id: first.id });
  assert.equal(reply.lead_id, id, "what it answers tells the lead");
});

test("two e-mails that arrive at once are one thread", async () => {
  const acme = await organization();
  const { receive } = await lead(acme);

  const emails = await Promise.all([1, 2, 3, 4, 5].map(() => receive()));

  assert.equal(new Set(emails.map((one) => one.thread_id)).size, 1);
  assert.equal((await thread(acme, emails[0].thread_id)).n_emails, 5);
});

test("threads are only read", async () => {
  const acme = await organization();
  const { send } = await lead(acme);
  const { thread_id } = await send();

  assert.ok(!("emails" in (await acme.get("/activity/emailthread/")).data[0]), "a list shows e-mails where they are asked for");
  assert.equal((await acme.get("/activity/emailthread/?_fields=emails")).data[0].emails.length, 1);
  await acme.refused(405, "POST", "/activity/emailthread/", {});
  await acme.refused(405, "DELETE", `/activity/emailthread/${thread_id}/`);
});
