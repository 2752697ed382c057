// Approvals: who is asked, whose answer counts, and what becomes of those who were not needed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { published, runsOf, work } from "../../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../../test/support/given.ts";

const tag = (name: string) => ({ type: "tag.change", config: { tag: name, change: "add" }, ports: { out: null } });
const graph = (...approvers: unknown[]) => ({
  start: "s1",
  steps: {
    s1: {
      type: "approve",
      config: { approvers, text: { $template: "May we call {{ record.name }}?" }, timeout: { amount: 1, unit: "days" } },
      ports: { approved: "yes", rejected: "no", timeout: "late" },
    },
    yes: tag("yes"),
    no: tag("no"),
    late: tag("late"),
  },
});

const tagsOf = async (acme: Workspace, { id }: any): Promise<string[]> => (await acme.get(`/lead/${id}/`)).tags;
const tasksOf = (acme: Workspace, { id }: any): Promise<any[]> => acme.all(`/task/?lead_id=${id}&_type=all&_order_by=id`);
const taskOf = async (acme: Workspace, lead: any, { userId }: Workspace) =>
  (await tasksOf(acme, lead)).find((one) => one.assigned_to === userId);
const complete = (who: Workspace, { id }: any, more: object = {}) => who.put(`/task/${id}/`, { is_complete: true, ...more });

test("each approver is asked by a task and a notification, and the first answer counts for all", async () => {
  const acme = await organization();
  const [ada, bob, eve] = [await acme.member(), await acme.member(), await acme.member()];
  const team = await acme.post("/group/", { name: "Team", user_ids: [bob.userId] });
  const made = await published(acme, graph({ $ref: "record.owner_id" }, ada.userId, team.id));
  const [yes, no] = [await acme.lead({ name: "Acme", owner_id: eve.userId }), await acme.lead({ owner_id: eve.userId })];
  await work(acme);
  const asked = await tasksOf(acme, yes);

  await complete(bob, await taskOf(acme, yes, bob));
  await Promise.all([
    complete(ada, await taskOf(acme, no, ada), { resolution: "rejected" }),
    complete(eve, await taskOf(acme, no, eve), { resolution: "rejected" }),
  ]);
  await work(acme);

  assert.deepEqual(
    asked.map((one) => [one._type, one.text]),
    asked.map(() => ["todo", "May we call Acme?"]),
  );
  assert.deepEqual(asked.map((one) => one.assigned_to).sort(), [ada, bob, eve].map(({ userId }) => userId).sort());
  const told = (await ada.get("/notification/?type=approval_request")).data;
  assert.deepEqual(told.map((one: any) => one.title).includes("May we call Acme?"), true);
  assert.deepEqual([await tagsOf(acme, yes), await tagsOf(acme, no)], [["yes"], ["no"]]);
  const left = (await tasksOf(acme, yes)).map((one) => [one.is_complete, one.resolution, one.completed_by === bob.userId]);
  assert.deepEqual(
    left.sort(),
    [
      [true, "skipped", false],
      [true, "skipped", false],
      [true, null, true],
    ].sort(),
  );
  const run = (await runsOf(acme, made)).find((one) => one.object_id === yes.id);
  assert.deepEqual([run.steps[0].branch, run.steps[0].output.answered_by], ["approved", bob.userId]);
});

test("nobody else answers, a task that is put aside is no answer, and without one the time decides", async () => {
  const acme = await organization();
  const [ada, eve] = [await acme.member(), await acme.member()];
  const made = await published(acme, graph(ada.userId));
  const [waiting, aside, late] = [await acme.lead(), await acme.lead(), await acme.lead()];
  await work(acme);

  await complete(eve, await taskOf(acme, waiting, ada));
  await complete(ada, await taskOf(acme, aside, ada), { resolution: "skipped" });
  const forged = { lead_id: late.id, _type: "todo", object_id: late.id, assigned_to: ada.userId };
  await complete(ada, await ada.post("/task/", forged));
  await work(acme);
  const states = (await runsOf(acme, made)).map(({ status, wait }) => [status, wait.kind]);
  await ada.put(`/task/${(await taskOf(acme, waiting, ada)).id}/`, { is_complete: false });
  await complete(ada, await taskOf(acme, waiting, ada), { resolution: "approved" });
  await work(acme, 25);

  assert.deepEqual(
    states,
    [1, 2, 3].map(() => ["waiting", "approval"]),
  );
  assert.deepEqual(await Promise.all([waiting, aside, late].map((lead) => tagsOf(acme, lead))), [["yes"], ["late"], ["late"]]);
  assert.ok((await tasksOf(acme, late)).every((one) => one.is_complete));
});

test("who left is not asked, and when nobody is left the run is held", async () => {
  const acme = await organization();
  const [ada, eve] = [await acme.member(), await acme.member()];
  const [both, alone] = [await published(acme, graph(ada.userId, eve.userId)), await published(acme, graph(ada.userId))];
  const { data } = await acme.get("/membership/");
  await acme.delete(`/membership/${data.find((one: any) => one.user_id === ada.userId).id}/`);
  const lead = await acme.lead();

  await work(acme);

  assert.deepEqual(
    (await tasksOf(acme, lead)).map((one) => one.assigned_to),
    [eve.userId],
  );
  assert.equal((await runsOf(acme, both))[0].status, "waiting");
  const [held] = await runsOf(acme, alone);
  assert.deepEqual([held.status, held.error.code], ["held", "user_inactive"]);
  const again = await acme.post("/automations/", { name: "X", trigger: "lead.created", graph: graph(ada.userId) });
  const { errors } = await acme.refused(400, "POST", `/automations/${again.id}/publish/`, {});
  assert.equal(errors[0].code, "user_inactive");
});
