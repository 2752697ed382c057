// Deals of the past come in with the days on which they were made, won and lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const work = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

/** Imports deals by the mapping that is suggested, and reads the import when it is done. */
async function imported(acme: Workspace, csv: string, options: object = {}, targets: object = {}): Promise<any> {
  const draft = await acme.post("/import/", { object_type: "opportunity", csv });
  const mapping = Object.fromEntries(draft.columns.map((one: any) => [one.name, one.suggested]));
  await acme.put(`/import/${draft.id}/`, { mapping: { ...mapping, ...targets }, options });
  await work(acme);
  return acme.get(`/import/${draft.id}/`);
}

const dealsOf = async (acme: Workspace) =>
  new Map<string, any[]>(
    (await acme.get("/opportunity/")).data.map((one: any) => [
      one.lead_name,
      [one.date_won, one.date_lost, one.expected_close_date, one.date_created.slice(0, 10)],
    ]),
  );

const today = () => new Date().toISOString().slice(0, 10);

for (const [service, csv] of [
  [
    "HubSpot",
    `Deal Name,Deal Stage,Close Date,Create Date,Amount,Associated Company
W,Won,2024-05-01,2024-04-01 09:30,100,Win
L,Lost,2024-06-01,2024-04-01 09:30,100,Loss
O,Active,2099-06-01,2024-04-01 09:30,100,Open
N,Won,2024-03-01,2024-04-01 09:30,100,Older
`,
  ],
  [
    "Salesforce",
    `Opportunity Name,Stage,Close Date,Created Date,Amount,Account Name
W,Won,5/1/2024,4/1/2024 9:30 AM,100,Win
L,Lost,6/1/2024,4/1/2024 9:30 AM,100,Loss
O,Active,6/1/2099,4/1/2024 9:30 AM,100,Open
N,Won,3/1/2024,4/13/2024 9:30 PM,100,Older
`,
  ],
] as const)
  test(`the close date of ${service} is the day on which a deal was won or lost, or is expected to be`, async () => {
    const acme = await organization();

    const done = await imported(acme, csv, { country: "US" });

    assert.deepEqual(done.errors, []);
    assert.deepEqual(
      await dealsOf(acme),
      new Map([
        ["Win", ["2024-05-01", null, "2024-05-01", "2024-04-01"]],
        ["Loss", [null, "2024-06-01T00:00:00.000Z", "2024-06-01", "2024-04-01"]],
        ["Open", [null, null, "2099-06-01", "2024-04-01"]],
        ["Older", ["2024-03-01", null, "2024-03-01", "2024-03-01"]],
      ]),
    );
    const months = (await acme.post("/report/sales/", { relative_range: "this-month" })) as any;
    assert.doesNotMatch(JSON.stringify(months.won_by_month ?? []), /"(?:n|count|n_won)":[1-9]/);
  });

test("the times of Pipedrive are those at which deals were made, won and lost", async () => {
  const acme = await organization();

  const done = await imported(
    acme,
    `Deal - Title,Deal - Status,Deal - Won time,Deal - Lost time,Deal - Deal created,Deal - Expected close date,Deal - Organization
W,Won,2024-05-01 10:00:00,,2024-04-01 10:00:00,2024-07-01,Win
L,Lost,,2024-06-01 10:00:00,2024-04-01 10:00:00,,Loss
`,
  );

  assert.deepEqual(done.errors, []);
  assert.deepEqual(
    await dealsOf(acme),
    new Map([
      ["Win", ["2024-05-01", null, "2024-07-01", "2024-04-01"]],
      ["Loss", [null, "2024-06-01T10:00:00.000Z", null, "2024-04-01"]],
    ]),
  );
});

test("an end before the deal was made, a day to come, and a loss of an open deal are refused", async () => {
  const acme = await organization();

  const { errors } = await imported(
    acme,
    `Lead,Status label,Date won,Date lost,Date created
Early,Won,2024-05-01,,2024-06-01
Late,Won,2099-05-01,,
Open,Active,,2024-05-01,
`,
  );

  assert.deepEqual(
    errors.map((one: any) => [one.row, one.column, one.error]),
    [
      [1, "Date won", "is before date_created, 2024-06-01T00:00:00.000Z"],
      [2, "Date won", "must not be in the future"],
      [3, "Date lost", "only goes with a lost status"],
    ],
  );
});

test("an export of deals comes back equal, and its deals come into another organization with their days", async () => {
  const acme = await organization();
  const other = await organization();
  const deal = (status: string, more: object) => acme.opportunity({ status, date_created: "2024-01-02T03:04:05.000Z", ...more });
  await deal("Won", { date_won: "2024-05-01", expected_close_date: "2024-04-01", value: 7, value_currency: "JPY" });
  await deal("Lost", { date_lost: "2024-06-01T10:00:00.000Z" });
  const states = async () => (await acme.get("/opportunity/?_order_by=id")).data;
  const before = await states();
  const { id } = await acme.post("/export/opportunity/", { format: "csv" });
  await work(acme);
  const { download_url } = await acme.get(`/export/${id}/`);
  const file = await fetch(download_url.replace(/^.*(?=\/api\/)/, acme.service.url), {
    headers: { authorization: `Basic ${Buffer.from(`${acme.key}:`).toString("base64")}` },
  });
  const csv = await file.text();

  const same = await imported(acme, csv);
  const elsewhere = await imported(other, csv, { match_by: "none" }, { user_id: null, lead_id: null });

  assert.deepEqual([same.errors, elsewhere.errors, same.n_skipped], [[], [], 2]);
  assert.deepEqual(await states(), before);
  const shown = ({ date_won, date_lost, date_created, expected_close_date, value, value_currency, status_type }: any) => [
    date_won,
    date_lost,
    date_created,
    expected_close_date,
    value,
    value_currency,
    status_type,
  ];
  const there = (await other.get("/opportunity/?_order_by=id")).data;
  assert.deepEqual(there.map(shown).sort(), before.map(shown).sort());
});

test("leads and people keep the day of their creation from elsewhere, and those that exist their own", async () => {
  const acme = await organization();
  const old = await acme.lead({ name: "Old" });
  const csv = "Company,Created,Contact,Contact created\nNew,2024-01-02,Ann,2024-02-03\nOld,2024-01-02,,\n";
  const draft = await acme.post("/import/", { csv });
  const mapping = Object.fromEntries(draft.columns.map((one: any) => [one.name, one.suggested]));

  await acme.put(`/import/${draft.id}/`, { mapping });
  await work(acme);

  assert.deepEqual((await acme.get(`/import/${draft.id}/`)).errors, []);
  const [made] = (await acme.get("/lead/?name=New")).data;
  const [ann] = (await acme.get("/contact/")).data;
  assert.deepEqual([made.date_created.slice(0, 10), ann.date_created.slice(0, 10)], ["2024-01-02", "2024-02-03"]);
  assert.equal((await acme.get(`/lead/${old.id}/`)).date_created.slice(0, 10), today());
});
