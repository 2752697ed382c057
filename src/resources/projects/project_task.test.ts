import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { organization, type Workspace } from "../../../test/support/given.ts";

const project = (ws: Workspace, body: object = {}) => ws.post("/project/", { name: "Onboarding", ...body });
const task = (ws: Workspace, of: { id: string }, body: object = {}) =>
  ws.post("/project_task/", { project_id: of.id, name: "Step", ...body });
const path = (of: { id: string }) => `/project_task/${of.id}/`;
const progressOf = async (ws: Workspace, of: { id: string }) => {
  const { progress, task_count, completed_task_count } = await ws.get(`/project/${of.id}/`);
  return [progress, task_count, completed_task_count];
};

test("a task knows other names of its fields and needs a name and a project", async () => {
  const acme = await organization();
  const launch = await project(acme);

  const plain = await task(acme, launch);
  const other = await acme.post("/project_task/", { project_id: launch.id, text: "Call", date: "2026-05-01" });

  assert.deepEqual(
    [plain.status, plain.is_complete, plain.assigned_to, plain.position, plain.depends_on, plain.project_name],
    ["todo", false, null, 0, [], "Onboarding"],
  );
  assert.deepEqual([other.name, other.due_date, other.position], ["Call", "2026-05-01", 1]);
  await acme.refused(400, "POST", "/project_task/", { project_id: launch.id }, "name");
  await acme.refused(400, "POST", "/project_task/", { name: "Step" }, "project_id");
  await acme.refused(400, "POST", "/project_task/", { project_id: "proj_none", name: "Step" }, "project_id");
});

test("status and is_complete say the same, whichever is set", async () => {
  const acme = await organization();
  const launch = await project(acme);
  const step = await task(acme, launch);
  const put = async (body: object) => {
    const { status, is_complete, date_completed, completed_by } = await acme.put(path(step), body);
    return [status, is_complete, date_completed !== null, completed_by];
  };

  assert.deepEqual(await put({ is_complete: true }), ["done", true, true, acme.userId]);
  assert.deepEqual(await put({ status: "in_progress", is_complete: true }), ["in_progress", false, false, null]);
  assert.deepEqual(await put({ status: "done" }), ["done", true, true, acme.userId]);
  assert.deepEqual(await put({ is_complete: false }), ["todo", false, false, null]);
  await acme.refused(400, "PUT", path(step), { status: "in_progress", is_complete: true }, "is_complete");
  assert.equal((await task(acme, launch, { is_complete: true })).status, "done");
});

test("completing a task has an event, and its author is notified", async () => {
  const acme = await organization();
  const helper = await acme.member();
  const step = await task(acme, await project(acme), { assigned_to: helper.userId });

  await helper.put(path(step), { status: "done" });

  const actions = (await acme.events(step.id)).map((event) => event.action);
  assert.deepEqual(actions, ["created", "updated", "completed"]);
  assert.deepEqual(await notices(acme, helper), ["task_assigned"]);
  assert.deepEqual(await notices(acme, acme), ["task_completed"]);
});

async function notices(ws: Workspace, of: Workspace): Promise<string[]> {
  const rows = await ws.service.app.db.unscoped({
    text: "select type from notification where organization_id = $1 and user_id = $2 order by id",
    values: [ws.id, of.userId],
  });
  return rows.map((row) => row[0]!);
}

test("whatever becomes of its tasks, the project's counts are right", async () => {
  const acme = await organization();
  const launch = await project(acme);
  const step = fc.record({ act: fc.constantFrom("add", "add", "below", "tick", "untick", "remove"), pick: fc.nat() });

  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      for (const { act, pick } of steps) {
        const tasks = await acme.all(`/project_task/?project_id=${launch.id}`);
        const one = tasks[pick % Math.max(tasks.length, 1)];
        if (act === "add") await task(acme, launch, { is_complete: pick % 2 === 0 });
        else if (one === undefined) continue;
        else if (act === "below") await task(acme, launch, { parent_task_id: one.id });
        else if (act === "remove") await acme.delete(path(one));
        else await acme.put(path(one), { is_complete: act === "tick" });
      }

      const tasks = await acme.all(`/project_task/?project_id=${launch.id}`);
      const done = tasks.filter((one) => one.is_complete).length;
      const progress = tasks.length === 0 ? 0 : Math.round((done / tasks.length) * 10_000) / 10_000;
      assert.deepEqual(await progressOf(acme, launch), [progress, tasks.length, done]);
    }),
    { numRuns: 10 },
  );
});

