import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const mention = (id: string) => `<span data-type="mention" data-id="${id}" data-label="X" class="mention">@X</span>`;
const comment = (acme: Workspace, about: any, body = "<p>Well said</p>"): Promise<any> =>
  acme.post("/comment/", { object_id: about.id, body });
const threadsOf = async (acme: Workspace, about: any): Promise<any[]> =>
  (await acme.get(`/comment_thread/?object_ids=${about.id}`)).data;

test("the first comment begins a thread, the others join it", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const note = await acme.note();

  const first = await comment(acme, note);
  const second = await bob.post("/comment/", { thread_id: first.thread_id, body: "Agreed" });

  assert.equal(first.body, "<body><p>Well said</p></body>");
  assert.deepEqual([first.lead_id, first.object_id, first.object_type], [note.lead_id, note.id, "activity.note"]);
  assert.equal(first.created_at, first.date_created);
  assert.deepEqual([second.object_id, second.thread_id], [note.id, first.thread_id]);
  const thread = await acme.get(`/comment_thread/${first.thread_id}/`);
  assert.deepEqual([thread.num_comments, thread.participating], [2, [acme.userId, bob.userId]]);
  assert.deepEqual(
    thread.comments.map((one: any) => one.id),
    [first.id, second.id],
  );
  const [listed] = await threadsOf(acme, note);
  assert.equal("comments" in listed, false);
});

test("two who make the first comment at once make one thread", async () => {
  const acme = await organization();
  const lead = await acme.lead();

  const made = await Promise.all(Array.from({ length: 6 }, () => comment(acme, lead)));

  assert.equal(new Set(made.map((one) => one.thread_id)).size, 1);
  assert.equal((await threadsOf(acme, lead))[0].num_comments, 6);
});

test("leads, contacts, deals, tasks and activities can be commented on", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const at = { lead_id: lead.id };
  const records = [lead, await acme.contact(at), await acme.opportunity(at), await acme.task(at), await acme.note(at)];

  const types = [];
  for (const record of records) types.push((await comment(acme, record)).object_type);

  assert.deepEqual(types, ["lead", "contact", "opportunity", "task.lead", "activity.note"]);
  assert.equal((await acme.get(`/comment_thread/?lead_id=${lead.id}`)).data.length, 5);
  const threads = await acme.get(`/comment_thread/?object_ids=${records[0].id},${records[1].id}`);
  assert.equal(threads.data.length, 2);
  assert.equal((await acme.get(`/comment_thread/?ids=${threads.data[0].id}`)).data.length, 1);
});

test("so can conversations, files, projects with their tasks, and quotes", async () => {
  const acme = await organization();
  const at = { lead_id: (await acme.lead()).id };
  const project = await acme.post("/project/", { name: "Launch" });
  const records = [
    await acme.post("/conversation/", at),
    await acme.post("/file/", { name: "a.txt", content_base64: "QQ==" }),
    project,
    await acme.post("/project_task/", { project_id: project.id, name: "Plan" }),
    await acme.post("/quote/", at),
  ];

  const types = [];
  for (const record of records) types.push((await comment(acme, record)).object_type);

  assert.deepEqual(types, ["conversation", "file", "project", "project_task", "quote"]);
});

test("a comment says something about something", async () => {
  const acme = await organization();
  const [lead, other] = [await acme.lead(), await acme.lead()];
  const { thread_id } = await comment(acme, other);

  await acme.refused(400, "POST", "/comment/", { object_id: lead.id }, "body");
  await acme.refused(400, "POST", "/comment/", { object_id: lead.id, body: "<p> </p>" }, "body");
  await acme.refused(400, "POST", "/comment/", { body: "Hm" }, "object_id");
  await acme.refused(400, "POST", "/comment/", { object_id: "lead_nobody", body: "Hm" }, "object_id");
  await acme.refused(400, "POST", "/comment/", { object_id: lead.status_id, body: "Hm" }, "object_id");
  await acme.refused(400, "POST", "/comment/", { thread_id: "comthr_nothing", body: "Hm" }, "thread_id");
  await acme.refused(400, "POST", "/comment/", { object_id: lead.id, thread_id, body: "Hm" }, "thread_id");
});

test("comments are listed for one record or one thread, oldest first", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const first = await comment(acme, lead);
  const second = await comment(acme, lead);

  const ids = (list: any) => list.data.map((one: any) => one.id);
  assert.deepEqual(ids(await acme.get(`/comment/?object_id=${lead.id}`)), [first.id, second.id]);
  assert.deepEqual(ids(await acme.get(`/comment/?thread_id=${first.thread_id}`)), [first.id, second.id]);
  assert.deepEqual(ids(await acme.get("/comment/?object_id=lead_nobody")), []);
  await acme.refused(400, "GET", "/comment/", undefined, "object_id");
  await acme.refused(400, "GET", `/comment/?object_id=${lead.id}&thread_id=${first.thread_id}`, undefined, "thread_id");
});

