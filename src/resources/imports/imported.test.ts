import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, published, runsOf } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withTwoWorkers, withWorker } from "../../../test/support/worker.ts";
import { query } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";

const work = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

/** Sends a table with the targets that are suggested, or others, and reads the import when it is done. */
async function imported(acme: Workspace, body: object, options: object = {}, targets: object = {}): Promise<any> {
  const draft = await acme.post("/import/", body);
  const mapping = { ...Object.fromEntries(draft.columns.map((one: any) => [one.name, one.suggested])), ...targets };
  await acme.put(`/import/${draft.id}/`, { mapping, options });
  await work(acme);
  return acme.get(`/import/${draft.id}/`);
}

const counts = ({ status, n_processed, n_created, n_updated, n_skipped, n_failed }: any) => [
  status,
  n_processed,
  n_created,
  n_updated,
  n_skipped,
  n_failed,
];

const hubspot = `First Name;Last Name;E-mail;Phone;Company;Website;Lead status;Lead owner;Deal value;Deal stage;Close date;Country;Tags;Notes;Size
Ann;Lee;ann@acme.io;030 901820;Acme GmbH;acme.io;customer;OWNER;1.234,56 €;won;24.12.2025;Germany;a, b;Met at the fair;12,5
Bob;Ray;bob@acme.io;;acme gmbh;;;;;;;;;;
Eve;Oak;eve(at)oak.io;;Oak;;;;;;;;;;
Max;Elm;max@elm.io;;Elm;;Gone;nobody@x.io;much;;31.02.2025;;;;many
;;;;;;;;;;;;;;
Sue;;sue@solo.io;;;;;;;;;;;;
`;

test("a file of another CRM becomes leads with their people, deals and notes, and bad cells say what is wrong", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const owner = (await acme.get(`/user/${bob.userId}/`)).email;
  const size = await acme.customField("lead", { type: "number", name: "Size" });
  const list = await acme.post("/lead_list/", { name: "Fair" });

  const done = await imported(
    acme,
    { name: "HubSpot", csv: hubspot.replace("OWNER", owner) },
    { date_format: "DD.MM.YYYY", country: "DE", tags: ["Spring"], list_id: list.id },
    { "Deal value": "opportunity.value", "Deal stage": "opportunity.status", Phone: "contact.phone" },
  );

  assert.deepEqual(counts(done), ["done", 6, 3, 0, 1, 2]);
  const { data } = await acme.get("/lead/?_order_by=name");
  assert.deepEqual(
    data.map((one: any) => one.name),
    ["Acme GmbH", "Sue"],
  );
  const found = await acme.get(`/lead/${data[0].id}/`);
  assert.deepEqual(
    [found.source, found.owner_id, found.url, found.status_label, found.tags.sort(), found[`custom.${size.id}`]],
    ["import", bob.userId, "http://acme.io", "Customer", ["Spring", "a", "b"], 12.5],
  );
  assert.equal(found.addresses[0].country, "DE");
  assert.equal((await acme.get(`/lead/?list_id=${list.id}`)).data.length, 2);
  const { data: people } = await acme.get(`/contact/?lead_id=${found.id}&_order_by=name`);
  assert.deepEqual(
    people.map((one: any) => [one.name, one.emails[0].email, one.phones[0]?.phone, one.tags]),
    [
      ["Ann Lee", "ann@acme.io", "+4930901820", ["Spring"]],
      ["Bob Ray", "bob@acme.io", undefined, ["Spring"]],
    ],
  );
  const { data: deals } = await acme.get(`/opportunity/?lead_id=${found.id}`);
  assert.deepEqual(
    deals.map((one: any) => [one.value, one.status_type, one.expected_close_date, one.contact_id]),
    [[123456, "won", "2025-12-24", people[0].id]],
  );
  const { data: history } = await acme.get(`/activity/?lead_id=${found.id}`);
  const created = history.find((one: any) => one._type === "Created");
  assert.deepEqual([created.source, created.import_id], ["import", done.id]);
  assert.equal(history.find((one: any) => one._type === "Note").note, "Met at the fair");
  assert.equal((await acme.events(found.id))[0].meta.import_id, done.id);

  assert.deepEqual(done.errors, [
    { row: 3, column: "E-mail", error: "is not an e-mail address" },
    {
      row: 4,
      column: "Lead status",
      error:
        '"Gone" is not a status: there are Potential, Bad Fit, Qualified, Customer; a transform with a map says which one it means',
    },
    { row: 4, column: "Lead owner", error: '"nobody@x.io" is not the name or e-mail address of an active member' },
    { row: 4, column: "Deal value", error: '"much" is not a number with a decimal comma' },
    { row: 4, column: "Close date", error: '"31.02.2025" is not a date such as DD.MM.YYYY' },
    { row: 4, column: "Size", error: '"many" is not a number with a decimal comma' },
  ]);
  assert.deepEqual(
    (await acme.events(done.id)).map((one) => one.event),
    ["import.created", "import.updated", "import.updated", "import.completed"],
  );
  const [told] = (await acme.get("/notification/?type=import_done")).data;
  assert.deepEqual([told.object_id, told.body], [done.id, "3 created, 0 updated, 1 skipped, 2 failed."]);
  assert.deepEqual((await bob.get("/notification/?type=lead_assigned")).data, []);
});

