// What this service exports comes in again as it went out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const work = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

async function exported(acme: Workspace, object: string, body: object): Promise<Buffer> {
  const { id } = await acme.post(`/export/${object}/`, body);
  await work(acme);
  const { download_url } = await acme.get(`/export/${id}/`);
  const file = await fetch(download_url.replace(/^.*(?=\/api\/)/, acme.service.url), {
    headers: { authorization: `Basic ${Buffer.from(`${acme.key}:`).toString("base64")}` },
  });
  return Buffer.from(await file.arrayBuffer());
}

/** Imports a file by the mapping that is suggested. */
async function imported(acme: Workspace, bytes: Buffer, object_type: string, options: object = {}) {
  const draft = await acme.post("/import/", { content_base64: bytes.toString("base64"), object_type });
  const mapping = Object.fromEntries(draft.columns.map((one: any) => [one.name, one.suggested]));
  await acme.put(`/import/${draft.id}/`, { mapping, options });
  await work(acme);
  const done = await acme.get(`/import/${draft.id}/`);
  assert.deepEqual([done.status, done.errors], ["done", []]);
  return { draft, mapping, done };
}

const edited = (bytes: Buffer, from: string, to: string) => Buffer.from(bytes.toString().replaceAll(from, to));

test("an export of leads comes in again without a change, money, lists and guarded cells included", async () => {
  const acme = await organization();
  const size = await acme.customField("lead", { type: "number", name: "Size" });
  const kept = ["name", "url", "description", "mrr", "status_id", "tags", "emails", "phones", `custom.${size.id}`];
  const emails = ["a", "b", "c", "d"].map((one) => ({ email: `${one}@acme.io` }));
  const [one, two] = [
    await acme.lead({
      name: "Acme",
      mrr: 500,
      emails,
      description: "'=no formula",
      tags: ["a;b", 'c "d"', "e"],
      [`custom.${size.id}`]: 5,
    }),
    await acme.lead({ name: "=Evil", mrr: 7, description: "\tTab", phones: [{ phone: "+4930901820" }] }),
  ];
  const states = async () => Promise.all([one, two].map(({ id }) => acme.get(`/lead/${id}/?_fields=${kept.join(",")}`)));
  const before = await states();

  await imported(acme, await exported(acme, "lead", { format: "csv" }), "lead", { match_by: "id" });
  const again = await states();
  await imported(acme, await exported(acme, "lead", { format: "xlsx", fields: ["id", "mrr", "tags"] }), "lead", {
    match_by: "id",
  });
  const ofWorkbook = await states();
  const file = await exported(acme, "lead", { format: "csv", fields: ["id", "mrr"] });
  const { draft } = await imported(acme, edited(file, '"500"', '"1250"'), "lead", { match_by: "id" });

  assert.deepEqual([again, ofWorkbook], [before, before]);
  assert.equal((await acme.get("/lead/")).data.length, 2);
  assert.equal((await acme.get(`/lead/${one.id}/`)).mrr, 1250);
  assert.deepEqual(
    draft.columns.map((column: any) => [column.name, column.suggested, column.unit]),
    [
      ["id", "id", undefined],
      ["mrr", "mrr", "minor"],
    ],
  );
});

test("an export of contacts changes those contacts, and their leads keep their names", async () => {
  const acme = await organization();
  const contacts = [{ name: "Ann", title: "CEO", emails: [{ email: "ann@acme.io" }], urls: [{ url: "https://ann.io" }] }];
  const lead = await acme.lead({ name: "Acme", contacts });
  const file = await exported(acme, "lead", { type: "contacts", format: "csv" });

  const { mapping } = await imported(acme, edited(edited(file, '"CEO"', '"CFO"'), '"Ann"', '"Anna"'), "contact");

  const { id, lead_id, name, title, email_1, more_emails, phone_2, url_3, lead_name, display_name, date_created } = mapping;
  assert.deepEqual([id, lead_id, name, title, lead_name], ["contact.id", "id", "contact.name", "contact.title", null]);
  assert.deepEqual([email_1, more_emails, phone_2, url_3], ["contact.email", "contact.email", "contact.phone", "contact.url"]);
  assert.deepEqual([display_name, date_created], [null, "contact.date_created"]);
  const { data } = await acme.get(`/contact/?lead_id=${lead.id}`);
  assert.deepEqual([(await acme.get(`/lead/${lead.id}/`)).name, data.length], ["Acme", 1]);
  assert.deepEqual([data[0].id, data[0].name, data[0].title], [lead.contacts[0].id, "Anna", "CFO"]);
});

test("custom fields of people and deals are written as an export in JSON lines has them", async () => {
  const acme = await organization();
  const [mood, size] = [
    await acme.customField("contact", { type: "text" }),
    await acme.customField("opportunity", { type: "number" }),
  ];
  const lead = await acme.lead({ contacts: [{ name: "Ann", [`custom.${mood.id}`]: "glad" }] });
  const deal = await acme.opportunity({ lead_id: lead.id, [`custom.${size.id}`]: 5 });
  const people = await exported(acme, "lead", { type: "contacts", format: "jsonl" });
  const deals = await exported(acme, "opportunity", { format: "jsonl" });

  await imported(acme, edited(people, '"glad"', '"sad"'), "contact");
  await imported(acme, edited(deals, `"custom.${size.id}":5`, `"custom.${size.id}":7`), "opportunity");

  assert.equal((await acme.get(`/contact/${lead.contacts[0].id}/`))[`custom.${mood.id}`], "sad");
  assert.equal((await acme.get(`/opportunity/${deal.id}/`))[`custom.${size.id}`], 7);
});

