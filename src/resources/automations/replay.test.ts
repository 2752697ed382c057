// Replays of stored events against a draft, and what runs and events say afterwards about why.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, published, work } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";

const when = (value: string) => ({ type: "field", ref: "record.industry", op: "is", value });
const runOf = (acme: Workspace, { id }: any) => acme.get(`/automation_runs/${id}/`);

test("an event is replayed against the draft: stubbed it changes nothing, executed it does", async () => {
  const acme = await organization();
  const graph = chain(
    ["tag.change", { tag: "new", change: "add" }],
    ["note.create", { note: "Hello" }],
    ["set.vars", { values: { a: 1 } }],
  );
  const made = await acme.post("/automations/", {
    name: "Greet",
    trigger: { type: "record.created", config: { object_type: "lead" } },
    filter: when("Steel"),
    graph,
  });
  const [steel, coal] = [await acme.lead({ industry: "Steel" }), await acme.lead({ industry: "Coal" })];
  const replay = async (lead: any, more: object = {}, who = acme) => {
    const [event] = await acme.events(lead.id);
    return who.post(`/automations/${made.id}/replay/`, { event_id: event!.id, ...more });
  };

  const [stubbed, again, filtered] = [await replay(steel), await replay(steel), await replay(coal)];
  await work(acme);

  const run = await runOf(acme, stubbed);
  assert.deepEqual(
    [run.status, run.kind, run.is_test, run.is_replay, run.version_number, run.version_id === again.version_id],
    ["completed", "replay", true, true, null, true],
  );
  assert.deepEqual(
    run.steps.map((step: any) => [step.step_id, step.status, step.branch]),
    [
      ["s1", "stubbed", "out"],
      ["s2", "stubbed", "out"],
      ["s3", "succeeded", "out"],
    ],
  );
  assert.deepEqual((await acme.get(`/lead/${steel.id}/`)).tags, []);
  assert.equal((await acme.all(`/activity/note/?lead_id=${steel.id}`)).length, 0);
  assert.deepEqual([filtered.status, filtered.status_reason, filtered.matched], ["skipped", "filter", false]);
  assert.equal(filtered.evaluation[0].text, 'record.industry is "Coal"; asked: is "Steel"; not met');

  const counted = async () => {
    const { runs, steps } = await acme.get(`/automations/${made.id}/stats/`);
    const { stats, last_run_at } = await acme.get(`/automations/${made.id}/`);
    return [runs.total, runs.completed, steps.length, stats.runs_total, last_run_at !== null];
  };
  const tried = await counted();
  const real = await replay(steel, { effects: "execute" });
  await work(acme);
  assert.deepEqual([real.is_test, (await runOf(acme, real)).status], [false, "completed"]);
  assert.deepEqual((await acme.get(`/lead/${steel.id}/`)).tags, ["new"]);
  assert.deepEqual(
    [tried, await counted()],
    [
      [0, 0, 0, 0, false],
      [1, 1, 3, 1, true],
    ],
  );

  const ann = await acme.memberWith(["view_all_leads"]);
  const [event, task] = [(await acme.events(steel.id))[0]!, await acme.task({ lead_id: steel.id })];
  assert.equal((await replay(steel, {}, ann)).is_test, true);
  const body = { event_id: event.id, effects: "execute" };
  await ann.refused(403, "POST", `/automations/${made.id}/replay/`, body);
  const other = (await acme.events(task.id))[0]!.id;
  await acme.refused(400, "POST", `/automations/${made.id}/replay/`, { event_id: other }, "event_id");
  await acme.refused(400, "POST", `/automations/${made.id}/replay/`, { event_id: "ev_x" }, "event_id");
});

test("runs that were only tried out wait beside the real ones, and are counted nowhere", async () => {
  const acme = await organization();
  const made = await published(acme, chain(["wait.duration", { amount: 1, unit: "days" }], ["note.create", { note: "Late" }]));
  const lead = await acme.lead();
  await work(acme);
  const [event] = await acme.events(lead.id);
  for (const effects of ["stub", "stub", "execute"])
    await acme.post(`/automations/${made.id}/replay/`, { event_id: event!.id, effects });
  await work(acme);

  const { runs } = await acme.get(`/automations/${made.id}/stats/`);
  const { counts, stats } = await acme.get(`/automations/${made.id}/?_fields=counts,stats`);

  assert.deepEqual(
    [runs.total, runs.waiting, runs.waiting_now, counts.waiting, counts.runs_7d, stats.runs_total],
    [2, 2, 2, 2, 2, 2],
  );
});

