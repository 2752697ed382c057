import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const ids = (page: any) => page.data.map((one: any) => one.id);

/** A lead with one of every kind that can be written. */
async function history(acme: Workspace) {
  const lead = await acme.lead();
  const write = (kind: string, body: object) => acme.post(`/activity/${kind}/`, { lead_id: lead.id, ...body });
  return {
    lead,
    note: await write("note", { note: "Hello" }),
    call: await write("call", { duration: 5 }),
    sms: await write("sms", { text: "Hi" }),
    message: await write("channel_message", { channel: "slack", text: "Hey" }),
    meeting: await write("meeting", { title: "Demo", starts_at: "2031-01-01T10:00:00Z" }),
    email: await write("email", { to: ["bob@client.example"], subject: "Offer", body_text: "Long" }),
  };
}

test("the stream shows each activity as its own kind does, newest first", async () => {
  const acme = await organization();
  const { lead, note, call, sms, message, meeting, email } = await history(acme);
  await acme.put(`/lead/${lead.id}/`, { status: "Customer" });

  const all = await acme.get("/activity/");
  const ofLead = await acme.get(`/activity/?lead_id=${lead.id}`);

  const [change, ...rest] = all.data;
  const created = rest.pop();
  assert.deepEqual(rest, [email, meeting, message, sms, call, note]);
  assert.deepEqual(change, (await acme.get("/activity/status_change/lead/")).data[0]);
  assert.deepEqual(created, (await acme.get("/activity/created/")).data[0]);
  assert.deepEqual(ofLead.data, all.data);
});

test("what was changed behind a record's back is shown as it is now", async () => {
  const acme = await organization();
  const { lead, note, email } = await history(acme);
  const person = await acme.contact({ lead_id: lead.id });
  await acme.put(`/activity/note/${note.id}/`, { contact_id: person.id });

  await acme.delete(`/contact/${person.id}/`);

  const stream = (await acme.get("/activity/")).data;
  assert.equal(stream.find((one: any) => one.id === note.id).contact_id, null);
  assert.deepEqual(
    stream.find((one: any) => one.id === email.id),
    email,
  );
});

test("_fields trims every kind to what it has of them", async () => {
  const acme = await organization();
  const { note, email } = await history(acme);

  const page = await acme.get("/activity/?_type=Note,Email&_fields=id,note,subject");

  assert.deepEqual(page.data, [
    { id: email.id, subject: "Offer" },
    { id: note.id, note: "Hello" },
  ]);
});

test("it is filtered by type, lead, person, member and time, in any combination", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const { lead, note, call, sms } = await history(acme);
  const person = await acme.contact({ lead_id: lead.id });
  const ofBob = await bob.note({ lead_id: lead.id, contact_id: person.id, activity_at: "2020-01-01T00:00:00Z" });
  const elsewhere = await bob.note();
  const list = async (query: string) => ids(await acme.get(`/activity/?${query}`)).sort();
  const sorted = (...records: any[]) => records.map((one) => one.id).sort();

  assert.deepEqual(await list("_type=Note"), sorted(note, ofBob, elsewhere));
  assert.deepEqual(await list(`_type__in=Call,SMS&lead_id=${lead.id}`), sorted(call, sms));
  assert.deepEqual(await list(`user_id=${bob.userId}&_type=Note`), sorted(ofBob, elsewhere));
  assert.deepEqual(await list(`user_id=${bob.userId},${acme.userId}&_type=Note`), sorted(note, ofBob, elsewhere));
  assert.deepEqual(await list(`user_id=${bob.userId}&lead_id=${lead.id}&activity_at__lt=2021-01-01`), sorted(ofBob));
  assert.deepEqual(await list(`contact_id=${person.id}`), sorted(ofBob));
  assert.deepEqual(await list(`contact_id__in=${person.id},cont_other`), sorted(ofBob));
  assert.deepEqual(await list(`lead_id=${lead.id},${elsewhere.lead_id}&_type=Note`), sorted(note, ofBob, elsewhere));
  assert.deepEqual(await list(`id__in=${note.id},${call.id}`), sorted(note, call));
  assert.deepEqual(await list("activity_at__lte=2020-01-01&date_created__gt=2021-01-01"), sorted(ofBob));
  assert.deepEqual(await list("_type=Custom"), []);
  assert.deepEqual(await list("lead_id=lead_nowhere"), []);
  await acme.refused(400, "GET", "/activity/?subject=Offer", undefined, "subject");
  await acme.refused(400, "GET", "/activity/?activity_at__lt=soon", undefined, "activity_at__lt");
});

test("a filter takes a group for its members", async () => {
  const acme = await organization();
  const [bob, eve] = [await acme.member(), await acme.member()];
  const lead = await acme.lead();
  const [first, second] = [await bob.note({ lead_id: lead.id }), await eve.note({ lead_id: lead.id })];
  await acme.note({ lead_id: lead.id });
  const group = await acme.post("/group/", { name: "East", members: [{ user_id: bob.userId }, { user_id: eve.userId }] });

  const page = await acme.get(`/activity/note/?user_id__in=${group.id}`);

  assert.deepEqual(ids(page), [second.id, first.id]);
});

