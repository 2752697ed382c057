import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:http";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { readSheet } from "read-excel-file/node";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const work = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

/** Starts an export, has it written, and reads it as it is then, with its file. */
async function exported(acme: Workspace, body: object, object = "lead"): Promise<{ made: any; text: string; bytes: Buffer }> {
  const { id } = await acme.post(`/export/${object}/`, body);
  await work(acme);
  const made = await acme.get(`/export/${id}/`);
  assert.equal(made.status, "done", made.error);
  const file = await fetch(made.download_url.replace(/^.*(?=\/api\/)/, acme.service.url), {
    headers: { authorization: `Basic ${Buffer.from(`${acme.key}:`).toString("base64")}` },
  });
  const bytes = Buffer.from(await file.arrayBuffer());
  return { made, bytes, text: bytes.toString() };
}

const lines = (text: string) => text.trimEnd().split("\r\n");

test("leads become a table whose cells no spreadsheet runs, and the export says what its file is", async () => {
  const acme = await organization();
  const field = await acme.customField("lead", { type: "number", name: "Size" });
  await acme.lead({ name: '=cmd|"/c calc"', [`custom.${field.id}`]: 5, tags: ["a", "b"] });
  await acme.lead({ name: "Acme", emails: ["a", "b", "c", "d", "e"].map((one) => ({ email: `${one}@acme.io` })) });

  const { made, text, bytes } = await exported(acme, { fields: ["name", "emails", "tags", `custom.${field.id}`], sort: "name" });

  assert.deepEqual(lines(text), [
    '"name","email_1","email_2","email_3","more_emails","tags","custom.Size"',
    '"\'=cmd|""/c calc""","","","","","a;b","5"',
    '"Acme","a@acme.io","b@acme.io","c@acme.io","d@acme.io;e@acme.io","",""',
  ]);
  assert.deepEqual(
    [made.n_docs, made.n_docs_processed, made.size, made.checksum_sha256],
    [2, 2, bytes.length, await sha256(bytes)],
  );
  assert.deepEqual(
    (await acme.events(made.id)).map(({ event }) => event),
    ["export.lead.created", "export.lead.completed"],
  );
  const [told] = (await acme.get("/notification/?type=export_done")).data;
  assert.deepEqual([told.title, told.object_id], ["Your export of 2 records is ready", made.id]);
  assert.equal((await acme.get("/export/")).data[0].id, made.id);
});

test("a query says which leads, and their contacts or opportunities are rows with columns of the lead", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Steel", industry: "Steel", contacts: [{ name: "Ann" }, { name: "Bob" }] });
  await acme.lead({ name: "Wood", contacts: [{ name: "Cid" }] });
  await acme.opportunity({ lead_id: lead.id, value: 500 });
  const selected = { query: 'name:"Steel"', format: "csv" };

  const people = await exported(acme, { ...selected, type: "contacts", fields: ["name", "industry"] });
  const deals = await exported(acme, { ...selected, type: "lead_opps", fields: ["lead_name", "value", "industry"] });

  assert.deepEqual(lines(people.text).sort(), ['"Ann","Steel"', '"Bob","Steel"', '"name","industry"']);
  assert.deepEqual(lines(deals.text), ['"lead_name","value","industry"', '"Steel","500","Steel"']);
  const all = await exported(acme, { type: "contacts" });
  assert.match(lines(all.text)[0]!, /^"id","lead_id","name",.*"lead_name"$/);
  assert.equal(lines(all.text).length, 4);
});

test("contacts come in all four formats, each with the checksum of its bytes", async () => {
  const acme = await organization();
  await acme.lead({ contacts: [{ name: "Ann", emails: [{ email: "ann@acme.io" }] }, { name: "=Bob" }] });
  const body = { type: "contacts", fields: ["name", "emails"] };
  const found = new Map<string, Buffer>();
  for (const format of ["csv", "json", "jsonl", "xlsx"]) {
    const { made, bytes } = await exported(acme, { ...body, format });
    assert.deepEqual([made.n_docs, made.size, made.checksum_sha256], [2, bytes.length, await sha256(bytes)]);
    found.set(format, bytes);
  }

  const names = (list: any[]) => list.map(({ name }) => name).sort();
  assert.deepEqual(lines(String(found.get("csv"))).sort(), [
    `"'=Bob","","","",""`,
    '"Ann","ann@acme.io","","",""',
    '"name","email_1","email_2","email_3","more_emails"',
  ]);
  assert.deepEqual(names(JSON.parse(String(found.get("json")))), ["=Bob", "Ann"]);
  assert.deepEqual(
    names(
      String(found.get("jsonl"))
        .trimEnd()
        .split("\n")
        .map((one) => JSON.parse(one)),
    ),
    ["=Bob", "Ann"],
  );
  assert.deepEqual((await readSheet(found.get("xlsx")!)).map(([name]) => name).sort(), ["=Bob", "Ann", "name"]);
});

