import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { organization, type Workspace } from "../../../test/support/given.ts";

const items = (deal: { id: string }) => `/opportunity/${deal.id}/line_item/`;
const valueOf = async (acme: Workspace, deal: { id: string }) => {
  const { value, line_items_total } = await acme.get(`/opportunity/${deal.id}/`);
  return [value, line_items_total];
};

test("a line copies what its product says, and keeps it when the product changes or goes", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();
  const seat = await acme.product({
    name: "Seat",
    description: "A year",
    unit_price: 2500,
    tax_percent: 19,
    billing_period: "annual",
  });

  const item = await acme.post(items(deal), { product_id: seat.id, quantity: 3 });
  await acme.put(`/product/${seat.id}/`, { name: "Chair", unit_price: 9900 });
  await acme.delete(`/product/${seat.id}/`);

  assert.deepEqual(
    [item.name, item.description, item.unit_price, item.tax_percent, item.billing_period, item.currency],
    ["Seat", "A year", 2500, 19, "annual", "USD"],
  );
  assert.deepEqual([item.subtotal, item.discount_total, item.tax_total, item.total], [7500, 0, 1425, 8925]);
  const [left] = (await acme.get(items(deal))).data;
  assert.deepEqual([left.name, left.unit_price, left.product_id], ["Seat", 2500, null]);
});

test("what the caller says of a line wins over its product", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();
  const seat = await acme.product({ unit_price: 2500, tax_percent: 19 });

  const item = await acme.post(items(deal), {
    product_id: seat.id,
    name: "Gift",
    unit_price: 0,
    tax_percent: 0,
    description: null,
  });

  assert.deepEqual([item.product_id, item.name, item.total, item.description], [seat.id, "Gift", 0, null]);
});

test("a line without a product needs a name and a price", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();

  const refusal = await acme.refused(400, "POST", items(deal), {}, "name");

  assert.ok("unit_price" in refusal["field-errors"]);
  await acme.refused(400, "POST", items(deal), { name: " ", unit_price: 1 }, "name");
});

test("an inactive product, an unknown one and one in another currency cannot be added", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();
  const old = await acme.product({ is_active: false });
  const foreign = await acme.product({ currency: "EUR", unit_price: 100 });

  await acme.refused(400, "POST", items(deal), { product_id: old.id }, "product_id");
  await acme.refused(400, "POST", items(deal), { product_id: "prod_none" }, "product_id");
  await acme.refused(400, "POST", items(deal), { product_id: foreign.id }, "product_id");
  await acme.refused(400, "POST", items(deal), { name: "Setup", unit_price: 1, currency: "EUR" }, "currency");
  const priced = await acme.post(items(deal), { product_id: foreign.id, unit_price: 110 });
  assert.deepEqual([priced.currency, priced.unit_price], ["USD", 110]);
});

test("values out of range are refused, and nothing of the line is kept", async () => {
  const acme = await organization();
  const deal = await acme.opportunity({ value: 5 });
  const wrong: [string, object][] = [
    ["quantity", { quantity: 0 }],
    ["quantity", { quantity: -1 }],
    ["quantity", { quantity: 1e9, unit_price: 1e14 }],
    ["unit_price", { unit_price: -1 }],
    ["unit_price", { unit_price: 1.5 }],
    ["discount", { discount: 101 }],
    ["discount", { discount: 1001, discount_type: "amount" }],
    ["tax_percent", { tax_percent: 101 }],
    ["tax_method", { tax_method: "some" }],
    ["billing_period", { billing_period: "weekly" }],
  ];

  for (const [field, body] of wrong)
    await acme.refused(400, "POST", items(deal), { name: "Setup", unit_price: 1000, ...body }, field);

  assert.deepEqual(await valueOf(acme, deal), [5, null]);
  assert.deepEqual((await acme.get(items(deal))).data, []);
});

