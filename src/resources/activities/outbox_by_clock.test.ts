// A message that should have been sent 72 hours ago is no longer sent, and says why.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";

const written = "2031-05-06T10:00:00.000Z";
const justBefore = "2031-05-09T09:59:59.999Z";
const over = "2031-05-09T10:00:00.000Z";
const reason = /^could not be sent for 72 hours/;

async function given(): Promise<{ acme: Workspace; person: any }> {
  const acme = await organization();
  const person = await acme.contact({
    emails: [{ email: "ann@example.com" }],
    phones: [{ phone: "+18004445555", type: "mobile" }],
  });
  acme.service.clock.now = new Date(written);
  return { acme, person };
}

const email = (ws: Workspace, to: { id: string }, status = "outbox"): Promise<any> =>
  ws.post("/activity/email/", { contact_id: to.id, status, subject: "Offer", body_text: "Ours" });

const actions = async (ws: Workspace, of: { id: string }) => (await ws.events(of.id)).map((one) => one.event);
const notices = async (ws: Workspace) => (await ws.get("/notification/?type=message_failed")).data;

test("an e-mail that waits in the outbox for 72 hours is no longer sent, and its author is notified once", async () => {
  const { acme, person } = await given();
  const mail = await email(acme, person);
  const path = `/activity/email/${mail.id}/`;

  await atMoment(acme.service, justBefore, "outbox");
  const before = await acme.get(path);
  await atMoment(acme.service, over, "outbox");
  const after = await acme.get(path);
  await atMoment(acme.service, "2031-05-19T10:00:00.000Z", "outbox");

  assert.deepEqual([before.status, before.send_attempts], ["outbox", []]);
  assert.deepEqual([after.status, after.date_sent], ["error", null]);
  assert.equal(after.send_attempts[0].date, over);
  assert.match(after.send_attempts[0].error_message, reason);
  assert.deepEqual(await acme.get(path), after);
  assert.deepEqual(await actions(acme, mail), ["activity.email.created", "activity.email.updated", "activity.email.failed"]);
  const told = await notices(acme);
  assert.deepEqual(
    told.map((one: any) => [one.title, one.object_type, one.object_id, one.actor_id]),
    [["Not sent: Offer", "activity.email", mail.id, null]],
  );
});

test("texts and messages of other systems too, also those that were scheduled, each with its reason", async () => {
  const { acme, person } = await given();
  const at = { contact_id: person.id };
  const text = await acme.post("/activity/sms/", {
    ...at,
    status: "scheduled",
    date_scheduled: "2031-05-06T12:00:00Z",
    text: "Hi",
  });
  const other = await acme.post("/activity/channel_message/", { ...at, channel: "whatsapp", status: "outbox", text: "Hello" });

  await atMoment(acme.service, over, "outbox");
  const first = [await acme.get(`/activity/sms/${text.id}/`), await acme.get(`/activity/channel_message/${other.id}/`)];
  await atMoment(acme.service, "2031-05-09T12:00:00.000Z", "outbox");
  const then = await acme.get(`/activity/sms/${text.id}/`);

  assert.deepEqual(
    first.map((one) => one.status),
    ["scheduled", "error"],
  );
  assert.match(first[1].error_message, reason);
  assert.deepEqual([then.status, reason.test(then.error_message)], ["error", true]);
  assert.equal((await notices(acme)).length, 2);
});

test("sent, withdrawn and deleted messages are left alone, and failed ones can be sent again", async () => {
  const { acme, person } = await given();
  const [logged, draft, deleted, failed] = [
    await email(acme, person, "sent"),
    await email(acme, person),
    await email(acme, person),
    await email(acme, person),
  ];
  await acme.put(`/activity/email/${draft.id}/`, { status: "draft" });
  await acme.delete(`/activity/email/${deleted.id}/`);

  await atMoment(acme.service, over, "outbox");
  const again = await acme.put(`/activity/email/${failed.id}/`, { status: "outbox" });
  await atMoment(acme.service, "2031-05-10T10:00:00.000Z", "outbox");

  assert.equal((await acme.get(`/activity/email/${logged.id}/`)).status, "sent");
  assert.equal((await acme.get(`/activity/email/${draft.id}/`)).status, "draft");
  assert.deepEqual([again.status, (await acme.get(`/activity/email/${failed.id}/`)).status], ["outbox", "outbox"]);
  assert.deepEqual((await actions(acme, deleted)).at(-1), "activity.email.deleted");
});

test("a conversation says which of its messages was not sent", async () => {
  const { acme, person } = await given();
  const thread = await acme.post("/conversation/", { contact_id: person.id });
  const message = await acme.post(`/conversation/${thread.id}/message/`, { type: "sms", status: "outbox", body: "Hi" });

  await atMoment(acme.service, over, "outbox");

  const shown = (await acme.get(`/conversation/${thread.id}/`)).messages.find((one: any) => one.id === message.id);
  assert.deepEqual([shown.status, reason.test(shown.error_message)], ["error", true]);
  assert.deepEqual(
    (await actions(acme, message)).filter((one) => one.startsWith("message.")),
    ["message.created", "message.updated", "message.failed"],
  );
});

test("messages that have waited for weeks say so, and notify nobody", async () => {
  const { acme, person } = await given();
  const mail = await email(acme, person);

  await atMoment(acme.service, "2031-06-06T10:00:00.000Z", "outbox");

  assert.equal((await acme.get(`/activity/email/${mail.id}/`)).status, "error");
  assert.deepEqual(await notices(acme), []);
});