test("records come as JSON, with their people, deals and activities", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Acme", contacts: [{ name: "Ann" }] });
  await acme.note({ lead_id: lead.id, note: "Hi" });
  await acme.lead({ name: "Other" });

  const list = JSON.parse((await exported(acme, { format: "json", include_activities: true, sort: "name" })).text);
  const each = (await exported(acme, { format: "jsonl", results_limit: 1, fields: ["id", "name"] })).text.trimEnd().split("\n");

  assert.deepEqual(
    list.map((one: any) => [one.name, one.contacts.map(({ name }: any) => name), one.opportunities]),
    [
      ["Acme", ["Ann"], []],
      ["Other", [], []],
    ],
  );
  assert.deepEqual(list[0].activities.map(({ _type }: any) => _type).sort(), ["Created", "Note"]);
  assert.deepEqual(
    each.map((one) => Object.keys(JSON.parse(one))),
    [["id", "name"]],
  );
});

test("a workbook holds numbers as numbers and text as text", async () => {
  const acme = await organization();
  await acme.opportunity({ value: 1250, note: "=1+1 <&> \u0007done", status: "Won" });
  await acme.opportunity({ value: 7 });

  const params = { status_type: "won" };
  const { bytes } = await exported(acme, { format: "xlsx", params, fields: ["value", "note", "is_stalled"] }, "opportunity");

  assert.deepEqual(await readSheet(bytes), [
    ["value", "note", "is_stalled"],
    [1250, "=1+1 <&> done", false],
  ]);
});

test("times are as the API shows them, or in the organization's time zone", async () => {
  const acme = await organization();
  await acme.put(`/organization/${acme.id}/`, { timezone: "Europe/Berlin" });
  const lead = await acme.lead();
  const when = async (date_format: string) => lines((await exported(acme, { date_format, fields: ["date_created"] })).text)[1];

  const moment = new Date(lead.date_created);
  const local = (await when("excel"))!.slice(1, -1);
  assert.equal(await when("original"), `"${lead.date_created}"`);
  assert.match(local, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  const exact = (await when("iso8601"))!.slice(1, -1);
  assert.match(exact, /T\d\d:\d\d:\d\d(\.\d{3})?\+0[12]:00$/);
  assert.equal(new Date(exact).getTime(), moment.getTime());
  const there = await exported(acme, { date_format: "iso8601", timezone: "Asia/Kathmandu", fields: ["date_created"] });
  assert.match(lines(there.text)[1]!, /\+05:45"$/);
  assert.equal(new Date(lines(there.text)[1]!.slice(1, -1)).getTime(), moment.getTime());
});

test("a table is written for the spreadsheet or the program that reads it, and comes back as it was", async () => {
  const acme = await organization();
  const size = await acme.customField("lead", { type: "number", name: "Size" });
  const lead = await acme.lead({ name: "Müller; Söhne", description: "=1+1", [`custom.${size.id}`]: 1234.5 });
  const fields = ["id", "name", "description", "custom"];
  const before = await acme.get(`/lead/${lead.id}/`);

  const german = await exported(acme, { fields, dialect: { delimiter: ";", decimal: ",", bom: true } });
  const machine = await exported(acme, { fields, dialect: { guard: false } });
  const draft = await acme.post("/import/", { content_base64: german.bytes.toString("base64") });
  await acme.put(`/import/${draft.id}/`, {
    mapping: Object.fromEntries(draft.columns.map((one: any) => [one.name, one.suggested])),
  });
  await work(acme);

  assert.equal(german.text, `\ufeff"id";"name";"description";"custom.Size"\r\n"${lead.id}";"Müller; Söhne";"'=1+1";"1234,5"\r\n`);
  assert.equal(lines(machine.text)[1], `"${lead.id}","Müller; Söhne","=1+1","1234.5"`);
  assert.deepEqual((await acme.get(`/import/${draft.id}/`)).n_skipped, 1);
  assert.deepEqual(await acme.get(`/lead/${lead.id}/`), before);
});

test("a file that is kept compressed is what was written, for those who unpack it and for others", async () => {
  const acme = await organization();
  for (let i = 0; i < 20; i++) await acme.lead({ name: `Lead ${i}` });

  const { made, bytes } = await exported(acme, { format: "jsonl", compression: "gzip", fields: ["name"], sort: "name" });
  const plain = await exported(acme, { format: "jsonl", fields: ["name"], sort: "name" });
  const path = made.download_url.replace(/^.*(?=\/api\/)/, acme.service.url);
  const asked = async (coding: string) => {
    const headers = { authorization: `Basic ${Buffer.from(`${acme.key}:`).toString("base64")}`, "accept-encoding": coding };
    const [answer] = await once(get(path, { headers }), "response");
    return { coding: answer.headers["content-encoding"], vary: answer.headers.vary, bytes: await buffer(answer) };
  };
  const [packed, whole] = [await asked("gzip"), await asked("identity")];

  assert.deepEqual([bytes, made.size, made.checksum_sha256], [plain.bytes, plain.made.size, plain.made.checksum_sha256]);
  assert.deepEqual([packed.coding, packed.vary, gunzipSync(packed.bytes)], ["gzip", "accept-encoding", bytes]);
  assert.ok(packed.bytes.length < bytes.length / 2);
  assert.deepEqual([whole.coding, whole.bytes], [undefined, bytes]);
});

test("what would change nothing of the file is refused", async () => {
  const acme = await organization();
  for (const [body, place] of [
    [{ timezone: "Mars/Olympus", date_format: "excel" }, "timezone"],
    [{ timezone: "Europe/Berlin" }, "timezone"],
    [{ timezone: "Europe/Berlin", date_format: "excel", format: "json" }, "timezone"],
    [{ dialect: { delimiter: ";" }, format: "xlsx" }, "dialect"],
    [{ dialect: { decimal: "," } }, "dialect.delimiter"],
    [{ dialect: { colour: "red" } }, "dialect.colour"],
    [{ compression: "gzip", format: "xlsx" }, "compression"],
  ] as const)
    await acme.refused(400, "POST", "/export/lead/", body, place);
});

test("a dry run says how many rows and which columns there would be, and stores nothing", async () => {
  const acme = await organization();
  await acme.lead();

  const answer = await acme.ask("POST", "/export/lead/", { body: { dry_run: true, fields: ["name", "phones"] } });

  assert.deepEqual(
    [answer.status, answer.body],
    [200, { dry_run: true, n_docs: 1, columns: ["name", "phone_1", "phone_2", "phone_3", "more_phones"] }],
  );
  assert.deepEqual((await acme.get("/export/")).data, []);
});

test("an export holds what its author may see at the moment it is written, and nothing once they may not export", async () => {
  const acme = await organization();
  const restricted = await acme.memberWith(["export"]);
  const mine = await acme.lead({ owner_id: restricted.userId });
  await acme.lead();

  const { text } = await exported(restricted, { fields: ["id"] });
  const { id } = await restricted.post("/export/lead/", {});
  const { data } = await acme.get("/membership/");
  await acme.delete(`/membership/${data.find(({ user_id }: any) => user_id === restricted.userId).id}/`);
  await work(acme);

  assert.deepEqual(lines(text), ['"id"', `"${mine.id}"`]);
  const failed = await acme.get(`/export/${id}/`);
  assert.deepEqual([failed.status, failed.error], ["error", "Who asked for it may not export any more"]);
  await acme.refused(403, "POST", `/export/${id}/resume/`, {});
});

test("the file is kept for seven days", async () => {
  const acme = await organization();
  const { made } = await exported(acme, {});
  await atMoment(acme.service, made.expires_at, "exports");

  const shown = await acme.get(`/export/${made.id}/`);
  const refusal = await acme.refused(404, "GET", `/export/${made.id}/download/`);
  assert.deepEqual([shown.status, shown.download_url], ["done", null]);
  assert.equal(refusal.error, "The file of this export is no longer kept: start another");
  const removal = await acme.service.app.db.unscoped({
    text: "/* a test */ select count(*) from stored_bytes_removal where organization_id = $1",
    values: [acme.id],
  });
  assert.equal(removal[0]![0], "1");
});

async function sha256(bytes: Buffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes))).toString("hex");
}

