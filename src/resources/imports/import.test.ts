import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { query } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { csvLines } from "./csv_lines.ts";

const csv = "Company,E-mail,Stage\nAcme,ann@acme.io,Customer\nBolt,,Potential\n";

test("a table as CSV becomes a draft that shows its columns, some values, and where each seems to belong", async () => {
  const acme = await organization();

  const draft = await acme.post("/import/", { name: "Spring", csv });

  assert.deepEqual([draft.status, draft.object_type, draft.n_rows, draft.mapping], ["draft", "lead", 2, null]);
  assert.deepEqual(draft.columns, [
    { index: 0, name: "Company", samples: ["Acme", "Bolt"], suggested: "name", type_guess: "text" },
    { index: 1, name: "E-mail", samples: ["ann@acme.io"], suggested: "contact.email", type_guess: "email" },
    { index: 2, name: "Stage", samples: ["Customer", "Potential"], suggested: "status", type_guess: "text" },
  ]);
  assert.deepEqual(
    (await acme.events(draft.id)).map((one) => one.event),
    ["import.created"],
  );
});

for (const [what, text] of [
  ["semicolons", 'Name;Note\n"A;b";"two\nlines"\n'],
  ["tabs", 'Name\tNote\r\nA;b\t"two\nlines"\r\n'],
  ["a byte order mark", '\ufeffName,Note\nA;b,"two\nlines"\n'],
] as const) {
  test(`CSV with ${what} is understood`, async () => {
    const acme = await organization();

    const { columns, n_rows } = await acme.post("/import/", { csv: text });

    assert.equal(n_rows, 1);
    assert.deepEqual(
      columns.map((one: any) => [one.name, one.samples]),
      [
        ["Name", ["A;b"]],
        ["Note", ["two\nlines"]],
      ],
    );
  });
}

test("rows of objects are a table too, with a column for each of their keys", async () => {
  const acme = await organization();

  const draft = await acme.post("/import/", {
    object_type: "product",
    rows: [
      { Name: "Bolt", Price: 12.5 },
      { Name: "Nut", SKU: "N1" },
    ],
  });

  assert.deepEqual(
    draft.columns.map((one: any) => [one.name, one.suggested, one.samples]),
    [
      ["Name", "product.name", ["Bolt", "Nut"]],
      ["Price", "product.unit_price", ["12.5"]],
      ["SKU", "product.code", ["N1"]],
    ],
  );
});

test("a file brings its table, uploaded in a form, as base64 or before", async () => {
  const acme = await organization();
  const file = await acme.post("/file/", { name: "leads.csv", content_base64: Buffer.from(csv).toString("base64") });
  const form = new FormData();
  form.set("file", new Blob([csv], { type: "text/csv" }), "spring.csv");
  form.set("object_type", "contact");

  const uploaded = await fetch(`${acme.service.url}/api/v1/import/`, {
    method: "POST",
    headers: { authorization: `Bearer ${acme.key}` },
    body: form,
  });
  const stored = await acme.post("/import/", { file_id: file.id });
  const list = Buffer.from('[{"Company": "Acme"}, {"Company": "Bolt"}]').toString("base64");
  const inline = await acme.post("/import/", { content_base64: list, name: "Mine" });

  const draft: any = await uploaded.json();
  assert.equal(uploaded.status, 201, JSON.stringify(draft));
  assert.deepEqual([draft.name, draft.object_type, draft.n_rows], ["spring.csv", "contact", 2]);
  assert.deepEqual([stored.name, stored.n_rows], ["leads.csv", 2]);
  assert.deepEqual([inline.name, inline.n_rows, inline.columns[0].suggested], ["Mine", 2, "name"]);
});

test("a long number of a JSON file stays as the file has it", async () => {
  const acme = await organization();
  const content_base64 = Buffer.from('[{"Company": "Acme", "Account": 12345678901234567890, "Size": 9007199254740991}]').toString(
    "base64",
  );

  const { columns } = await acme.post("/import/", { content_base64 });

  assert.deepEqual(
    columns.map((one: any) => one.samples),
    [["Acme"], ["12345678901234567890"], ["9007199254740991"]],
  );
});