test("it is ordered by creation or by when it happened, both ways, and pages through", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const years = [2021, 2019, 2020];
  const notes = [];
  for (const year of years) notes.push(await acme.note({ lead_id: lead.id, activity_at: `${year}-01-01T00:00:00Z` }));
  const order = async (by: string) => ids({ data: await acme.all(`/activity/?_type=Note&_limit=2&_order_by=${by}`) });

  const [a, b, c] = notes.map((note) => note.id);
  assert.deepEqual(await order("activity_at"), [b, c, a]);
  assert.deepEqual(await order("-activity_at"), [a, c, b]);
  assert.deepEqual(await order("date_created"), [a, b, c]);
  assert.deepEqual(ids({ data: await acme.all(`/activity/?lead_id=${lead.id}&_limit=1`) }).slice(0, 3), [c, b, a]);
});

test("the stream contains threads on request", async () => {
  const acme = await organization();
  const { lead, email } = await history(acme);
  const list = async (query: string) => (await acme.get(`/activity/?lead_id=${lead.id}&${query}`)).data;
  const types = (records: any[]) => records.map((one) => one._type);

  const [plain, both, only] = [await list(""), await list("thread_emails=true"), await list("thread_emails=only")];

  assert.ok(!types(plain).includes("EmailThread"));
  assert.equal(types(plain).filter((type) => type === "Email").length, 1);
  assert.equal(types(both).filter((type) => type === "Email" || type === "EmailThread").length, 2);
  const line = both.find((one: any) => one._type === "Email");
  assert.equal(line.id, email.id);
  assert.ok(!("body_text" in line));
  assert.ok(types(only).includes("EmailThread") && !types(only).includes("Email"));
  assert.deepEqual(types(await list("_type=EmailThread")), ["EmailThread"]);
  const [thread] = await list("thread_emails=only&_type=EmailThread&_fields=n_emails,emails");
  assert.deepEqual([thread.n_emails, thread.emails[0].id], [1, email.id]);
  await acme.refused(400, "GET", "/activity/?thread_emails=maybe", undefined, "thread_emails");
});

test("deleting a lead takes its history along, each activity with its own last state", async () => {
  const acme = await organization();
  const { lead, note, call, email } = await history(acme);

  await acme.delete(`/lead/${lead.id}/`);

  assert.deepEqual((await acme.get("/activity/?thread_emails=true")).data, []);
  const ofNote = (await acme.events(note.id)).at(-1);
  assert.equal(ofNote.event, "activity.note.deleted");
  assert.equal(ofNote.lead_id, lead.id);
  assert.deepEqual(ofNote.data, {});
  assert.deepEqual(ofNote.previous_data, note);
  assert.equal((await acme.events(call.id)).at(-1).event, "activity.call.deleted");
  assert.deepEqual((await acme.events(email.id)).at(-1).previous_data, email);
  assert.equal((await acme.events(email.thread_id)).at(-1).event, "activity.email_thread.deleted");
});

test("merging leads brings their histories together", async () => {
  const acme = await organization();
  const { lead, note, email } = await history(acme);
  const keep = await acme.lead();

  await acme.post("/lead/merge/", { source: lead.id, destination: keep.id });

  const moved = await acme.get(`/activity/note/${note.id}/`);
  assert.equal(moved.lead_id, keep.id);
  assert.equal((await acme.get(`/activity/email/${email.id}/`)).lead_id, keep.id);
  const event = (await acme.events(note.id)).at(-1);
  assert.equal(event.event, "activity.note.updated");
  assert.deepEqual(event.changed_fields, ["lead_id"]);
  assert.deepEqual(event.previous_data, { lead_id: lead.id });
  assert.deepEqual(event.data, moved);
});

test("an activity is visible to everybody who sees its lead", async () => {
  const acme = await organization();
  const { note, email } = await history(acme);
  const restricted = await acme.member("restricteduser");
  const own = await restricted.lead({ owner_id: restricted.userId });
  const mine = await restricted.note({ lead_id: own.id });

  const page = await restricted.get("/activity/?_type=Note,Email");

  assert.deepEqual(ids(page), [mine.id]);
  await restricted.refused(404, "GET", `/activity/note/${note.id}/`);
  await restricted.refused(404, "GET", `/activity/emailthread/${email.thread_id}/`);
  await restricted.refused(400, "POST", "/activity/note/", { lead_id: note.lead_id, note: "x" }, "lead_id");
});

test("the stream knows its types, and takes a group for its members", async () => {
  const acme = await organization();
  const group = await acme.post("/group/", { name: "Us", user_ids: [acme.userId] });
  const { lead_id } = await acme.note();

  const refusal = await acme.refused(400, "GET", "/activity/?_type=note", undefined, "_type");
  assert.match(refusal["field-errors"]._type, /^must be one of 13, such as Note, /);
  await acme.refused(400, "GET", "/activity/?_type__in=Note,Nope", undefined, "_type__in");
  assert.equal((await acme.get(`/activity/?lead_id=${lead_id}&_type=Custom,Note`)).data.length, 1);
  const mine = (await acme.get(`/activity/?lead_id=${lead_id}&user_id=${acme.userId}`)).data;
  assert.ok(mine.length > 0);
  for (const filter of [`user_id=${group.id}`, `user_id__in=${group.id}`, `user_id=${group.id},user_x`])
    assert.deepEqual((await acme.get(`/activity/?lead_id=${lead_id}&${filter}`)).data, mine, filter);
});

test("the count is that of the list: threads are counted only where they are listed", async () => {
  const acme = await organization();
  const { lead } = await history(acme);

  for (const filter of ["", "&thread_emails=true", "&thread_emails=only", "&_type=Email", "&_type=EmailThread"]) {
    const page = await acme.get(`/activity/?lead_id=${lead.id}&_count=exact${filter}`);
    assert.equal(page.total_results, page.data.length, filter);
  }
});
