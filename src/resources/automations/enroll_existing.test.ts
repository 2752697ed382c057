// Publishing an automation for the records that are there already.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, newLead, runsOf, work } from "../../../test/support/automations.ts";
import { organization } from "../../../test/support/given.ts";

const graph = chain(["wait.duration", { amount: 1, unit: "days" }]);
const field = (name: string, value: unknown, op = "is") => ({ type: "field", ref: `record.${name}`, op, value });
const matches = (condition: object) => ({ type: "record.matches", config: { object_type: "lead", condition } });

test("an automation is published for the records that meet its conditions already, each by the rules of enrolment", async () => {
  const acme = await organization();
  await acme.lead({ industry: "Steel" });
  const big = await acme.lead({ industry: "Steel", description: "big" });
  const changing = await acme.lead({ industry: "Steel", description: "big" });
  await acme.lead({ industry: "Stone", description: "big" });
  const filter = { all: [field("description", "big")] };
  const made = await acme.post("/automations/", { name: "X", trigger: matches(field("industry", "Steel")), filter, graph });
  const publish = (body: object) => acme.post(`/automations/${made.id}/publish/`, body);

  const without = await publish({});
  const first = await publish({ enroll_existing: true });
  const repeated = await publish({ enroll_existing: true });
  await acme.put(`/lead/${changing.id}/`, { industry: "Stone" });
  await work(acme);
  const later = await publish({ enroll_existing: true });
  await acme.put(`/lead/${changing.id}/`, { industry: "Steel", description: "small" });
  await work(acme);
  await acme.put(`/lead/${changing.id}/`, { description: "big" });
  await work(acme);
  const again = await publish({ enroll_existing: true });
  await work(acme);

  assert.deepEqual([without.enrolled, without.bulk_action], [0, null]);
  assert.deepEqual([first.enrolled, first.bulk_action.total, repeated.bulk_action], [2, 2, first.bulk_action]);
  assert.deepEqual([later.enrolled, again.enrolled], [0, 1]);
  const runs = await runsOf(acme, made);
  assert.deepEqual(
    runs.map((run) => [run.object_id, run.kind, run.status, run.bulk_action_id]).sort(),
    [
      [big.id, "backfill", "waiting", first.bulk_action.id],
      [changing.id, "backfill", "waiting", again.bulk_action.id],
    ].sort(),
  );
  assert.equal((await acme.get(`/automations/${made.id}/`)).stats.runs_total, 2);
  const { counts } = await acme.get(`/automations/${made.id}/?_fields=counts`);
  assert.deepEqual(counts, { running: 0, waiting: 2, failed_24h: 0, runs_7d: 2 });
  const stats = await acme.get(`/automations/${made.id}/stats/`);
  assert.deepEqual(
    [stats.versions, stats.runs.waiting_now, stats.next_timer_at],
    [[{ number: 1, runs: 2 }], 2, runs.map((run) => run.wait_until).sort()[0]],
  );
});

test("what would have started on a change is started for what has become so already", async () => {
  const acme = await organization();
  const { data: statuses } = await acme.get("/status/lead/");
  const [won] = statuses.slice(-1);
  const at = { status_id: won.id, industry: "Steel", tags: ["Fair"] };
  const [lead, changing] = [await acme.lead(at), await acme.lead(at)];
  await acme.lead({ status_id: statuses[0].id, industry: "Stone" });
  const triggers = [
    { type: "status.changed", config: { object_type: "lead", to: [won.id] } },
    { type: "field.changed", config: { object_type: "lead", field: "industry", to: ["Steel", "Iron"] } },
    { type: "tag.changed", config: { object_type: "lead", tag: "fair", change: "added" } },
  ];
  const made: any[] = [];
  for (const trigger of triggers) made.push(await acme.post("/automations/", { name: "X", trigger, graph }));

  const enrolled = [];
  for (const { id } of made) enrolled.push((await acme.post(`/automations/${id}/publish/`, { enroll_existing: true })).enrolled);
  await acme.put(`/lead/${changing.id}/`, { status_id: statuses[0].id, industry: "Stone", tags: [] });
  await work(acme);

  assert.deepEqual(enrolled, [2, 2, 2]);
  for (const one of made)
    assert.deepEqual(
      (await runsOf(acme, one)).map((run) => [run.object_id, run.kind]),
      [[lead.id, "backfill"]],
    );
});

test("what a search cannot ask as a run does is refused with its place, and the draft stays one", async () => {
  const acme = await organization();
  const refuse = async (at: string, body: object) => {
    const { id } = await acme.post("/automations/", { name: "X", graph, trigger: newLead, ...body });
    const { errors } = await acme.refused(400, "POST", `/automations/${id}/publish/`, { enroll_existing: true });
    assert.deepEqual(
      errors.map(({ code, path }: any) => [code, path]),
      [["enroll_existing_unsupported", at]],
    );
    assert.equal((await acme.get(`/automations/${id}/`)).status, "draft");
  };

  await refuse("enroll_existing", {});
  await refuse("enroll_existing", { trigger: { type: "manual", config: { object_type: "lead" } } });
  const filter = { all: [field("industry", "Steel")] };
  await refuse("enroll_existing", {
    trigger: { type: "record.created", config: { object_type: "lead", sources: ["api"] } },
    filter,
  });
  const from = { object_type: "lead", field: "industry", from: ["Stone"], to: ["Steel"] };
  await refuse("enroll_existing", { trigger: { type: "field.changed", config: from }, filter });
  await refuse("filter.all.0.type", { filter: { all: [{ type: "changed", field: "industry" }] } });
  await refuse("filter.all.0.value", { filter: { all: [field("industry", { $ref: "trigger.record.name" })] } });
});
