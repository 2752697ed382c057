import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { asService } from "../../records/acting.ts";
import { type Received, receiveFromStranger } from "./receive.ts";

const folders = async (ws: Workspace) => (await ws.get("/inbox_folder/")).data;
const folderNamed = async (ws: Workspace, name: string) => (await folders(ws)).find((one: any) => one.name === name);

/** What the service does when mail arrives. */
const receive = (ws: Workspace, given: Partial<Received> = {}): Promise<any> =>
  asService(ws.service.app.core, ws.id, ws.userId, { id: "req_1", method: "POST", path: "/" }, (ctx) =>
    receiveFromStranger(ctx, {
      channel: "email",
      name: "Ann Lee",
      email: "ann@bolt.io",
      phone: null,
      subject: "Your offer",
      body_text: "Is it still open?",
      received_at: "2026-01-02T03:04:05.000Z",
      message: { to: ["sales@acme.io"] },
      ...given,
    }),
  );

describe("a folder", () => {
  test("every organization starts with four, which stay", async () => {
    const acme = await organization();

    const all = await folders(acme);

    assert.deepEqual(
      all.map((one: any) => [one.name, one.is_system]),
      ["Inbox", "Archive", "Trash", "Spam"].map((name) => [name, true]),
    );
    await acme.refused(400, "PUT", `/inbox_folder/${all[0].id}/`, { name: "Mail" });
    await acme.refused(400, "DELETE", `/inbox_folder/${all[1].id}/`);
  });

  test("has a unique name among its siblings, and is in no circle", async () => {
    const acme = await organization();
    const outer = await acme.post("/inbox_folder/", { display_name: "Customers" });
    const inner = await acme.post("/inbox_folder/", { name: "customers", parent_folder_id: outer.id });

    assert.equal(outer.name, "Customers");
    await acme.refused(400, "POST", "/inbox_folder/", { name: "CUSTOMERS" }, "name");
    await acme.refused(400, "POST", "/inbox_folder/", {}, "name");
    await acme.refused(400, "POST", "/inbox_folder/", { display_name: null }, "display_name");
    await acme.refused(400, "PUT", `/inbox_folder/${outer.id}/`, { display_name: null }, "display_name");
    await acme.refused(400, "POST", "/inbox_folder/", { name: "x", parent_folder_id: "folder_none" }, "parent_folder_id");
    await acme.refused(400, "PUT", `/inbox_folder/${outer.id}/`, { parent_folder_id: inner.id }, "parent_folder_id");
    await acme.refused(400, "PUT", `/inbox_folder/${outer.id}/`, { parent_folder_id: outer.id }, "parent_folder_id");
  });

  test("of one's own is nobody else's", async () => {
    const acme = await organization();
    const bob = await acme.member();
    const mine = await bob.post("/inbox_folder/", { name: "Mine", is_shared: false });
    const lead = await acme.lead();

    assert.equal(mine.user_id, bob.userId);
    assert.equal(await folderNamed(acme, "Mine"), undefined);
    await acme.refused(404, "PUT", `/inbox_folder/${mine.id}/`, { name: "Ours" });
    await acme.refused(400, "POST", "/conversation/", { lead_id: lead.id, folder_id: mine.id }, "folder_id");
    await bob.post("/conversation/", { lead_id: lead.id, folder_id: mine.id });
  });

  test("that is deleted leaves its content to the Inbox, and rules that name it stop", async () => {
    const acme = await organization();
    const folder = await acme.post("/inbox_folder/", { name: "Billing" });
    const thread = await acme.post("/conversation/", { lead_id: (await acme.lead()).id, folder_id: folder.id });
    const rule = await acme.post("/inbox_rule/", {
      name: "Bills",
      conditions: { subject_contains: "invoice" },
      actions: { move_to_folder: folder.id, mark_as_read: true },
    });
    const counts = await acme.get("/inbox_folder/?_fields=name,total_count,unread_count&q=Billing");

    await acme.delete(`/inbox_folder/${folder.id}/`);

    assert.deepEqual(counts.data, [{ name: "Billing", unread_count: 0, total_count: 1 }]);
    assert.equal((await acme.get(`/conversation/${thread.id}/`)).folder_name, "Inbox");
    assert.deepEqual(
      (await acme.get("/inbox_rule/")).data.map((one: any) => [one.id, one.is_enabled]),
      [[rule.id, false]],
    );
    await acme.refused(400, "PUT", `/inbox_rule/${rule.id}/`, { is_enabled: true }, "actions.0.value");
    await acme.put(`/inbox_rule/${rule.id}/`, { is_enabled: true, actions: { mark_as_read: true } });
  });

  test("that is deleted leaves the folders in it at the top, unless one there has the name", async () => {
    const acme = await organization();
    const outer = await acme.post("/inbox_folder/", { name: "Customers" });
    const inner = await acme.post("/inbox_folder/", { name: "customers", parent_folder_id: outer.id });
    const spam = await acme.post("/inbox_folder/", { name: "spam", parent_folder_id: outer.id });

    const refusal = await acme.refused(400, "DELETE", `/inbox_folder/${outer.id}/`);
    await acme.put(`/inbox_folder/${spam.id}/`, { name: "Not ours" });
    await acme.delete(`/inbox_folder/${outer.id}/`);

    assert.match(refusal.error, /holds a folder spam/);
    const left = (await folders(acme)).filter((one: any) => !one.is_system);
    assert.deepEqual(
      left.map((one: any) => [one.id, one.parent_folder_id]).sort(),
      [
        [inner.id, null],
        [spam.id, null],
      ].sort(),
    );
  });
});

