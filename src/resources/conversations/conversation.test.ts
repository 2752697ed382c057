import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const ann = (ws: Workspace, body: object = {}) =>
  ws.contact({
    name: "Ann",
    emails: [{ email: "ann@example.com" }],
    phones: [{ phone: "+18004445555", type: "mobile" }],
    ...body,
  });

async function begun(ws: Workspace, body: object = {}): Promise<any> {
  const person = await ann(ws);
  return ws.post("/conversation/", { contact_id: person.id, subject: "The offer", ...body });
}

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const actions = async (ws: Workspace, id: string) => (await ws.events(id)).map((event) => event.event);

describe("a conversation", () => {
  test("is at the lead of its contact, open, read and in the Inbox", async () => {
    const acme = await organization();
    const person = await ann(acme);

    const made = await acme.post("/conversation/", { contact_id: person.id });

    assert.equal(made.lead_id, person.lead_id);
    assert.deepEqual([made.status, made.is_read, made.folder_name, made.channel], ["open", true, "Inbox", "email"]);
    assert.deepEqual(made.participants, [
      { contact_id: person.id, user_id: null, email: "ann@example.com", phone: "+18004445555", name: "Ann" },
    ]);
    assert.deepEqual([made.messages, made.message_count, made.last_message_at], [[], 0, null]);
  });

  test("needs a lead or a contact of it, a known assignee, and an hour to sleep until", async () => {
    const acme = await organization();
    const [person, lead] = [await ann(acme), await acme.lead()];
    const refused = (body: object, field: string) => acme.refused(400, "POST", "/conversation/", body, field);

    await refused({ subject: "Nobody" }, "lead_id");
    await refused({ lead_id: lead.id, contact_id: person.id }, "contact_id");
    await refused({ lead_id: "lead_none" }, "lead_id");
    await refused({ lead_id: lead.id, assigned_to: "user_none" }, "assigned_to");
    await refused({ lead_id: lead.id, folder_id: "folder_none" }, "folder_id");
    await refused({ lead_id: lead.id, status: "snoozed" }, "snoozed_until");
    await refused({ lead_id: lead.id, status: "snoozed", snoozed_until: "2020-01-01T00:00:00Z" }, "snoozed_until");
    await refused({ lead_id: lead.id, snoozed_until: tomorrow() }, "snoozed_until");
  });

  test("wakes when its hour has come, for readers and for filters", async () => {
    const acme = await organization();
    const { id } = await begun(acme, { status: "snoozed", snoozed_until: tomorrow() });
    const snoozed = (await acme.get("/conversation/?status=snoozed")).data.length;

    acme.service.clock.now = new Date(Date.now() + 2 * 86_400_000);
    const later = await acme.get(`/conversation/${id}/`);
    const open = (await acme.get("/conversation/?status=open")).data.length;
    const asleep = (await acme.get("/conversation/?status__in=snoozed,closed")).data.length;
    acme.service.clock.now = null;

    assert.deepEqual([snoozed, later.status, open, asleep], [1, "open", 1, 0]);
  });

  test("tells when it is closed, opened again and assigned, also to a group", async () => {
    const acme = await organization();
    const { id } = await begun(acme);
    const group = await acme.post("/group/", { name: "Support" });

    await acme.put(`/conversation/${id}/`, { status: "closed" });
    const assigned = await acme.put(`/conversation/${id}/`, { status: "open", assigned_to: group.id });

    assert.equal(assigned.assigned_to_name, "Support");
    assert.deepEqual(await actions(acme, id), [
      "conversation.created",
      "conversation.updated",
      "conversation.closed",
      "conversation.updated",
      "conversation.reopened",
      "conversation.assigned",
    ]);
  });

  test("is hidden by its deletion, with its messages kept, and restored as it was", async () => {
    const acme = await organization();
    const { id } = await begun(acme);
    const message = await acme.post(`/conversation/${id}/message/`, { type: "note", body: "Remember" });
    const before = await acme.get(`/conversation/${id}/`);

    assert.deepEqual(await acme.delete(`/conversation/${id}/`), {});
    await acme.refused(404, "GET", `/conversation/${id}/`);
    await acme.refused(404, "PUT", `/conversation/${id}/`, { subject: "x" });
    await acme.refused(404, "DELETE", `/conversation/${id}/`);
    await acme.refused(404, "POST", `/conversation/${id}/message/`, { type: "note", body: "x" });
    await acme.refused(400, "POST", "/activity/note/", { conversation_id: id, note: "x" }, "conversation_id");
    assert.deepEqual((await acme.get("/conversation/")).data, []);
    assert.ok((await acme.get("/conversation/?include_deleted=true")).data[0].deleted_at);
    assert.equal((await acme.get(`/activity/note/${message.id}/`)).conversation_id, id);
    const restored = await acme.post(`/conversation/${id}/restore/`);

    assert.deepEqual({ ...restored, date_updated: "" }, { ...before, date_updated: "" });
    assert.deepEqual(await acme.post(`/conversation/${id}/restore/`), restored);
    assert.deepEqual((await actions(acme, id)).slice(-2), ["conversation.deleted", "conversation.restored"]);
  });

  test("is changed and deleted by its own people, and by who manages others' activities", async () => {
    const acme = await organization();
    const eve = await acme.memberWith(["view_all_leads", "delete_own_activities"]);
    const { id } = await begun(acme);

    await eve.refused(403, "PUT", `/conversation/${id}/`, { subject: "Mine" });
    await eve.refused(403, "DELETE", `/conversation/${id}/`);
    await acme.put(`/conversation/${id}/`, { assigned_to: eve.userId });
    await eve.put(`/conversation/${id}/`, { subject: "Mine" });
    await eve.delete(`/conversation/${id}/`);
    await eve.post(`/conversation/${id}/restore/`);
  });

  test("is written back as it was read, though its assignee has left and its folder is somebody's own", async () => {
    const acme = await organization();
    const bob = await acme.member();
    const folder = await bob.post("/inbox_folder/", { name: "Mine", is_shared: false });
    const { id } = await bob.post("/conversation/", {
      lead_id: (await acme.lead()).id,
      folder_id: folder.id,
      assigned_to: bob.userId,
    });
    const { id: membership } = (await acme.get(`/membership/?user_id=${bob.userId}`)).data[0];
    await acme.delete(`/membership/${membership}/`);

    const read = await acme.get(`/conversation/${id}/`);
    const renamed = await acme.put(`/conversation/${id}/`, { ...read, subject: "Hers now" });

    assert.deepEqual([renamed.subject, renamed.assigned_to, renamed.folder_id], ["Hers now", bob.userId, folder.id]);
  });

  test("is seen by who sees its lead", async () => {
    const acme = await organization();
    const eve = await acme.memberWith([]);
    const { id } = await begun(acme);
    const own = await eve.lead();
    const { id: seen } = await acme.post("/conversation/", { lead_id: own.id });

    await eve.refused(404, "GET", `/conversation/${id}/`);
    await eve.refused(404, "POST", `/conversation/${id}/message/`, { type: "note", body: "x" });
    await eve.refused(404, "POST", `/conversation/${id}/restore/`);
    assert.deepEqual(
      (await eve.get("/conversation/?include_deleted=true")).data.map((one: any) => one.id),
      [seen],
    );
  });

  test("is found by tag, channel, priority, words and assignee; the newest message first", async () => {
    const acme = await organization();
    const [first, second] = [
      await begun(acme, { tags: ["hot", "hot "], channel: "sms", priority: "high" }),
      await begun(acme, { assigned_to: acme.userId }),
    ];
    await acme.post(`/conversation/${first.id}/message/`, { type: "note", body: "Newest" });
    const found = async (query: string) => (await acme.get(`/conversation/?${query}`)).data.map((one: any) => one.id);

    assert.deepEqual(first.tags, ["hot"]);
    assert.deepEqual(await found(""), [first.id, second.id]);
    assert.deepEqual(await found("_order_by=last_message_at"), [first.id, second.id]);
    for (const query of ["tag=hot", "channel__in=sms,chat", "priority=high", "query=newest", "last_message_at__gte=2020-01-01"])
      assert.deepEqual(await found(query), [first.id], query);
    assert.deepEqual(await found(`assigned_to=${acme.userId}`), [second.id]);
    assert.deepEqual(await found("query=offer&is_read=true&_order_by=date_created"), [first.id, second.id]);
  });

  test("goes with its lead, with a merge, and outlives its contact", async () => {
    const acme = await organization();
    const person = await ann(acme);
    const other = await acme.lead();
    const { id } = await acme.post("/conversation/", { contact_id: person.id });
    const { id: message } = await acme.post(`/conversation/${id}/message/`, { type: "note", body: "x" });

    await acme.post("/lead/merge/", { source: person.lead_id, destination: other.id });
    assert.equal((await acme.get(`/conversation/${id}/`)).lead_id, other.id);
    assert.equal((await acme.get(`/activity/note/${message}/`)).lead_id, other.id);
    await acme.delete(`/contact/${person.id}/`);
    const alone = await acme.get(`/conversation/${id}/`);
    assert.deepEqual([alone.contact_id, alone.participants[0].contact_id, alone.messages.length], [null, null, 1]);
    await acme.delete(`/lead/${other.id}/`);

    await acme.refused(404, "GET", `/conversation/${id}/`);
  });
});