test("an export of deals changes those deals, and a revert gives them back", async () => {
  const acme = await organization();
  const bob = await acme.member("user");
  const lead = await acme.lead({ name: "Acme", contacts: [{ name: "Ann" }, { name: "Ben" }] });
  const [ann, ben] = lead.contacts;
  const deal = { lead_id: lead.id, value: 1999, expected_close_date: "2026-03-04", contact_id: ann.id };
  const [big, small] = [await acme.opportunity({ ...deal, note: "Big" }), await acme.opportunity({ ...deal, note: "Small" })];
  const states = async () => (await acme.get(`/opportunity/?lead_id=${lead.id}&_order_by=date_created`)).data;
  const before = await states();
  const file = await exported(acme, "opportunity", { format: "csv" });

  const same = await imported(acme, file, "opportunity");
  const untouched = await states();
  const people = edited(edited(file, `"${ann.id}"`, `"${ben.id}"`), `"${acme.userId}"`, `"${bob.userId}"`);
  const won = edited(edited(people, `"${big.status_label}"`, '"Won"'), '"Small"', '"Tiny"');
  const { draft } = await imported(acme, won, "opportunity");
  const changed = await states();
  await acme.post(`/import/${draft.id}/revert/`);
  await work(acme);
  const reverted = await states();

  const { id, lead_id, status_label, value, value_formatted, note, lead_name, expected_close_date } = same.mapping;
  assert.deepEqual([same.mapping.user_id, same.mapping.contact_id], ["opportunity.user_id", "opportunity.contact_id"]);
  assert.deepEqual([id, lead_id, status_label, value], ["opportunity.id", "id", "opportunity.status", "opportunity.value"]);
  assert.deepEqual(
    [note, value_formatted, lead_name, expected_close_date],
    ["opportunity.note", null, null, "opportunity.expected_close_date"],
  );
  assert.deepEqual(untouched, before);
  assert.deepEqual(
    changed.map((one: any) => [one.status_type, one.user_id, one.contact_id]),
    Array(2).fill(["won", bob.userId, ben.id]),
  );
  assert.deepEqual([changed.length, changed.find((one: any) => one.id === small.id).note], [2, "Tiny"]);
  assert.deepEqual(
    reverted.map((one: any) => [one.id, one.status_id, one.note, one.user_id, one.contact_id]),
    before.map((one: any) => [one.id, one.status_id, one.note, one.user_id, one.contact_id]),
  );
});

test("an old deal that was won before it was entered, and a web address with a semicolon, come back as they are", async () => {
  const acme = await organization();
  const elsewhere = await organization();
  const lead = await acme.lead({ name: "Acme", contacts: [{ name: "Ann", urls: [{ url: "https://u.example/x;y" }] }] });
  await acme.opportunity({ lead_id: lead.id, value: 7, status: "Won", date_won: "2024-02-29" });
  const shown = async () => [(await acme.get("/opportunity/")).data, (await acme.get("/contact/")).data];
  const before = await shown();

  const deals = await exported(acme, "opportunity", { format: "csv" });
  const people = await exported(acme, "lead", { type: "contacts", format: "csv" });
  const [own, ann] = [await imported(acme, deals, "opportunity"), await imported(acme, people, "contact")];
  const other = await imported(elsewhere, deals, "opportunity");

  assert.deepEqual([own.draft.errors, ann.draft.errors, other.draft.errors], [[], [], []]);
  assert.deepEqual(await shown(), before);
  assert.equal((await elsewhere.get("/opportunity/")).data[0].date_won, "2024-02-29");
});

test("a contact with many addresses and one number twice comes back from every kind of export as it is", async () => {
  const acme = await organization();
  const urls = ["1", "2", "3", "5;6", "a,b", "c|d"].map((path) => ({ url: `https://a.example/${path}` }));
  const emails = ["a", "b", "c", "d", "e|f"].map((name) => ({ email: `${name}@a.example` }));
  const phones = ["mobile", "office"].map((type) => ({ type, phone: "+493012345678" }));
  await acme.lead({ name: "Acme", contacts: [{ name: "Ann", urls, emails, phones }] });
  const before = (await acme.get("/contact/")).data;

  for (const format of ["csv", "xlsx", "json", "jsonl"]) {
    const { done } = await imported(acme, await exported(acme, "lead", { type: "contacts", format }), "contact");
    assert.deepEqual([format, done.n_skipped, done.n_updated], [format, 1, 0]);
  }

  assert.deepEqual((await acme.get("/contact/")).data, before);
});

