import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { contact } from "./contact.ts";

const ids = (list: any): string[] => list.data.map((one: any) => one.id);

test("a contact without a lead gets one of its own, named after it", async () => {
  const acme = await organization();

  const named = await acme.post("/contact/", { first_name: "Ann", last_name: "Lee" });
  const mailed = await acme.post("/contact/", { emails: [{ email: "bob@acme.io" }] });
  const nobody = await acme.post("/contact/");

  const leadOf = (contact: any) => acme.get(`/lead/${contact.lead_id}/`);
  assert.deepEqual([named.name, named.display_name, (await leadOf(named)).name], ["Ann Lee", "Ann Lee", "Ann Lee"]);
  assert.deepEqual([mailed.name, mailed.display_name, (await leadOf(mailed)).name], [null, "bob@acme.io", "bob@acme.io"]);
  assert.deepEqual([nobody.display_name, (await leadOf(nobody)).display_name], ["Untitled", "Untitled"]);
  assert.deepEqual(
    (await acme.get(`/activity/?lead_id=${named.lead_id}`)).data.map((one: any) => one._type),
    ["Created"],
  );
  assert.deepEqual(
    (await acme.events(named.lead_id)).map((event) => event.event),
    ["lead.created"],
  );
});

test("a refused contact leaves no lead behind", async () => {
  const acme = await organization();

  await acme.refused(400, "POST", "/contact/", { name: "Never", timezone: "Mars" }, "timezone");
  await acme.refused(400, "POST", "/contact/", { name: "Never", lead_id: "lead_nobody" }, "lead_id");

  assert.deepEqual((await acme.get("/lead/")).data, []);
});

test("a change of a contact is not one of its lead", async () => {
  const acme = await organization();
  const person = await acme.contact();

  await acme.put(`/contact/${person.id}/`, { title: "CEO" });

  assert.equal((await acme.events(person.lead_id)).length, 1);
  assert.deepEqual((await acme.events(person.id)).at(-1).changed_fields, ["title"]);
});

test("a contact is found by any address, number and tag, however they are written", async () => {
  const acme = await organization();
  const person = await acme.contact({
    emails: [{ email: "ann@acme.io" }, { email: "Ann.Lee@Home.org", type: "home" }],
    phones: [{ phone: "(800) 444-5555", type: "mobile" }],
    tags: ["Press"],
  });
  await acme.contact({ emails: [{ email: "ann@other.io" }] });

  for (const filter of ["email=ANN@acme.io", "email=ann.lee@home.org", "phone=800 444 5555", "phone=%2B18004445555", "tag=Press"])
    assert.deepEqual(ids(await acme.get(`/contact/?${filter}`)), [person.id], filter);
  assert.equal(person.phones[0].phone_formatted, "+1 800-444-5555");
  await acme.refused(400, "PUT", `/contact/${person.id}/`, { phones: [{ phone: "x" }] }, "phones.0.phone");
  await acme.refused(400, "PUT", `/contact/${person.id}/`, { emails: [{ email: "x" }] }, "emails.0.email");
});

/** A contact with something of every kind at its lead, and another contact's records there. */
async function settled(acme: Workspace) {
  const person = await acme.contact();
  const colleague = await acme.contact({ lead_id: person.lead_id });
  const theirs = { lead_id: person.lead_id, contact_id: person.id };
  const deal = await acme.opportunity(theirs);
  await acme.post(`/opportunity/${deal.id}/line_item/`, { name: "Setup", unit_price: 100 });
  return {
    person,
    note: await acme.note(theirs),
    call: await acme.post("/activity/call/", theirs),
    task: await acme.task(theirs),
    deal,
    other: await acme.note({ lead_id: person.lead_id, contact_id: colleague.id }),
    comment: await acme.post("/comment/", { object_id: person.id, body: "Nice" }),
  };
}

