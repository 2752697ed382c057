// Automations that start others: what they are given, what becomes of the one that waits, and how chains end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, newLead, published, runsOf, work } from "../../../../test/support/automations.ts";
import { organization } from "../../../../test/support/given.ts";

const manual = (config: object = {}) => ({ trigger: { type: "manual", config } });
const hours = (amount: number) => ({ amount, unit: "hours" });
const start = (automation_id: string, more: object = {}) => ["automation.start", { automation_id, ...more }] as [string, object];
const waiting = { wait: true, timeout: hours(2) };

test("who waits for a child goes on when it is over, and says whether it failed or took too long", async () => {
  const acme = await organization();
  const [good, bad, slow, contacts] = [
    await published(acme, chain(["wait.duration", hours(1)], ["stop", { outcome: "called" }]), manual()),
    await published(acme, chain(["fail", { message: "No" }]), manual()),
    await published(acme, chain(["wait.duration", hours(9)]), manual()),
    await published(acme, chain(["fail", {}]), manual({ object_type: "contact" })),
  ];
  const parents = [];
  for (const { id } of [good, bad, slow, contacts]) parents.push(await published(acme, chain(start(id, waiting))));
  const paused = await published(acme, chain(start(bad.id)), manual());
  const lead = await acme.lead();
  await work(acme, 1.1, 1.1);
  await acme.post(`/automations/${bad.id}/pause/`, {});
  await acme.post(`/automations/${paused.id}/run/`, { record_id: lead.id });
  await work(acme);

  const ends = [];
  for (const made of [...parents, paused]) {
    const [{ status, steps }] = await runsOf(acme, made);
    ends.push([status, steps[0].branch, steps[0].output.status ?? steps[0].output.reason, steps[0].output.output]);
  }
  assert.deepEqual(ends, [
    ["completed", "out", "completed", { outcome: "called" }],
    ["completed", "child_failed", "failed", { message: "No" }],
    ["completed", "timeout", "waiting", null],
    ["completed", "child_failed", "object_type_mismatch", null],
    ["completed", "child_failed", "paused", null],
  ]);
  const [child] = await runsOf(acme, slow);
  assert.deepEqual([child.kind, child.status, child.object_id], ["child", "waiting", lead.id]);
});

test("a chain ends at the eighth automation, and one that comes back at once", async () => {
  const acme = await organization();
  const made = [await published(acme, chain(["note.create", { note: "Last" }]), manual())];
  for (let i = 0; i < 8; i++) made.unshift(await published(acme, chain(start(made[0].id)), i === 7 ? {} : manual()));
  const own = await acme.post("/automations/", { name: "Own", ...manual() });
  await acme.put(`/automations/${own.id}/`, { graph: chain(start(own.id)) });
  await acme.post(`/automations/${own.id}/publish/`, {});
  const lead = await acme.lead();
  await acme.post(`/automations/${own.id}/run/`, { record_id: lead.id });

  for (let i = 0; i < 3; i++) await work(acme);

  const runs = (await Promise.all(made.map((one) => runsOf(acme, one)))).flat();
  assert.deepEqual(
    runs.map(({ status, status_reason, causation }) => [status, status_reason, causation.depth]),
    [1, 2, 3, 4, 5, 6, 7].map((depth) => ["completed", null, depth]).concat([["failed", "loop_depth", 8]]),
  );
  const [again, ...more] = await runsOf(acme, own);
  assert.deepEqual([again.status, again.status_reason, more], ["failed", "loop_depth", []]);
});

test("only what is started by hand can be started, and a wait needs its end", async () => {
  const acme = await organization();
  const [byEvent, byHand] = [await published(acme, chain(["fail", {}])), await published(acme, chain(["fail", {}]), manual())];
  const refuse = async (step: [string, object], code: string, key: string) => {
    const made = await acme.post("/automations/", { name: "X", trigger: newLead, graph: chain(step) });
    const { errors } = await acme.refused(400, "POST", `/automations/${made.id}/publish/`, {});
    assert.deepEqual([errors[0].code, errors[0].path], [code, `graph.steps.s1.config.${key}`]);
  };

  await refuse(start(byEvent.id), "child_not_manual", "automation_id");
  await refuse(start("autm_none"), "automation_not_found", "automation_id");
  await refuse(start(byHand.id, { wait: true }), "timeout_required", "timeout");
  await refuse(["automation.exit", { automation_ids: ["autm_none"] }], "automation_not_found", "automation_ids.0");
});