test("rows find leads and people that exist, and change, skip or create them", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Ácme", industry: "Old", tags: ["kept"] });
  const ann = await acme.contact({ lead_id: lead.id, name: "Ann", emails: [{ email: "ann@acme.io" }] });
  await Promise.all([acme.lead({ name: "Twin" }), acme.lead({ name: "twin" })]);
  const csv =
    "Company,Industry,Tags,Contact,Contact e-mail,Title\nacme,New,more,Ann B.,ANN@acme.io,CEO\nACME,,,Bob,,\nTwin,,,,,\nZeta,,,Zoe,,\n";

  const updated = await imported(acme, { csv });
  const skipped = await imported(acme, { csv }, { on_match: "skip" });
  const created = await imported(acme, { csv: "Company,Contact\nacme,Ann\nacme,Eve\n" }, { on_match: "create" });
  assert.deepEqual(
    (await acme.get("/lead/?name=acme&_order_by=date_created")).data.map((one: any) => one.name),
    ["Ácme", "acme"],
  );
  const byEmail = await imported(acme, { csv: "E-mail,Title,Company\nann@acme.io,CFO,Whatever\n" }, { match_by: "email" });
  const byId = await imported(acme, { rows: [{ id: lead.id, Industry: "Steel" }, { id: "lead_none" }] }, { match_by: "id" });

  assert.deepEqual(counts(updated), ["done", 4, 2, 1, 0, 1]);
  assert.match(updated.errors[0].error, /^fits 2 leads \(lead_.*\): merge them, or match by id$/);
  assert.equal(updated.errors[0].column, "Company");
  assert.deepEqual(counts(skipped), ["done", 4, 0, 0, 3, 1]);
  assert.deepEqual(counts(created), ["done", 2, 2, 0, 0, 0]);
  assert.deepEqual(
    [counts(byEmail), counts(byId)],
    [
      ["done", 1, 0, 1, 0, 0],
      ["done", 2, 0, 1, 0, 1],
    ],
  );
  const after = await acme.get(`/lead/${lead.id}/`);
  assert.deepEqual([after.name, after.industry, after.tags.sort()], ["Whatever", "Steel", ["kept", "more"]]);
  assert.equal((await acme.get(`/contact/${ann.id}/`)).title, "CFO");
  assert.deepEqual(
    (await acme.get(`/contact/?lead_id=${lead.id}&_order_by=name`)).data.map((one: any) => one.name),
    ["Ann B.", "Bob"],
  );
});

