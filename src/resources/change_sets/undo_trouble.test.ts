// What stands in the way of an undo is said, and what follows from it does nothing by itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { published } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const undo = (acme: Workspace, id: string): Promise<any> => acme.post(`/change_set/${id}/undo/`);
const requestOf = ({ headers }: { headers: Headers }) => headers.get("x-request-id")!;
const named = (name: string) => ({ "x-change-set": name });
const drained = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

test("what cannot be taken back is said, and the rest of the change set is taken back", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "First" });
  const [list, ann] = [await acme.post("/lead_list/", { name: "Best" }), await acme.contact()];
  await acme.ask("PUT", `/lead/${lead.id}/`, { body: { name: "Second" }, headers: named("tidy") });
  for (const path of [`/lead_list/${list.id}/`, `/contact/${ann.id}/`])
    await acme.ask("DELETE", path, { headers: named("tidy") });
  await acme.post("/lead_list/", { name: "Best" });
  await acme.delete(`/lead/${ann.lead_id}/`);

  const { undone, not_undone } = await undo(acme, "tidy");

  assert.deepEqual(
    undone.map((one: any) => one.object_id),
    [lead.id],
  );
  assert.deepEqual(
    not_undone.map((one: any) => [one.object_id, one.reason]),
    [
      [ann.id, "cannot come back: a contact whose lead is gone"],
      [list.id, "name is already used"],
    ],
  );
});

test("of one record the fields that nobody has changed since are as before, and the others say why not", async () => {
  const acme = await organization();
  const status = await acme.post("/status/lead/", { label: "Cold" });
  const lead = await acme.lead({ name: "First", industry: "Coal", status_id: status.id });
  const { id: other } = await acme.post("/status/lead/", { label: "Warm" });
  const body = { name: "Second", industry: "Steel", status_id: other };
  const changed = await acme.ask("PUT", `/lead/${lead.id}/`, { body });
  await acme.put(`/lead/${lead.id}/`, { name: "Third" });
  await acme.delete(`/status/lead/${status.id}/`);

  const { undone, not_undone } = await undo(acme, requestOf(changed));

  assert.deepEqual(undone[0].fields, ["industry"]);
  assert.match(not_undone[0].reason, /name: changed since; status_id: /);
});

test("a deleted lead comes back with its conversations", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const made = await acme.post("/conversation/", { lead_id: lead.id, subject: "Hello", channel: "email" });
  const gone = await acme.ask("DELETE", `/lead/${lead.id}/`);

  assert.deepEqual((await undo(acme, requestOf(gone))).not_undone, []);
  assert.equal((await acme.get(`/conversation/${made.id}/`)).lead_id, lead.id);
});

test("what an undo brings back or changes back starts no automation, and an automation's own work is in nobody's way", async () => {
  const acme = await organization();
  const trigger = (type: string) => ({ type, config: { object_type: "lead" } });
  for (const type of ["record.created", "record.updated"])
    await acme.post("/automation/", {
      name: type,
      status: "active",
      trigger: trigger(type),
      actions: [{ type: "create_task", config: { text: type } }],
    });
  const tasks = async () => (await acme.get(`/task/?lead_id=${lead.id}`)).data.length;
  const made = await acme.ask("POST", "/lead/", { body: { name: "Alone" } });
  const lead = await acme.lead();
  const renamed = await acme.ask("PUT", `/lead/${lead.id}/`, { body: { name: "Other" } });
  await drained(acme);
  const before = await tasks();
  const gone = await acme.ask("DELETE", `/lead/${lead.id}/`);

  await undo(acme, requestOf(gone));
  await undo(acme, requestOf(renamed));
  await drained(acme);
  assert.deepEqual([before, await tasks()], [2, 2]);
  const { undone } = await undo(acme, requestOf(made));

  assert.deepEqual([undone[0].object_id, undone[0].action], [made.body.id, "deleted"]);
});

test("what a run of an automation deletes comes back", async () => {
  const acme = await organization();
  const task = await acme.task();
  const graph = {
    start: "first",
    steps: {
      first: { type: "record.delete", config: { target: task.id }, ports: { out: "second" } },
      second: {
        type: "record.delete",
        config: { target: (await acme.note({ lead_id: task.lead_id })).id },
        ports: { out: null },
      },
    },
  };
  const { id } = await published(acme, graph, { trigger: { type: "manual", config: {} } });
  const run = await acme.post(`/automations/${id}/run/`, { record_id: task.lead_id });
  await drained(acme);
  await acme.refused(404, "GET", `/task/${task.id}/`);

  const { n_undone } = await undo(acme, run.id);

  assert.equal(n_undone, 2);
  assert.equal((await acme.get(`/task/${task.id}/`)).text, task.text);
});

test("a score is as before, and so is a deal's value that was the sum of its items", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const deal = await acme.opportunity({ lead_id: lead.id, value: 1 });
  const scored = await acme.ask("POST", "/ai/score_lead/", { body: { lead_id: lead.id } });
  const item = { name: "Setup", unit_price: 700, quantity: 2 };
  const added = await acme.ask("POST", `/opportunity/${deal.id}/line_item/`, { body: item });

  for (const one of [scored, added]) assert.deepEqual((await undo(acme, requestOf(one))).not_undone, []);

  assert.equal((await acme.get(`/lead/${lead.id}/`)).score, null);
  assert.equal((await acme.get(`/opportunity/${deal.id}/`)).value, 1);
});

test("an invitation and an ended membership are changed by hand", async () => {
  const acme = await organization();
  const member = await acme.member();
  const { data } = await acme.get("/membership/");
  const { id } = data.find((one: any) => one.user_id === member.userId);
  const invited = await acme.ask("POST", "/membership/", { body: { email: "new@example.com" } });
  const ended = await acme.ask("DELETE", `/membership/${id}/`);

  for (const one of [invited, ended])
    assert.match((await undo(acme, requestOf(one))).not_undone[0].reason, /administration, which is changed by hand/);
});

test("of many undos at once one does it, and the others say that it is there again", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const gone = await acme.ask("DELETE", `/lead/${lead.id}/`);

  const answers = await Promise.all(Array.from({ length: 5 }, () => undo(acme, requestOf(gone))));

  assert.equal(answers.filter(({ n_undone }) => n_undone > 0).length, 1);
  const reasons = answers.flatMap(({ not_undone }) => not_undone.map((one: any) => one.reason));
  assert.deepEqual(new Set(reasons), new Set(["is there again"]));
});

test("what cannot be taken back says why in words", async () => {
  const acme = await organization();
  const there = await acme.another();
  const { id } = await acme.contact();
  const shared = await acme.ask("POST", `/contact/${id}/share/`, { body: { organization_id: there.id } });
  const goal = (target: number) => acme.ask("POST", "/goal/", { body: { period: "2027-02", target } });
  await goal(100);
  const raised = await goal(500);

  const reasons: string[] = [];
  for (const one of [shared, raised])
    reasons.push(...(await undo(acme, requestOf(one))).not_undone.map(({ reason }: any) => reason));

  assert.deepEqual(reasons, ["was shared, which cannot be taken back", "has no way back: write it again as it was"]);
});
