// Several values of one field: how many are allowed, and what they cost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../test/support/given.ts";

const listed = (values: readonly string[]) => values.map((value) => `"${value}"`).join(", ");
const names = (count: number) => Array.from({ length: count }, (_, i) => `Person ${i}`);
const query = (text: string) => `/lead/?query=${encodeURIComponent(text)}`;

/** How many statements a read sends, without those of other requests. */
async function statementsOf(acme: Workspace, path: string): Promise<number> {
  const { db } = acme.service.app.core;
  const { query: ask } = db;
  let sent = 0;
  db.query = (...given) => {
    sent++;
    return ask(...given);
  };
  try {
    await acme.get(path);
  } finally {
    db.query = ask;
  }
  return sent;
}

test("what many values stand for is looked up once for all of them", async () => {
  const acme = await organization();
  const [first, second] = [
    await acme.lead({ contacts: [{ name: "Person 1", title: "Buyer", emails: [{ email: "one@acme.example" }] }] }),
    await acme.lead({ contacts: [{ name: "Person 7", title: "Seller", phones: [{ phone: "+16502530000" }] }] }),
  ];
  const questions: [string, string[], string[]][] = [
    ["email", ["one@acme.example", "nobody@acme.example"], [first.id]],
    ["phone", ["+16502530000", "+16502530001"], [second.id]],
    ["contact_name", ["Person 1", "Person 7"], [second.id, first.id]],
    ["contact_title", ["buyer", "seller"], [second.id, first.id]],
    ["name", ["nobody", "nothing"], []],
  ];

  for (const [field, two, expected] of questions) {
    const many = [...two, ...names(60).map((name) => (field === "phone" ? name.replace(/\D+/, "+1650253") : `${name} else`))];
    const found = (await acme.get(query(`${field} in (${listed(two)})`))).data.map((one: any) => one.id);
    assert.deepEqual(found, expected, field);
    const [few, lots] = [
      await statementsOf(acme, query(`${field} in (${listed(two)})`)),
      await statementsOf(acme, query(`${field} in (${listed(many)})`)),
    ];
    assert.equal(lots, few, `${field}: ${lots} statements for ${many.length} values`);
  }
});

test("a filter takes at most a hundred values of a field, however they are sent", async () => {
  const acme = await organization();
  await acme.get(query(`name in (${listed(names(100))})`));
  const refused = await acme.refused(400, "GET", query(`name in (${listed(names(101))})`));
  assert.match(refused["field-errors"].query, /100 values at most/);

  const search = (condition: object) => ({
    query: {
      type: "and",
      queries: [
        { type: "object_type", object_type: "lead" },
        { type: "field_condition", field: { type: "regular_field", field_name: "name" }, condition },
      ],
    },
  });
  await acme.post("/data/search/", search({ type: "term", values: names(100) }));
  for (const [key, condition] of [
    ["values", { type: "term", values: names(101) }],
    ["object_ids", { type: "reference", reference_type: "user", object_ids: names(101) }],
  ] as const) {
    const { "field-errors": errors } = await acme.refused(400, "POST", "/data/search/", search(condition));
    assert.equal(errors[`query.queries.1.condition.${key}`], "must have 100 or fewer");
  }
});
