// A column of pipelines and one of stages together say the status of a deal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

/** Renewals has the labels of the first pipeline, and a stage of its own. */
async function given() {
  const acme = await organization();
  const [sales] = (await acme.get("/pipeline/")).data;
  const renewals = await acme.post("/pipeline/", {
    name: "Renewals",
    statuses: [
      { label: "At risk", type: "active" },
      { label: "Active", type: "active" },
      { label: "Won", type: "won" },
      { label: "Lost", type: "lost" },
    ],
  });
  return { acme, sales, renewals };
}

/** A table as HubSpot exports deals, as it is suggested. Each deal is named after its place. */
async function imported(acme: Workspace, rows: readonly (readonly string[])[], more: object = {}): Promise<any> {
  const lines = rows.map(([pipeline, stage], i) => `${i},Deal ${i},${pipeline},${stage},Firm ${i}`);
  const csv = `Record ID,Deal Name,Pipeline,Deal Stage,Associated Company\n${lines.join("\n")}\n`;
  const draft = await acme.post("/import/", { object_type: "opportunity", csv, ...more });
  const mapping = Object.fromEntries(draft.columns.map((one: any) => [one.name, one.suggested]));
  await acme.put(`/import/${draft.id}/`, { mapping });
  await withWorker(acme.service, (worker) => worker.drained());
  return { draft, ...(await acme.get(`/import/${draft.id}/`)) };
}

const placed = async (acme: Workspace): Promise<unknown[]> =>
  (await acme.get("/opportunity/")).data
    .toSorted((a: any, b: any) => (a.note < b.note ? -1 : 1))
    .map((one: any) => [one.pipeline_name, one.status_label]);

test("a label that stands in two pipelines is told apart by the pipeline beside it", async () => {
  const { acme, sales, renewals } = await given();
  const [own] = sales.statuses;

  const done = await imported(acme, [
    ["Renewals", "Won"],
    [sales.name.toUpperCase(), "Won"],
    ["renewals", "closedlost"],
    [renewals.id, ""],
    ["", "At risk"],
    ["Renewals", own.label],
    ["default", "At risk"],
  ]);

  assert.deepEqual([done.errors, done.draft.columns[2].suggested], [[], "opportunity.pipeline"]);
  assert.deepEqual(await placed(acme), [
    ["Renewals", "Won"],
    [sales.name, "Won"],
    ["Renewals", "Lost"],
    ["Renewals", "At risk"],
    ["Renewals", "At risk"],
    ["Renewals", "Active"],
    [sales.name, "Active"],
  ]);
  assert.deepEqual(
    done.mapped_values.map((one: any) => [one.column, one.value, one.target, one.status_label]),
    [
      ["Deal Stage", "closedlost", "opportunity.status", "Lost"],
      ["Deal Stage", "At risk", "opportunity.status", "Active"],
      ["Pipeline", "default", "opportunity.pipeline", "Active"],
    ],
  );
});

test("an unknown pipeline is an error of its row that says which there are, and a map mends it", async () => {
  const { acme, sales } = await given();

  const done = await imported(acme, [
    ["EMEA", "Won"],
    ["Renewals", "Shaken hands"],
  ]);
  const { id } = await acme.post("/import/", {
    object_type: "opportunity",
    rows: [{ Pipeline: "EMEA", Stage: "Won", Company: "A" }],
  });
  await acme.put(`/import/${id}/`, {
    mapping: [
      { column: "Pipeline", target: "opportunity.pipeline", transform: { map: { EMEA: "Renewals" } } },
      { column: "Stage", target: "opportunity.status" },
      { column: "Company", target: "name" },
    ],
  });
  await withWorker(acme.service, (worker) => worker.drained());

  assert.deepEqual(done.errors, [
    {
      row: 1,
      column: "Pipeline",
      error: `"EMEA" is not a pipeline: there are ${sales.name}, Renewals; a transform with a map says which one it means`,
    },
    {
      row: 2,
      column: "Deal Stage",
      error:
        '"Shaken hands" is not a status of the pipeline Renewals: there are At risk, Active, Won, Lost; a transform with a map says which one it means',
    },
  ]);
  assert.deepEqual(await placed(acme), [["Renewals", "Won"]]);
});

test("where there is one pipeline, whatever the file calls its own means that, and the draft says so", async () => {
  const acme = await organization();
  const [sales] = (await acme.get("/pipeline/")).data;

  const done = await imported(acme, [["Enterprise", "Won"]]);

  assert.deepEqual([done.errors, await placed(acme)], [[], [[sales.name, "Won"]]]);
  assert.deepEqual(done.draft.columns[2].suggested_transform, { map: { Enterprise: sales.name } });
});

test("a pipeline alone moves a deal to the first status of its kind there, and leaves one that is there already", async () => {
  const { acme, sales, renewals } = await given();
  const status = (of: any, label: string) => of.statuses.find((one: any) => one.label === label).id;
  const made = [
    await acme.opportunity({ note: "0", status_id: status(sales, "Won") }),
    await acme.opportunity({ note: "1", status_id: status(renewals, "Active") }),
    await acme.opportunity({ note: "2", status_id: status(renewals, "At risk") }),
  ];
  const csv = `Opportunity id,Pipeline,Stage\n${made[0].id},Renewals,\n${made[1].id},Renewals,\n${made[2].id},Renewals,Won\n`;

  const { id } = await acme.post("/import/", { object_type: "opportunity", csv });
  await acme.put(`/import/${id}/`, {
    mapping: { "Opportunity id": "opportunity.id", Pipeline: "opportunity.pipeline", Stage: "opportunity.status" },
  });
  await withWorker(acme.service, (worker) => worker.drained());

  assert.deepEqual((await acme.get(`/import/${id}/`)).errors, []);
  assert.deepEqual(await placed(acme), [
    ["Renewals", "Won"],
    ["Renewals", "Active"],
    ["Renewals", "Won"],
  ]);
});
