import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

test("a product is priced in the organization's currency unless told otherwise", async () => {
  const acme = await organization();

  const plain = await acme.product({ name: "Seat" });
  const priced = await acme.product({ price: 4900, currency: "EUR" });

  assert.deepEqual(
    [plain.unit_price, plain.currency, plain.billing_period, plain.tax_percent, plain.is_active],
    [0, "USD", "one_time", 0, true],
  );
  assert.deepEqual([priced.unit_price, priced.currency], [4900, "EUR"]);
  assert.equal((await acme.product({ sku: "S-1" })).code, "S-1");
  await acme.refused(400, "POST", "/product/", { name: "Seat", price: 1, unit_price: 2 }, "price");
  await acme.refused(400, "PUT", `/product/${plain.id}/`, { price: null }, "price");
});

test("a code is used once, in any case", async () => {
  const acme = await organization();
  await acme.product({ code: "SKU-1" });
  const other = await acme.product();

  await acme.refused(400, "POST", "/product/", { name: "Again", code: "sku-1" }, "code");
  await acme.refused(400, "PUT", `/product/${other.id}/`, { code: "SKU-1" }, "code");
  await acme.product();
});

test("negative prices, unknown currencies and no name are refused", async () => {
  const acme = await organization();
  const wrong: [string, object][] = [
    ["unit_price", { unit_price: -1 }],
    ["price", { price: -1 }],
    ["currency", { currency: "dollars" }],
    ["tax_percent", { tax_percent: 100.5 }],
    ["billing_period", { billing_period: "weekly" }],
    ["name", { name: " " }],
  ];

  for (const [field, body] of wrong) await acme.refused(400, "POST", "/product/", { name: "Seat", ...body }, field);
});

test("products are listed by name, and filtered by code, category and whether they are active", async () => {
  const acme = await organization();
  const desk = await acme.product({ name: "desk", unit_price: 300, category: "Furniture" });
  const chair = await acme.product({ name: "Chair", unit_price: 900, code: "C1" });
  const lamp = await acme.product({ name: "Lamp", is_active: false });
  const found = async (query: string) => (await acme.get(`/product/${query}`)).data.map((one: any) => one.id);

  assert.deepEqual(await found(""), [chair.id, desk.id, lamp.id]);
  assert.deepEqual(await found("?is_active=true&_order_by=-unit_price"), [chair.id, desk.id]);
  assert.deepEqual(await found("?category=Furniture"), [desk.id]);
  assert.deepEqual(await found("?code=C1"), [chair.id]);
  assert.deepEqual(await found("?name=Lamp"), [lamp.id]);
});

test("products take custom fields", async () => {
  const acme = await organization();
  const color = await acme.customField("product", { type: "choices", choices: ["Red", "Blue"] });

  const made = await acme.product({ [`custom.${color.id}`]: "Red" });

  assert.equal(made[`custom.${color.id}`], "Red");
});

test("changing products takes manage_customizations, reading them does not", async () => {
  const acme = await organization();
  const seat = await acme.product();
  const member = await acme.member();

  assert.equal((await member.get(`/product/${seat.id}/`)).id, seat.id);
  await member.refused(403, "POST", "/product/", { name: "Mine" });
  await member.refused(403, "PUT", `/product/${seat.id}/`, { name: "Mine" });
  await member.refused(403, "DELETE", `/product/${seat.id}/`);
});