test("an export that failed because its author had lost the right is resumed once it is back, and has the whole file", async () => {
  const acme = await organization();
  const eve = await acme.memberWith(["export", "view_all_leads"]);
  const { role_id } = (await acme.get("/membership/")).data.find((one: any) => one.user_id === eve.userId);
  for (const name of ["Acme", "Bolt"]) await acme.lead({ name });
  const { id } = await eve.post("/export/lead/", { fields: ["name"], sort: "name" });
  await acme.put(`/role/${role_id}/`, { permissions: ["view_all_leads"] });
  await work(acme);
  const failed = await acme.get(`/export/${id}/`);

  await acme.put(`/role/${role_id}/`, { permissions: ["export", "view_all_leads"] });
  const resumed = await eve.post(`/export/${id}/resume/`, {});
  await work(acme);

  assert.deepEqual(
    [failed.status, failed.download_url, failed.error],
    ["error", null, "Who asked for it may not export any more"],
  );
  assert.deepEqual([resumed.status, resumed.error], ["created", null]);
  const done = await eve.get(`/export/${id}/`);
  const file = await eve.ask("GET", `/export/${id}/download/`);
  assert.deepEqual([done.status, done.n_docs, done.error], ["done", 2, null]);
  assert.equal(file.text, '"name"\r\n"Acme"\r\n"Bolt"\r\n');
  await eve.refused(400, "POST", `/export/${id}/resume/`, {}, "status");
  await acme.put(`/role/${role_id}/`, { permissions: ["export"] });
  const refusal = await eve.refused(404, "GET", `/export/${id}/download/`);
  assert.match(JSON.stringify(refusal), /records that you cannot see any more/);
});