test("products and tasks come in too, and what a row lacks is its error", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const { email } = await acme.get(`/user/${bob.userId}/`);
  const lead = await acme.lead({ name: "Acme" });
  await acme.post("/product/", { name: "Bolt", code: "B1", unit_price: 1 });

  const products = await imported(acme, {
    object_type: "product",
    csv: 'Name,SKU,Price\nBolt 2,b1,"1,200.50"\nNut,N1,2\nTwice,n1,x\n',
  });
  const tasks = await imported(acme, {
    object_type: "task",
    csv: `Company,Task,Due,Assignee,Done\nacme,Call,2026-12-01,${email},no\nNobody,Call,,,\nAcme,Send,,,perhaps\n`,
  });

  assert.deepEqual(
    [counts(products), counts(tasks)],
    [
      ["done", 3, 1, 1, 0, 1],
      ["done", 3, 1, 0, 0, 2],
    ],
  );
  const { data } = await acme.get("/product/?_order_by=name");
  assert.deepEqual(
    data.map((one: any) => [one.name, one.code, one.unit_price]),
    [
      ["Bolt 2", "b1", 120050],
      ["Nut", "N1", 200],
    ],
  );
  const [task] = (await acme.get(`/task/?lead_id=${lead.id}`)).data;
  assert.deepEqual([task.text, task.date, task.assigned_to, task.is_complete], ["Call", "2026-12-01", bob.userId, false]);
  assert.deepEqual(tasks.errors, [
    { row: 2, error: "fits no lead that you can see: a task belongs to one" },
    { row: 3, column: "Done", error: '"perhaps" must be yes or no' },
  ]);
});

test("an import has the present rights of who made it, and goes on when they have them again", async () => {
  const acme = await organization();
  await acme.lead({ name: "Hidden", industry: "Old" });
  const eve = await acme.memberWith(["bulk_import"]);
  const { role_id } = (await acme.get("/membership/")).data.find((one: any) => one.user_id === eve.userId);
  const draft = await eve.post("/import/", { csv: "Company,Industry\nHidden,New\n" });
  const shop = await eve.post("/import/", { object_type: "product", csv: "Name\nBolt\n" });
  const mapping = { Company: "name", Industry: "industry" };
  await eve.refused(403, "PUT", `/import/${shop.id}/`, { mapping: { Name: "product.name" } });
  await eve.put(`/import/${draft.id}/`, { mapping });
  const allow = (permissions: string[]) => acme.put(`/role/${role_id}/`, { permissions });

  await allow([]);
  await work(acme);
  const stopped = await acme.get(`/import/${draft.id}/`);
  await allow(["bulk_import"]);
  await eve.put(`/import/${draft.id}/`, { mapping });
  await work(acme);

  assert.deepEqual(
    [stopped.status, stopped.error],
    ["error", "Whoever started it may not import any more: it needs bulk_import"],
  );
  assert.deepEqual(counts(await eve.get(`/import/${draft.id}/`)), ["done", 1, 1, 0, 0, 0]);
  const { data } = await acme.get("/lead/?name=Hidden&_order_by=date_created");
  assert.deepEqual(
    data.map((one: any) => [one.industry, one.owner_id]),
    [
      ["Old", null],
      ["New", eve.userId],
    ],
  );
});

test("what its author began and left behind goes on in the name of whoever resumes it", async () => {
  const acme = await organization();
  const eve = await acme.member();
  const { id } = (await acme.get("/membership/")).data.find((one: any) => one.user_id === eve.userId);
  const draft = await eve.post("/import/", { csv: "Company\nAcme\n" });
  await eve.put(`/import/${draft.id}/`, { mapping: { Company: "name" } });

  await acme.delete(`/membership/${id}/`);
  await work(acme);
  const stopped = await acme.get(`/import/${draft.id}/`);
  await acme.put(`/import/${draft.id}/`, { action: "resume" });
  await work(acme);

  assert.deepEqual([stopped.status, stopped.error], ["error", "Whoever started it is no longer an active member"]);
  assert.deepEqual(counts(await acme.get(`/import/${draft.id}/`)), ["done", 1, 1, 0, 0, 0]);
  const [lead] = (await acme.get("/lead/")).data;
  assert.deepEqual([lead.name, lead.created_by], ["Acme", acme.userId]);
});

