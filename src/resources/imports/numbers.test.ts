// Numbers come in as they were written, however large, small or long they are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";
import { exported, imported } from "../../../test/support/moved.ts";

const numbers = [1e-7, -2.5e-9, 9007199254740991, 1.5e-300, 5e-324, 0.30000000000000004, 123456789.12345679, 0, -3, 1234.5];

const kinds = [
  { type: "leads", of: "lead", object_type: "lead" },
  { type: "contacts", of: "contact", object_type: "contact" },
  { type: "lead_opps", of: "opportunity", object_type: "opportunity" },
] as const;

for (const body of [
  { format: "csv" },
  { format: "csv", dialect: { delimiter: ";", decimal: "," } },
  { format: "xlsx" },
  { format: "json" },
  { format: "jsonl" },
])
  for (const { type, of, object_type } of kinds)
    test(`any number of ${type} survives ${JSON.stringify(body)}`, async () => {
      const acme = await organization();
      const size = `custom.${(await acme.customField(of, { type: "number", name: "Size" })).id}`;
      for (const [i, one] of numbers.entries()) {
        const { id: lead_id } = await acme.lead({ name: `Lead ${i}`, ...(of === "lead" && { [size]: one }) });
        if (of !== "lead") await acme[of]({ lead_id, [size]: one });
      }
      const state = async () => (await acme.get(`/${of}/`)).data.map((one: any) => [one.id, one[size], one.date_updated]);
      const before = await state();

      const { n_skipped, errors } = await imported(acme, await exported(acme, { ...body, type }), object_type);

      assert.deepEqual([n_skipped, errors], [numbers.length, []]);
      assert.deepEqual(await state(), before);
    });

async function withSizes() {
  const acme = await organization();
  const size = `custom.${(await acme.customField("lead", { type: "number", name: "Size" })).id}`;
  const sizes = async () => (await acme.get("/lead/?_order_by=name")).data.map((one: any) => one[size] ?? one.mrr);
  return { acme, sizes };
}

test("large and small numbers of a spreadsheet have an exponent, with a point or a comma", async () => {
  const { acme, sizes } = await withSizes();

  await imported(acme, "name,custom.Size\nA,1.5E+05\nB,1E-7\n");
  await imported(acme, "name;custom.Size\nC;1,234E+05\nD;-2E3\n");
  const { errors } = await imported(acme, "name,custom.Size\nE,1E+999\nF,E5\n");

  assert.deepEqual(await sizes(), [150_000, 1e-7, 123_400, -2000]);
  assert.deepEqual(
    errors.map(({ row, error }: any) => [row, error]),
    [
      [1, '"1E+999" is too large a number'],
      [2, '"E5" is not a number with a decimal point'],
    ],
  );
});

test("a number of JSON is what it says, whatever mark the texts beside it have", async () => {
  const { acme, sizes } = await withSizes();
  const rows = [
    { name: "A", "custom.Size": 1.234 },
    { name: "B", "custom.Size": "1,5" },
    { name: "C", "custom.Size": 2.5 },
  ];

  const done = await imported(acme, JSON.stringify(rows), "lead", { decimal: "," });
  const amounts = [
    { Company: "D", mrr: 1.25 },
    { Company: "E", mrr: 5 },
  ];
  await imported(acme, JSON.stringify(amounts), "lead", { decimal: "," });

  assert.deepEqual([done.errors, await sizes()], [[], [1.234, 1.5, 2.5, 125, 500]]);
});

test("a number of JSON that looks like thousands has decimals, and is refused where they are too many", async () => {
  const acme = await organization();

  const { errors } = await imported(acme, JSON.stringify([{ Company: "A", mrr: 1.234 }]));

  assert.match(errors[0].error, /^"1.234" has more than the 2 decimals of USD/);
});

test("failed rows of JSON keep their numbers", async () => {
  const { acme } = await withSizes();
  const row = { name: "A", "custom.Size": 1e-7, email: "none" };
  const { id } = await imported(acme, JSON.stringify([row]));

  const failed = await acme.get(`/import/${id}/errors/`);
  const { data } = await acme.get(`/import/${id}/rows/`);

  assert.deepEqual({ ...failed, error: undefined }, { ...row, error: undefined });
  assert.equal(data[0].cells["custom.Size"], "1e-7");
});