test("only who wrote a comment changes it", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const written = await comment(bob, await acme.lead());

  const changed = await bob.put(`/comment/${written.id}/`, { body: "Better" });

  assert.equal(changed.body, "<body>Better</body>");
  await acme.refused(403, "PUT", `/comment/${written.id}/`, { body: "Mine" });
  await bob.refused(400, "PUT", `/comment/${written.id}/`, { body: null }, "body");
});

test("a comment that is deleted keeps its place and loses its words", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const first = await comment(acme, lead);
  const second = await comment(acme, lead);

  await acme.delete(`/comment/${first.id}/`);

  const { data } = await acme.get(`/comment/?object_id=${lead.id}`);
  assert.deepEqual(
    data.map((one: any) => [one.id, one.body, one.removed_by]),
    [
      [first.id, null, acme.userId],
      [second.id, second.body, null],
    ],
  );
  assert.equal((await threadsOf(acme, lead))[0].num_comments, 1);
  const last = (await acme.events(first.id)).at(-1);
  assert.deepEqual([last.event, last.previous_data.body], ["comment.deleted", first.body]);
  await acme.refused(400, "PUT", `/comment/${first.id}/`, { body: "Again" }, "body");
  await acme.refused(404, "DELETE", `/comment/${first.id}/`);
});

test("a thread goes with its last comment, tombstones and all", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const [first, second] = [await comment(acme, lead), await comment(acme, lead)];

  await acme.delete(`/comment/${first.id}/`);
  await acme.delete(`/comment/${second.id}/`);

  await acme.refused(404, "GET", `/comment_thread/${first.thread_id}/`);
  assert.deepEqual((await acme.get(`/comment/?object_id=${lead.id}`)).data, []);
  const actions = async (id: string) => (await acme.events(id)).map((event) => event.action);
  assert.deepEqual(await actions(first.id), ["created", "deleted"]);
  assert.deepEqual(await actions(second.id), ["created", "deleted"]);
  assert.equal((await actions(first.thread_id)).at(-1), "deleted");
  assert.notEqual((await comment(acme, lead)).thread_id, first.thread_id);
});

test("another's comment is deleted with manage_others_activities", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const novice = await acme.memberWith(["view_all_leads", "delete_own_activities"]);
  const [others, own] = [await comment(acme, lead), await comment(novice, lead)];

  await novice.refused(403, "DELETE", `/comment/${others.id}/`);
  await novice.delete(`/comment/${own.id}/`);
  await acme.delete(`/comment/${others.id}/`);
});

test("comments are seen by who sees their lead", async () => {
  const acme = await organization();
  const bob = await acme.member("restricteduser");
  const lead = await acme.lead();
  const written = await comment(acme, lead);

  assert.deepEqual((await bob.get(`/comment/?object_id=${lead.id}`)).data, []);
  await bob.refused(404, "GET", `/comment_thread/${written.thread_id}/`);
  await bob.refused(404, "DELETE", `/comment/${written.id}/`);
  await bob.refused(400, "POST", "/comment/", { object_id: lead.id, body: "Hm" }, "object_id");
  await bob.refused(400, "POST", "/comment/", { thread_id: written.thread_id, body: "Hm" }, "thread_id");
});

test("comments go with what they are about, each with its event", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const [deal, note] = [await acme.opportunity({ lead_id: lead.id }), await acme.note({ lead_id: lead.id })];
  const [onDeal, onNote, onLead] = [await comment(acme, deal), await comment(acme, note), await comment(acme, lead)];

  await acme.delete(`/opportunity/${deal.id}/`);
  await acme.refused(404, "GET", `/comment_thread/${onDeal.thread_id}/`);
  await acme.get(`/comment_thread/${onNote.thread_id}/`);
  await acme.delete(`/lead/${lead.id}/`);

  for (const one of [onDeal, onNote, onLead]) {
    await acme.refused(404, "GET", `/comment_thread/${one.thread_id}/`);
    assert.deepEqual(
      (await acme.events(one.id)).map((event) => event.action),
      ["created", "deleted"],
    );
  }
});

test("comments follow what they are about through a merge", async () => {
  const acme = await organization();
  const [keep, gone] = [await acme.contact(), await acme.contact()];
  const note = await acme.note({ lead_id: gone.lead_id, contact_id: gone.id });
  const [onContact, onNote] = [await comment(acme, gone), await comment(acme, note)];

  await acme.post("/contact/merge/", { source: gone.id, destination: keep.id });

  const [moved] = (await acme.get(`/comment/?object_id=${keep.id}`)).data;
  assert.deepEqual([moved.id, moved.lead_id], [onContact.id, keep.lead_id]);
  assert.equal((await acme.get(`/comment_thread/${onContact.thread_id}/`)).object_id, keep.id);
  assert.equal((await acme.get(`/comment_thread/${onNote.thread_id}/`)).lead_id, keep.lead_id);
  assert.equal((await acme.get(`/comment/?object_id=${note.id}`)).data[0].lead_id, keep.lead_id);
  await comment(acme, keep);
  assert.equal((await acme.get(`/comment_thread/${onContact.thread_id}/`)).num_comments, 2);
});