test("workers side by side do each row once, and a company is one lead in all parts of a file", async () => {
  const acme = await organization();
  const rows = Array.from({ length: 700 }, (_, n) => ({ Company: `Company ${n % 300}`, "E-mail": `person${n}@x.io` }));
  const draft = await acme.post("/import/", { rows });
  await acme.put(`/import/${draft.id}/`, {
    mapping: { Company: "name", "E-mail": "contact.email" },
    options: { on_match: "skip" },
  });

  await withTwoWorkers(acme.service, (both) => both.drained());

  assert.deepEqual(counts(await acme.get(`/import/${draft.id}/`)), ["done", 700, 700, 0, 0, 0]);
  const [[leads, people]] = (await acme.inside((ctx) =>
    query(
      ctx,
      statement(
        sql`select (select count(*) from lead where organization_id = ${acme.id}), (select count(*) from contact where organization_id = ${acme.id})`,
      ),
    ),
  )) as [[string, string]];
  assert.deepEqual([leads, people], ["300", "700"]);
});

test("failed rows come back as CSV with their errors, and are imported once they are corrected", async () => {
  const acme = await organization();
  const csv = "Company,E-mail,Phone\nGood,good@x.io,\nBad,bad@,+49 30 901820\n=Evil,also bad,\n";
  const done = await imported(acme, { csv, name: "people.csv" }, {}, { Phone: "contact.phone" });

  const rows = await acme.get(`/import/${done.id}/rows/?status=failed&_limit=1`);
  const { text } = await acme.ask("GET", `/import/${done.id}/errors/`, {});
  const again = await imported(
    acme,
    { csv: text.replace("bad@", "bad@x.io").replace("also bad", "evil@x.io") },
    {},
    { Phone: "contact.phone" },
  );

  assert.equal(rows.has_more, true);
  assert.deepEqual(rows.data, [
    {
      row: 2,
      status: "failed",
      cells: { Company: "Bad", "E-mail": "bad@", Phone: "+49 30 901820" },
      object_ids: [],
      errors: [{ column: "E-mail", error: "is not an e-mail address" }],
    },
  ]);
  assert.equal((await acme.get(`/import/${done.id}/rows/`)).data[0].object_ids.length, 2);
  assert.equal(text.split("\r\n")[2], '"\'=Evil","also bad","","E-mail: is not an e-mail address"');
  assert.deepEqual(counts(again), ["done", 2, 2, 0, 0, 0]);
  assert.deepEqual((await acme.get("/contact/?email=bad@x.io")).data[0].phones[0].phone, "+4930901820");
  assert.equal((await acme.get("/lead/?_order_by=name")).data[0].name, "=Evil");
  const restricted = await acme.memberWith(["bulk_import"]);
  await restricted.refused(404, "GET", `/import/${done.id}/rows/`);
  await restricted.refused(404, "GET", `/import/${done.id}/errors/`);
  await acme.refused(400, "GET", `/import/${done.id}/rows/?status=lost`, undefined, "status");
});

test("rows are grouped to leads by a column, or by the domain of their addresses", async () => {
  const acme = await organization();
  await acme.lead({ name: "Bolt", url: "https://www.bolt.example" });
  const people =
    "Full Name,Mail\nAnn,ann@acme.example\nBob,bob@acme.example\nCid,cid@gmail.com\nDan,dan@gmail.com\nEve,eve@bolt.example\n";
  const accounts = "Company,Account,Full Name\nWheel Inc,7,Fay\nWheel,7,Gus\nWheel,8,Hal\n";

  const byDomain = await imported(acme, { object_type: "contact", csv: people }, { group_by: "email_domain" });
  const byColumn = await imported(acme, { csv: accounts }, { group_by: "Account", on_match: "create" }, { Account: null });

  assert.deepEqual([byDomain.errors, byColumn.errors], [[], []]);
  const { data } = await acme.get("/contact/?_limit=50");
  const leads = new Map((await acme.get("/lead/?_limit=50")).data.map((one: any) => [one.id, one.name ?? one.display_name]));
  assert.deepEqual(data.map((one: any) => [one.name, leads.get(one.lead_id)]).toSorted(), [
    ["Ann", "acme.example"],
    ["Bob", "acme.example"],
    ["Cid", "Cid"],
    ["Dan", "Dan"],
    ["Eve", "Bolt"],
    ["Fay", "Wheel"],
    ["Gus", "Wheel"],
    ["Hal", "Wheel"],
  ]);
  assert.equal(leads.size, 6);
  const { id } = await acme.post("/import/", { csv: people });
  const body = { mapping: { "Full Name": "contact.name" }, options: { group_by: "email_domain" } };
  await acme.refused(400, "PUT", `/import/${id}/`, body, "options.group_by");
});

