import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const logged = async (acme: Workspace, body: object = {}) =>
  acme.post("/activity/call/", { lead_id: (await acme.lead()).id, ...body });

test("a logged call is an answered one, out of the house", async () => {
  const acme = await organization();

  const call = await logged(acme, { duration: 90, note: "Interested" });

  assert.equal(call.status, "completed");
  assert.equal(call.disposition, "answered");
  assert.equal(call.direction, "outbound");
  assert.equal(call.source, "External");
  assert.equal(call.note_html, "<body>Interested</body>");
  assert.deepEqual(
    (await acme.events(call.id)).map((event) => event.event),
    ["activity.call.created", "activity.call.completed"],
  );
});

test("a call's number is the contact's first, and reads in every form", async () => {
  const acme = await organization();
  const person = await acme.contact({ phones: [{ phone: "(800) 444-5555" }] });

  const call = await acme.post("/activity/call/", { contact_id: person.id, local_phone: "+4930123456" });

  assert.equal(call.phone, "+18004445555");
  assert.equal(call.remote_phone, "+18004445555");
  assert.equal(call.phone_formatted, "+1 800-444-5555");
  assert.equal(call.remote_phone_formatted, "+1 800-444-5555");
  assert.equal(call.remote_country_iso, "US");
  assert.equal(call.local_country_iso, "DE");
  assert.deepEqual(await acme.get(`/activity/call/${call.id}/`), call);
});

test("a call with a number that a contact or a lead has needs no lead", async () => {
  const acme = await organization();
  const person = await acme.contact({ phones: [{ phone: "+18004445555" }] });
  const company = await acme.lead({ phones: [{ phone: "+18005556666" }] });

  const withPerson = await acme.post("/activity/call/", { phone: "800 444 5555" });
  const withCompany = await acme.post("/activity/call/", { phone: "+18005556666" });

  assert.equal(withPerson.lead_id, person.lead_id);
  assert.equal(withPerson.contact_id, person.id);
  assert.equal(withCompany.lead_id, company.id);
  assert.equal(withCompany.contact_id, null);
  await acme.refused(400, "POST", "/activity/call/", { phone: "+18007778888" }, "lead_id");
  await acme.refused(400, "POST", "/activity/call/", { lead_id: company.id, phone: "no" }, "phone");
});

test("a disposition follows from the status until somebody says otherwise", async () => {
  const acme = await organization();
  const call = await logged(acme, { status: "busy" });

  const corrected = await acme.put(`/activity/call/${call.id}/`, { status: "no-answer" });
  const said = await acme.put(`/activity/call/${call.id}/`, { disposition: "vm-left" });
  const kept = await acme.put(`/activity/call/${call.id}/`, { status: "completed" });

  assert.equal(call.disposition, "busy");
  assert.equal(corrected.disposition, "no-answer");
  assert.equal(said.disposition, "vm-left");
  assert.equal(kept.disposition, "vm-left");
});

test("a call under way goes on to its end, and to nothing else", async () => {
  const acme = await organization();
  const call = await logged(acme, { status: "created" });

  await acme.refused(400, "PUT", `/activity/call/${call.id}/`, { status: "completed" }, "status");
  const answered = await acme.put(`/activity/call/${call.id}/`, { status: "in-progress" });
  await acme.refused(400, "PUT", `/activity/call/${call.id}/`, { status: "busy" }, "status");
  await acme.put(`/activity/call/${call.id}/`, { status: "completed" });

  assert.ok(answered.date_answered);
  assert.deepEqual(
    (await acme.events(call.id)).map((event) => event.action),
    ["created", "updated", "answered", "updated", "completed"],
  );
});

test("what the service measured of its own calls cannot be edited", async () => {
  const acme = await organization();
  const call = await logged(acme, { source: "Internal", duration: 60 });

  const answer = await acme.ask("PUT", `/activity/call/${call.id}/`, {
    body: { duration: 5, direction: "inbound", status: "busy" },
  });

  assert.equal(answer.status, 400);
  assert.deepEqual(Object.keys(answer.body["field-errors"]).sort(), ["direction", "duration", "status"]);
  assert.equal((await acme.put(`/activity/call/${call.id}/`, { duration: 60, note: "Fine" })).note, "Fine");
  const quiet = await acme.memberWith(["view_all_leads"]);
  await quiet.refused(403, "POST", "/activity/call/", { lead_id: call.lead_id, source: "Internal" });
});

test("a missed call becomes a task to call back, once", async () => {
  const acme = await organization();
  const person = await acme.contact({ phones: [{ phone: "+18004445555" }] });

  const missed = await acme.post("/activity/call/", { contact_id: person.id, direction: "inbound", status: "no-answer" });
  await acme.put(`/activity/call/${missed.id}/`, { note: "Tried again" });
  await acme.post("/activity/call/", { contact_id: person.id, direction: "outbound", status: "no-answer" });

  const tasks = (await acme.get(`/task/?lead_id=${person.lead_id}`)).data;
  assert.equal(tasks.length, 1);
  assert.equal(tasks[0]._type, "missed_call");
  assert.equal(tasks[0].object_id, missed.id);
  assert.equal(tasks[0].phone, "+18004445555");
  assert.equal(tasks[0].assigned_to, acme.userId);
});

test("an outcome is one of the settings, by its id or by its name", async () => {
  const acme = await organization();
  await acme.put(`/organization/${acme.id}/`, { settings: { call_outcomes: [{ id: "outcome_1", name: "Interested" }] } });

  const byId = await logged(acme, { outcome_id: "outcome_1" });
  const byName = await logged(acme, { outcome: "interested" });
  const free = await logged(acme, { outcome: "Wrong number" });
  const cleared = await acme.put(`/activity/call/${byId.id}/`, { ...byId, outcome_id: null });

  assert.equal(byId.outcome, "Interested");
  assert.equal(byName.outcome_id, "outcome_1");
  assert.deepEqual([free.outcome_id, free.outcome], [null, "Wrong number"]);
  assert.deepEqual([cleared.outcome_id, cleared.outcome], [null, null]);
  await acme.refused(400, "POST", "/activity/call/", { lead_id: byId.lead_id, outcome_id: "outcome_2" }, "outcome_id");
});

test("recordings are fetched over https only", async () => {
  const acme = await organization();
  const call = await logged(acme, { recording_url: "https://records.example/1.mp3" });

  assert.equal(call.has_recording, true);
  assert.ok(!("recording_transcript" in call), "a transcript is shown where it is asked for");
  assert.deepEqual(await acme.get(`/activity/call/${call.id}/?_fields=recording_transcript`), { recording_transcript: null });
  await acme.refused(
    400,
    "PUT",
    `/activity/call/${call.id}/`,
    { recording_url: "http://records.example/1.mp3" },
    "recording_url",
  );
});
