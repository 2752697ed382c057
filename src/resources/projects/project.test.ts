import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const project = (ws: Workspace, body: object = {}) => ws.post("/project/", { name: "Onboarding", ...body });
const task = (ws: Workspace, of: { id: string }, body: object = {}) =>
  ws.post("/project_task/", { project_id: of.id, name: "Step", ...body });

test("a project is the caller's and open unless told otherwise, and knows other names of its fields", async () => {
  const acme = await organization();

  const plain = await project(acme);
  const other = await acme.post("/project/", { title: "Launch", due_date: "2026-05-01", start_date: "2026-04-01" });

  assert.deepEqual(
    [plain.status, plain.owner_id, plain.member_ids, plain.labels, plain.progress, plain.task_count, plain.lead_id],
    ["open", acme.userId, [], [], 0, 0, null],
  );
  assert.deepEqual([other.name, other.end_date], ["Launch", "2026-05-01"]);
  await acme.refused(400, "POST", "/project/", {}, "name");
  await acme.refused(400, "POST", "/project/", { name: " " }, "name");
  await acme.refused(400, "POST", "/project/", { name: "A", title: "B" }, "title");
  await acme.refused(400, "PUT", `/project/${plain.id}/`, { title: null }, "title");
});

test("a project ends when it begins or later", async () => {
  const acme = await organization();
  const launch = await project(acme, { start_date: "2026-04-01" });

  await acme.refused(400, "POST", "/project/", { name: "A", start_date: "2026-04-02", end_date: "2026-04-01" }, "end_date");
  await acme.refused(400, "PUT", `/project/${launch.id}/`, { end_date: "2026-03-31" }, "end_date");
  await acme.put(`/project/${launch.id}/`, { end_date: "2026-04-01" });
  await acme.refused(400, "PUT", `/project/${launch.id}/`, { start_date: "2026-04-02" }, "end_date");
});

test("completing a project leaves its moment, opening it again takes it away", async () => {
  const acme = await organization();
  const launch = await project(acme);

  const done = await acme.put(`/project/${launch.id}/`, { status: "completed" });
  const again = await acme.put(`/project/${launch.id}/`, { status: "open" });

  assert.ok(done.date_completed);
  assert.equal(again.date_completed, null);
  await acme.refused(400, "PUT", `/project/${launch.id}/`, { status: "archived" }, "status");
});

test("a deal determines the lead, and records of another lead are refused", async () => {
  const acme = await organization();
  const [deal, person] = [await acme.opportunity(), await acme.contact()];

  const launch = await project(acme, { opportunity_id: deal.id });

  assert.equal(launch.lead_id, deal.lead_id);
  await acme.refused(400, "POST", "/project/", { name: "A", opportunity_id: deal.id, contact_id: person.id }, "contact_id");
  await acme.refused(400, "PUT", `/project/${launch.id}/`, { lead_id: person.lead_id }, "opportunity_id");
  await acme.refused(400, "PUT", `/project/${launch.id}/`, { owner_id: "user_none" }, "owner_id");
  await acme.refused(400, "PUT", `/project/${launch.id}/`, { member_ids: [acme.userId, "user_none"] }, "member_ids.1");
});

test("a project outlives its lead and keeps the lead's name", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Globex" });
  const launch = await project(acme, { lead_id: lead.id });
  const step = await task(acme, launch);
  await acme.put(`/lead/${lead.id}/`, { name: "Globex Ltd" });
  const before = await acme.get(`/project/${launch.id}/`);

  await acme.delete(`/lead/${lead.id}/`);

  const after = await acme.get(`/project/${launch.id}/`);
  assert.equal(before.lead_name, "Globex Ltd");
  assert.deepEqual([after.lead_id, after.lead_name], [null, "Globex"]);
  assert.equal((await acme.get(`/project_task/${step.id}/`)).lead_id, null);
});

test("who sees only their own leads sees the projects of those, and the tasks they are to do", async () => {
  const acme = await organization();
  const seller = await acme.memberWith([]);
  const [mine, others] = [await acme.lead({ owner_id: seller.userId }), await acme.lead()];
  const [visible, hidden] = [await project(acme, { lead_id: mine.id }), await project(acme, { lead_id: others.id })];
  const [given, secret] = [await task(acme, hidden, { assigned_to: seller.userId }), await task(acme, hidden)];

  const listed = (await seller.get("/project/")).data.map((one: any) => one.id);

  assert.deepEqual(listed, [visible.id]);
  await seller.refused(404, "GET", `/project/${hidden.id}/`);
  await seller.refused(404, "GET", `/project_task/${secret.id}/`);
  await seller.refused(400, "POST", "/project_task/", { project_id: hidden.id, name: "Mine" }, "project_id");
  assert.equal((await seller.put(`/project_task/${given.id}/`, { is_complete: true })).status, "done");
  await acme.put(`/project/${hidden.id}/`, { lead_id: mine.id });
  await seller.get(`/project_task/${secret.id}/`);
});

test("deleting a project deletes its tasks, each told of once", async () => {
  const acme = await organization();
  const launch = await project(acme);
  const parent = await task(acme, launch);
  const child = await task(acme, launch, { parent_task_id: parent.id });

  await acme.delete(`/project/${launch.id}/`);

  for (const one of [parent, child]) {
    await acme.refused(404, "GET", `/project_task/${one.id}/`);
    const deleted = (await acme.events(one.id)).filter((event) => event.action === "deleted");
    assert.equal(deleted.length, 1);
  }
});

test("projects are found by status, owner, words and custom fields, and sorted by their end", async () => {
  const acme = await organization();
  const size = await acme.customField("project", { type: "number" });
  const late = await project(acme, { name: "Zürich office", end_date: "2026-09-01", [`custom.${size.id}`]: 3 });
  const soon = await project(acme, { name: "Website", end_date: "2026-02-01", status: "canceled" });
  const found = async (query: string) => (await acme.get(`/project/?${query}`)).data.map((one: any) => one.id);

  assert.deepEqual(await found("_order_by=end_date"), [soon.id, late.id]);
  assert.deepEqual(await found("status__in=open,completed"), [late.id]);
  assert.deepEqual(await found("query=zurich"), [late.id]);
  assert.deepEqual(await found(`custom.${size.id}__gt=2`), [late.id]);
  assert.deepEqual(await found(`owner_id=${acme.userId}&_order_by=name`), [soon.id, late.id]);
});
