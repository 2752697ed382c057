import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

async function threeTasks(acme: Workspace): Promise<any[]> {
  const { id: lead_id } = await acme.lead();
  return [
    await acme.task({ lead_id, date: "2031-01-01" }),
    await acme.task({ lead_id, date: "2031-01-02", _type: "call" }),
    await acme.task({ lead_id, date: "2031-01-03" }),
  ];
}

const idsOf = (records: any[]) => records.map((one) => one.id);

test("one change is made to all tasks that are named, and unknown ids are passed over", async () => {
  const acme = await organization();
  const [first, second, third] = await threeTasks(acme);
  const foreign = await (await organization()).task();
  const ids = [first.id, second.id, foreign.id, "task_00000000000000000000000000", "nonsense", first.id].join(",");

  const answer = await acme.put(`/task/?id__in=${ids}`, { is_complete: true, priority: "high" });

  assert.deepEqual(idsOf(answer.data), [first.id, second.id]);
  assert.equal(answer.has_more, false);
  assert.equal(answer.count, 2);
  assert.ok(answer.data.every((one: any) => one.is_complete && one.priority === "high" && one.completed_by === acme.userId));
  assert.deepEqual(await acme.get(`/task/${first.id}/`), answer.data[0]);
  assert.equal((await acme.get(`/task/${third.id}/`)).is_complete, false);
});

test("each task leaves the same events and trace as when it is changed alone", async () => {
  const acme = await organization();
  const [first, second] = await threeTasks(acme);
  const ids = `${first.id},${second.id}`;

  await acme.put(`/task/?id__in=${ids}`, { is_complete: true });
  await acme.put(`/task/?id__in=${ids}`, { is_complete: true });
  await acme.put(`/task/?id__in=${ids}`, { is_complete: false });

  for (const task of [first, second]) {
    const actions = (await acme.events(task.id)).map((one) => one.action);
    assert.deepEqual(actions, ["created", "updated", "completed", "updated"]);
  }
  const traces = (await acme.get(`/event/?lead_id=${first.lead_id}&object_type=activity.task_completed`)).data;
  assert.deepEqual(
    traces.map((one: any) => one.action),
    ["deleted", "deleted", "created", "created"],
  );
});

test("the selector may be any filter of the list, and may come in the body", async () => {
  const acme = await organization();
  const [first, second, third] = await threeTasks(acme);

  const byType = await acme.put("/task/?_type=call", { date: "2032-01-01" });
  const byBody = await acme.put("/task/", { _params: { id__in: [first.id, third.id], date__lt: "2031-01-02" }, due_date: null });

  assert.deepEqual(idsOf(byType.data), [second.id]);
  assert.equal(byType.data[0].due_date, "2032-01-01");
  assert.deepEqual(idsOf(byBody.data), [first.id]);
  assert.equal(byBody.data[0].is_dateless, true);
});

test("without a selector nothing is changed, nor with an empty one", async () => {
  const acme = await organization();
  const [first] = await threeTasks(acme);

  await acme.refused(400, "PUT", "/task/", { is_complete: true }, "id__in");
  await acme.refused(400, "PUT", "/task/?_fields=id", { is_complete: true }, "id__in");
  await acme.refused(400, "PUT", "/task/?_limit=10", { is_complete: true }, "_limit");
  await acme.refused(400, "PUT", "/task/?no_such_filter=1", { is_complete: true }, "no_such_filter");
  const empty = await acme.put("/task/?id__in=", { is_complete: true });

  assert.deepEqual(empty, { data: [], has_more: false, count: 0 });
  assert.equal((await acme.get(`/task/${first.id}/`)).is_complete, false);
});

test("only what may be changed in bulk is taken; the rest is reported", async () => {
  const acme = await organization();
  const [first] = await threeTasks(acme);

  const answer = await acme.ask("PUT", `/task/?id__in=${first.id}`, { body: { resolution: "skipped", text: "other" } });

  assert.equal(answer.body.data[0].resolution, "skipped");
  assert.equal(answer.body.data[0].text, first.text);
  assert.equal(answer.headers.get("x-ignored-fields"), "text");
  await acme.refused(400, "PUT", `/task/?id__in=${first.id}`, { is_complete: true, lead_ids: ["lead_x"] }, "lead_ids");
  await acme.refused(400, "PUT", `/task/?id__in=${first.id}`, { is_complete: "yes" }, "is_complete");
  await acme.refused(400, "PUT", `/task/?id__in=${first.id}`, { date: "soon" }, "date");
  await acme.refused(400, "PUT", `/task/?id__in=${first.id}`, { assigned_to: "user_nobody" }, "assigned_to");
});

test("more than 1,000 ids are refused", async () => {
  const acme = await organization();
  const id__in = Array.from({ length: 1001 }, (_, i) => `task_${i}`);

  await acme.refused(400, "PUT", "/task/", { _params: { id__in }, is_complete: true }, "id__in");
});

test("one task that is another's refuses the whole change to who may not manage others' tasks", async () => {
  const acme = await organization();
  const rep = await acme.memberWith(["view_all_leads"]);
  const [mine, others] = [await acme.task({ assigned_to: rep.userId }), await acme.task()];

  await rep.refused(403, "PUT", `/task/?id__in=${mine.id},${others.id}`, { is_complete: true });
  const answer = await rep.put(`/task/?id__in=${mine.id}`, { is_complete: true });

  assert.equal(answer.count, 1);
  assert.equal((await acme.get(`/task/${others.id}/`)).is_complete, false);
});

test("a member who does not see a lead changes only the tasks that are for them, and may give them away", async () => {
  const acme = await organization();
  const rep = await acme.member("restricteduser");
  const { id: lead_id } = await acme.lead();
  const [mine, hidden] = [await acme.task({ lead_id, assigned_to: rep.userId }), await acme.task({ lead_id })];

  const answer = await rep.put(`/task/?id__in=${mine.id},${hidden.id}`, { assigned_to: acme.userId });

  assert.deepEqual(idsOf(answer.data), [mine.id]);
  assert.equal(answer.data[0].assigned_to, acme.userId);
});

test("a thousand tasks are completed at once", async () => {
  const acme = await organization();
  const { id: lead_id } = await acme.lead();
  for (let i = 0; i < 100; i++) await Promise.all(Array.from({ length: 10 }, () => acme.task({ lead_id })));

  const answer = await acme.put("/task/?view=inbox&is_complete=false", { is_complete: true });

  assert.equal(answer.count, 1000);
  assert.ok(answer.data.every((one: any) => one.is_complete));
});
