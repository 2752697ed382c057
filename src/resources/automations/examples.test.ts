// Every trigger, condition and step that the catalogs offer as available runs here once, on real records. A new one needs its example.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chain, published } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { conditionTypes } from "./condition_types.ts";
import { conditionExamples } from "./examples/conditions.ts";
import { aiExamples } from "./examples/steps_of_ai.ts";
import { databaseExamples } from "./examples/steps_of_database.ts";
import { flowExamples } from "./examples/steps_of_flow.ts";
import { outreachExamples } from "./examples/steps_of_outreach.ts";
import { recordExamples } from "./examples/steps_of_records.ts";
import { runExamples } from "./examples/steps_of_runs.ts";
import { triggerExamples } from "./examples/triggers.ts";
import { areaTriggerExamples } from "./examples/triggers_of_areas.ts";
import { hookTriggerExamples } from "./examples/triggers_of_hooks.ts";
import { clockTriggerExamples } from "./examples/triggers_of_the_clock.ts";
import { stepTypes } from "./step_types.ts";
import { triggerTypes } from "./trigger_types.ts";
import { startsRuns } from "./triggers/trigger_type.ts";

async function work(acme: Workspace, hours = 0): Promise<void> {
  await withWorker(acme.service, async (worker) => {
    for (let i = 0; i < 3; i++) await worker.drained();
    if (hours === 0) return;
    acme.service.clock.now = new Date((acme.service.clock.now ?? new Date()).getTime() + hours * 3_600_000);
    for (let i = 0; i < 3; i++) await worker.drained();
  });
}

const named = (types: readonly { type: string }[]) => types.map(({ type }) => type).sort();
const runsOf = (acme: Workspace, { id }: any): Promise<any[]> => acme.all(`/automations/${id}/runs/`);

describe("every step that is available", () => {
  const examples = {
    ...flowExamples,
    ...recordExamples,
    ...databaseExamples,
    ...runExamples,
    ...outreachExamples,
    ...aiExamples,
  };

  test("has an example", () =>
    assert.deepEqual(Object.keys(examples).sort(), named(stepTypes.filter(({ run }) => run !== undefined))));

  test("does what it says", async () => {
    const acme = await organization(await outboundService());
    const given = [];
    for (const example of Object.values(examples)) {
      const lead = await acme.lead({ mrr: 10 });
      const made = await published(acme, await example.graph(acme, lead), { trigger: { type: "manual", config: {} } });
      given.push({ example, lead, run: await acme.post(`/automations/${made.id}/run/`, { record_id: lead.id }) });
    }

    await work(acme, 5);
    await work(acme, 5);

    for (const { example, lead, run } of given) await example.check(acme, lead, await acme.get(`/automation_runs/${run.id}/`));
  });
});

describe("every condition that is available", () => {
  test("has an example", () => assert.deepEqual(Object.keys(conditionExamples).sort(), named(conditionTypes)));

  test("holds where it says so, and only there", async () => {
    const acme = await organization();
    const lead = await acme.lead({ industry: "Steel", tags: ["hot"], mrr: 10, owner_id: acme.userId });
    const trigger = { type: "field.changed", config: { object_type: "lead", field: "industry" } };
    const given: { type: string; holds: boolean; made: any }[] = [];
    for (const [type, example] of Object.entries(conditionExamples))
      for (const [i, leaf] of (await example(acme, { lead })).entries()) {
        const when = { any: [{ type, ...leaf }, { not: { not: { type, ...leaf } } }] };
        const graph = {
          start: "s1",
          steps: { s1: { type: "branch", config: { cases: [{ id: "yes", when }] }, ports: { yes: null, else: null } } },
        };
        // A lead has no pipeline: there it never holds.
        given.push({ type, holds: i === 0 && type !== "pipeline", made: await published(acme, graph, { trigger }) });
      }

    await acme.put(`/lead/${lead.id}/`, { industry: "Software" });
    await work(acme);

    for (const { type, holds, made } of given) {
      const [run] = await runsOf(acme, made);
      const { steps } = await acme.get(`/automation_runs/${run.id}/`);
      assert.equal(steps[0].branch, holds ? "yes" : "else", type);
    }
  });
});

describe("every trigger that is available", () => {
  const examples = { ...triggerExamples, ...areaTriggerExamples, ...hookTriggerExamples, ...clockTriggerExamples };

  test("has an example", () => assert.deepEqual(Object.keys(examples).sort(), named(triggerTypes.filter(startsRuns))));

  test("starts for what it is about, and for nothing else", async () => {
    const given: { acme: Workspace; type: string; made: any; id: string }[] = [];
    for (const [type, { config: asked, act }] of Object.entries(examples)) {
      const acme = await organization();
      const config = typeof asked === "function" ? await asked(acme) : asked;
      const made = await published(acme, chain(["set.vars", { values: { done: true } }]), { trigger: { type, config } });
      const id = await act(acme, made);
      if (type === "manual") await acme.post(`/automations/${made.id}/run/`, { record_id: id });
      given.push({ acme, type, made, id });
    }

    await work(given[0]!.acme, 48);

    for (const { acme, type, made, id } of given) {
      const runs = await runsOf(acme, made);
      assert.deepEqual(
        runs.map((run) => [run.object_id, run.status, run.trigger_type]),
        [[id, "completed", type]],
        JSON.stringify(runs),
      );
    }
  });
});

test("what the catalogs only declare is refused where it would go live", async () => {
  const acme = await organization();
  const refuse = async (body: object, code: string, path: string) => {
    const made = await acme.post("/automations/", {
      name: "X",
      trigger: "lead.created",
      graph: chain(["note.create", { note: "x" }]),
      ...body,
    });
    const { errors } = await acme.refused(400, "POST", `/automations/${made.id}/publish/`, {});
    assert.deepEqual([errors[0].code, errors[0].path], [code, path]);
  };

  await refuse({ graph: chain(["owner.assign", { mode: "by_territory" }]) }, "config_not_available", "graph.steps.s1.config");
  const types = await acme.all("/automation_step_types/?_limit=200");
  assert.deepEqual(
    types
      .filter(({ available }) => available)
      .map(({ type }) => type)
      .sort(),
    named(stepTypes.filter(({ run }) => run !== undefined)),
  );
});