test("failed rows of JSON come back as JSON lines with their lists, and are imported once they are corrected", async () => {
  const acme = await organization();
  const rows = [
    { name: "Good", emails: [{ email: "a@x.io", type: "work" }] },
    { name: "Bad", mrr: 12, emails: [{ email: "bad@", type: "work" }], url: null },
  ];
  const file = Buffer.from(rows.map((one) => JSON.stringify(one)).join("\n")).toString("base64");
  const done = await imported(acme, { content_base64: file, name: "people.jsonl" });

  const { text, headers } = await acme.ask("GET", `/import/${done.id}/errors/`, {});
  const csv = await acme.ask("GET", `/import/${done.id}/errors/?format=csv`, {});
  const corrected = Buffer.from(text.replace("bad@", "bad@x.io")).toString("base64");
  const again = await imported(acme, { content_base64: corrected });

  const { error, ...row } = JSON.parse(text);
  assert.deepEqual(row, { name: "Bad", mrr: 12, emails: [{ email: "bad@", type: "work" }] });
  assert.match(error, /emails: .*is not an e-mail address/);
  assert.match(headers.get("content-disposition")!, /people errors\.jsonl/);
  assert.match(csv.text, /^"name","emails","mrr","url","error"/);
  assert.deepEqual([again.n_created, again.errors], [1, []]);
  const bad = (await acme.get("/lead/?name=Bad")).data[0];
  assert.deepEqual([bad.emails[0].email, bad.emails[0].type, bad.mrr], ["bad@x.io", "work", 1200]);
});

test("webhooks hear of an import and of what it does, unless it says that they do not hear of its records", async () => {
  const acme = await organization();
  const hook = await acme.post("/webhook/", { url: "https://hooks.example/x", events: ["lead.created", "import.completed"] });
  await imported(acme, { csv: "Company\nLoud\n" });
  await imported(acme, { csv: "Company\nQuiet\n" }, { send_webhooks: false });
  for (let i = 0; i < 3; i++) await work(acme);

  const { data } = await acme.get(`/webhook/${hook.id}/delivery/?_limit=50`);
  assert.deepEqual(data.map((one: any) => one.event).toSorted(), ["import.completed", "import.completed", "lead.created"]);
});

test("a row with more cells than there are columns fails and says what is left over, and empty ones at the end do not count", async () => {
  const acme = await organization();
  const csv = "Company,City\nAcme,Ulm,,\nOak,Rom, Italy,x\nElm\n";
  const draft = await acme.post("/import/", { csv });

  const { preview } = await acme.put(`/import/${draft.id}/`, { mapping: { Company: "name", City: "city" }, dry_run: true });
  const done = await imported(acme, { csv });

  const [error] = done.errors;
  assert.deepEqual([preview.errors, preview.failed], [done.errors, 1]);
  assert.deepEqual([counts(done), error.row], [["done", 3, 2, 0, 0, 1], 2]);
  assert.match(error.error, /has 4 cells, but there are 2 columns; left over is "Italy | x"/);
});

