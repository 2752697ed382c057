// What a mapping may say about a column beyond its target.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

/** Imports a table, and reads the import when it is done. */
async function imported(acme: Workspace, csv: string, mapping: object[], more: object = {}, options: object = {}): Promise<any> {
  const { id } = await acme.post("/import/", { csv, ...more });
  await acme.put(`/import/${id}/`, { mapping, options });
  await withWorker(acme.service, (worker) => worker.drained());
  return acme.get(`/import/${id}/`);
}

test("a target says the type of its addresses and numbers, and one that there is not is refused", async () => {
  const acme = await organization();
  const csv = "Company,Who,Cell,Desk\nAcme,Ann,+12125550111,+12125550112\n";
  const entries = (type: string) => [
    { column: "Company", target: "name" },
    { column: "Who", target: "contact.name" },
    { column: "Cell", target: `contact.phone:${type}` },
    { column: "Desk", target: "phone" },
  ];

  const done = await imported(acme, csv, entries("mobile"));

  assert.deepEqual([done.n_created, done.errors], [1, []]);
  const [lead] = (await acme.get("/lead/")).data;
  const [person] = (await acme.get("/contact/")).data;
  assert.deepEqual([lead.phones[0].type, person.phones[0].type], ["office", "mobile"]);
  const draft = await acme.post("/import/", { csv });
  const refused = await acme.refused(400, "PUT", `/import/${draft.id}/`, { mapping: entries("mobil") }, "mapping");
  assert.match(refused["field-errors"].mapping, /knows no type "mobil" of contact.phone: must be one of mobile/);
  const { data } = await acme.get("/import/presets/?_limit=100");
  assert.ok(data.find((one: any) => one.target === "contact.phone").types.includes("mobile"));
});

test("a mapping says what is done to cells before they become values", async () => {
  const acme = await organization();
  const field = async (type: string, more: object = {}) =>
    `custom.${(await acme.customField("lead", { type, name: type, ...more })).id}`;
  const [size, since, vip, code] = [await field("number"), await field("date"), await field("boolean"), await field("text")];
  const csv = [
    "Firm|Who|Given|Family|Tel|Kind|Size|Since|Vip|Mrr|Labels|Code",
    "  ACME   rockets |Lee, Ann|Ann|LEE|030 901820|A|1.234,5|3/24/26|si|1999|red/blue, dark/|",
    "o'neill &  söhne|Ray, Bob|||030 901821|x|7|12/1/26|n||green|b 7",
  ].join("\n");

  const done = await imported(
    acme,
    csv,
    [
      { column: "Firm", target: "lead.name", transform: ["trim", "title"] },
      { column: "Who", target: "contact.name", transform: [{ split: ",", part: -1 }, "upper"] },
      { column: "Given", target: "contact.title", join: " " },
      { column: "Family", target: "contact.title", join: " ", transform: "lower" },
      { column: "Tel", target: "contact.phone", transform: "e164:DE" },
      { column: "Kind", target: "industry", transform: { map: { a: "Space", X: null } } },
      { column: "Size", target: size, transform: "number:," },
      { column: "Since", target: since, transform: "date:M/D/YY" },
      { column: "Vip", target: vip, transform: "bool" },
      { column: "Mrr", target: "mrr", transform: "money_minor", default: "5" },
      { column: "Labels", target: "tags", transform: "split:/" },
      { column: "Code", target: code, default: "none" },
      { column: "Who", target: "ignore" },
    ],
    {},
    { on_match: "create" },
  );

  assert.deepEqual([done.status, done.n_created, done.errors], ["done", 2, []]);
  const { data } = await acme.get("/lead/?_order_by=name");
  const shown = data.map((one: any) => [
    one.name,
    one.industry,
    one[size],
    one[since],
    one[vip],
    one.mrr,
    one.tags.toSorted(),
    one[code],
  ]);
  assert.deepEqual(shown, [
    ["Acme Rockets", "Space", 1234.5, "2026-03-24", true, 1999, ["blue, dark", "red"], "none"],
    ["O'neill & Söhne", null, 7, "2026-12-01", false, 500, ["green"], "b 7"],
  ]);
  const people = (await acme.get("/contact/?_order_by=name")).data;
  assert.deepEqual(
    people.map((one: any) => [one.name, one.title, one.phones[0].phone]),
    [
      ["ANN", "Ann lee", "+4930901820"],
      ["BOB", null, "+4930901821"],
    ],
  );
});