test("comments on what outlives its lead stay, when the lead is deleted and when it moves away", async () => {
  const acme = await organization();
  const there = await acme.another();
  const [deleted, moved] = [await acme.lead(), await acme.lead()];
  const records = [
    await acme.post("/project/", { name: "Launch", lead_id: deleted.id }),
    await acme.post("/quote/", { lead_id: deleted.id }),
    await acme.post("/quote/", { lead_id: moved.id }),
  ];
  for (const record of records) await comment(acme, record);

  await acme.delete(`/lead/${deleted.id}/`);
  await acme.post(`/lead/${moved.id}/move/`, { target_organization_id: there.id });

  for (const { id } of records) {
    const { data } = await acme.get(`/comment/?object_id=${id}`);
    assert.deepEqual(
      data.map((one: any) => one.lead_id),
      [null],
    );
  }
  assert.deepEqual((await there.get("/comment_thread/")).data, []);
});

test("comments follow a task or a project to another lead, and are seen by who sees that one", async () => {
  const acme = await organization();
  const eve = await acme.memberWith([]);
  const [hidden, hers] = [await acme.lead(), await eve.lead()];
  const task = await acme.task({ lead_id: hidden.id });
  const project = await acme.post("/project/", { name: "Launch", lead_id: hidden.id });
  const step = await acme.post("/project_task/", { project_id: project.id, name: "Plan" });
  for (const record of [task, project, step]) await comment(acme, record);

  await acme.put(`/task/${task.id}/`, { lead_id: hers.id });
  await acme.put(`/project/${project.id}/`, { lead_id: hers.id });
  await acme.delete(`/lead/${hidden.id}/`);

  for (const { id } of [task, project, step])
    assert.equal((await eve.get(`/comment/?object_id=${id}`)).data[0]?.lead_id, hers.id);
});

test("what was said of two leads is one thread once they are one lead", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const [keep, gone] = [await acme.lead(), await acme.lead()];
  const first = await comment(acme, gone);
  const removed = await comment(acme, gone);
  await acme.delete(`/comment/${removed.id}/`);
  const second = await bob.post("/comment/", { object_id: keep.id, body: "Hm" });

  await acme.post("/lead/merge/", { source: gone.id, destination: keep.id });

  const [thread, ...more] = await threadsOf(acme, keep);
  assert.deepEqual(more, []);
  assert.deepEqual([thread.id, thread.num_comments, thread.lead_id], [second.thread_id, 2, keep.id]);
  assert.deepEqual(thread.participating, [bob.userId, acme.userId]);
  const { data } = await acme.get(`/comment/?object_id=${keep.id}`);
  assert.deepEqual(
    data.map((one: any) => [one.id, one.thread_id, one.lead_id]),
    [first, removed, second].map((one) => [one.id, second.thread_id, keep.id]),
  );
  await acme.refused(404, "GET", `/comment_thread/${first.thread_id}/`);
});

test("who is mentioned and who takes part in the thread is told, once", async () => {
  const acme = await organization();
  const [bob, eve] = [await acme.member(), await acme.member()];
  const lead = await acme.lead();
  await comment(bob, lead);
  const told = async (member: Workspace) => (await member.get("/notification/")).data.map((one: any) => one.type);

  const written = await comment(acme, lead, `<p>${mention(eve.userId)} ${mention(acme.userId)} look</p>`);
  await acme.put(`/comment/${written.id}/`, { body: `<p>${mention(eve.userId)} ${mention(bob.userId)} look</p>` });

  assert.deepEqual(written.mentions, [eve.userId, acme.userId]);
  assert.deepEqual(await told(eve), ["mention"]);
  assert.deepEqual(await told(bob), ["mention", "comment"]);
  assert.deepEqual(await told(acme), []);
  const [notice] = (await eve.get("/notification/")).data;
  assert.deepEqual([notice.object_type, notice.object_id, notice.lead_id], ["comment", written.id, lead.id]);
  await acme.delete(`/comment/${written.id}/`);
  assert.deepEqual(await told(eve), []);
});

test("a deal says how much it was commented on, when asked", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();
  const summary = async () => (await acme.get(`/opportunity/${deal.id}/?_fields=comment_summary`)).comment_summary;

  assert.equal(await summary(), null);
  const { thread_id } = await comment(acme, deal);
  await comment(acme, deal);

  assert.deepEqual(await summary(), { comment_count: 2, thread_id });
});

test("comments move to another organization with their lead; who was told of them here is not told there", async () => {
  const here = await organization();
  const there = await here.another();
  const bob = await here.member();
  const lead = await here.lead({ owner_id: bob.userId });
  const note = await here.note({ lead_id: lead.id });
  const [removed, kept] = [await comment(here, note), await comment(here, note, `<p>${mention(bob.userId)}</p>`)];
  await here.delete(`/comment/${removed.id}/`);
  await bob.joins(there, "admin");

  await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  const { comments, num_comments } = await there.get(`/comment_thread/${kept.thread_id}/`);
  assert.deepEqual([num_comments, comments.map((one: any) => one.id)], [1, [removed.id, kept.id]]);
  assert.deepEqual((await here.get(`/comment/?object_id=${note.id}`)).data, []);
  assert.deepEqual((await bob.get("/notification/")).data, []);
  assert.deepEqual((await there.get("/notification/")).data, []);
});
