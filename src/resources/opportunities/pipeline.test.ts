import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

const labels = (pipeline: any) => pipeline.statuses.map((one: any) => one.label);

test("a pipeline created without statuses has Active, Won and Lost", async () => {
  const acme = await organization();

  const renewals = await acme.post("/pipeline/", { name: "Renewals" });

  assert.deepEqual(
    renewals.statuses.map((one: any) => [one.label, one.type]),
    [
      ["Active", "active"],
      ["Won", "won"],
      ["Lost", "lost"],
    ],
  );
  assert.deepEqual(await acme.get(`/pipeline/${renewals.id}/`), renewals);
  assert.deepEqual(
    (await acme.get("/pipeline/")).data.map((one: any) => one.name),
    ["Sales", "Renewals"],
  );
});

test("the answer to a change shows the statuses as they are then", async () => {
  const acme = await organization();
  const renewals = await acme.post("/pipeline/", {
    name: "Renewals",
    statuses: [{ label: "Due" }, { label: "Won", type: "won" }],
  });
  const [due, won] = renewals.statuses;

  const changed = await acme.put(`/pipeline/${renewals.id}/`, { statuses: [{ id: won.id }, { label: "Asked" }] });

  assert.deepEqual(labels(changed), ["Won", "Asked", "Due"]);
  assert.deepEqual(await acme.get(`/pipeline/${renewals.id}/`), changed);
  assert.equal((await acme.get(`/status/opportunity/${due.id}/`)).position, 2);
});

test("a status of another pipeline moves here, and its deals with it", async () => {
  const acme = await organization();
  const [sales] = (await acme.get("/pipeline/")).data;
  const deal = await acme.opportunity();
  const renewals = await acme.post("/pipeline/", { name: "Renewals", statuses: [{ label: "Due" }] });

  const changed = await acme.put(`/pipeline/${renewals.id}/`, {
    statuses: [{ id: renewals.statuses[0].id }, { id: deal.status_id, label: "Open" }],
  });

  const moved = await acme.get(`/opportunity/${deal.id}/`);
  assert.deepEqual(labels(changed), ["Due", "Open"]);
  assert.deepEqual(labels(await acme.get(`/pipeline/${sales.id}/`)), ["Won", "Lost"]);
  assert.deepEqual([moved.pipeline_id, moved.status_label], [renewals.id, "Open"]);
});

test("a new pipeline copies the statuses it names, and takes none and no deal away from another", async () => {
  const acme = await organization();
  const [sales] = (await acme.get("/pipeline/")).data;
  const [first] = sales.statuses;
  await acme.put(`/status/opportunity/${first.id}/`, { color: "red" });
  const deal = await acme.opportunity();

  const copy = await acme.post("/pipeline/", { ...sales, name: "Copy" });
  const other = await acme.post("/pipeline/", { name: "Other", statuses: [{ id: first.id, label: "Mine" }, { label: "New" }] });

  const shapes = ({ statuses }: any) => statuses.map(({ label, type }: any) => ({ label, type }));
  assert.deepEqual(shapes(copy), shapes(sales));
  assert.deepEqual(labels(other), ["Mine", "New"]);
  assert.equal((await acme.get(`/status/opportunity/${copy.statuses[0].id}/`)).color, "red");
  assert.deepEqual((await acme.get(`/pipeline/${sales.id}/`)).statuses, sales.statuses);
  assert.equal((await acme.get(`/opportunity/${deal.id}/`)).pipeline_id, sales.id);
});

test("unknown statuses, repeated ones, labels missing or used twice are refused by their place, and nothing changes", async () => {
  const acme = await organization();
  const [sales] = (await acme.get("/pipeline/")).data;
  const [active] = sales.statuses;
  const wrong: [string, object[]][] = [
    ["statuses.0.id", [{ id: "stat_none" }]],
    ["statuses.1.id", [{ id: active.id }, { id: active.id }]],
    ["statuses.0.label", [{ type: "won" }]],
    ["statuses.1.label", [{ label: "New" }, { label: "new" }]],
    ["statuses.0.label", [{ label: "won" }]],
    ["statuses.0.type", [{ label: "New", type: "open" }]],
  ];

  for (const [place, statuses] of wrong)
    await acme.refused(400, "PUT", `/pipeline/${sales.id}/`, { name: "Other", statuses }, place);

  assert.deepEqual(await acme.get(`/pipeline/${sales.id}/`), sales);
});