test("a cell that a step cannot read is an error of its column", async () => {
  const acme = await organization();

  const { n_failed, errors } = await imported(acme, "Firm,Mrr,Tel\nAcme,12.5,12\n", [
    { column: "Firm", target: "name" },
    { column: "Mrr", target: "mrr", transform: "money_minor" },
    { column: "Tel", target: "phone", transform: "e164:DE" },
  ]);

  assert.equal(n_failed, 1);
  assert.deepEqual(errors, [
    { row: 1, column: "Mrr", error: '"12.5" must be a whole number of the currency\'s smallest unit' },
    { row: 1, column: "Tel", error: '"12" is not a phone number' },
  ]);
});

test("a mapping says what happens to values that a record has already", async () => {
  const acme = await organization();
  const before = { industry: "Space", description: "Old", url: null, tags: ["a"], emails: [{ email: "a@acme.io" }], mrr: 1 };
  const lead = await acme.lead({ name: "Acme", ...before, addresses: [{ city: "Ulm" }] });
  const columns = "Firm,Industry,About,Web,Tags,Mail,Mrr,City,Zip";

  await imported(acme, `${columns}\nAcme,Ships,New,acme.io,b,b@acme.io,2,Rom,1\n`, [
    { column: "Firm", target: "name" },
    { column: "Industry", target: "industry", on_conflict: "if_empty" },
    { column: "About", target: "description", on_conflict: "append" },
    { column: "Web", target: "url", on_conflict: "if_empty" },
    { column: "Tags", target: "tags" },
    { column: "Mail", target: "email", on_conflict: "overwrite" },
    { column: "Mrr", target: "mrr", on_conflict: "never" },
    { column: "City", target: "city", on_conflict: "if_empty" },
    { column: "Zip", target: "zipcode" },
  ]);

  const { industry, description, url, tags, emails, mrr, addresses } = await acme.get(`/lead/${lead.id}/`);
  assert.deepEqual([industry, description, url, mrr], ["Space", "Old\nNew", "http://acme.io", 1]);
  assert.deepEqual([tags.toSorted(), emails.map((one: any) => one.email)], [["a", "b"], ["b@acme.io"]]);
  assert.deepEqual([addresses[0].city, addresses[0].zipcode], ["Ulm", "1"]);
});

test("a mapping that cannot be meant is refused with what to write instead", async () => {
  const acme = await organization();
  const { id } = await acme.post("/import/", { csv: "A,B\n1,2\n" });
  const { transforms } = await acme.get("/import/presets/");
  const refuse = async (entry: object, field: string, reason: RegExp) => {
    const mapping = [{ column: "A", target: "name" }, entry];
    const refused = await acme.refused(400, "PUT", `/import/${id}/`, { mapping }, field);
    assert.match(refused["field-errors"][field], reason);
  };

  await refuse({ column: "B", target: "url", transform: "split:," }, "mapping", /name the part/);
  await refuse({ column: "B", target: "name" }, "mapping", /both need `join`/);
  await refuse({ column: "A", target: "name" }, "mapping", /twice/);
  await refuse({ column: "B", target: "opportunity.value", on_conflict: "never" }, "mapping", /changes no record/);
  await refuse({ column: "B", target: "mrr", on_conflict: "append" }, "mapping", /neither a list nor a text/);
  await refuse({ column: "B", target: "url", transform: ["trim", "date:DD.DD.YYYY"] }, "mapping.1.transform", /date:<format>/);
  await refuse({ column: "B", target: "url", transform: "e164:Atlantis" }, "mapping.1.transform", /e164/);
  await refuse({ column: "B", target: "url", separator: "," }, "mapping.1.separator", /./);

  assert.ok(transforms.some((one: any) => one.transform === "trim" && one.doc.length > 10));
});
