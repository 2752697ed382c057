// Starting an automation by hand for many records.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, published, work } from "../../../test/support/automations.ts";
import { organization } from "../../../test/support/given.ts";
import { createRecord } from "../../records/records.ts";
import { lead } from "../leads/lead.ts";

const byHand = (config: object = { object_type: "lead" }) => ({ trigger: { type: "manual", config } });
const graph = chain(["set.vars", { values: { said: { $ref: "trigger.payload.word" } } }]);

test("an automation is started for all records that a search finds now, a hundred at a time", async () => {
  const acme = await organization();
  const made = await published(acme, graph, byHand());
  const path = `/automations/${made.id}/run/`;
  await acme.inside(async (ctx) => {
    for (let i = 0; i < 101; i++) await createRecord(ctx, lead, { name: `Lead ${i}`, industry: "Steel" } as any);
  });
  const other = await acme.lead({ name: "Quarry", industry: "Stone" });
  const steel = { all: [{ type: "field", ref: "record.industry", op: "is", value: "Steel" }] };

  const some = await acme.post(path, { query: steel, input: { word: "hi" } });
  const words = await acme.post(path, { query: "name:Quarry" });
  const later = await acme.lead({ industry: "Steel" });
  await work(acme);
  const first = await acme.post(path, { all: true, limit: 1 });
  await work(acme);

  assert.deepEqual([some.queued, words.queued, first.queued, some.runs], [101, 1, 1, []]);
  const runs = await acme.all(`/automations/${made.id}/runs/?_limit=200`);
  assert.equal(runs.length, 103);
  assert.equal((await acme.get(`/automations/${made.id}/`)).stats.runs_total, 103);
  const ofSome = runs.filter((run) => run.bulk_action_id === some.bulk_action.id);
  assert.deepEqual([ofSome.length, new Set(ofSome.map((run) => run.object_id)).size], [101, 101]);
  assert.ok(ofSome.every((run) => run.kind === "bulk" && run.status === "completed" && run.vars.said === "hi"));
  assert.ok(runs.every((run) => run.object_id !== later.id));
  assert.deepEqual(
    runs.filter((run) => run.bulk_action_id === words.bulk_action.id).map((run) => run.object_id),
    [other.id],
  );
});

test("what cannot be searched is refused, and nothing starts for records that the caller does not see", async () => {
  const acme = await organization();
  const [made, any] = [await published(acme, graph, byHand()), await published(acme, graph, byHand({}))];
  const nobody = await acme.memberWith([]);
  await acme.lead({ owner_id: acme.userId });
  const path = `/automations/${made.id}/run/`;

  await acme.refused(400, "POST", path, { all: true, record_ids: ["lead_x"] }, "record_id");
  await acme.refused(400, "POST", path, { query: { all: [{ type: "score", op: "gt", value: 1 }] } }, "query.all.0.type");
  await acme.refused(400, "POST", path, { all: true, limit: 50_001 }, "limit");
  await acme.refused(400, "POST", `/automations/${any.id}/run/`, { all: true }, "trigger");
  assert.equal((await nobody.post(path, { all: true })).queued, (await nobody.all("/lead/")).length);
});

test("a start of many is a bulk action, with its items, which pauses, goes on and is canceled", async () => {
  const acme = await organization();
  const made = await published(acme, graph, byHand());
  const nobody = await acme.memberWith([]);
  const [open, gone, paused] = [await acme.lead(), await acme.lead(), await acme.lead()];
  const [one, two] = [
    await acme.post(`/automations/${made.id}/run/`, { all: true }),
    await nobody.post(`/automations/${made.id}/run/`, { all: true }),
  ];
  const shown = (id: string) => acme.get(`/bulk_action/${id}/`);
  const items = async (id: string) =>
    (await acme.all(`/bulk_action/${id}/items/`)).map((item: any) => [item.object_id, item.status, item.error]);

  await acme.delete(`/lead/${gone.id}/`);
  const canceled = await nobody.put(`/bulk_action/${two.bulk_action.id}/`, { status: "canceled" });
  await work(acme);

  const done = await shown(one.bulk_action.id);
  assert.deepEqual(
    [one.bulk_action.total, done.kind, done.status, done.automation_id, done.run_kind],
    [3, "automation", "done", made.id, "bulk"],
  );
  assert.deepEqual([done.n_objects, done.n_succeeded, done.n_skipped, done.progress], [3, 2, 1, 1]);
  assert.deepEqual(await items(done.id), [
    [open.id, "succeeded", null],
    [gone.id, "skipped", "does not exist"],
    [paused.id, "succeeded", null],
  ]);
  assert.deepEqual(
    (await acme.get(`/bulk_action/?automation_id=${made.id}&status=done`)).data.map(({ id }: any) => id),
    [done.id],
  );
  assert.deepEqual([canceled.status, (await acme.all(`/automations/${made.id}/runs/`)).length], ["canceled", 2]);

  const third = await acme.post(`/automations/${made.id}/run/`, { all: true });
  await acme.post(`/automations/${made.id}/pause/`, {});
  await work(acme);
  const stopped = await shown(third.bulk_action.id);
  assert.deepEqual([stopped.status, stopped.n_objects_processed], ["error", 0]);
  assert.match(stopped.error, /is paused/);
});