test("the deal is worth the sum of its lines less discounts; tax on top does not count, tax within does", async () => {
  const acme = await organization();
  const deal = await acme.opportunity({ value: 99 });

  await acme.post(items(deal), { name: "On top", unit_price: 1000, discount: 10, tax_percent: 20 });
  const within = await acme.post(items(deal), { name: "Within", unit_price: 1190, tax_percent: 19, tax_method: "inclusive" });
  const free = await acme.post(items(deal), {
    name: "None",
    unit_price: 500,
    discount: 100,
    discount_type: "amount",
    tax_percent: 19,
    tax_method: "none",
  });

  assert.deepEqual([within.tax_total, within.total], [190, 1190]);
  assert.deepEqual([free.discount_total, free.tax_total, free.total], [100, 0, 400]);
  assert.deepEqual(await valueOf(acme, deal), [900 + 1190 + 400, 900 + 1190 + 400]);
});

test("adding and deleting a line each tell of the line and of the deal, as the lead's", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();

  const item = await acme.post(items(deal), { name: "Setup", unit_price: 1000 });
  await acme.delete(`${items(deal)}${item.id}/`);

  const { data } = await acme.get(`/event/?lead_id=${deal.lead_id}&object_type__in=line_item,opportunity`);
  const told = data.reverse().map((one: any) => [one.event, one.changed_fields]);
  assert.deepEqual(told, [
    ["opportunity.created", []],
    ["line_item.created", []],
    ["opportunity.updated", ["value", "line_items_total", "line_items_by_period"]],
    ["line_item.deleted", []],
    ["opportunity.updated", ["line_items_total", "line_items_by_period"]],
  ]);
});

test("deleting a line takes its worth away; the value stays when the last one goes", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();
  const first = await acme.post(items(deal), { name: "First", unit_price: 1000 });
  const second = await acme.post(items(deal), { name: "Second", unit_price: 300 });

  await acme.delete(`${items(deal)}${first.id}/`);
  const one = await valueOf(acme, deal);
  await acme.delete(`${items(deal)}${second.id}/`);

  assert.deepEqual(one, [300, 300]);
  assert.deepEqual(await valueOf(acme, deal), [300, null]);
  await acme.refused(404, "DELETE", `${items(deal)}${second.id}/`);
});

test("what is due once, monthly and annually is summed apart, and only what recurs is worth more in a year", async () => {
  const acme = await organization();
  const deal = await acme.opportunity({ value: 1, value_period: "monthly", confidence: 10 });
  const add = (billing_period: string, unit_price: number) =>
    acme.post(items(deal), { name: billing_period, unit_price, billing_period });

  const setup = await add("one_time", 1000);
  const once = await acme.get(`/opportunity/${deal.id}/`);
  await add("monthly", 30);
  const mixed = await acme.get(`/opportunity/${deal.id}/`);
  await add("annual", 7);
  const all = await acme.get("/opportunity/?_count=exact&_limit=0");
  const lead = await acme.get(
    `/lead/${deal.lead_id}/?_fields=total_monthly_opportunity_value,total_annualized_opportunity_value`,
  );
  await acme.delete(`${items(deal)}${setup.id}/`);
  const recurring = await acme.get(`/opportunity/${deal.id}/`);

  assert.deepEqual([once.value, once.value_period, once.annualized_value], [1000, "one_time", 1000]);
  assert.deepEqual([mixed.value, mixed.value_period, mixed.annualized_value], [1030, "one_time", 1360]);
  assert.deepEqual(mixed.line_items_by_period, { one_time: 1000, monthly: 30, annual: 0 });
  assert.equal(mixed.annualized_expected_value, 136);
  assert.deepEqual([all.total_value_one_time, all.total_value_monthly, all.total_value_annual], [1000, 30, 7]);
  assert.deepEqual([all.expected_value_monthly, all.total_value_annualized], [3, 1367]);
  assert.deepEqual(lead, { total_monthly_opportunity_value: 30, total_annualized_opportunity_value: 1367 });
  assert.deepEqual([recurring.value, recurring.annualized_value], [37, 367]);
});

test("a deal with lines has the lines' period; its value and period cannot be set while there are any", async () => {
  const acme = await organization();
  const deal = await acme.opportunity({ value: 5 });
  const item = await acme.post(items(deal), { name: "Seat", unit_price: 30, billing_period: "monthly" });
  const path = `/opportunity/${deal.id}/`;

  const shown = await acme.get(path);
  assert.deepEqual([shown.value, shown.value_period, shown.annualized_value], [30, "monthly", 360]);
  for (const value of [31, null]) await acme.refused(400, "PUT", path, { value }, "value");
  await acme.refused(400, "PUT", path, { value_period: "annual" }, "value_period");
  await acme.put(path, shown);

  await acme.delete(`${items(deal)}${item.id}/`);
  const free = await acme.put(path, { value: 9, value_period: "annual" });
  assert.deepEqual([free.value, free.annualized_value, free.line_items_by_period], [9, 9, null]);
});