test("tasks ticked at the same time are all counted", async () => {
  const acme = await organization();
  const launch = await project(acme);
  const steps = await Promise.all([1, 2, 3, 4].map(() => task(acme, launch)));

  await Promise.all(steps.map((one) => acme.put(path(one), { status: "done" })));

  assert.deepEqual(await progressOf(acme, launch), [1, 4, 4]);
  assert.deepEqual([...new Set(steps.map((one) => one.position))].sort(), [0, 1, 2, 3]);
});

test("a wanted place is made free", async () => {
  const acme = await organization();
  const launch = await project(acme);
  const [one, two] = [await task(acme, launch, { name: "One" }), await task(acme, launch, { name: "Two" })];

  await acme.put(path(two), { position: 0 });

  const { data } = await acme.get(`/project_task/?project_id=${launch.id}&_order_by=position`);
  assert.deepEqual(
    data.map((each: any) => [each.id, each.position]),
    [
      [two.id, 0],
      [one.id, 1],
    ],
  );
});

test("parents and dependencies of a task belong to the same project and never form a circle", async () => {
  const acme = await organization();
  const [launch, other] = [await project(acme), await project(acme)];
  const [top, foreign] = [await task(acme, launch), await task(acme, other)];
  const middle = await task(acme, launch, { parent_task_id: top.id, depends_on: [top.id] });
  const leaf = await task(acme, launch, { parent_task_id: middle.id, depends_on: [middle.id, middle.id] });

  assert.deepEqual(leaf.depends_on, [middle.id]);
  for (const parent_task_id of [top.id, leaf.id]) await acme.refused(400, "PUT", path(top), { parent_task_id }, "parent_task_id");
  await acme.refused(400, "PUT", path(top), { parent_task_id: foreign.id }, "parent_task_id");
  await acme.refused(400, "PUT", path(top), { depends_on: [leaf.id] }, "depends_on");
  await acme.refused(400, "PUT", path(top), { depends_on: [foreign.id] }, "depends_on.0");
});

test("tasks that are added, moved and deleted at the same time do not wait for each other in a circle", async () => {
  const acme = await organization();
  const launch = await project(acme);
  const steps = await Promise.all([1, 2, 3, 4, 5, 6].map(() => task(acme, launch)));

  await Promise.all(
    steps.flatMap((one, i) => [
      i < 2 ? acme.delete(path(one)) : acme.put(path(one), { position: 0, is_complete: true }),
      task(acme, launch, { position: 0 }),
    ]),
  );

  assert.deepEqual(await progressOf(acme, launch), [0.4, 10, 4]);
  const { data } = await acme.get(`/project_task/?project_id=${launch.id}`);
  assert.equal(new Set(data.map((one: any) => one.position)).size, 10);
});

test("deleting a task takes its parts along, and nothing waits for them any more", async () => {
  const acme = await organization();
  const launch = await project(acme);
  const top = await task(acme, launch);
  const part = await task(acme, launch, { parent_task_id: top.id });
  const waiting = await task(acme, launch, { depends_on: [part.id] });

  await acme.delete(path(top));

  await acme.refused(404, "GET", path(part));
  assert.deepEqual((await acme.get(path(waiting))).depends_on, []);
  assert.deepEqual(await progressOf(acme, launch), [0, 1, 0]);
});

test("changing another's task takes manage_others_tasks, deleting one's own delete_own_tasks", async () => {
  const acme = await organization();
  const helper = await acme.memberWith(["view_all_leads"]);
  const launch = await project(acme);
  const [mine, others] = [await task(helper, launch), await task(acme, launch)];

  await helper.put(path(mine), { name: "Mine" });
  await helper.refused(403, "DELETE", path(mine));
  await helper.refused(403, "PUT", path(others), { name: "Mine" });
});
