import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization } from "../../../test/support/given.ts";

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

describe("a new task", () => {
  test("is for the caller, for today and to do, where nothing else is said", async () => {
    const acme = await organization();
    const lead = await acme.lead({ name: "Umbrella" });

    const task = await acme.post("/task/", { lead_id: lead.id });

    assert.equal(task._type, "lead");
    assert.equal(task.text, "");
    assert.equal(task.date, day(0));
    assert.equal(task.due_date, day(0));
    assert.equal(task.is_dateless, false);
    assert.equal(task.is_complete, false);
    assert.equal(task.view, "inbox");
    assert.equal(task.assigned_to, acme.userId);
    assert.equal(task.assigned_to_name, "Ada Admin");
    assert.equal(task.lead_name, "Umbrella");
    assert.equal(task.sequence_id, null);
    assert.deepEqual(await acme.get(`/task/${task.id}/`), task);
  });

  test("is for today where the caller is", async () => {
    const acme = await organization();
    const lead = await acme.lead();
    const here = { "x-tz-offset": "14" };

    const task = await acme.post("/task/", { lead_id: lead.id }, here);

    assert.equal(task.date, new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10));
    assert.equal(task.view, "inbox");
  });

  test("may be for some day, and its day may be called due_date or come with a time", async () => {
    const acme = await organization();
    const { id: lead_id } = await acme.lead();

    const someDay = await acme.post("/task/", { lead_id, date: null });
    const due = await acme.post("/task/", { lead_id, due_date: "2031-05-06" });
    const cut = await acme.post("/task/", { lead_id, date: "2031-05-06T23:30:00-05:00" });

    assert.equal(someDay.date, null);
    assert.equal(someDay.is_dateless, true);
    assert.equal(someDay.view, "inbox");
    assert.equal(due.date, "2031-05-06");
    assert.equal(cut.date, "2031-05-06");
    assert.equal(cut.view, "future");
  });

  test("needs a lead that exists, and the type of a task that people make", async () => {
    const acme = await organization();
    const { id: lead_id } = await acme.lead();

    await acme.refused(400, "POST", "/task/", {}, "lead_id");
    await acme.refused(400, "POST", "/task/", { lead_id: "lead_00000000000000000000000000" }, "lead_id");
    await acme.refused(400, "POST", "/task/", { lead_id, _type: "missed_call" }, "_type");
    await acme.refused(400, "POST", "/task/", { lead_id, _type: "nap" }, "_type");
    await acme.refused(400, "POST", "/task/", { lead_id, date: "tomorrow" }, "date");
    await acme.refused(400, "POST", "/task/", { lead_id, due_date: "2026-02-30" }, "due_date");
    await acme.refused(400, "POST", "/task/", { lead_id, date: "2026-01-01", due_date: "2026-01-02" }, "due_date");
    await acme.refused(400, "POST", "/task/", { lead_id, is_complete: "yes" }, "is_complete");
    await acme.refused(400, "POST", "/task/", { lead_id, priority: "urgent" }, "priority");
    assert.equal((await acme.get("/task/")).data.length, 0);
  });

  test("goes to a member or a group of this organization and to nobody else", async () => {
    const acme = await organization();
    const other = await organization();
    const { id: lead_id } = await acme.lead();
    const colleague = await acme.member();

    const task = await acme.post("/task/", { lead_id, assigned_to: colleague.userId });

    assert.equal(task.assigned_to, colleague.userId);
    for (const assigned_to of [other.userId, "user_nobody", "group_nobody", "", null])
      await acme.refused(400, "POST", "/task/", { lead_id, assigned_to }, "assigned_to");
  });

  test("may name a contact of its lead, not of another", async () => {
    const acme = await organization();
    const [lead, other] = [await acme.lead(), await acme.lead()];
    const [person, stranger] = [await acme.contact({ lead_id: lead.id, name: "Bo" }), await acme.contact({ lead_id: other.id })];

    const task = await acme.post("/task/", { lead_id: lead.id, contact_id: person.id });

    assert.equal(task.contact_name, "Bo");
    await acme.refused(400, "POST", "/task/", { lead_id: lead.id, contact_id: stranger.id }, "contact_id");
    await acme.refused(400, "PUT", `/task/${task.id}/`, { contact_id: stranger.id }, "contact_id");
    await acme.refused(400, "PUT", `/task/${task.id}/`, { lead_id: other.id }, "contact_id");
    assert.equal((await acme.put(`/task/${task.id}/`, { lead_id: other.id, contact_id: stranger.id })).lead_id, other.id);
  });

  test("may say what it is about, if that exists and is of the kind it says", async () => {
    const acme = await organization();
    const foreign = await (await organization()).lead();
    const { id: lead_id } = await acme.lead();

    const task = await acme.post("/task/", { lead_id, object_id: lead_id });

    assert.equal(task.object_type, "lead");
    await acme.refused(400, "POST", "/task/", { lead_id, object_type: "contact", object_id: lead_id }, "object_type");
    await acme.refused(400, "POST", "/task/", { lead_id, object_type: "lead" }, "object_id");
    for (const object_id of [foreign.id, "lead_00000000000000000000000000", "nothing"])
      await acme.refused(400, "POST", "/task/", { lead_id, object_id }, "object_id");
  });

  test("announces itself by its type", async () => {
    const acme = await organization();

    const task = await acme.task({ _type: "outgoing_call" });

    const [event] = await acme.events(task.id);
    assert.equal(event.event, "task.outgoing_call.created");
    assert.equal(event.object_type, "task.outgoing_call");
    assert.equal(event.lead_id, task.lead_id);
  });
});