test("every row of a long table is kept, in its order", async () => {
  const acme = await organization();
  const rows = Array.from({ length: 2500 }, (_, i) => `Lead ${i}`);

  const { id, n_rows } = await acme.post("/import/", { csv: ["Name", ...rows].join("\n") });

  const kept = await acme.inside((ctx) =>
    query(
      ctx,
      statement(sql`select cells->>0 from import_row where organization_id = ${acme.id} and import_id = ${id} order by n`),
    ),
  );
  assert.equal(n_rows, 2500);
  assert.deepEqual(kept.flat(), rows);
});

test("a long name of a column is cut between two characters", async () => {
  const acme = await organization();

  const { columns } = await acme.post("/import/", { csv: `${"a".repeat(199)}🙂,b\n1,${"b".repeat(99)}🙂\n` });

  assert.equal(columns[0].name.length, 200);
  assert.equal(columns[1].samples[0].length, 100);
});

test("a file whose content is gone brings no table", async () => {
  const acme = await organization();
  const file = await acme.post("/file/", { name: "leads.csv", content_base64: Buffer.from(csv).toString("base64") });
  const { storage } = acme.service.app.core.settings;
  const [[key]] = (await acme.inside((ctx) =>
    query(ctx, statement(sql`select storage_key from file where organization_id = ${acme.id} and id = ${file.id}`)),
  )) as [[string]];
  await storage.remove(key);

  await acme.refused(400, "POST", "/import/", { file_id: file.id }, "file_id");
});

test("what a column is called means what the rows are about", async () => {
  const acme = await organization();

  const found = [];
  for (const object_type of ["lead", "contact", "opportunity", "product", "task"])
    found.push(
      (await acme.post("/import/", { object_type, csv: "Name,Description\na,b\n" })).columns.map((one: any) => one.suggested),
    );

  assert.deepEqual(found, [
    ["name", "description"],
    ["contact.name", "description"],
    ["name", "opportunity.note"],
    ["product.name", "product.description"],
    ["name", "task.text"],
  ]);
});