describe("a message", () => {
  test("is an activity of its kind, and the conversation shows it", async () => {
    const acme = await organization();
    const thread = await begun(acme);

    const email = await acme.post(`/conversation/${thread.id}/message/`, { type: "email", body: "Hello Ann" });
    const sms = await acme.post(`/conversation/${thread.id}/message/`, { type: "sms", body: "Hi" });
    const note = await acme.post(`/conversation/${thread.id}/message/`, { type: "note", body: "She called" });

    assert.deepEqual([email._type, email.type, email.status, email.state], ["Email", "email", "draft", "draft"]);
    assert.deepEqual([email.subject, email.to, email.body_text], ["Re: The offer", ["ann@example.com"], "Hello Ann"]);
    assert.deepEqual([sms.type, sms.remote_phone, sms.text, sms.body], ["sms", "+18004445555", "Hi", "Hi"]);
    assert.deepEqual([note.type, note.status, note.note, note.lead_id], ["note", "sent", "She called", thread.lead_id]);
    const shown = await acme.get(`/conversation/${thread.id}/`);
    assert.deepEqual(shown.messages, [note, sms, email]);
    assert.deepEqual([shown.message_count, shown.last_message_preview, shown.last_message_direction], [3, "She called", null]);
    const stream = (await acme.get(`/activity/?conversation_id=${thread.id}`)).data;
    assert.deepEqual(stream.map((one: any) => one.id).sort(), [email.id, sms.id, note.id].sort());
    assert.deepEqual(
      shown.participants.map((one: any) => one.contact_id ?? one.user_id),
      [thread.contact_id, acme.userId],
    );
    assert.equal("messages" in (await acme.get("/conversation/")).data[0], false);
  });

  test("answers the newest e-mail of its conversation, in the same thread", async () => {
    const acme = await organization();
    const thread = await begun(acme);
    const came = { lead_id: thread.lead_id, conversation_id: thread.id, status: "inbox", sender: "ann@example.com" };
    const asked = await acme.post("/activity/email/", { ...came, subject: "Re: The price", body_text: "How much?" });
    const say = (more: object) => acme.post(`/conversation/${thread.id}/message/`, { type: "email", body: "Ten", ...more });

    const [answer, other] = [await say({}), await say({ subject: "Something else" })];

    assert.deepEqual([answer.in_reply_to_id, answer.thread_id, answer.subject], [asked.id, asked.thread_id, "Re: The price"]);
    assert.deepEqual([other.in_reply_to_id, other.thread_id === asked.thread_id], [null, false]);
  });

  test("in the outbox waits for the sender; state and status say the same", async () => {
    const acme = await organization();
    const { id } = await begun(acme);
    const send = (body: object) => acme.post(`/conversation/${id}/message/`, body);

    const email = await send({ type: "email", state: "outbox", body: "Go" });
    const later = await send({ type: "sms", status: "scheduled", body: "Go", date_scheduled: tomorrow() });
    const channel = await send({ type: "channel_message", body: "Hey" });

    assert.deepEqual([email.status, email.date_sent, later.status, later.state], ["outbox", null, "scheduled", "scheduled"]);
    assert.deepEqual([channel.type, channel.status, channel.channel], ["channel_message", "draft", "other"]);
    assert.ok(email.sender);
  });

  test("carries stored files, beside what else is attached", async () => {
    const acme = await organization();
    const thread = await begun(acme);
    const offer = await acme.post("/file/", { name: "offer.txt", content_base64: Buffer.from("Take it").toString("base64") });
    const elsewhere = { url: "https://example.com/plan.pdf", filename: "plan.pdf" };
    const write = (body: object) => acme.post(`/conversation/${thread.id}/message/`, { type: "email", body: "See", ...body });

    const message = await write({ file_ids: [offer.id], attachments: [elsewhere] });
    const note = await write({ type: "note", file_ids: [offer.id] });

    assert.deepEqual(
      message.attachments.map((one: any) => [one.file_id, one.filename, one.size]),
      [
        [null, "plan.pdf", null],
        [offer.id, "offer.txt", 7],
      ],
    );
    assert.deepEqual(note.attachments[0].file_id, offer.id);
    const body = { type: "email", body: "x", file_ids: [offer.id], attachments: 5 };
    await acme.refused(400, "POST", `/conversation/${thread.id}/message/`, body, "attachments");
    const foreign = await (await organization(acme.service)).post("/file/", { name: "x.txt", content_base64: "QQ==" });
    for (const id of ["file_none", foreign.id]) {
      const body = { type: "email", body: "x", file_ids: [offer.id, id] };
      await acme.refused(400, "POST", `/conversation/${thread.id}/message/`, body, "file_ids.1");
    }
  });

  test("is refused by the names its body has", async () => {
    const acme = await organization();
    const { id } = await begun(acme);
    const alone = await acme.post("/conversation/", { lead_id: (await acme.lead()).id });
    const refused = (body: object, field: string, to = id) =>
      acme.refused(400, "POST", `/conversation/${to}/message/`, body, field);

    await refused({ body: "x" }, "type");
    await refused({ type: "letter", body: "x" }, "type");
    await refused({ type: "note" }, "body");
    await refused({ type: "email", body: " " }, "body");
    await refused({ type: "email", body: "x", status: "gone" }, "status");
    await refused({ type: "email", body: "x", status: "draft", state: "sent" }, "state");
    await refused({ type: "email", body: "x", status: "scheduled" }, "date_scheduled");
    await refused({ type: "email", body: "x", to: ["nobody"] }, "to.0");
    await refused({ type: "note", body: "x", state: "outbox" }, "state");
    await refused({ type: "sms", body: "x".repeat(1601) }, "body");
    await refused({ type: "email", body: "x", state: "outbox" }, "to", alone.id);
    await refused({ type: "sms", body: "x", state: "outbox" }, "to", alone.id);
    await refused({ type: "email", template_id: "tmpl_none" }, "template_id");
    assert.equal((await acme.get(`/conversation/${id}/`)).message_count, 0);
  });

  test("can come with the conversation, all or nothing", async () => {
    const acme = await organization();
    const person = await ann(acme);

    const made = await acme.post("/conversation/", {
      contact_id: person.id,
      subject: "Hello",
      message: { type: "email", body: "First", state: "outbox" },
    });
    await acme.refused(
      400,
      "POST",
      "/conversation/",
      { contact_id: person.id, message: { type: "email", body: "x", status: "scheduled" } },
      "message.date_scheduled",
    );
    await acme.refused(400, "POST", "/conversation/", { contact_id: person.id, message: { body: "x" } }, "message.type");

    assert.deepEqual([made.message_count, made.messages[0].body, made.last_message_preview], [1, "First", "First"]);
    assert.equal((await acme.get("/conversation/")).data.length, 1);
  });

  test("that is received reopens the conversation, is unread, and the assignee is notified", async () => {
    const acme = await organization();
    const bob = await acme.member();
    const { id, contact_id } = await begun(acme, { assigned_to: bob.userId });
    await acme.put(`/conversation/${id}/`, { status: "closed" });

    const message = await acme.post("/activity/email/", {
      conversation_id: id,
      status: "inbox",
      subject: "Re: The offer",
      body_text: "Yes please",
    });

    const shown = await acme.get(`/conversation/${id}/`);
    assert.deepEqual([message.contact_id, message.sender], [contact_id, "ann@example.com"]);
    assert.deepEqual([shown.status, shown.is_read, shown.unread_count], ["open", false, 1]);
    assert.deepEqual([shown.last_message_preview, shown.last_message_direction], ["Yes please", "incoming"]);
    assert.ok((await actions(acme, id)).includes("conversation.reopened"));
    assert.deepEqual(
      (await actions(acme, message.id)).sort(),
      ["activity.email.created", "activity.email.received", "message.created", "message.received"].sort(),
    );
    const [row] = await acme.service.app.db.unscoped({
      text: "select user_id, type, lead_id from notification where object_id = $1",
      values: [message.id],
    });
    assert.deepEqual(row, [bob.userId, "message_received", message.lead_id]);
  });

  test("is read with the conversation, and the newest can be marked as unread", async () => {
    const acme = await organization();
    const { id } = await begun(acme);
    await acme.post("/activity/sms/", { conversation_id: id, status: "inbox", text: "One" });
    await acme.post("/activity/sms/", { conversation_id: id, status: "inbox", text: "Two" });

    const unread = await acme.get(`/conversation/${id}/`);
    const read = await acme.put(`/conversation/${id}/`, { is_read: true });
    const again = await acme.put(`/conversation/${id}/`, { is_read: false });

    assert.deepEqual([unread.unread_count, read.unread_count, again.unread_count], [2, 0, 1]);
  });

  test("that is changed or deleted changes what the conversation shows", async () => {
    const acme = await organization();
    const { id } = await begun(acme);
    const first = await acme.post(`/conversation/${id}/message/`, { type: "note", body: "First" });
    const second = await acme.post(`/conversation/${id}/message/`, { type: "email", body: "Second" });

    await acme.put(`/activity/email/${second.id}/`, { body_text: "Second thoughts" });
    assert.equal((await acme.get(`/conversation/${id}/`)).last_message_preview, "Second thoughts");
    await acme.delete(`/activity/email/${second.id}/`);
    const one = await acme.get(`/conversation/${id}/`);
    await acme.delete(`/activity/note/${first.id}/`);
    const none = await acme.get(`/conversation/${id}/`);

    assert.deepEqual([one.message_count, one.last_message_preview], [1, "First"]);
    assert.deepEqual([none.message_count, none.last_message_preview, none.last_message_at], [0, null, null]);
  });

  test("written by several at once is counted once each", async () => {
    const acme = await organization();
    const { id } = await begun(acme);

    await Promise.all(
      Array.from({ length: 12 }, (_, i) => acme.post(`/conversation/${id}/message/`, { type: "note", body: `Note ${i}` })),
    );

    const { message_count, messages } = await acme.get(`/conversation/${id}/`);
    assert.deepEqual([message_count, messages.length], [12, 12]);
  });
});
