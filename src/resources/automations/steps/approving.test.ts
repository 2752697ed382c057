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
const complete = (who: Workspace, { id }: any, more: object = {}) =>
  who.put(`/task/${id}/`, { is_complete: true, resolution: "approved", ...more });

test("each approver is asked by a task and a notification, and the first answer counts for all", async () => {
  const acme = await organization();
  const [ada, bob, eve] = [await acme.member(), await acme.member(), await acme.member()];
  const team = await acme.post("/group/", { name: "Team", user_ids: [bob.userId] });
  const made = await published(acme, graph({ $ref: "record.owner_id" }, ada.userId, team.id));
  const [yes, no] = [await acme.lead({ name: "Acme", owner_id: eve.userId }), await acme.lead({ owner_id: eve.userId })];
  await work(acme);
  const asked = await tasksOf(acme, yes);

  await complete(bob, await taskOf(acme, yes, bob));
  await complete(ada, await taskOf(acme, no, ada), { resolution: "rejected" });
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
      [true, "approved", true],
    ].sort(),
  );
  const run = (await runsOf(acme, made)).find((one) => one.object_id === yes.id);
  assert.deepEqual([run.steps[0].branch, run.steps[0].output.answered_by], ["approved", bob.userId]);
});

test("nobody else answers or rewrites the question, an answer says yes or no, and without one the time decides", async () => {
  const acme = await organization();
  const [ada, eve] = [await acme.member(), await acme.member()];
  const made = await published(acme, graph(ada.userId));
  const [asked, late] = [await acme.lead(), await acme.lead()];
  await work(acme);
  const { id, approval_run_id } = await taskOf(acme, asked, ada);
  const path = `/task/${id}/`;

  await eve.refused(403, "PUT", path, { is_complete: true, resolution: "approved" });
  await eve.refused(403, "PUT", path, { resolution: "approved" });
  await eve.refused(403, "PUT", `/task/?id__in=${id}`, { is_complete: true });
  for (const change of [{ text: "Flowers?" }, { lead_id: late.id }, { assigned_to: eve.userId }])
    await ada.refused(400, "PUT", path, change, Object.keys(change)[0]);
  for (const change of [{ is_complete: true }, { is_complete: true, resolution: "skipped" }, { resolution: "approved" }])
    await ada.refused(400, "PUT", path, change, "resolution");
  await acme.refused(400, "DELETE", path, undefined, "id");
  const forged = { lead_id: late.id, _type: "todo", object_id: late.id, assigned_to: ada.userId };
  await complete(ada, await ada.post("/task/", forged));
  await work(acme);
  const states = (await runsOf(acme, made)).map((run) => [run.status, run.wait.kind]);
  await complete(ada, { id });
  await work(acme, 25);

  assert.deepEqual(states, [
    ["waiting", "approval"],
    ["waiting", "approval"],
  ]);
  assert.ok((await runsOf(acme, made)).some((run) => run.id === approval_run_id));
  assert.deepEqual([await tagsOf(acme, asked), await tagsOf(acme, late)], [["yes"], ["late"]]);
  assert.ok((await tasksOf(acme, late)).every((one) => one.is_complete));
});

test("of answers at the same time one is taken, and the others are told; so is who answers a run that is over", async () => {
  const acme = await organization();
  const [ada, bob, eve] = [await acme.member(), await acme.member(), await acme.member()];
  const made = await published(acme, graph(ada.userId, bob.userId, eve.userId));
  const [lead, cancelled] = [await acme.lead(), await acme.lead()];
  await work(acme);

  const said = ["approved", "rejected", "approved"];
  const answers = await Promise.all(
    [ada, bob, eve].map(async (who, i) => {
      const { id } = await taskOf(acme, lead, who);
      return who.ask("PUT", `/task/${id}/`, { body: { is_complete: true, resolution: said[i] } });
    }),
  );
  await work(acme);
  const { id } = (await runsOf(acme, made)).find((run) => run.object_id === cancelled.id);
  await acme.post(`/automation_runs/${id}/cancel/`);

  const taken = answers.findIndex(({ status }) => status === 200);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400, 400]);
  assert.deepEqual(await tagsOf(acme, lead), [said[taken] === "approved" ? "yes" : "no"]);
  const left = await tasksOf(acme, lead);
  assert.deepEqual(left.map((one) => one.resolution).toSorted(), [said[taken], "skipped", "skipped"].toSorted());
  const closed = await tasksOf(acme, cancelled);
  assert.deepEqual(
    closed.map((one) => [one.is_complete, one.resolution]),
    [0, 1, 2].map(() => [true, "skipped"]),
  );
  await ada.refused(400, "PUT", `/task/${(await taskOf(acme, cancelled, ada)).id}/`, { resolution: "approved" }, "resolution");
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

test("when the only approver has left, an admin answers, and the run says what it waits for", async () => {
  const acme = await organization();
  const [ada, bob] = [await acme.member(), await acme.memberWith(["view_all_leads"])];
  const made = await published(acme, graph(ada.userId));
  const lead = await acme.lead();
  await work(acme);
  const asked = await taskOf(acme, lead, ada);
  const yes = { is_complete: true, resolution: "approved" };
  assert.match((await runsOf(acme, made))[0].explanation, /^It waits for the answer to its approval, at most until /);
  await acme.refused(403, "PUT", `/task/${asked.id}/`, yes);

  const { data } = await acme.get("/membership/");
  await acme.delete(`/membership/${data.find((one: any) => one.user_id === ada.userId).id}/`);
  await bob.refused(403, "PUT", `/task/${asked.id}/`, yes);
  await complete(acme, asked);
  await work(acme);

  assert.deepEqual(await tagsOf(acme, lead), ["yes"]);
  assert.deepEqual((await runsOf(acme, made))[0].steps[0].output.answered_by, acme.userId);
});