test("lines added at the same time are all counted", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();

  await Promise.all([1, 20, 300, 4000, 50000].map((unit_price) => acme.post(items(deal), { name: "Line", unit_price })));

  const { data } = await acme.get(items(deal));
  assert.deepEqual(await valueOf(acme, deal), [54321, 54321]);
  assert.deepEqual(
    data.map((item: any) => item.position),
    [0, 1, 2, 3, 4],
  );
});

test("whatever the lines are, the deal is worth exactly their sum", async () => {
  const acme = await organization();
  const cents = (max: number) => fc.integer({ min: 0, max }).map((value) => value / 100);
  const line = fc.record({
    name: fc.constant("Line"),
    unit_price: fc.integer({ min: 0, max: 1_000_000 }),
    quantity: fc.integer({ min: 1, max: 100_000 }).map((value) => value / 1000),
    discount: cents(10_000),
    tax_percent: cents(10_000),
    tax_method: fc.constantFrom("exclusive", "inclusive", "none"),
  });

  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 5 }), async (lines) => {
      const deal = await acme.opportunity();
      const made: any[] = [];
      for (const body of lines) made.push(await acme.post(items(deal), body));

      const sum = made.reduce((total, item) => total + item.subtotal - item.discount_total, 0);
      for (const item of made) {
        const onTop = item.tax_method === "exclusive" ? item.tax_total : 0;
        assert.equal(item.total, item.subtotal - item.discount_total + onTop);
      }
      assert.deepEqual(await valueOf(acme, deal), [sum, sum]);
    }),
    { numRuns: 20 },
  );
});

test("lines stand in the order they are given, and a wanted place is made free", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();
  for (const name of ["One", "Two"]) await acme.post(items(deal), { name, unit_price: 1 });

  await acme.post(items(deal), { name: "Zero", unit_price: 1, position: 0 });

  const { data } = await acme.get(items(deal));
  assert.deepEqual(
    data.map((item: any) => [item.name, item.position]),
    [
      ["Zero", 0],
      ["One", 1],
      ["Two", 2],
    ],
  );
});

test("a line is found only under its own deal", async () => {
  const acme = await organization();
  const [deal, other] = [await acme.opportunity(), await acme.opportunity()];
  const item = await acme.post(items(deal), { name: "Setup", unit_price: 1 });

  await acme.refused(404, "DELETE", `${items(other)}${item.id}/`);
  await acme.refused(404, "GET", items({ id: "oppo_none" }));
  await acme.refused(404, "POST", items({ id: "oppo_none" }), { name: "Setup", unit_price: 1 });
});

test("the currency of a deal stays while it has lines", async () => {
  const acme = await organization();
  const deal = await acme.opportunity({ value_currency: "EUR" });
  const item = await acme.post(items(deal), { name: "Setup", unit_price: 1 });

  await acme.refused(400, "PUT", `/opportunity/${deal.id}/`, { value_currency: "USD" }, "value_currency");
  await acme.delete(`${items(deal)}${item.id}/`);
  const changed = await acme.put(`/opportunity/${deal.id}/`, { value_currency: "USD" });

  assert.equal(item.currency, "EUR");
  assert.equal(changed.value_currency, "USD");
});

test("lines of another's deal take manage_others_opportunities, deleting one's own delete_own_opportunities", async () => {
  const acme = await organization();
  const seller = await acme.memberWith(["view_all_leads"]);
  const [mine, others] = [await seller.opportunity(), await acme.opportunity()];

  const item = await seller.post(items(mine), { name: "Setup", unit_price: 1 });

  await seller.refused(403, "DELETE", `${items(mine)}${item.id}/`);
  await seller.refused(403, "POST", items(others), { name: "Setup", unit_price: 1 });
  await acme.delete(`${items(mine)}${item.id}/`);
});