describe("completing a task", () => {
  test("stamps it, leaves a trace in the lead's history and two events", async () => {
    const acme = await organization();
    const task = await acme.task({ _type: "call" });

    const done = await acme.put(`/task/${task.id}/`, { is_complete: true });

    assert.equal(done.completed_by, acme.userId);
    assert.ok(done.date_completed);
    assert.equal(done.view, "archive");
    const events = await acme.events(task.id);
    assert.deepEqual(
      events.map((one) => one.event),
      ["task.call.created", "task.call.updated", "task.call.completed"],
    );
    assert.deepEqual(events[2].changed_fields.sort(), ["completed_by", "date_completed", "is_complete"]);
    assert.equal(events[2].data.is_complete, true);
    assert.equal(events[2].previous_data.is_complete, false);
    const traces = (await acme.get(`/event/?lead_id=${task.lead_id}&event=activity.task_completed.created`)).data;
    assert.equal(traces.length, 1);
    assert.equal(traces[0].data.task_id, task.id);
  });

  test("twice changes nothing, and taking it back removes the trace", async () => {
    const acme = await organization();
    const task = await acme.task();
    const done = await acme.put(`/task/${task.id}/`, { is_complete: true });

    const again = await acme.put(`/task/${task.id}/`, { is_complete: true });
    const reopened = await acme.put(`/task/${task.id}/`, { is_complete: false });

    assert.deepEqual(again, done);
    assert.equal(reopened.date_completed, null);
    assert.equal(reopened.completed_by, null);
    const traces = (await acme.get(`/event/?lead_id=${task.lead_id}&object_type=activity.task_completed`)).data;
    assert.deepEqual(traces.map((one: any) => one.action).sort(), ["created", "deleted"]);
    const actions = (await acme.events(task.id)).map((one) => one.action);
    assert.deepEqual(actions, ["created", "updated", "completed", "updated"]);
  });

  test("happens at creation too", async () => {
    const acme = await organization();

    const task = await acme.task({ is_complete: true });

    assert.equal(task.completed_by, acme.userId);
    assert.deepEqual(
      (await acme.events(task.id)).map((one) => one.action),
      ["created", "completed"],
    );
    assert.equal((await acme.get(`/event/?event=activity.task_completed.created&lead_id=${task.lead_id}`)).data.length, 1);
  });
});

