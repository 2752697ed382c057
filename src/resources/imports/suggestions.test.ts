// What columns seem to be, by their names, their values and the kind of record that the rows are about.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const tables = [
  [
    "addresses, phone numbers and web addresses",
    "lead",
    "Company,E,T,W\nA,a@x.example,+12125550111,https://a.example\nB,b@x.example,+49 30 901820,www.b.example\n",
    ["name", "contact.email", "contact.phone", "url"],
  ],
  ["values of which one is something else", "lead", "Company,E\nA,a@x.example\nB,none\n", ["name", null]],
  ["a note beside a company", "lead", "Company,Note\nA,b\n", ["name", "note"]],
  ["a note beside a person", "contact", "Name,Note\nA,b\n", ["contact.name", "note"]],
  ["a note and a description of a deal", "opportunity", "Account Name,Description\nA,b\n", ["name", "opportunity.note"]],
  ["an amount and a value beside a company", "lead", "Company,Amount,Value\nA,1,2\n", ["name", null, null]],
  ["the value of a deal beside a company", "lead", "Company,Deal value\nA,1\n", ["name", "opportunity.value"]],
  ["the phone of a company", "lead", "Company name,Phone Number\nA,+12125550111\n", ["name", "phone"]],
  [
    "the phone of a person",
    "lead",
    "Company name,First Name,Phone Number\nA,Ann,+12125550111\n",
    ["name", "contact.first_name", "contact.phone"],
  ],
  [
    "numbers and addresses with their types",
    "lead",
    "Company,Name,Mobile Phone,Home phone,Fax,Work Email,Email\nA,B,+12125550111,+12125550112,+12125550113,w@a.example,e@a.example\n",
    ["name", null, "contact.phone:mobile", "contact.phone:home", "contact.phone:fax", "contact.email:work", "contact.email"],
  ],
  ["ids of another service", "lead", "Name,OwnerId,Owner ID\nA,0055e000001AbCdAAK,42\n", ["name", null, null]],
  [
    "German words",
    "contact",
    "Firma,Vorname,Nachname,Telefon,Straße,PLZ,Ort\nA,B,C,+4930901820,Weg 1,01067,Dresden\n",
    ["name", "contact.first_name", "contact.last_name", "contact.phone", "address_1", "zipcode", "city"],
  ],
] as const;

for (const [what, object_type, csv, targets] of tables)
  test(`suggestions: ${what}`, async () => {
    const acme = await organization();

    const { columns } = await acme.post("/import/", { object_type, csv });

    assert.deepEqual(
      columns.map((one: any) => one.suggested),
      targets,
    );
  });

test("a probability is read in percent, or as a part of one where its column has those", async () => {
  const acme = await organization();
  const confidences = async (values: string[]) => {
    const rows = values.map((value, i) => ({ Deal: `${value} ${i}`, Probability: value }));
    const draft = await acme.post("/import/", { object_type: "opportunity", rows });
    await acme.put(`/import/${draft.id}/`, { mapping: { Deal: "name", Probability: "opportunity.confidence" } });
    await withWorker(acme.service, (worker) => worker.drained());
    const done = await acme.get(`/import/${draft.id}/`);
    assert.deepEqual(done.errors, []);
    const { data } = await acme.get("/opportunity/");
    return values.map((value, i) => data.find((one: any) => one.lead_name === `${value} ${i}`).confidence);
  };

  assert.deepEqual(await confidences(["0.4", "1", "0.25", "0"]), [40, 100, 25, 0]);
  assert.deepEqual(await confidences(["10%", "1", "90"]), [10, 1, 90]);
});

test("a draft says what the values of each column seem to be", async () => {
  const acme = await organization();
  const columns = {
    Mail: ["a@x.example", "b@y.example"],
    Web: ["https://a.example", "www.b.example"],
    Tel: ["+49 30 901820", "+12125550111"],
    Opt: ["yes", "no"],
    Born: ["24.12.1990", "1.2.1991"],
    At: ["2026-01-02T03:04:05Z", "2026-01-02 03:04"],
    Staff: ["12", "0"],
    Price: ["1.234,50", "€ 3"],
    Zip: ["01067", "80331"],
    Mixed: ["12", "a dozen"],
    None: ["", ""],
  };
  const rows = [0, 1].map((i) => Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[i]])));

  const draft = await acme.post("/import/", { rows });
  const nested = await acme.post("/import/", { rows: [{ name: "A", contacts: [{ name: "B" }] }] });

  assert.deepEqual(
    draft.columns.map((one: any) => [one.name, one.type_guess]),
    [
      ["Mail", "email"],
      ["Web", "url"],
      ["Tel", "phone"],
      ["Opt", "boolean"],
      ["Born", "date"],
      ["At", "datetime"],
      ["Staff", "integer"],
      ["Price", "number"],
      ["Zip", "text"],
      ["Mixed", "text"],
      ["None", null],
    ],
  );
  assert.equal(nested.columns[1].type_guess, "json");
});