// As the help pages and descriptions of these services name the columns.
for (const [service, object_type, columns] of [
  [
    "HubSpot",
    "contact",
    {
      "Record ID": null,
      "First Name": "contact.first_name",
      "Last Name": "contact.last_name",
      Email: "contact.email",
      "Phone Number": "contact.phone",
      "Mobile Phone Number": "contact.phone:mobile",
      "Job Title": "contact.title",
      "Company Name": "name",
      "Website URL": "url",
      City: "city",
      "State/Region": "state",
      "Country/Region": "country",
      "Zip code": "zipcode",
      "Contact owner": "owner",
      "Lead Status": "status",
      "LinkedIn Bio": "contact.url",
    },
  ],
  [
    "Pipedrive",
    "contact",
    {
      ID: null,
      "Person - Name": "contact.name",
      "Person - Email": "contact.email",
      "Person - Phone": "contact.phone",
      "Person - Label": "contact.tags",
      "Organization - Name": "name",
      "Organization - Address": "address_1",
      "Deal - Title": "opportunity.note",
      "Deal - Value": "opportunity.value",
      "Deal - Stage": "opportunity.status",
    },
  ],
  [
    "Salesforce",
    "opportunity",
    {
      Id: null,
      AccountName: "name",
      "Opportunity Name": "opportunity.note",
      Amount: "opportunity.value",
      CloseDate: "opportunity.close_date",
      CreatedDate: "opportunity.date_created",
      CurrencyIsoCode: "opportunity.currency",
      Stage: "opportunity.status",
      "Probability (%)": "opportunity.confidence",
      BillingStreet: "address_1",
      BillingCity: "city",
      BillingState: "state",
      BillingPostalCode: "zipcode",
      BillingCountry: "country",
      FirstName: "contact.first_name",
      LastName: "contact.last_name",
      Title: "contact.title",
      MobilePhone: "contact.phone:mobile",
    },
  ],
  [
    "Close",
    "lead",
    {
      id: null,
      display_name: "name",
      description: "description",
      url: "url",
      status_id: null,
      status_label: "status",
      primary_contact_name: "contact.name",
      primary_contact_title: "contact.title",
      primary_contact_primary_email: "contact.email",
      primary_contact_primary_phone: "contact.phone",
      primary_address_1: "address_1",
      primary_address_city: "city",
      primary_address_state: "state",
      primary_address_zipcode: "zipcode",
      primary_address_country: "country",
    },
  ],
  [
    "Close",
    "contact",
    {
      lead_id: null,
      lead_name: "name",
      name: "contact.name",
      title: "contact.title",
      primary_email: "contact.email",
      other_emails: "contact.email",
      primary_phone: "contact.phone",
    },
  ],
  [
    "Close",
    "opportunity",
    {
      id: null,
      lead_id: null,
      lead_name: "name",
      contact_name: "contact.name",
      value: "opportunity.value",
      value_formatted: null,
      confidence: "opportunity.confidence",
      status_label: "opportunity.status",
      status_type: "opportunity.status",
      note: "opportunity.note",
      date_created: "opportunity.date_created",
      date_won: "opportunity.date_won",
      date_lost: "opportunity.date_lost",
      value_currency: "opportunity.currency",
    },
  ],
  [
    "HubSpot",
    "opportunity",
    {
      "Deal Name": "opportunity.note",
      "Deal Stage": "opportunity.status",
      "Close Date": "opportunity.close_date",
      "Create Date": "opportunity.date_created",
      Amount: "opportunity.value",
      Currency: "opportunity.currency",
      "Deal owner": "opportunity.user_id",
      "Associated Company": "name",
    },
  ],
  [
    "Pipedrive",
    "opportunity",
    {
      "Deal - Won time": "opportunity.date_won",
      "Deal - Lost time": "opportunity.date_lost",
      "Deal - Deal created": "opportunity.date_created",
      "Deal - Expected close date": "opportunity.expected_close_date",
      "Deal - Currency of Value": "opportunity.currency",
      "Deal - Organization": "name",
      "Deal - Contact person": "contact.name",
      "Deal - Title": "opportunity.note",
    },
  ],
  ["Pipedrive persons", "contact", { "Person - Name": "contact.name", "Person - Organization": "name" }],
  [
    "Salesforce",
    "lead",
    {
      "First Name": "contact.first_name",
      "Last Name": "contact.last_name",
      "Company / Account": "name",
      Email: "contact.email",
      Street: "address_1",
      "State/Province": "state",
      "Zip/Postal Code": "zipcode",
      "Lead Status": "status",
      "Lead Owner": "owner",
    },
  ],
] as const) {
  test(`the columns of an export of ${service} with ${object_type}s are mapped without a hand`, async () => {
    const acme = await organization();
    const names = Object.keys(columns);

    const draft = await acme.post("/import/", { object_type, csv: `${names.join(",")}\n${names.map(() => "lead_1").join(",")}` });

    assert.deepEqual(Object.fromEntries(draft.columns.map((one: any) => [one.name, one.suggested])), columns);
  });
}

test("an amount of a deal of Close is in cents", async () => {
  const acme = await organization();

  const { columns } = await acme.post("/import/", {
    object_type: "opportunity",
    csv: 'lead_name,value,value_formatted\nAcme,100000,"$1,000"',
  });

  assert.deepEqual(
    columns.map(({ name, unit }: any) => [name, unit]),
    [
      ["lead_name", undefined],
      ["value", "minor"],
      ["value_formatted", undefined],
    ],
  );
});

test("columns without a name get one, and names are told apart", async () => {
  const acme = await organization();

  const { columns } = await acme.post("/import/", { csv: "Name,,Name\n1,2,3,4\n5\n" });

  assert.deepEqual(
    columns.map((one: any) => one.name),
    ["Name", "Column 2", "Name 2"],
  );
  assert.deepEqual(columns[1].samples, ["2"]);
});

