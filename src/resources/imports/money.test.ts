// Amounts come in as the file says them, in the currency that it says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const deals = { Deal: "name", Value: "opportunity.value", Cur: "opportunity.currency" };

/** Imports a table, and reads the import when it is done. */
async function imported(
  acme: Workspace,
  object_type: string,
  rows: Record<string, string>[],
  mapping: object | object[],
  options: object = {},
): Promise<any> {
  const draft = await acme.post("/import/", { object_type, rows });
  await acme.put(`/import/${draft.id}/`, { mapping, options });
  await withWorker(acme.service, (worker) => worker.drained());
  return acme.get(`/import/${draft.id}/`);
}

const dealsOf = async (acme: Workspace) =>
  (await acme.get("/opportunity/?_order_by=date_created")).data.map((one: any) => [one.value, one.value_currency]);

for (const [currency, text, minor, finer] of [
  ["USD", "12.34", 1234, "12.3456"],
  ["JPY", "100", 100, "100.5"],
  ["KWD", "1.234", 1234, "1.2345"],
] as const)
  test(`amounts in ${currency} have its decimals, for deals and products, new ones and those that exist`, async () => {
    const acme = await organization();
    const products = {
      N: "product.name",
      C: "product.code",
      P: "product.unit_price",
      K: "product.cost",
      Cur: "product.currency",
    };
    const { Cur: _, ...withoutCurrency } = products;

    const made = await imported(acme, "product", [{ N: "One", C: "c1", P: text, K: text, Cur: currency }], products);
    const fine = await imported(acme, "product", [{ N: "Two", C: "c2", P: finer, K: "1", Cur: currency }], products);
    const [{ id: _id, ...product }] = (await acme.get("/product/")).data;
    const again = await imported(acme, "product", [{ N: "One", C: "C1", P: text, K: "7" }], withoutCurrency);
    await imported(acme, "opportunity", [{ Deal: "Acme", Value: text, Cur: currency.toLowerCase() }], deals);
    const deal = (await acme.get("/opportunity/")).data[0];
    await acme.put(`/opportunity/${deal.id}/`, { value: 1 });
    const byId = { id: "opportunity.id", Value: "opportunity.value" };
    await imported(acme, "opportunity", [{ id: deal.id, Value: text }], byId);

    assert.deepEqual([made.errors, again.errors], [[], []]);
    assert.deepEqual([product.unit_price, product.cost, product.currency], [minor, minor, currency]);
    assert.match(fine.errors[0].error, new RegExp(`more than the \\d decimals of ${currency}`));
    const [changed] = (await acme.get("/product/")).data;
    assert.deepEqual([changed.unit_price, changed.cost], [minor, 7 * 10 ** (text.split(".")[1] ?? "").length]);
    assert.deepEqual(await dealsOf(acme), [[minor, currency]]);
  });

test("a sign or a code beside an amount says its currency, and one that several have does not", async () => {
  const acme = await organization();
  const values = ["€15", "12,34 EUR", "£20", "$5", "R$ 7", "USD 1", "¥300"];

  const done = await imported(
    acme,
    "opportunity",
    values.map((Value, i) => ({ Deal: `Deal ${i}`, Value })),
    { Deal: "name", Value: "opportunity.value" },
    { decimal: "," },
  );

  assert.deepEqual(await dealsOf(acme), [
    [1500, "EUR"],
    [1234, "EUR"],
    [2000, "GBP"],
    [500, "USD"],
    [700, "BRL"],
    [100, "USD"],
  ]);
  assert.deepEqual(
    done.errors.map(({ row, column, error }: any) => [row, column, error]),
    [[7, "Value", '"¥300" is marked ¥, where amounts are in USD: say the currency in a column or in options.currency']],
  );
});

test("an amount that contradicts its row, or the organization's recurring revenue, is refused", async () => {
  const acme = await organization();

  const row = await imported(acme, "opportunity", [{ Deal: "A", Value: "€15", Cur: "USD" }], deals);
  const mrr = await imported(acme, "lead", [{ Name: "A", MRR: "15 EUR" }], { Name: "name", MRR: "mrr" });
  const unknown = await imported(acme, "opportunity", [{ Deal: "A", Value: "15", Cur: "Taler" }], deals);

  assert.match(row.errors[0].error, /^"€15" is marked €, where amounts are in USD/);
  assert.match(mrr.errors[0].error, /^"15 EUR" is marked EUR, where amounts are in USD/);
  assert.deepEqual(unknown.errors, [{ row: 1, column: "Cur", error: "must be a currency code such as USD" }]);
});

test("amounts are not taken without the column of their currency, unless an option says what it is", async () => {
  const acme = await organization();
  const csv = "Deal - Title,Deal - Value,Deal - Currency of Value,Deal - Organization\nPd deal,1500,EUR,Pipe AB\n";
  const draft = await acme.post("/import/", { object_type: "opportunity", csv });
  const mapping = Object.fromEntries(draft.columns.map((one: any) => [one.name, one.suggested]));
  const without = { ...mapping, "Deal - Currency of Value": null };

  const refused = await acme.refused(400, "PUT", `/import/${draft.id}/`, { mapping: without }, "mapping");
  const { preview } = await acme.put(`/import/${draft.id}/`, { mapping: without, options: { currency: "eur" }, dry_run: true });
  await acme.put(`/import/${draft.id}/`, { mapping });
  await withWorker(acme.service, (worker) => worker.drained());

  assert.match(refused["field-errors"].mapping, /without the currency in "Deal - Currency of Value": give the column to oppo/);
  assert.equal(preview.created, 1);
  assert.deepEqual(await dealsOf(acme), [[150000, "EUR"]]);
});

test("a currency option is for amounts that say none, and never for recurring revenue in another one", async () => {
  const acme = await organization();
  const mapping = { Deal: "name", Value: "opportunity.value" };

  await imported(
    acme,
    "opportunity",
    [
      { Deal: "A", Value: "1.234" },
      { Deal: "B", Value: "€1" },
    ],
    mapping,
    { currency: "KWD" },
  );
  const { id } = await acme.post("/import/", { rows: [{ Name: "A", MRR: "1" }] });
  const body = { mapping: { Name: "name", MRR: "mrr" }, options: { currency: "KWD" } };
  const refused = await acme.refused(400, "PUT", `/import/${id}/`, body, "options.currency");

  assert.deepEqual(await dealsOf(acme), [
    [1234, "KWD"],
    [100, "EUR"],
  ]);
  assert.match(refused["field-errors"]["options.currency"], /mrr is in the currency of the organization, USD/);
});

test("a currency without an amount neither makes a deal nor gives an amount that stays another one", async () => {
  const acme = await organization();
  const { id } = await acme.opportunity({ value: 500, value_currency: "USD" });

  const done = await imported(acme, "opportunity", [{ Deal: "New", Value: "", Cur: "EUR" }], deals);
  await imported(acme, "opportunity", [{ id, Cur: "JPY" }], { id: "opportunity.id", Cur: "opportunity.currency" });
  await acme.post("/product/", { name: "One", unit_price: 100, cost: 50, currency: "USD" });
  const halved = await imported(acme, "product", [{ N: "One", P: "2", Cur: "JPY" }], {
    N: "product.name",
    P: "product.unit_price",
    Cur: "product.currency",
  });

  assert.deepEqual([done.n_created, await dealsOf(acme)], [1, [[500, "USD"]]]);
  assert.deepEqual(halved.errors, [
    { row: 1, column: "Cur", error: "is JPY, but cost would stay an amount in USD: give it too" },
  ]);
});
