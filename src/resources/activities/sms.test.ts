import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

test("a text message is a draft to the contact's mobile", async () => {
  const acme = await organization();
  const person = await acme.contact({ phones: [{ phone: "+18004445555" }, { phone: "+18005556666", type: "mobile" }] });

  const sms = await acme.post("/activity/sms/", { contact_id: person.id, text: "Hi" });

  assert.equal(sms.status, "draft");
  assert.equal(sms.direction, "outbound");
  assert.equal(sms.source, "Internal");
  assert.equal(sms.remote_phone, "+18005556666");
  assert.equal(sms.remote_phone_formatted, "+1 800-555-6666");
  assert.equal(sms.remote_country_iso, "US");
  assert.deepEqual(await acme.get(`/activity/sms/${sms.id}/`), sms);
});

test("sending takes a number, a text and the permission to call", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const body = { lead_id: lead.id, status: "outbox", text: "Hi", remote_phone: "+18004445555" };
  const quiet = await acme.memberWith(["view_all_leads"]);

  const sms = await acme.post("/activity/sms/", body);

  assert.equal(sms.status, "outbox");
  await acme.refused(400, "POST", "/activity/sms/", { ...body, remote_phone: undefined }, "remote_phone");
  await acme.refused(400, "POST", "/activity/sms/", { ...body, text: undefined }, "text");
  await acme.refused(400, "POST", "/activity/sms/", { ...body, text: "x".repeat(1601) }, "text");
  await acme.refused(400, "POST", "/activity/sms/", { ...body, status: "scheduled" }, "date_scheduled");
  await quiet.refused(403, "POST", "/activity/sms/", body);
  const draft = await quiet.post("/activity/sms/", { ...body, status: "draft" });
  await quiet.refused(403, "PUT", `/activity/sms/${draft.id}/`, { status: "outbox" });
});

test("its state decides its direction", async () => {
  const acme = await organization();
  const person = await acme.contact({ phones: [{ phone: "+18004445555" }] });

  const received = await acme.post("/activity/sms/", { direction: "inbound", remote_phone: "+18004445555", text: "Yes" });
  const sent = await acme.post("/activity/sms/", { contact_id: person.id, status: "sent", text: "No" });

  assert.equal(received.status, "inbox");
  assert.equal(received.source, "External");
  assert.equal(received.lead_id, person.lead_id);
  assert.equal(sent.direction, "outbound");
  assert.ok(sent.date_sent);
  await acme.refused(400, "POST", "/activity/sms/", { contact_id: person.id, status: "sent", direction: "inbound" }, "direction");
  await acme.refused(400, "PUT", `/activity/sms/${sent.id}/`, { text: "Maybe" }, "text");
  await acme.refused(400, "PUT", `/activity/sms/${received.id}/`, { status: "draft" }, "status");
});

test("a received message can be made a task to answer, by query or in the body", async () => {
  const acme = await organization();
  const person = await acme.contact({ phones: [{ phone: "+18004445555" }] });
  const body = { contact_id: person.id, status: "inbox", text: "Call me" };

  const first = await acme.post("/activity/sms/?send_to_inbox=true", body);
  await acme.post("/activity/sms/?send_to_inbox=false", body);
  const second = await acme.post("/activity/sms/", { ...body, send_to_inbox: true });

  const tasks = (await acme.get(`/task/?lead_id=${person.lead_id}`)).data;
  assert.deepEqual(tasks.map((task: any) => task.object_id).sort(), [first.id, second.id].sort());
  assert.ok(tasks.every((task: any) => task._type === "incoming_sms"));
  await acme.refused(400, "POST", "/activity/sms/?send_to_inbox=perhaps", body, "send_to_inbox");
  await acme.refused(400, "POST", "/activity/sms/?send_to_inbox=true", { ...body, status: "sent" }, "send_to_inbox");
  await acme.refused(400, "POST", "/activity/sms/?sent_to_inbox=true", body, "sent_to_inbox");
});

test("carriers take pictures, not programs", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const attached = (content_type: string) => ({
    lead_id: lead.id,
    attachments: [{ url: "https://files.example/a", content_type }],
  });

  await acme.post("/activity/sms/", attached("image/png"));

  await acme.refused(400, "POST", "/activity/sms/", attached("application/x-msdownload"), "attachments.0.content_type");
});