describe("changing a task", () => {
  test("takes its day by either name, also from a record that was read and sent back", async () => {
    const acme = await organization();
    const task = await acme.task({ date: "2031-01-01" });
    const path = `/task/${task.id}/`;

    assert.equal((await acme.put(path, { ...task, date: "2031-01-02" })).due_date, "2031-01-02");
    assert.equal((await acme.put(path, { ...task, date: "2031-01-02", due_date: "2031-01-03" })).date, "2031-01-03");
    assert.equal((await acme.put(path, { due_date: null })).date, null);
    await acme.refused(400, "PUT", path, { date: "2031-01-01", due_date: "2031-01-02" }, "due_date");
  });

  test("keeps the type it was made with", async () => {
    const acme = await organization();
    const task = await acme.task({ _type: "email" });

    await acme.refused(400, "PUT", `/task/${task.id}/`, { _type: "call" }, "_type");
  });
});

describe("the list of tasks", () => {
  test("has the next first, those for some day last", async () => {
    const acme = await organization();
    const { id: lead_id } = await acme.lead();
    for (const date of ["2031-01-02", null, "2031-01-01"]) await acme.task({ lead_id, date });

    const { data } = await acme.get("/task/");

    assert.deepEqual(
      data.map((one: any) => one.date),
      ["2031-01-01", "2031-01-02", null],
    );
    assert.deepEqual(
      (await acme.all("/task/?_limit=1")).map((one) => one.id),
      data.map((one: any) => one.id),
    );
    assert.deepEqual(
      (await acme.get("/task/?_order_by=-date")).data.map((one: any) => one.date),
      ["2031-01-02", "2031-01-01", null],
    );
  });

  test("is split by view into due, future and completed tasks, by the caller's day", async () => {
    const acme = await organization();
    const { id: lead_id } = await acme.lead();
    await acme.task({ lead_id, text: "today", date: day(0) });
    await acme.task({ lead_id, text: "late", date: "2020-01-01" });
    await acme.task({ lead_id, text: "some day", date: null });
    await acme.task({ lead_id, text: "tomorrow", date: day(1) });
    await acme.task({ lead_id, text: "done", is_complete: true });
    const inView = async (view: string, offset = "0") => {
      const { data } = await acme.get(`/task/?view=${view}`, { "x-tz-offset": offset });
      assert.ok(data.every((one: any) => one.view === view));
      return data.map((one: any) => one.text);
    };
    // The offset at which it is already tomorrow.
    const ahead = String(24 - new Date().getUTCHours());

    assert.deepEqual(await inView("inbox"), ["late", "today", "some day"]);
    assert.deepEqual(await inView("future"), ["tomorrow"]);
    assert.deepEqual(await inView("archive"), ["done"]);
    if (Number(ahead) <= 14) assert.deepEqual(await inView("future", ahead), []);
    await acme.refused(400, "GET", "/task/?view=later", undefined, "view");
  });

  test("can be narrowed by type, assignee, day and completion", async () => {
    const acme = await organization();
    const colleague = await acme.member();
    const { id: lead_id } = await acme.lead();
    const call = await acme.task({ lead_id, _type: "call", date: "2031-01-01" });
    const mail = await acme.task({ lead_id, _type: "email", assigned_to: colleague.userId, date: "2031-01-03" });
    const found = async (filter: string) => (await acme.get(`/task/?${filter}`)).data.map((one: any) => one.id);

    assert.deepEqual(await found("_type=call"), [call.id]);
    assert.deepEqual(await found("_type=all"), [call.id, mail.id]);
    assert.deepEqual(await found("_type__in=email,sms"), [mail.id]);
    assert.deepEqual(await found(`assigned_to=${colleague.userId}`), [mail.id]);
    assert.deepEqual(await found(`assigned_to__in=${colleague.userId},${acme.userId}`), [call.id, mail.id]);
    assert.deepEqual(await found("date__gte=2031-01-02"), [mail.id]);
    assert.deepEqual(await found("due_date__lte=2031-01-01T10:00:00Z"), [call.id]);
    assert.deepEqual(await found("due_date__isnull=true"), []);
    assert.deepEqual(await found("is_complete=true"), []);
    assert.deepEqual(await found(`id=${mail.id}`), [mail.id]);
  });
});