test("what somebody has worked with stays whole when an import is taken back, and what was changed and changed back goes", async () => {
  const acme = await organization();
  const old = await acme.lead({ name: "Old" });
  const csv =
    "Company,Contact,Deal value,Deal stage\nHalf,Hal,500,Active\nBack,Bob,,\nBulk,Ann,,\nOld,Eve,,\nOld,Max,,\nHalf,Ida,,\n";
  const done = await imported(acme, { object_type: "contact", csv });
  const byName = new Map((await acme.get("/lead/")).data.map((one: any) => [one.name, one.id]));
  const people = new Map((await acme.get("/contact/")).data.map((one: any) => [one.name, one.id]));
  await acme.post("/activity/note/", { lead_id: byName.get("Half"), note: "Called" });
  await acme.put(`/lead/${byName.get("Back")}/`, { description: "x" });
  await acme.put(`/lead/${byName.get("Back")}/`, { description: null });
  await acme.put(`/contact/${people.get("Max")}/`, { title: "Boss" });
  const edit = { type: "set_fields", object_type: "lead", fields: { industry: "Steel" }, ids: [byName.get("Bulk")] };
  const { id } = await acme.post("/bulk_action/edit/", edit);
  await work(acme);
  await acme.post(`/bulk_action/${id}/undo/`);
  await work(acme);

  await acme.post(`/import/${done.id}/revert/`);
  await work(acme);

  const { reverted } = await acme.get(`/import/${done.id}/`);
  assert.deepEqual([done.errors, reverted.n_deleted, reverted.n_kept], [[], 5, 5]);
  const names = async (path: string) => (await acme.get(path)).data.map((one: any) => one.name).sort();
  assert.deepEqual(await names("/lead/"), ["Half", "Old"]);
  assert.deepEqual(await names("/contact/"), ["Hal", "Ida", "Max"]);
  assert.equal((await acme.get(`/opportunity/?lead_id=${byName.get("Half")}`)).data.length, 1);
  assert.deepEqual(await names(`/contact/?lead_id=${old.id}`), ["Max"]);
});

test("an import is taken back, except for what others have changed or used since", async () => {
  const acme = await organization();
  const old = await acme.lead({ name: "Old", industry: "Wood", description: "Before" });
  const csv = "Company,Industry,About,Contact,Notes\nOld,Steel,After,Ann,Hi\nNew,Steel,,Bob,\nUsed,Steel,,Eve,\n";
  const done = await imported(acme, { csv });
  const [used] = (await acme.get("/lead/?name=Used")).data;
  await acme.task({ lead_id: used.id });
  await acme.put(`/lead/${old.id}/`, { description: "Mine" });
  const eve = await acme.memberWith(["bulk_import", "view_all_leads"]);

  await eve.refused(403, "POST", `/import/${done.id}/revert/`);
  assert.equal((await acme.post(`/import/${done.id}/revert/`)).status, "reverting");
  await work(acme);

  const { status, reverted } = await acme.get(`/import/${done.id}/`);
  assert.deepEqual([status, reverted.n_deleted, reverted.n_restored], ["reverted", 4, 0]);
  const [person] = (await acme.get(`/contact/?lead_id=${used.id}`)).data;
  assert.deepEqual(reverted.kept, [
    { object_id: person.id, reason: `belongs to ${used.id}, which stays` },
    { object_id: used.id, reason: "was changed or used since" },
    { object_id: old.id, reason: "description: changed since" },
  ]);
  const { industry, description } = await acme.get(`/lead/${old.id}/`);
  assert.deepEqual([industry, description], ["Wood", "Mine"]);
  assert.deepEqual(
    (await acme.get("/lead/?_order_by=name")).data.map((one: any) => one.name),
    ["Old", "Used"],
  );
  await acme.refused(400, "POST", `/import/${done.id}/revert/`, {}, "status");
  const late = await imported(acme, { csv });
  acme.service.clock.now = new Date(Date.now() + 49 * 3_600_000);
  await acme.refused(400, "POST", `/import/${late.id}/revert/`, {}, "status");
});

