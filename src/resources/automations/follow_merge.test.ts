// A record is merged away while runs wait for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, published, runsOf, work } from "../../../test/support/automations.ts";
import { organization } from "../../../test/support/given.ts";

test("a run whose lead is merged away goes on with the one that stays, and hears of it at once", async () => {
  const acme = await organization();
  const match = { lead_id: { $ref: "record.id" } };
  const timeout = { amount: 5, unit: "days" };
  const says = { type: "field", ref: "record.description", op: "is", value: "Ready" };
  const graphs = [
    chain(["wait.event", { event: "opportunity.created", match, timeout }], ["tag.change", { tag: "Heard", change: "add" }]),
    chain(["wait.condition", { when: says, timeout }], ["tag.change", { tag: "Held", change: "add" }]),
  ];
  const [source, destination] = [await acme.lead(), await acme.lead()];
  const trigger = { type: "manual", config: { object_type: "lead" } };
  const made = [];
  for (const graph of graphs) {
    const one = await published(acme, graph, { trigger });
    await acme.post(`/automations/${one.id}/run/`, { record_id: source.id });
    made.push(one);
  }
  await acme.post(`/automations/${made[0].id}/run/`, { record_id: destination.id });
  await work(acme);

  await acme.post("/lead/merge/", { source: source.id, destination: destination.id });
  await work(acme);
  const between = (await Promise.all(made.map((one) => runsOf(acme, one)))).flat();
  await acme.opportunity({ lead_id: destination.id });
  await acme.put(`/lead/${destination.id}/`, { description: "Ready" });
  await work(acme);

  assert.deepEqual(
    between.map(({ status, object_id }) => [status, object_id]),
    [1, 2, 3].map(() => ["waiting", destination.id]),
  );
  const after = (await Promise.all(made.map((one) => runsOf(acme, one)))).flat();
  assert.deepEqual(
    after.map(({ status }) => status),
    ["completed", "completed", "completed"],
  );
  assert.deepEqual((await acme.get(`/lead/${destination.id}/`)).tags.sort(), ["Heard", "Held"]);
});