test("a contact who moves to another lead takes their records along", async () => {
  const acme = await organization();
  const { person, note, call, task, deal, other, comment } = await settled(acme);
  const to = await acme.lead();

  const moved = await acme.put(`/contact/${person.id}/`, { lead_id: to.id });

  assert.equal(moved.lead_id, to.id);
  assert.deepEqual(ids(await acme.get(`/activity/?contact_id=${person.id}&lead_id=${to.id}`)).sort(), [note.id, call.id].sort());
  assert.deepEqual(ids(await acme.get(`/task/?lead_id=${to.id}`)), [task.id]);
  assert.deepEqual(ids(await acme.get(`/opportunity/?lead_id=${to.id}`)), [deal.id]);
  assert.equal((await acme.get(`/opportunity/${deal.id}/line_item/`)).data[0].lead_id, to.id);
  assert.equal((await acme.get(`/comment_thread/${comment.thread_id}/`)).lead_id, to.id);
  assert.equal((await acme.get(`/activity/note/${other.id}/`)).lead_id, person.lead_id);
  const last = (await acme.events(note.id)).at(-1);
  assert.deepEqual([last.action, last.changed_fields, last.previous_data], ["updated", ["lead_id"], { lead_id: person.lead_id }]);
  await acme.refused(400, "PUT", `/contact/${person.id}/`, { lead_id: "lead_nobody" }, "lead_id");
});

test("merging contacts of two leads brings everything to the one that stays, with its values first", async () => {
  const acme = await organization();
  const { person, note, task, deal, comment } = await settled(acme);
  await acme.put(`/contact/${person.id}/`, { title: "CEO", emails: [{ email: "A@x.io" }, { email: "b@x.io" }] });
  const keep = await acme.contact({ name: "Ann", emails: [{ email: "a@x.io" }], title: null });

  const merged = await acme.post("/contact/merge/", { source: person.id, destination: keep.id });

  assert.deepEqual([merged.id, merged.name, merged.title, merged.lead_id], [keep.id, "Ann", "CEO", keep.lead_id]);
  assert.deepEqual(
    merged.emails.map((one: any) => one.email),
    ["a@x.io", "b@x.io"],
  );
  for (const path of [`/activity/note/${note.id}/`, `/task/${task.id}/`, `/opportunity/${deal.id}/`]) {
    const { contact_id, lead_id } = await acme.get(path);
    assert.deepEqual([contact_id, lead_id], [keep.id, keep.lead_id], path);
  }
  assert.equal((await acme.get(`/comment_thread/${comment.thread_id}/`)).object_id, keep.id);
  await acme.refused(404, "GET", `/contact/${person.id}/`);
});

test("merging keeps what a source of profiles knows of either, so that its lists still find the person", async () => {
  const acme = await organization();
  const [keep, gone] = [await acme.contact(), await acme.contact({ timezone: "Europe/Berlin" })];
  const profile = { source: "crm", external_id: "7", list_names: ["News"], synced_at: "2026-01-01T00:00:00.000Z" };
  await acme.inside(async (ctx) => {
    store.update(ctx, contact, await lockRecord(ctx, contact, gone.id), {
      external_profiles: [profile],
      timezone_source: "contact",
    });
  });

  const merged = await acme.post("/contact/merge/", { source: gone.id, destination: keep.id });

  assert.deepEqual(merged.external_profiles, [profile]);
  assert.deepEqual([merged.timezone, merged.timezone_source], ["Europe/Berlin", "contact"]);
});

test("merging contacts takes two, and merge_leads", async () => {
  const acme = await organization();
  const [one, two] = [await acme.contact(), await acme.contact()];
  const member = await acme.memberWith(["view_all_leads"]);

  await acme.refused(400, "POST", "/contact/merge/", { source: one.id, destination: one.id }, "destination");
  await acme.refused(400, "POST", "/contact/merge/", { source: "cont_nobody", destination: one.id }, "source");
  await member.refused(403, "POST", "/contact/merge/", { source: one.id, destination: two.id });
});

test("what a deleted contact leaves behind has no contact any more", async () => {
  const acme = await organization();
  const { person, note, task, deal, comment } = await settled(acme);

  await acme.delete(`/contact/${person.id}/`);

  for (const path of [`/activity/note/${note.id}/`, `/task/${task.id}/`, `/opportunity/${deal.id}/`])
    assert.equal((await acme.get(path)).contact_id, null, path);
  await acme.refused(404, "GET", `/comment_thread/${comment.thread_id}/`);
  await acme.get(`/lead/${person.lead_id}/`);
});