describe("a rule", () => {
  const says = { name: "Bills", conditions: { subject_contains: "invoice" }, actions: { add_tag: "billing" } };

  test("is kept as lists, whichever form it came in, and read back as it was", async () => {
    const acme = await organization();
    const inbox = await folderNamed(acme, "Archive");

    const rule = await acme.post("/inbox_rule/", {
      name: "Bills",
      conditions: { from_addresses: ["a@b.io"], has_attachments: true },
      exceptions: [{ field: "from", operator: "contains", value: "boss" }],
      actions: { move_to_folder: inbox.id, mark_as_read: true, dismiss: false },
    });
    const next = await acme.post("/inbox_rule/", says);

    assert.deepEqual(rule.conditions, [
      { field: "sender", operator: "equals", value: ["a@b.io"] },
      { field: "has_attachments", operator: "equals", value: true },
    ]);
    assert.deepEqual(rule.exceptions, [{ field: "sender", operator: "contains", value: "boss" }]);
    assert.deepEqual(rule.actions, [
      { type: "move_to_folder", value: inbox.id },
      { type: "mark_as_read", value: true },
    ]);
    assert.deepEqual([rule.position, next.position], [0, 1]);
    assert.deepEqual(await acme.put(`/inbox_rule/${rule.id}/`, rule), rule);
  });

  test("that is not understood is refused by its place", async () => {
    const acme = await organization();
    const refused = (body: object, field: string) => acme.refused(400, "POST", "/inbox_rule/", { ...says, ...body }, field);

    await refused({ conditions: [] }, "conditions");
    await refused({ conditions: {} }, "conditions");
    await refused({ conditions: { colour: "red" } }, "conditions.colour");
    await refused({ conditions: [{ field: "colour", operator: "equals", value: "red" }] }, "conditions.0.field");
    await refused({ conditions: [{ field: "subject", operator: "sounds_like", value: "x" }] }, "conditions.0.operator");
    await refused({ conditions: [{ field: "channel", operator: "contains", value: "x" }] }, "conditions.0.operator");
    await refused({ conditions: [{ field: "subject", operator: "equals" }] }, "conditions.0.value");
    await refused({ conditions: [{ field: "subject", operator: "equals", value: "x", not: true }] }, "conditions.0.not");
    await refused({ conditions: { has_attachments: "yes" } }, "conditions.has_attachments");
    await refused({ conditions: { lead_status_id: "stat_none" } }, "conditions.lead_status_id");
    await refused({ exceptions: [7] }, "exceptions.0");
    await refused({ actions: {} }, "actions");
    await refused({ actions: { mark_as_read: false } }, "actions");
    await refused({ actions: { explode: true } }, "actions.explode");
    await refused({ actions: [{ type: "move_to_folder", value: "folder_none" }] }, "actions.0.value");
    await refused({ actions: [{ type: "assign_to", value: "user_none" }] }, "actions.0.value");
    await refused({ actions: { set_status: "open" } }, "actions.set_status");
    await refused({ actions: { forward_to: ["nobody"] } }, "actions.forward_to");
    await refused({ match: "some" }, "match");
  });

  test("of one's own is everybody's to make; those for all take manage_customizations", async () => {
    const acme = await organization();
    const [bob, eve] = [await acme.member(), await acme.member()];
    const mine = await bob.post("/inbox_rule/", { ...says, user_id: bob.userId });
    const ours = await acme.post("/inbox_rule/", says);

    await bob.refused(403, "POST", "/inbox_rule/", says);
    await bob.refused(403, "PUT", `/inbox_rule/${ours.id}/`, { name: "x" });
    await bob.refused(403, "PUT", `/inbox_rule/${mine.id}/`, { user_id: null });
    await bob.refused(403, "DELETE", `/inbox_rule/${ours.id}/`);
    await eve.refused(404, "PUT", `/inbox_rule/${mine.id}/`, { name: "x" });
    await bob.put(`/inbox_rule/${mine.id}/`, { is_enabled: false });
    await bob.refused(400, "PUT", `/inbox_rule/${mine.id}/`, { sequence: null }, "sequence");

    assert.deepEqual(
      (await eve.get("/inbox_rule/")).data.map((one: any) => one.id),
      [ours.id],
    );
  });

  test("files, assigns, tags and forwards what comes in for a conversation, and counts it", async () => {
    const acme = await organization();
    const bob = await acme.member();
    const person = await acme.contact({ emails: [{ email: "ann@example.com" }] });
    const archive = await folderNamed(acme, "Archive");
    const { id } = await acme.post("/conversation/", { contact_id: person.id, tags: ["old"] });
    await acme.post("/inbox_rule/", {
      ...says,
      actions: {
        move_to_folder: archive.id,
        assign_to: bob.userId,
        add_tag: "billing",
        set_priority: "high",
        mark_as_read: true,
        forward_to: "books@acme.io",
        stop_processing: true,
      },
    });
    await acme.post("/inbox_rule/", { ...says, name: "Later", actions: { add_tag: "never" } });
    const arrive = (subject: string) =>
      acme.post("/activity/email/", { conversation_id: id, status: "inbox", subject, body_text: "Due" });

    await arrive("Hello");
    const before = await acme.get(`/conversation/${id}/`);
    await arrive("Invoice 17");
    const after = await acme.get(`/conversation/${id}/`);

    assert.deepEqual([before.folder_name, before.is_read, before.assigned_to], ["Inbox", false, null]);
    assert.deepEqual([after.folder_name, after.is_read, after.unread_count], ["Archive", true, 0]);
    assert.deepEqual([after.assigned_to, after.tags, after.priority], [bob.userId, ["old", "billing"], "high"]);
    const [rule, later] = (await acme.get("/inbox_rule/")).data;
    assert.deepEqual([rule.match_count, later.match_count], [1, 0]);
    assert.ok(rule.last_matched_at);
    const [forwarded] = (await acme.get(`/activity/email/?lead_id=${person.lead_id}&status=outbox`)).data;
    assert.deepEqual([forwarded.to, forwarded.subject], [["books@acme.io"], "Fwd: Invoice 17"]);
  });
});