test("a pipeline goes with its statuses when no deal has one of them", async () => {
  const acme = await organization();
  const renewals = await acme.post("/pipeline/", { name: "Renewals" });
  const deal = await acme.opportunity({ pipeline_id: renewals.id });

  const refusal = await acme.refused(400, "DELETE", `/pipeline/${renewals.id}/`);
  await acme.delete(`/opportunity/${deal.id}/`);
  await acme.delete(`/pipeline/${renewals.id}/`);

  assert.equal(refusal.error, "Pipeline is in use");
  await acme.refused(404, "GET", `/status/opportunity/${renewals.statuses[0].id}/`);
});

test("the last pipeline stays, and so does the one with the last statuses", async () => {
  const acme = await organization();
  const [sales] = (await acme.get("/pipeline/")).data;

  await acme.refused(400, "DELETE", `/pipeline/${sales.id}/`);
  const other = await acme.post("/pipeline/", { name: "Other" });
  await acme.put(`/pipeline/${sales.id}/`, {
    statuses: other.statuses.map(({ id, label }: any) => ({ id, label: `Other ${label}` })),
  });

  await acme.refused(400, "DELETE", `/pipeline/${sales.id}/`);
  await acme.refused(400, "POST", "/opportunity/", { pipeline_id: other.id }, "pipeline_id");
  await acme.delete(`/pipeline/${other.id}/`);
});

test("of the last two pipelines only one can be deleted at once", async () => {
  const acme = await organization();
  await acme.post("/pipeline/", { name: "Other" });
  const { data } = await acme.get("/pipeline/");

  const answers = await Promise.all(data.map((one: any) => acme.ask("DELETE", `/pipeline/${one.id}/`)));

  assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 400]);
});

test("names are unique, and a wanted place is made free", async () => {
  const acme = await organization();

  const first = await acme.post("/pipeline/", { name: "First", position: 0 });

  const { data } = await acme.get("/pipeline/");
  assert.deepEqual(
    data.map((one: any) => [one.name, one.position]),
    [
      ["First", 0],
      ["Sales", 1],
    ],
  );
  await acme.put(`/pipeline/${first.id}/`, { position: 1 });
  assert.deepEqual(
    (await acme.get("/pipeline/")).data.map((one: any) => one.name),
    ["First", "Sales"],
  );
  await acme.refused(400, "POST", "/pipeline/", { name: "sales" }, "name");
});

test("changing pipelines takes manage_customizations", async () => {
  const acme = await organization();
  const member = await acme.member();
  const [sales] = (await member.get("/pipeline/")).data;

  await member.refused(403, "POST", "/pipeline/", { name: "Mine" });
  await member.refused(403, "PUT", `/pipeline/${sales.id}/`, { name: "Mine" });
  await member.refused(403, "DELETE", `/pipeline/${sales.id}/`);
});

test("a pipeline's event shows its statuses, and comes before theirs", async () => {
  const acme = await organization();

  const made = await acme.post("/pipeline/", { name: "Renewals", statuses: [{ label: "Due" }, { label: "Won", type: "won" }] });
  await acme.put(`/pipeline/${made.id}/`, { name: "Again", statuses: [{ label: "Early" }] });

  const [created, updated] = await acme.events(made.id);
  assert.deepEqual(created.data, made);
  assert.deepEqual(updated.data, await acme.get(`/pipeline/${made.id}/`));
  const { data } = await acme.get(`/event/?request_id=${created.request_id}`);
  assert.deepEqual(
    data.map((one: any) => [one.event, one.data.pipeline_name]),
    [
      ["status.opportunity.created", "Renewals"],
      ["status.opportunity.created", "Renewals"],
      ["pipeline.created", undefined],
    ],
  );
});
