// Stages and lead statuses of other services: each is taken for ours of its kind, and the import says so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const suggestedOf = (draft: any) =>
  Object.fromEntries(draft.columns.map((one: any) => [one.name, one.suggested])) as Record<string, string | null>;

/** Sends a table as it is suggested, or with another mapping, and reads the import when it is done. */
async function imported(acme: Workspace, body: object, mapping?: object): Promise<any> {
  const draft = await acme.post("/import/", body);
  await acme.put(`/import/${draft.id}/`, { mapping: mapping ?? suggestedOf(draft) });
  await withWorker(acme.service, (worker) => worker.drained());
  return { draft, ...(await acme.get(`/import/${draft.id}/`)) };
}

const deals = async (acme: Workspace): Promise<any[]> =>
  (await acme.get("/opportunity/")).data.toSorted((a: any, b: any) => (a.note < b.note ? -1 : 1));

/** A row for each stage, with a deal that is named after it. */
const dealsOf = (header: string, rows: readonly (readonly string[])[]) =>
  `Deal Name,Company,${header}\n${rows.map((cells) => `"${cells[0]}","Of ${cells[0]}","${cells.join('","')}"`).join("\n")}\n`;

const services = [
  [
    "HubSpot",
    "Deal Stage",
    ["Appointment Scheduled", "qualifiedtobuy", "Presentation Scheduled", "Decision Maker Bought-In", "contractsent"],
    ["Closed Won", "closedwon"],
    ["Closed lost", "closedlost"],
  ],
  [
    "Salesforce",
    "Stage",
    ["Prospecting", "Needs Analysis", "Id. Decision Makers", "Proposal/Price Quote", "Negotiation/Review", "1 - Qualification"],
    ["Closed Won", "Closed Won - renewal"],
    ["Closed Lost", "Lost: no budget"],
  ],
  [
    "Pipedrive",
    "Deal - Stage",
    ["Lead In", "Contact Made", "Needs Defined", "Proposal Made", "Negotiations Started", "Demo Scheduled"],
    ["Gewonnen"],
    ["Abandoned"],
  ],
] as const;

for (const [service, header, active, won, lost] of services)
  test(`the stages of ${service} become the first status of their kind, and the import counts them`, async () => {
    const acme = await organization();
    const stages = [...active, ...won, ...lost];

    const done = await imported(acme, {
      object_type: "opportunity",
      csv: dealsOf(
        header,
        stages.map((one) => [one]),
      ),
    });

    assert.deepEqual([done.status, done.n_created, done.errors], ["done", stages.length, []]);
    const { data } = await acme.get("/opportunity/?_limit=100");
    const types = new Map(data.map((one: any) => [one.note, one.status_type]));
    assert.deepEqual(
      stages.map((one) => [one, types.get(one)]),
      [...active.map((one) => [one, "active"]), ...won.map((one) => [one, "won"]), ...lost.map((one) => [one, "lost"])],
    );
    const map = done.draft.columns[2].suggested_transform.map;
    assert.deepEqual(
      done.mapped_values.map((one: any) => [one.column, one.value, one.target, one.status_label, one.n_rows]),
      stages.map((one) => [header, one, "opportunity.status", map[one], 1]),
    );
  });

test("a status of won or lost says more than the stage beside it, and a type more than an unknown stage", async () => {
  const acme = await organization();

  const pipedrive = await imported(acme, {
    object_type: "opportunity",
    csv: dealsOf("Deal - Stage,Deal - Status", [
      ["Proposal Made", "Lost"],
      ["Lead In", "Won"],
      ["Contact Made", "Open"],
    ]),
  });
  const close = await imported(acme, {
    object_type: "opportunity",
    csv: "lead_name,note,status_label,status_type\nA,a,Fourth Coffee,active\nB,b,Shaken Hands,won\n",
  });
  const apart = await imported(acme, {
    object_type: "opportunity",
    csv: dealsOf("Deal - Stage,Deal - Status", [["Closed Won", "Lost"]]),
  });

  assert.deepEqual([pipedrive.n_created, close.n_created], [3, 2]);
  const data = await deals(acme);
  assert.deepEqual(
    data.map((one: any) => [one.note, one.status_type]),
    [
      ["Contact Made", "active"],
      ["Lead In", "won"],
      ["Proposal Made", "lost"],
      ["a", "active"],
      ["b", "won"],
    ],
  );
  assert.deepEqual(apart.errors, [{ row: 1, column: "Deal - Status", error: '"Lost" is lost, where another column says won' }]);
});

test("the first pipeline's first status of a kind is taken, and a label in any of them is found whatever its case and marks", async () => {
  const acme = await organization();
  const [sales] = (await acme.get("/pipeline/")).data;
  await acme.post("/status/opportunity/", { label: "Contract: sent", type: "active", pipeline_id: sales.id });
  const later = await acme.post("/pipeline/", { name: "Renewals", statuses: [{ label: "At risk", type: "active" }] });

  const done = await imported(acme, {
    object_type: "opportunity",
    csv: dealsOf("Stage", [["CONTRACT-SENT"], ["at_risk"], ["Demo"]]),
  });

  const data = await deals(acme);
  assert.deepEqual(
    data.map((one: any) => [one.note, one.status_label, one.pipeline_id]),
    [
      ["CONTRACT-SENT", "Contract: sent", sales.id],
      ["Demo", "Active", sales.id],
      ["at_risk", "At risk", later.id],
    ],
  );
  assert.deepEqual(
    done.mapped_values.map((one: any) => one.value),
    ["Demo"],
  );
});

