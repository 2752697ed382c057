import assert from "node:assert/strict";
import { test } from "node:test";
import { published } from "../../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../../test/support/given.ts";
import { withWorker } from "../../../../test/support/worker.ts";

const ports = { done: null, no_match: null, timeout: null };
const lookUp = (config: object = {}) => ({
  start: "s1",
  steps: { s1: { type: "enrich.run", config: { target: { $ref: "record" }, ...config }, ports } },
});

async function work(acme: Workspace): Promise<void> {
  await withWorker(acme.service, async (worker) => {
    for (let i = 0; i < 4; i++) await worker.drained();
  });
}

test("an automation that enriches what was enriched does so once", async () => {
  const acme = await organization();
  await published(acme, lookUp(), { trigger: { type: "enrichment.done", config: {} } });
  const { id } = await acme.contact();
  await acme.post(`/contact/${id}/enrich/`, {});
  await work(acme);

  assert.equal((await acme.all(`/enrichment/?object_id=${id}`)).length, 2);
});

test("a step leaves by what came of it, and says what it may not do", async () => {
  const acme = await organization();
  const manual = { trigger: { type: "manual", config: {} } };
  const { id } = await acme.contact();
  const runs: any[] = [];
  for (const config of [
    { providers: ["internal"] },
    { wait: false },
    { providers: ["peopledatalabs"] },
    { target: acme.userId },
  ]) {
    const made = await published(acme, lookUp(config), manual);
    runs.push(await acme.post(`/automations/${made.id}/run/`, { record_id: id }));
    await work(acme);
  }

  const steps = await Promise.all(runs.map(async (run) => (await acme.get(`/automation_runs/${run.id}/`)).steps[0]));
  assert.deepEqual(
    steps.map(({ branch, error }) => branch ?? error.code),
    ["no_match", "done", "payment_required", "object_type_mismatch"],
  );
});

test("what no enrichment knows is refused before it is in force", async () => {
  const acme = await organization();
  for (const config of [{ providers: ["apollo"] }, { fields: ["birthday"] }]) {
    const { id } = await acme.post("/automations/", { name: "X", trigger: "lead.created", graph: lookUp(config) });
    const { errors } = await acme.refused(400, "POST", `/automations/${id}/publish/`, {});
    assert.deepEqual([errors[0].code, errors[0].path], ["config_not_available", "graph.steps.s1.config"]);
  }
});
