// A record is deleted while runs wait for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, published, runsOf, work } from "../../../test/support/automations.ts";
import { organization } from "../../../test/support/given.ts";

test("a run that waits for a deleted record is over at once, one that does not read it goes on", async () => {
  const acme = await organization();
  const days = ["wait.duration", { amount: 60, unit: "days" }] as [string, object];
  const tell = { to: [acme.userId], text: "Sixty days are over" };
  const trigger = { type: "manual", config: { object_type: "lead" } };
  const timeout = { amount: 5, unit: "days" };
  const says = { type: "field", ref: "record.description", op: "is", value: "Ready" };
  const graphs = [
    chain(days, ["tag.change", { tag: "late", change: "add" }]),
    chain(["wait.condition", { when: says, timeout }]),
    chain(days, ["notify.user", { ...tell, text: { $template: "{{ record.name }} waits" } }]),
    chain(days, ["notify.user", tell]),
    chain(["record.delete", { target: { $ref: "record.id" } }], ["set.vars", { values: { end: true } }]),
  ];
  const lead = await acme.lead();
  const other = await acme.lead();
  const made = await Promise.all(graphs.map((graph) => published(acme, graph, { trigger })));
  const start = (of: any, { id }: any) => acme.post(`/automations/${of.id}/run/`, { record_id: id });
  for (const one of made.slice(0, 4)) await start(one, lead);
  await start(made[0], other);
  await work(acme);

  await acme.delete(`/lead/${lead.id}/`);
  await start(made[4], await acme.lead());
  await work(acme);
  const runs = (await Promise.all(made.map((one) => runsOf(acme, one)))).flat();
  const stateOf = ({ status, status_reason, object_id }: any) => [status, status_reason, object_id === other.id];
  const gone = ["exited", "record_deleted", false];
  await work(acme, 61 * 24);

  assert.deepEqual(runs.map(stateOf).toSorted(), [
    ["completed", null, false],
    gone,
    gone,
    gone,
    ["waiting", null, false],
    ["waiting", null, true],
  ]);
  assert.match(runs.find((run) => run.status === "exited").explanation, /^It ended early: its record was deleted\.$/);
  const [last] = await runsOf(acme, made[3]);
  assert.deepEqual([last.status, last.steps.at(-1).output.told], ["completed", [acme.userId]]);
});

const hour = ["wait.duration", { amount: 1, unit: "hours" }] as [string, object];
const late = ["tag.change", { tag: "late", change: "add" }] as [string, object];
const byHand = { type: "manual", config: { object_type: "lead" } };

test("a run whose lead moves to another organization is over, and writes in neither", async () => {
  const acme = await organization();
  const there = await acme.another();
  const made = await published(acme, chain(hour, late), { trigger: byHand });
  const lead = await acme.lead();
  await acme.post(`/automations/${made.id}/run/`, { record_id: lead.id });
  await work(acme);

  await acme.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });
  await work(acme);
  const [moved] = await runsOf(acme, made);
  await work(acme, 2);

  const [run] = await runsOf(acme, made);
  for (const one of [moved, run]) assert.deepEqual([one.status, one.status_reason], ["exited", "record_deleted"]);
  assert.deepEqual((await there.get(`/lead/${lead.id}/`)).tags, []);
  assert.deepEqual((await there.get("/automation_runs/")).data, []);
});

test("a run whose lead is hidden from the member in whose name it acts is held, and goes on when they see it again", async () => {
  const acme = await organization();
  const ann = await acme.memberWith(["manage_email_sequences"]);
  const settings = { run_as_user_id: ann.userId };
  const made = await published(ann, chain(hour, late), { trigger: byHand, settings });
  const lead = await acme.lead({ owner_id: ann.userId });
  await ann.post(`/automations/${made.id}/run/`, { record_id: lead.id });
  await work(acme);

  await acme.put(`/lead/${lead.id}/`, { owner_id: acme.userId });
  await work(acme, 2);
  const [held] = await runsOf(acme, made);
  const untouched = (await acme.get(`/lead/${lead.id}/`)).tags;
  await acme.put(`/lead/${lead.id}/`, { owner_id: ann.userId });
  await acme.post(`/automation_runs/${held.id}/retry/`, {});
  await work(acme);

  assert.deepEqual([held.status, held.error.code, untouched], ["held", "record_hidden", []]);
  assert.equal((await runsOf(acme, made))[0].status, "completed");
  assert.deepEqual((await acme.get(`/lead/${lead.id}/`)).tags, ["late"]);
});