test("a caller changes what is suggested, and a dry run tells it before anything is done", async () => {
  const acme = await organization();
  const csv = dealsOf("Stage", [["Closed Won"], ["Verbal yes"], ["Proposal"]]);
  const draft = await acme.post("/import/", { object_type: "opportunity", csv });
  const stage = draft.columns[2];
  const entries = (transform: object) => [
    { column: "Deal Name", target: "opportunity.note" },
    { column: "Company", target: "name" },
    { column: "Stage", target: "opportunity.status", transform },
  ];

  const { preview } = await acme.put(`/import/${draft.id}/`, { dry_run: true, mapping: entries(stage.suggested_transform) });
  const { preview: asGiven } = await acme.put(`/import/${draft.id}/`, { dry_run: true, mapping: suggestedOf(draft) });
  const changed = { map: { ...stage.suggested_transform.map, "Verbal yes": "Won", Proposal: "Lost" } };
  await acme.put(`/import/${draft.id}/`, { mapping: entries(changed) });
  await withWorker(acme.service, (worker) => worker.drained());
  const done = await acme.get(`/import/${draft.id}/`);

  assert.deepEqual(stage.suggested_transform, { map: { "Closed Won": "Won", Proposal: "Active" } });
  assert.deepEqual([preview.created, preview.failed, preview.mapped_values], [2, 1, []]);
  assert.deepEqual(
    asGiven.mapped_values.map((one: any) => [one.value, one.status_label, one.n_rows]),
    [
      ["Closed Won", "Won", 1],
      ["Proposal", "Active", 1],
    ],
  );
  assert.deepEqual(asGiven.errors, [
    {
      row: 2,
      column: "Stage",
      error: '"Verbal yes" is not a status: there are Active, Won, Lost; a transform with a map says which one it means',
    },
  ]);
  assert.deepEqual([done.n_created, done.n_failed, done.mapped_values], [3, 0, []]);
  const data = await deals(acme);
  assert.deepEqual(
    data.map((one: any) => [one.note, one.status_label]),
    [
      ["Closed Won", "Won"],
      ["Proposal", "Lost"],
      ["Verbal yes", "Won"],
    ],
  );
});

test("lead statuses of other services become the first of their kind, by its type or by its label", async () => {
  const acme = await organization();
  const rows = [
    ["Open - Not Contacted", "Potential"],
    ["OPEN_DEAL", "Potential"],
    ["In Progress", "Potential"],
    ["Working - Contacted", "Potential"],
    ["Unqualified", "Bad Fit"],
    ["Closed - Not Converted", "Bad Fit"],
    ["Closed - Converted", "Potential"],
    ["qualified!", "Qualified"],
  ] as const;

  const csv = `Company,Lead Status\n${rows.map(([word]) => `${word},${word}`).join("\n")}\n`;
  const done = await imported(acme, { csv });

  assert.deepEqual([done.n_created, done.errors], [rows.length, []]);
  const labels = new Map((await acme.get("/lead/")).data.map((one: any) => [one.name, one.status_label]));
  assert.deepEqual(
    rows.map(([word]) => [word, labels.get(word)]),
    rows,
  );
  assert.equal(done.mapped_values.length, rows.length - 1);
});

test("what is only taken by its kind leaves a status of this kind as it is", async () => {
  const acme = await organization();
  const qualified = (await acme.get("/status/lead/")).data.find((one: any) => one.label === "Qualified");
  const [sales] = (await acme.get("/pipeline/")).data;
  const late = await acme.post("/status/opportunity/", { label: "Late", type: "active", pipeline_id: sales.id });
  const lead = await acme.post("/lead/", { name: "Acme", status_id: qualified.id });
  const deal = await acme.post("/opportunity/", { lead_id: lead.id, status_id: late.id });

  await imported(acme, { csv: "Company,Lead Status\nAcme,In Progress\nNew,Qualified\nNew,In Progress\n" });
  const again = await imported(acme, { object_type: "opportunity", csv: `Opportunity id,Stage\n${deal.id},Proposal\n` });

  assert.deepEqual([again.n_skipped + again.n_updated, again.errors], [1, []]);
  assert.equal((await acme.get(`/lead/${lead.id}/`)).status_label, "Qualified");
  assert.equal((await acme.get("/lead/?name=New")).data[0].status_label, "Qualified");
  assert.equal((await acme.get(`/opportunity/${deal.id}/`)).status_label, "Late");
  await imported(acme, { object_type: "opportunity", csv: `Opportunity id,Stage\n${deal.id},Closed Won\n` });
  assert.equal((await acme.get(`/opportunity/${deal.id}/`)).status_label, "Won");
});