test("a row with the id of a record that is hidden, gone or of another lead does nothing", async () => {
  const acme = await organization();
  const [one, two] = [await acme.lead({ name: "One" }), await acme.lead({ name: "Two", contacts: [{ name: "Ann" }] })];
  const { id } = await acme.opportunity({ lead_id: one.id, note: "kept" });
  const gone = `${id.slice(0, -4)}0000`;
  const rows = [
    { lead: one.id, deal: gone, note: "x" },
    { lead: two.id, deal: id, note: "x" },
    { lead: null, deal: id, person: two.contacts[0].id, note: "x" },
    { lead: null, deal: id, note: "changed" },
    { lead: null, deal: id, about: two.contacts[0].id, note: "x" },
  ];
  const mapping = {
    lead: "id",
    deal: "opportunity.id",
    person: "contact.id",
    about: "opportunity.contact_id",
    note: "opportunity.note",
  };
  const draft = await acme.post("/import/", { rows, object_type: "opportunity" });

  await acme.put(`/import/${draft.id}/`, { mapping });
  await work(acme);

  assert.deepEqual((await acme.get(`/import/${draft.id}/`)).errors, [
    { row: 1, column: "deal", error: "is no opportunity that you can see" },
    { row: 2, column: "deal", error: "is the opportunity of another lead" },
    { row: 3, column: "person", error: "is the contact of another lead" },
    { row: 5, column: "about", error: "is the contact of another lead" },
  ]);
  assert.deepEqual(
    (await acme.get("/opportunity/")).data.map((deal: any) => deal.note),
    ["changed"],
  );
});

for (const [object, body, object_type] of [
  ["lead", { format: "csv" }, "lead"],
  ["lead", { format: "jsonl" }, "lead"],
  ["lead", { format: "csv", type: "contacts" }, "contact"],
  ["opportunity", { format: "csv" }, "opportunity"],
] as const)
  test(`an export of ${object_type}s as ${body.format} comes into another organization as suggested`, async () => {
    const [acme, other] = [await organization(), await organization()];
    const contacts = [{ name: "Ann", emails: [{ email: "ann@acme.io" }] }];
    const lead = await acme.lead({ name: "Acme", owner_id: acme.userId, contacts });
    await acme.opportunity({ lead_id: lead.id, contact_id: lead.contacts[0].id, value: 500 });

    const { draft } = await imported(other, await exported(acme, object, body), object_type);

    const { n_created } = await other.get(`/import/${draft.id}/`);
    assert.equal(n_created, 1);
    assert.deepEqual(
      (await other.get("/lead/")).data.map((one: any) => one.name),
      ["Acme"],
    );
    // A table of leads has no people.
    if (object === "lead" && (object_type === "contact" || body.format === "jsonl"))
      assert.equal((await other.get("/contact/")).data[0].name, "Ann");
    if (object === "opportunity") assert.equal((await other.get("/opportunity/")).data[0].value, 500);
  });

for (const body of [
  { format: "csv" },
  { format: "xlsx" },
  { format: "csv", date_format: "iso8601" },
  { format: "csv", date_format: "excel" },
])
  test(`white space at the ends of texts and parts of seconds survive a ${Object.values(body).join(" with dates in ")}`, async () => {
    const acme = await organization();
    const custom = async (of: string, type: string) =>
      `custom.${(await acme.customField(of, { type, name: `${of} ${type}` })).id}`;
    const text = "  in front and behind\u00a0";
    const lead = await acme.lead({
      name: "Acme\u00a0",
      description: `${text}\n`,
      addresses: [{ address_1: text, city: "Bonn " }],
      [await custom("lead", "text")]: text,
      [await custom("lead", "datetime")]: "2026-02-03T04:05:56.789Z",
      tags: ["vip\u00a0", " new", "x"],
    });
    const person = await acme.contact({
      lead_id: lead.id,
      name: "Ann\u2003",
      title: text,
      [await custom("contact", "datetime")]: "2026-02-03T04:05:56.001Z",
    });
    const deal = await acme.opportunity({ lead_id: lead.id, value: 5, note: text });
    const states = async () =>
      Promise.all([`/lead/${lead.id}/`, `/contact/${person.id}/`, `/opportunity/${deal.id}/`].map((path) => acme.get(path)));
    const before = await states();

    await imported(acme, await exported(acme, "lead", { ...body, include_addresses: true }), "lead", { match_by: "id" });
    await imported(acme, await exported(acme, "lead", { ...body, type: "contacts" }), "contact", { match_by: "id" });
    await imported(acme, await exported(acme, "opportunity", body), "opportunity", { match_by: "id" });

    assert.deepEqual(await states(), before);
  });

test("a table may still change such a text, and JSON its ends too", async () => {
  const acme = await organization();
  const { id } = await acme.lead({ name: "Acme", description: "old\u00a0" });
  const described = async () => (await acme.get(`/lead/${id}/`)).description;

  await imported(acme, Buffer.from(`id,description\n${id},new\n`), "lead");
  const byTable = await described();
  await imported(acme, Buffer.from(JSON.stringify([{ id, description: "new " }])), "lead");

  assert.deepEqual([byTable, await described()], ["new", "new "]);
});
