// What a key of a narrower scope imports: what is new, and nothing of what is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../../../test/support/client.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const work = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

const mapping = { Company: "name", Industry: "industry" };
const rows = [
  { Company: "Acme", Industry: "New" },
  { Company: "Zeta", Industry: "New" },
];

async function given() {
  const acme = await organization();
  const { key } = await acme.post("/api_key/", { scopes: ["write_safe"] });
  await acme.lead({ name: "Acme", industry: "Old" });
  return { acme, safe: new Client(acme.service, key) };
}

const industries = async (acme: Workspace) =>
  (await acme.get("/lead/?_order_by=name")).data.map(({ name, industry }: any) => [name, industry]);

test("a key without the widest scope tries an import that may change records, and begins one that only creates", async () => {
  const { acme, safe } = await given();
  const { id } = await safe.post("/import/", { rows });

  const { preview } = await safe.put(`/import/${id}/`, { mapping, dry_run: true });
  const refusals = [
    await safe.refused(403, "PUT", `/import/${id}/`, { mapping }),
    await safe.refused(403, "PUT", `/import/${id}/`, { mapping, options: { on_match: "update" } }),
  ];
  await safe.put(`/import/${id}/`, { mapping, options: { on_match: "skip" } });
  await work(acme);

  assert.deepEqual([preview.created, preview.updated], [1, 1]);
  for (const { error } of refusals)
    assert.match(error, /needs the scope write_destructive: set options.on_match to skip or create/);
  assert.deepEqual(await industries(acme), [
    ["Acme", "Old"],
    ["Zeta", "New"],
  ]);
  await safe.refused(403, "POST", `/import/${id}/revert/`);
});

test("such a key does not go on with somebody else's import that may change records", async () => {
  const { acme, safe } = await given();
  const { id } = await acme.post("/import/", { rows });
  await acme.put(`/import/${id}/`, { mapping });
  await acme.put(`/import/${id}/`, { action: "pause" });

  await safe.refused(403, "PUT", `/import/${id}/`, { action: "resume" });
  await acme.put(`/import/${id}/`, { action: "resume" });
  await work(acme);

  assert.deepEqual((await industries(acme))[0], ["Acme", "New"]);
});

test("tasks are always new, and with `create` a deal that is named is left as it is beside another one", async () => {
  const { acme, safe } = await given();
  const lead = (await acme.get("/lead/?name=Acme")).data[0];
  const deal = await acme.opportunity({ lead_id: lead.id, value: 100 });
  const tasks = await safe.post("/import/", { object_type: "task", rows: [{ Company: "Acme", Text: "Call" }] });
  const deals = await safe.post("/import/", { object_type: "opportunity", rows: [{ id: deal.id, value: "5" }] });

  await safe.put(`/import/${tasks.id}/`, { mapping: { Company: "name", Text: "task.text" } });
  const byId = { id: "opportunity.id", value: "opportunity.value" };
  await safe.put(`/import/${deals.id}/`, { mapping: byId, options: { on_match: "create" } });
  await work(acme);

  assert.equal((await acme.get(`/task/?lead_id=${lead.id}`)).data[0].text, "Call");
  const found = (await acme.get(`/opportunity/?lead_id=${lead.id}&_order_by=date_created`)).data;
  assert.deepEqual(
    found.map((one: any) => one.value),
    [100, 5],
  );
});
