import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const project = (acme: Workspace) => acme.post("/project/", { name: "Kick-off", end_date: "2030-01-02" });

const quoted = async (acme: Workspace) => acme.post("/quote/", { lead_id: (await acme.lead()).id });
const dealt = (acme: Workspace) => acme.opportunity({ expected_close_date: "2030-01-02" });

/** Records with a field that has another name in bodies, and two valid values of it. */
const cases: [string, string, (acme: Workspace) => Promise<any>, own: string, other: string, unknown, unknown][] = [
  ["a project", "/project/", project, "name", "title", "Launch", "Landing"],
  ["a project", "/project/", project, "end_date", "due_date", "2031-01-02", "2032-01-02"],
  ["a product", "/product/", (acme) => acme.product({ unit_price: 5 }), "unit_price", "price", 7, 9],
  ["a product", "/product/", (acme) => acme.product({ code: "A" }), "code", "sku", "B", "C"],
  ["a quote", "/quote/", quoted, "title", "name", "Offer", "Other offer"],
  ["a deal", "/opportunity/", dealt, "expected_close_date", "close_date", "2031-01-02", "2032-01-02"],
];

describe("of two names of one field, the one that was changed is meant:", () => {
  for (const [what, path, make, own, other, value, another] of cases) {
    test(`${other} of ${what}`, async () => {
      const acme = await organization();
      const made = await make(acme);
      const record = `${path}${made.id}/`;

      const byOther = await acme.put(record, { ...made, [other]: value });
      const byOwn = await acme.put(record, { ...byOther, [own]: another, [other]: value });

      assert.deepEqual([byOther[own], byOwn[own]], [value, another]);
      await acme.refused(400, "PUT", record, { [own]: made[own], [other]: value }, other);
    });
  }

  test("a status by its label goes before the id that was read", async () => {
    const acme = await organization();
    const [lead, deal] = [await acme.lead(), await acme.opportunity()];

    const changed = await acme.put(`/lead/${lead.id}/`, { ...lead, status: "Qualified" });
    const won = await acme.put(`/opportunity/${deal.id}/`, { ...deal, status: "Won" });

    assert.deepEqual([changed.status_label, won.status_label], ["Qualified", "Won"]);
  });
});