test("a mapping queues the import, in either form", async () => {
  const acme = await organization();
  const [one, other] = [await acme.post("/import/", { csv }), await acme.post("/import/", { csv })];

  const queued = await acme.put(`/import/${one.id}/`, {
    mapping: { Company: "name", "E-mail": "contact.email", Stage: null },
    options: { match_by: "email", on_match: "skip", country: "Germany", tags: ["spring"] },
  });
  const alike = await acme.put(`/import/${other.id}/`, { mapping: [{ column: "Company", target: "name" }] });

  assert.equal(queued.status, "queued");
  assert.deepEqual(queued.options, { match_by: "email", on_match: "skip", country: "DE", tags: ["spring"] });
  assert.deepEqual([alike.status, alike.mapping], ["queued", { Company: "name" }]);
  assert.equal((await acme.events(one.id)).at(-1).event, "import.updated");
  assert.deepEqual((await acme.get("/import/?status=queued")).data.length, 2);
});

test("a queued import cannot be mapped again, but be named", async () => {
  const acme = await organization();
  const draft = await acme.post("/import/", { csv });
  const queued = await acme.put(`/import/${draft.id}/`, { mapping: { Company: "name" } });

  await acme.refused(400, "PUT", `/import/${draft.id}/`, { mapping: { Company: "industry" } }, "status");
  await acme.refused(400, "PUT", `/import/${draft.id}/`, { options: { on_match: "skip" } }, "status");

  await acme.refused(400, "PUT", `/import/${draft.id}/`, { mapping: null }, "mapping");
  assert.equal((await acme.put(`/import/${draft.id}/`, { ...queued, name: "Renamed" })).name, "Renamed");
});

test("a mapping names columns of the table and targets that exist, each once where it takes one value", async () => {
  const acme = await organization();
  const { id } = await acme.post("/import/", { csv });
  const refuse = (body: object, field: string) => acme.refused(400, "PUT", `/import/${id}/`, body, field);

  await refuse({ mapping: {} }, "mapping");
  await refuse({ mapping: { Company: null } }, "mapping");
  await refuse({ mapping: { Nothing: "name" } }, "mapping");
  const answer = await refuse({ mapping: { Company: "nam" } }, "mapping");
  await refuse({ mapping: { Company: "name", Stage: "name" } }, "mapping");
  await refuse(
    {
      mapping: [
        { column: "Company", target: "name" },
        { column: "Company", target: "name" },
      ],
    },
    "mapping",
  );
  await refuse({ mapping: "name" }, "mapping");
  await refuse({ mapping: { Company: "name" }, options: { match_by: "email" } }, "options.match_by");
  await refuse({ mapping: { Company: "name" }, options: { match_by: "colour" } }, "options.match_by");
  await refuse({ mapping: { Company: "name" }, options: { on_mach: "skip" } }, "options.on_mach");
  await refuse({ mapping: [{ column: "Company", target: "name", transform: "shout" }] }, "mapping.0.transform");
  await refuse({ mapping: { Company: "name" }, options: { owner_id: "user_nobody" } }, "options.owner_id");
  await refuse({ mapping: { Company: "name" }, options: { default_status_id: "stat_none" } }, "options.default_status_id");
  await refuse({ mapping: { Company: "name" }, options: { list_id: "llist_none" } }, "options.list_id");
  await refuse({ mapping: { Company: "name" }, options: { country: "Atlantis" } }, "options.country");

  assert.match(answer["field-errors"].mapping, /did you mean name/);
  assert.equal((await acme.get(`/import/${id}/`)).status, "draft");
});

test("what the options of a draft name must still be there when it is queued", async () => {
  const acme = await organization();
  const list = await acme.post("/lead_list/", { name: "Fair" });
  const draft = await acme.post("/import/", { csv, options: { list_id: list.id } });
  await acme.delete(`/lead_list/${list.id}/`);

  await acme.refused(400, "PUT", `/import/${draft.id}/`, { mapping: { Company: "name" } }, "options.list_id");
});

test("a product needs a name", async () => {
  const acme = await organization();
  const { id } = await acme.post("/import/", { object_type: "product", csv: "Price\n1\n" });

  await acme.refused(400, "PUT", `/import/${id}/`, { mapping: { Price: "product.unit_price" } }, "mapping");
});