test("a dry run says what a mapping would do, and does nothing", async () => {
  const acme = await organization();
  await acme.lead({ name: "Acme" });
  const draft = await acme.post("/import/", { csv: "Company,E-mail\nAcme,ann@x.io\nNew,\nnew,bob@x.io\nBad,bad\n" });
  const mapping = { Company: "name", "E-mail": "contact.email" };
  const body = { mapping, options: { tags: ["Fair"], on_match: "skip" }, dry_run: true };

  const { status, preview, options } = await acme.put(`/import/${draft.id}/`, body);
  await work(acme);

  assert.deepEqual([status, options], ["draft", {}]);
  const error = { row: 4, column: "E-mail", error: "is not an e-mail address" };
  assert.deepEqual(preview, {
    status: "done",
    n_rows: 4,
    n_checked: 4,
    created: 2,
    updated: 0,
    skipped: 1,
    failed: 1,
    mapped_values: [],
    errors: [error],
  });
  assert.equal((await acme.get("/lead/")).data.length, 1);
  assert.deepEqual((await acme.get("/lead_tag/")).data, []);
  assert.deepEqual((await acme.events(draft.id)).length, 1);
  const { id } = await acme.put(`/import/${draft.id}/`, { ...body, dry_run: false });
  await work(acme);
  assert.deepEqual(counts(await acme.get(`/import/${id}/`)), ["done", 4, 2, 0, 1, 1]);
  await acme.refused(400, "PUT", `/import/${id}/`, { dry_run: true }, "status");
  await acme.refused(400, "POST", "/import/", { csv: "Name\nA", dry_run: true }, "dry_run");
});

test("contacts and deals come to the leads that exist, and only the wanted ones change", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Acme", industry: "Old" });
  const ann = await acme.contact({ lead_id: lead.id, name: "Ann", title: "CEO", emails: [{ email: "ann@x.io" }] });
  const people = "Full name,E-mail,Title,Company,Industry\nAnn,ann@x.io,CFO,Acme,New\nBob,bob@x.io,,Acme,New\nZoe,zoe@x.io,,,\n";
  const deals = "Company,Amount,E-mail\nAcme,100,ann@x.io\nAcme,200,\n";

  const skipped = await imported(acme, { object_type: "contact", csv: people }, { on_match: "skip" });
  const sold = await imported(acme, { object_type: "opportunity", csv: deals });
  const byEmail = await imported(acme, { object_type: "contact", csv: people }, { match_by: "email" });

  assert.deepEqual(
    [counts(skipped), counts(sold), counts(byEmail)],
    [
      ["done", 3, 2, 0, 1, 0],
      ["done", 2, 2, 0, 0, 0],
      ["done", 3, 0, 1, 2, 0],
    ],
  );
  const { data } = await acme.get("/contact/?_order_by=name");
  assert.deepEqual(
    data.map((one: any) => [one.name, one.title, one.lead_id === lead.id]),
    [
      ["Ann", "CFO", true],
      ["Bob", null, true],
      ["Zoe", null, false],
    ],
  );
  const { data: made } = await acme.get(`/opportunity/?lead_id=${lead.id}&_order_by=value`);
  assert.deepEqual(
    made.map((one: any) => [one.value, one.contact_id]),
    [
      [10000, ann.id],
      [20000, null],
    ],
  );
  assert.equal((await acme.get(`/lead/${lead.id}/`)).industry, "New");
});

test("an import starts automations only if it says so, and one that stops tells those that listen", async () => {
  const acme = await organization();
  const eve = await acme.memberWith(["bulk_import"]);
  const graph = chain(["stop", {}]);
  const greet = await published(acme, graph);
  const alarm = await published(acme, graph, { trigger: { type: "import.done", config: { result: "error" } } });
  const draft = await eve.post("/import/", { csv: "Company\nA\n" });
  await eve.put(`/import/${draft.id}/`, { mapping: { Company: "name" } });
  const { role_id } = (await acme.get("/membership/")).data.find((one: any) => one.user_id === eve.userId);
  await acme.put(`/role/${role_id}/`, { permissions: [] });

  await imported(acme, { csv: "Company\nQuiet\n" });
  const loud = await imported(acme, { csv: "Company\nLoud\n" }, { trigger_automations: true });
  for (let i = 0; i < 3; i++) await work(acme);

  const { data } = await acme.get(`/import/${loud.id}/rows/`);
  assert.deepEqual(
    (await runsOf(acme, greet)).map((run) => run.object_id),
    data[0].object_ids,
  );
  assert.deepEqual(
    (await runsOf(acme, alarm)).map((run) => run.object_id),
    [draft.id],
  );
});