describe("who sees a task", () => {
  test("is who sees its lead, and who is to do it", async () => {
    const acme = await organization();
    const rep = await acme.member("restricteduser");
    const mine = await acme.task({ assigned_to: rep.userId });
    const hidden = await acme.task();
    const own = await acme.task({ lead_id: (await acme.lead({ owner_id: rep.userId })).id });

    const seen = (await rep.get("/task/")).data.map((one: any) => one.id);

    assert.deepEqual(seen.sort(), [mine.id, own.id].sort());
    await rep.refused(404, "GET", `/task/${hidden.id}/`);
    await rep.refused(400, "POST", "/task/", { lead_id: hidden.lead_id }, "lead_id");
  });

  test("may be a member who gets at the task and not at its lead, and who can still send it back whole", async () => {
    const acme = await organization();
    const rep = await acme.member("restricteduser");
    const task = await acme.task({ assigned_to: rep.userId });

    const done = await rep.put(`/task/${task.id}/`, { ...(await rep.get(`/task/${task.id}/`)), is_complete: true });

    await rep.put(`/task/${task.id}/`, { is_complete: false });

    assert.equal(done.completed_by, rep.userId);
    await rep.refused(404, "GET", `/lead/${task.lead_id}/`);
    const traces = (await acme.get(`/event/?lead_id=${task.lead_id}&object_type=activity.task_completed`)).data;
    assert.deepEqual(
      traces.map((one: any) => one.action),
      ["deleted", "created"],
    );
  });

  test("is every member of the group it is given to", async () => {
    const acme = await organization();
    const [rep, other] = [await acme.member("restricteduser"), await acme.member("restricteduser")];
    const team = await acme.post("/group/", { name: "Team", user_ids: [rep.userId] });

    const task = await acme.task({ assigned_to: team.id });

    assert.equal(task.assigned_to_name, "Team");
    assert.deepEqual(
      (await rep.get("/task/")).data.map((one: any) => one.id),
      [task.id],
    );
    await other.refused(404, "GET", `/task/${task.id}/`);
    assert.equal((await rep.put(`/task/${task.id}/`, { is_complete: true })).completed_by, rep.userId);
    await rep.delete(`/task/${task.id}/`);
  });

  test("changes and deletes one's own without further permission, another's with manage_others_tasks", async () => {
    const acme = await organization();
    const rep = await acme.memberWith(["view_all_leads", "delete_own_tasks"]);
    const boss = await acme.memberWith(["view_all_leads", "manage_others_tasks"]);
    const [given, made, others] = [
      await acme.task({ assigned_to: rep.userId }),
      await rep.task({ assigned_to: acme.userId }),
      await acme.task(),
    ];

    await rep.put(`/task/${given.id}/`, { text: "mine" });
    await rep.put(`/task/${made.id}/`, { text: "my idea" });
    const refusal = await rep.refused(403, "PUT", `/task/${others.id}/`, { text: "not mine" });
    await rep.refused(403, "DELETE", `/task/${others.id}/`);
    await rep.delete(`/task/${given.id}/`);
    await boss.put(`/task/${others.id}/`, { text: "ours" });
    await boss.delete(`/task/${others.id}/`);

    assert.match(refusal.error, /manage_others_tasks/);
  });
});