test("a table comes in exactly one way and has a row of values", async () => {
  const acme = await organization();
  const refuse = (body: object, field: string) => acme.refused(400, "POST", "/import/", body, field);

  await refuse({}, "file");
  await refuse({ csv, rows: [{ a: 1 }] }, "file");
  await refuse({ csv: "" }, "csv");
  await refuse({ csv: "Name,Note\n" }, "csv");
  await refuse({ csv: 'Name\n"never closed' }, "csv");
  await refuse({ csv: `${Array.from({ length: 101 }, (_, i) => `c${i}`).join(",")}\n1` }, "csv");
  await refuse({ rows: [] }, "rows");
  await refuse({ rows: [{ a: { b: "\uD800" } }] }, "rows.0.a.b");
  await refuse({ csv, object_type: "cat" }, "object_type");
  await refuse({ csv, mapping: { Company: "name" } }, "mapping");
});

test("targets are listed with the custom fields of the organization", async () => {
  const acme = await organization();
  const field = await acme.customField("contact", { type: "text", name: "Shoe size" });

  const all = await acme.get("/import/presets/?_limit=200");
  const product = await acme.get("/import/presets/?object_type=product");
  const { columns } = await acme.post("/import/", { csv: "Shoe size\n42\n" });

  assert.deepEqual(all.presets, all.data);
  assert.ok(all.data.some((one: any) => one.target === "name" && one.aliases.includes("company")));
  assert.ok(product.data.some((one: any) => one.target === "product.name" && one.required));
  assert.equal(columns[0].suggested, `contact.custom.${field.id}`);
  for (const type of new Set<string>(all.data.map((one: any) => one.object_type))) {
    const { data } = await acme.get(`/import/presets/?object_type=${type}`);
    assert.ok(
      data.some((one: any) => one.object_type === type),
      type,
    );
  }
  await acme.refused(400, "GET", "/import/presets/?object_type=cat", undefined, "object_type");
});

test("bringing records in takes bulk_import, and an import cannot be deleted", async () => {
  const acme = await organization();
  const draft = await acme.post("/import/", { csv });
  const without: Workspace = await acme.memberWith(["view_all_leads"]);
  const restricted = await acme.memberWith(["bulk_import"]);

  await without.refused(403, "POST", "/import/", { csv });
  await without.refused(403, "PUT", `/import/${draft.id}/`, { mapping: { Company: "name" } });
  await restricted.refused(404, "GET", `/import/${draft.id}/`);
  await acme.refused(405, "DELETE", `/import/${draft.id}/`);

  assert.equal((await without.get(`/import/${draft.id}/`)).id, draft.id);
});

test("whatever is in the cells comes out of CSV again", async () => {
  const cell = fc.string({ unit: fc.constantFrom("a", "é", '"', ",", ";", "\t", "\n", " ", "'", "1"), maxLength: 6 });
  const mark = fc.constantFrom(",", ";", "\t");

  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }), mark, async (rows, between) => {
      const line = (cells: readonly string[]) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(between);
      const text = [["A", "B"], ...rows].map(line).join("\r\n");

      const lines: unknown[] = [];
      for await (const line of csvLines([text], between, "csv").cells) lines.push(line);

      assert.deepEqual(lines, [["A", "B"], ...rows]);
    }),
  );
});

test("the rows of an import are followed by their cursor, which is only for these", async () => {
  const acme = await organization();
  const made = async () => acme.post("/import/", { rows: Array.from({ length: 7 }, (_, i) => ({ name: `Firm ${i}` })) });
  const [{ id }, other] = [await made(), await made()];

  const all = await acme.all(`/import/${id}/rows/?_limit=3`);
  const { cursor_next } = await acme.get(`/import/${id}/rows/?_limit=3`);

  assert.deepEqual(
    all.map(({ row }) => row),
    [1, 2, 3, 4, 5, 6, 7],
  );
  for (const path of [`${other.id}/rows/?_cursor=${cursor_next}`, `${id}/rows/?status=pending&_cursor=${cursor_next}`])
    await acme.refused(400, "GET", `/import/${path}`, undefined, "_cursor");
  await acme.refused(400, "GET", `/import/${id}/rows/?_skip=1&_cursor=${cursor_next}`, undefined, "_skip");
});