describe("a prospect", () => {
  test("is one for each stranger, until somebody has dealt with it", async () => {
    const acme = await organization();

    const first = await receive(acme);
    const again = await receive(acme, { subject: "And?", email: "ANN@bolt.io" });
    const other = await receive(acme, { channel: "sms", email: null, phone: "+18004445555", name: null });

    assert.equal(again.id, first.id);
    const listed = (await acme.get("/inbox_prospect/?_order_by=date_created")).data;
    assert.deepEqual(
      listed.map((one: any) => [one.id, one.subject, one.company, one.preview]),
      [
        [first.id, "And?", "bolt.io", "Is it still open?"],
        [other.id, "Your offer", null, "Is it still open?"],
      ],
    );
    assert.equal((await acme.get("/inbox_prospect/?email=ann@BOLT.io")).data.length, 1);
    assert.equal((await acme.get("/inbox_prospect/?channel=sms")).data.length, 1);
    await acme.refused(400, "GET", "/inbox_prospect/?status=lost", undefined, "status");
  });

  test("who writes twice at the same moment is one all the same", async () => {
    const acme = await organization();

    const all = await Promise.all([1, 2, 3, 4].map(() => receive(acme)));

    assert.equal(new Set(all.map((one) => one.id)).size, 1);
  });

  test("stays in the Inbox where the folder that a rule names is gone", async () => {
    const acme = await organization();
    const folder = await acme.post("/inbox_folder/", { name: "Gone" });
    const actions = { move_to_folder: folder.id };
    const rule = await acme.post("/inbox_rule/", { name: "x", conditions: { subject_contains: "offer" }, actions });
    await acme.delete(`/inbox_folder/${folder.id}/`);
    await acme.inside(async ({ db, organization_id: id }) => {
      await db.unscoped({ text: "update inbox_rule set is_enabled = true where organization_id = $1", values: [id] });
    });

    const prospect = await receive(acme);

    assert.equal(prospect.folder_id, (await folderNamed(acme, "Inbox")).id);
    assert.equal((await acme.get("/inbox_rule/")).data.find((one: any) => one.id === rule.id).match_count, 1);
  });

  test("in a folder of somebody's own is converted by anybody", async () => {
    const acme = await organization();
    const bob = await acme.member();
    const mine = await acme.post("/inbox_folder/", { name: "Mine", is_shared: false });
    const actions = { move_to_folder: mine.id };
    await acme.post("/inbox_rule/", { name: "x", conditions: { subject_contains: "offer" }, actions });
    const { id, folder_id } = await receive(acme);

    const made = await bob.post(`/inbox_prospect/${id}/convert/`);

    assert.equal(folder_id, mine.id);
    assert.equal((await bob.get(`/conversation/${made.conversation_id}/`)).folder_id, mine.id);
  });

  test("becomes a lead, a contact, a conversation and the message", async () => {
    const acme = await organization();
    const { id } = await receive(acme);

    const made = await acme.post(`/inbox_prospect/${id}/convert/`, { lead_name: "Bolt", contact_name: "Ann" });

    assert.deepEqual([made.prospect.status, made.prospect.converted_by], ["converted", acme.userId]);
    assert.deepEqual([made.lead.name, made.contact.name, made.contact.emails[0].email], ["Bolt", "Ann", "ann@bolt.io"]);
    assert.deepEqual(
      [made.lead_id, made.contact_id, made.conversation_id, made.message_id],
      [made.prospect.lead_id, made.prospect.contact_id, made.prospect.conversation_id, made.prospect.activity_id],
    );
    const message = await acme.get(`/activity/email/${made.message_id}/`);
    assert.deepEqual([message.status, message.sender, message.to], ["inbox", '"Ann Lee" <ann@bolt.io>', ["sales@acme.io"]]);
    assert.deepEqual([message.body_text, message.date_sent], ["Is it still open?", "2026-01-02T03:04:05.000Z"]);
    const thread = await acme.get(`/conversation/${made.conversation_id}/`);
    assert.deepEqual([thread.subject, thread.unread_count, thread.messages[0].id], ["Your offer", 1, message.id]);
    assert.deepEqual((await acme.get("/inbox_prospect/")).data, []);
    assert.equal((await acme.get("/inbox_prospect/?status=all")).data.length, 1);
    assert.deepEqual(
      (await acme.events(id)).map((event) => event.event),
      ["inbox_prospect.created", "inbox_prospect.converted"],
    );
    await acme.refused(400, "POST", `/inbox_prospect/${id}/convert/`, {}, "status");
    await acme.refused(400, "POST", `/inbox_prospect/${id}/dismiss/`, {}, "status");
  });

  test("joins an existing lead, and its matching contact", async () => {
    const acme = await organization();
    const person = await acme.contact({ phones: [{ phone: "+18004445555" }] });
    const { id } = await receive(acme, { channel: "sms", email: null, phone: "+18004445555" });

    await acme.refused(400, "POST", `/inbox_prospect/${id}/convert/`, { lead_id: person.lead_id, lead_name: "x" }, "lead_name");
    await acme.refused(400, "POST", `/inbox_prospect/${id}/convert/`, { lead_id: "lead_none" }, "lead_id");
    const made = await acme.post(`/inbox_prospect/${id}/convert/`, { lead_id: person.lead_id });

    assert.deepEqual([made.contact_id, made.message._type, made.message.direction], [person.id, "SMS", "inbound"]);
  });

  test("is in the inbox again when its conversion is undone, and is converted again with its message", async () => {
    const acme = await organization();
    const { id } = await receive(acme);
    const made = await acme.ask("POST", `/inbox_prospect/${id}/convert/`, { body: {} });

    const { not_undone } = await acme.post(`/change_set/${made.headers.get("x-request-id")}/undo/`);

    assert.deepEqual(not_undone, []);
    await acme.refused(404, "GET", `/lead/${made.body.lead_id}/`);
    const [back] = (await acme.get("/inbox_prospect/")).data;
    assert.deepEqual(
      [back.id, back.status, back.lead_id, back.activity_id, back.converted_at, back.converted_by],
      [id, "new", null, null, null, null],
    );
    const again = await acme.post(`/inbox_prospect/${id}/convert/`, {});
    assert.equal(again.message.subject, "Your offer");
  });

  test("is converted wholly or not at all", async () => {
    const acme = await organization();
    const { id } = await receive(acme);
    const leads = (await acme.get("/lead/")).data.length;

    await acme.refused(400, "POST", `/inbox_prospect/${id}/convert/`, { status_id: "stat_none" }, "status_id");
    await acme.refused(400, "POST", `/inbox_prospect/${id}/convert/`, { owner_id: "user_none" }, "owner_id");
    await acme.refused(400, "POST", `/inbox_prospect/${id}/convert/`, { contact_name: " " }, "contact_name");

    assert.equal((await acme.get("/lead/")).data.length, leads);
    assert.equal((await acme.get("/inbox_prospect/")).data[0].status, "new");
  });

  test("of any channel becomes a message, also one that says nothing", async () => {
    const acme = await organization();
    const chat = await receive(acme, { channel: "fax", subject: null, body_text: null });

    const made = await acme.post(`/inbox_prospect/${chat.id}/convert/`);

    assert.deepEqual([made.message._type, made.message.channel, made.conversation.channel], ["ChannelMessage", "other", "chat"]);
  });

  test("that two convert at once is converted once", async () => {
    const acme = await organization();
    const { id } = await receive(acme);

    const answers = await Promise.all([1, 2].map(() => acme.ask("POST", `/inbox_prospect/${id}/convert/`, { body: {} })));

    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400]);
    assert.equal((await acme.get("/contact/?email=ann@bolt.io")).data.length, 1);
  });

  test("can be put aside, once and for all", async () => {
    const acme = await organization();
    const { id } = await receive(acme);

    const dismissed = await acme.post(`/inbox_prospect/${id}/dismiss/`);

    assert.deepEqual([dismissed.status, dismissed.dismissed_by], ["dismissed", acme.userId]);
    assert.deepEqual(await acme.post(`/inbox_prospect/${id}/dismiss/`), dismissed);
    await acme.refused(400, "POST", `/inbox_prospect/${id}/convert/`, {}, "status");
    await acme.refused(404, "POST", "/inbox_prospect/prosp_none/dismiss/");
  });

  test("is dismissed, filed or converted by the rules", async () => {
    const acme = await organization();
    const spam = await folderNamed(acme, "Spam");
    const unknown = { field: "unknown_sender", operator: "equals", value: true };
    const when = (text: string) => [unknown, { field: "body", operator: "contains", value: text }];
    await acme.post("/inbox_rule/", {
      name: "1",
      conditions: when("lottery"),
      actions: { move_to_folder: spam.id, dismiss: true },
    });
    await acme.post("/inbox_rule/", { name: "2", conditions: when("buy"), actions: { create_lead: true } });

    const won = await receive(acme, { email: "a@spam.io", body_text: "You won the LOTTERY" });
    const buyer = await receive(acme, { email: "b@buy.io", body_text: "I want to buy" });

    assert.deepEqual([won.status, won.folder_id], ["dismissed", spam.id]);
    assert.equal(buyer.status, "converted");
    assert.equal((await acme.get(`/lead/${buyer.lead_id}/`)).name, "buy.io");
  });
});

test("conversations of a deleted folder have an event that they are in the Inbox", async () => {
  const acme = await organization();
  const folder = await acme.post("/inbox_folder/", { name: "Customers" });
  const inbox = await folderNamed(acme, "Inbox");
  const conversation = await acme.post("/conversation/", { lead_id: (await acme.lead()).id, folder_id: folder.id });

  await acme.delete(`/inbox_folder/${folder.id}/`);

  const [event] = (await acme.get("/event/?event=conversation.updated")).data;
  assert.deepEqual(
    [event.object_id, event.previous_data, event.data.folder_id],
    [conversation.id, { folder_id: folder.id }, inbox.id],
  );
});