describe("what becomes of a task", () => {
  test("it goes with its lead, outlives its contact, and follows a merge", async () => {
    const acme = await organization();
    const [keep, gone] = [await acme.lead(), await acme.lead()];
    const person = await acme.contact({ lead_id: gone.id });
    const task = await acme.task({ lead_id: gone.id, contact_id: person.id });

    await acme.delete(`/contact/${person.id}/`);
    await acme.post("/lead/merge/", { source: gone.id, destination: keep.id });
    const moved = await acme.get(`/task/${task.id}/`);
    await acme.delete(`/lead/${keep.id}/`);

    assert.equal(moved.contact_id, null);
    assert.equal(moved.lead_id, keep.id);
    await acme.refused(404, "GET", `/task/${task.id}/`);
    const last = (await acme.events(task.id)).at(-1);
    assert.equal(last.event, "task.lead.deleted");
    assert.equal(last.previous_data.id, task.id);
  });

  test("a done one that is deleted leaves its trace in the lead's history", async () => {
    const acme = await organization();
    const task = await acme.task({ is_complete: true });

    await acme.delete(`/task/${task.id}/`);

    const traces = (await acme.get(`/activity/task_completed/?lead_id=${task.lead_id}`)).data;
    assert.deepEqual(
      traces.map((one: any) => one.task_id),
      [task.id],
    );
  });

  test("an expanded lead brings what is to be done", async () => {
    const acme = await organization();
    const { id: lead_id } = await acme.lead();
    const open = await acme.task({ lead_id });
    await acme.task({ lead_id, is_complete: true });

    const { tasks } = await acme.get(`/lead/${lead_id}/?_expand=tasks`);

    assert.deepEqual(
      tasks.map((one: any) => one.id),
      [open.id],
    );
  });
});

test("a filter by due_date takes the same days as one by date", async () => {
  const acme = await organization();
  for (const date of ["2026-03-01", "2026-03-02", "2026-03-03", null]) await acme.task({ text: `${date}`, date });
  const inText = async (query: string) => texts(await acme.get(`/task/?query=${encodeURIComponent(query)}`));
  const inTree = async (condition: object, sort = "due_date") => {
    const field = { type: "regular_field", object_type: "task", field_name: "due_date" };
    const queries = [
      { type: "object_type", object_type: "task" },
      { type: "field_condition", field, condition },
    ];
    return texts(await acme.post("/data/search/", { query: { type: "and", queries }, sort }));
  };
  const texts = (page: any) => page.data.map((one: any) => one.text);

  assert.deepEqual(await inText("due_date:2026-03-02"), ["2026-03-02"]);
  assert.deepEqual(await inText("due_date>2026-03-01 sort:-due_date"), ["2026-03-03", "2026-03-02"]);
  assert.deepEqual(await inText('due_date:""'), ["null"]);
  assert.deepEqual(await inText("due_date<today due_date<=2026-03-01"), ["2026-03-01"]);
  assert.deepEqual(await inTree({ type: "moment_range", gte: "2026-03-02" }, "-due_date"), ["2026-03-03", "2026-03-02"]);
  assert.deepEqual(await inTree({ type: "exists" }), ["2026-03-01", "2026-03-02", "2026-03-03"]);
  await acme.refused(400, "GET", "/task/?query=due_date:soon", undefined, "query");
});

test("tasks of a group are its own and those of its members, and types that there are not are refused", async () => {
  const acme = await organization();
  const other = await acme.member();
  const group = await acme.post("/group/", { name: "Us", user_ids: [acme.userId] });
  for (const [text, assigned_to] of Object.entries({ mine: acme.userId, ours: group.id, theirs: other.userId }))
    await acme.task({ text, assigned_to });
  const found = async (filter: string) => (await acme.get(`/task/?${filter}`)).data.map((one: any) => one.text).sort();

  assert.deepEqual(await found(`assigned_to=${group.id}`), ["mine", "ours"]);
  assert.deepEqual(await found(`assigned_to__in=${group.id},${other.userId}`), ["mine", "ours", "theirs"]);
  assert.deepEqual(await found(`assigned_to=${acme.userId}`), ["mine"]);
  assert.deepEqual(await found(`query=assigned_to:${group.id}`), ["mine", "ours"]);
  for (const filter of ["_type=Note", "_type__in=lead,note", "view=inbx", "priority=hi"])
    await acme.refused(400, "GET", `/task/?${filter}`, undefined, filter.split("=")[0]);
});
