import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

test("a plain note can be read as rich text, and a rich one as plain text", async () => {
  const acme = await organization();
  const lead = await acme.lead();

  const plain = await acme.note({ lead_id: lead.id, note: "Called <Bob>\nagain" });
  const rich = await acme.note({ lead_id: lead.id, note: undefined, note_html: "<p>Very <b>keen</b></p><script>x</script>" });

  assert.equal(plain.note_html, "<body>Called &lt;Bob&gt;<br />again</body>");
  assert.equal(rich.note, "Very keen");
  assert.equal(rich.note_html, "<body><p>Very <b>keen</b></p></body>");
});

test("a note says something", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const note = await acme.note({ lead_id: lead.id });

  await acme.refused(400, "POST", "/activity/note/", { lead_id: lead.id }, "note");
  await acme.refused(400, "POST", "/activity/note/", { lead_id: lead.id, note_html: "<p> </p>" }, "note");
  await acme.refused(400, "PUT", `/activity/note/${note.id}/`, { note: null }, "note");
});

test("when a whole note is written back, the form that differs counts", async () => {
  const acme = await organization();
  const note = await acme.note({ note: "One" });

  const changed = await acme.put(`/activity/note/${note.id}/`, { ...note, note: "Two" });

  assert.equal(changed.note, "Two");
  assert.equal(changed.note_html, "<body>Two</body>");
});

test("a note names whom it mentions", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const mention = `<span data-type="mention" data-id="${bob.userId}" data-label="Bob" class="mention">@Bob</span>`;

  const note = await acme.note({ note_html: `<p>Ask ${mention}</p>` });

  assert.deepEqual(note.mentions, [bob.userId]);
  assert.deepEqual(note.users, [acme.userId, bob.userId]);
});

test("pinning a note leaves when and by whom, unpinning takes both away", async () => {
  const acme = await organization();
  const note = await acme.note();

  const pinned = await acme.put(`/activity/note/${note.id}/`, { pinned: true });
  const unpinned = await acme.put(`/activity/note/${note.id}/`, { pinned: false });

  assert.ok(pinned.pinned_at);
  assert.equal(pinned.pinned_by, acme.userId);
  assert.equal(unpinned.pinned_at, null);
  assert.equal(unpinned.pinned_by, null);
});

test("a note about a contact is a note at the contact's lead", async () => {
  const acme = await organization();
  const person = await acme.contact();
  const elsewhere = await acme.lead();

  const note = await acme.post("/activity/note/", { contact_id: person.id, note: "Met" });

  assert.equal(note.lead_id, person.lead_id);
  assert.equal(note.contact_id, person.id);
  await acme.refused(400, "POST", "/activity/note/", { lead_id: elsewhere.id, contact_id: person.id, note: "Met" }, "contact_id");
  await acme.refused(400, "POST", "/activity/note/", { contact_id: "cont_nobody", note: "Met" }, "contact_id");
  await acme.refused(400, "POST", "/activity/note/", { note: "Met" }, "lead_id");
  await acme.refused(400, "POST", "/activity/note/", { lead_id: "lead_nowhere", note: "Met" }, "lead_id");
});

test("the contact and the deal of a note are at its lead, also later", async () => {
  const acme = await organization();
  const note = await acme.note();
  const stranger = await acme.contact();
  const deal = await acme.opportunity();

  await acme.refused(400, "PUT", `/activity/note/${note.id}/`, { contact_id: stranger.id }, "contact_id");
  await acme.refused(400, "PUT", `/activity/note/${note.id}/`, { opportunity_id: deal.id }, "opportunity_id");
  const linked = await acme.note({ lead_id: deal.lead_id, opportunity_id: deal.id });
  assert.equal(linked.opportunity_id, deal.id);
});

test("history can be entered with its own dates", async () => {
  const acme = await organization();

  const note = await acme.note({ date_created: "2019-05-04T10:00:00Z" });
  const other = await acme.note({ activity_at: "2018-01-01" });

  assert.equal(note.date_created, "2019-05-04T10:00:00.000Z");
  assert.equal(note.activity_at, "2019-05-04T10:00:00.000Z");
  assert.equal(other.activity_at, "2018-01-01T00:00:00.000Z");
  await acme.refused(400, "POST", "/activity/note/", { lead_id: note.lead_id, note: "x", activity_at: "soon" }, "activity_at");
});

test("only an admin says that somebody else did it", async () => {
  const acme = await organization();
  const bob = await acme.member("user");
  const lead = await acme.lead();

  const forBob = await acme.note({ lead_id: lead.id, user_id: bob.userId });

  assert.equal(forBob.user_id, bob.userId);
  assert.equal(forBob.created_by, acme.userId);
  await bob.refused(403, "POST", "/activity/note/", { lead_id: lead.id, note: "x", user_id: acme.userId });
  await bob.refused(403, "PUT", `/activity/note/${forBob.id}/`, { user_id: acme.userId });
  await bob.put(`/activity/note/${forBob.id}/`, { user_id: bob.userId, note: "Mine" });
  await acme.refused(400, "POST", "/activity/note/", { lead_id: lead.id, note: "x", user_id: "user_nobody" }, "user_id");
});

test("one's own notes can be changed; another's, and deleting, take a permission", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const others = await acme.note({ lead_id: lead.id });
  const novice = await acme.memberWith(["view_all_leads"]);
  const own = await novice.note({ lead_id: lead.id });
  const writer = await acme.memberWith(["view_all_leads", "delete_own_activities"]);
  const ofWriter = await writer.note({ lead_id: lead.id });

  await novice.put(`/activity/note/${own.id}/`, { note: "Better" });

  await novice.refused(403, "PUT", `/activity/note/${others.id}/`, { note: "Hm" });
  await novice.refused(403, "DELETE", `/activity/note/${own.id}/`);
  await writer.refused(403, "DELETE", `/activity/note/${others.id}/`);
  await writer.delete(`/activity/note/${ofWriter.id}/`);
});

test("a note is only a note: under the path of another kind it is not there", async () => {
  const acme = await organization();
  const note = await acme.note();

  await acme.refused(404, "GET", `/activity/call/${note.id}/`);
  await acme.refused(404, "PUT", `/activity/email/${note.id}/`, {});
  await acme.refused(404, "DELETE", `/activity/meeting/${note.id}/`);
  await acme.get(`/activity/note/${note.id}/`);
});

test("an attachment is somewhere", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const attached = [{ url: "https://files.example/a.pdf", filename: "a.pdf", content_type: "application/pdf", size: 12 }];

  const note = await acme.note({ lead_id: lead.id, attachments: attached });

  assert.deepEqual(note.attachments, [{ ...attached[0], file_id: null, thumbnail_url: null }]);
  assert.deepEqual((await acme.get(`/activity/note/${note.id}/`)).attachments, note.attachments);
  const refuse = (attachment: object, field: string) =>
    acme.refused(400, "POST", "/activity/note/", { lead_id: lead.id, note: "x", attachments: [attachment] }, field);
  await refuse({ filename: "a.pdf" }, "attachments.0.url");
  await refuse({ url: "javascript:alert(1)" }, "attachments.0.url");
  await refuse({ file_id: "file_nothing" }, "attachments.0.file_id");
});