test("a run, its steps and the events say why; what a run wrote leads to it", async () => {
  const acme = await organization();
  const branch = { cases: [{ id: "yes", when: when("Steel") }] };
  const made = await published(
    acme,
    {
      start: "which",
      steps: {
        which: { type: "branch", config: branch, ports: { yes: "note", else: null } },
        note: { type: "note.create", config: { note: "Why" }, ports: { out: "pause" } },
        pause: { type: "wait.duration", config: { amount: 1, unit: "days" }, ports: { out: null } },
      },
    },
    { filter: { not: when("Coal") } },
  );
  const [steel, coal] = [await acme.lead({ industry: "Steel" }), await acme.lead({ industry: "Coal" })];

  await work(acme);

  const [note] = await acme.all(`/activity/note/?lead_id=${steel.id}`);
  const [run] = await acme.all(`/automation_runs/?wrote_id=${note.id}`);
  assert.equal(run.automation_id, made.id);
  assert.match(run.explanation, /^It waits until /);
  const { steps } = await runOf(acme, run);
  assert.deepEqual(
    steps.slice(0, 2).map((step: any) => step.explanation),
    ['It left by yes (record.industry is "Steel"; asked: is "Steel"; met).', "It left by out."],
  );
  const [{ evaluations }] = await acme.all(`/automation_events/?object_id=${coal.id}`);
  assert.deepEqual([evaluations[0].result, evaluations[0].reason], ["filtered", "filter"]);
  assert.deepEqual([evaluations[0].conditions[0].actual, evaluations[0].conditions[0].result], ["Coal", true]);
});

test("runs outlast their automation: what they did is still told, and none goes on", async () => {
  const acme = await organization();
  const graph = chain(
    ["note.create", { note: "Hello" }],
    ["wait.duration", { amount: 1, unit: "days" }],
    ["note.create", { note: "Late" }],
  );
  const made = await published(acme, graph, { name: "Greet them" });
  const broken = await published(acme, chain(["fail", { message: "No" }]));
  const lead = await acme.lead();
  await work(acme);

  for (const { id } of [made, broken]) await acme.delete(`/automations/${id}/`);
  await work(acme, 25);
  acme.service.clock.now = null;

  const runs = await acme.all(`/automation_runs/?object_id=${lead.id}`);
  const run = runs.find((one) => one.automation_id === made.id)!;
  const failed = runs.find((one) => one.automation_id === broken.id)!;
  assert.deepEqual([runs.length, run.automation_name, run.version_number], [2, "Greet them", 1]);
  assert.deepEqual(
    [run.status, run.status_reason, run.explanation],
    ["cancelled", "automation_deleted", "It was cancelled: its automation was deleted."],
  );
  const steps = (await runOf(acme, run)).steps.map((step: any) => [step.step_id, step.status]);
  assert.deepEqual(steps, [
    ["s1", "succeeded"],
    ["s2", "cancelled"],
  ]);
  const [note, ...more] = await acme.all(`/activity/note/?lead_id=${lead.id}`);
  assert.deepEqual(more, []);
  assert.deepEqual(
    (await acme.all(`/automation_runs/?wrote_id=${note.id}`)).map(({ id }) => id),
    [run.id],
  );
  assert.deepEqual(
    (await acme.all(`/automation_runs/?automation_id=${made.id}`)).map(({ id }) => id),
    [run.id],
  );
  const refusal = await acme.refused(400, "POST", `/automation_runs/${failed.id}/retry/`, {}, "status");
  assert.match(refusal["field-errors"].status, /its automation was deleted/);
  await acme.refused(404, "GET", `/automations/${made.id}/runs/`);
});

test("a start by hand leaves an event, by which it is found and started again with what it was given", async () => {
  const acme = await organization();
  const graph = chain(["note.create", { note: { $template: "Said {{ trigger.payload.word }}" } }]);
  const trigger = { type: "manual", config: { object_type: "lead" } };
  const made = await published(acme, graph, { trigger });
  const lead = await acme.lead();
  const run = await acme.post(`/automations/${made.id}/run/`, { lead_id: lead.id, input: { word: "hello" } });

  const [event, ...more] = await acme.all(`/automation_events/?automation_id=${made.id}`);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [event.id, event.type, event.source, event.object_id, event.run_ids, event.payload, event.evaluations[0].result],
    [run.event_id, "manual.run", "manual", lead.id, [run.id], { word: "hello" }, "started"],
  );
  await acme.post(`/automations/${made.id}/replay/`, { event_id: event.id, effects: "execute" });
  await work(acme);

  const notes = (await acme.all(`/activity/note/?lead_id=${lead.id}`)).map(({ note }) => note);
  assert.deepEqual(notes, ["Said hello", "Said hello"]);
});
