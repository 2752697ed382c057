import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const saveRubric = (ws: Workspace, rubric: object) => ws.put(`/organization/${ws.id}/`, { settings: { icp: { rubric } } });

/** A rubric with one criterion of weight 100. */
const asking = (field: string, operator: string, value?: unknown, more: object = {}) => ({
  criteria: [{ key: "one", label: "One", weight: 1, field, operator, value, ...more }],
});

describe("the score of a lead", () => {
  test("without a rubric tells whether it can be reached and moves, and is written to the lead", async () => {
    const acme = await organization();
    const bare = await acme.lead();
    const good = await acme.lead({ url: "https://acme.example", industry: "Software", emails: [{ email: "hi@acme.example" }] });
    await acme.contact({ lead_id: good.id, title: "Head of Sales", phones: [{ phone: "+18004445555" }] });
    await acme.opportunity({ lead_id: good.id });

    const [low, high] = [await score(acme, bare), await score(acme, good)];

    // 20 decides, 15 mail, 10 phone, 15 deal, 5 website, 5 industry.
    assert.deepEqual([low.score, low.grade, low.tier], [0, "D", "cold"]);
    assert.deepEqual([high.score, high.grade, high.tier, high.rubric_source], [70, "B", "warm", "default"]);
    const stored = await acme.get(`/lead/${good.id}/`);
    assert.deepEqual([stored.score, stored.score_grade], [70, "B"]);
    assert.match(stored.score_reasons[0], /^A person who decides: 20 of 20\. Holds: contact\.title contains/);
    assert.equal((await acme.events(good.id)).at(-1)!.event, "lead.updated");
  });

  test("follows the organization's own rubric, its weights, shares and thresholds", async () => {
    const acme = await organization();
    const employees = await acme.customField("lead", { name: "Employees", type: "number" });
    await saveRubric(acme, {
      criteria: [
        { key: "industry", label: "Industry", weight: 3, field: "industry", operator: "in", value: ["Software", "SaaS"] },
        {
          key: "size",
          label: "Size",
          weight: 1,
          field: `custom.${employees.id}`,
          operator: "gte",
          value: 500,
          points: [{ when: { operator: "between", value: [50, 499] }, score: 50 }],
        },
      ],
      thresholds: { A: 90, B: 80, C: 10 },
    });
    const lead = (industry: string, size: number) => acme.lead({ industry, [`custom.${employees.id}`]: size });

    const both = await score(acme, await lead("software", 1000));
    const half = await score(acme, await lead("Software", 100));
    const small = await score(acme, await lead("Retail", 100));

    assert.deepEqual([both.score, both.grade], [100, "A"]);
    assert.deepEqual([half.score, half.grade], [88, "B"]);
    assert.deepEqual([small.score, small.grade, small.rubric_source], [13, "C", "organization"]);
    assert.deepEqual(
      half.breakdown.map((one: any) => [one.criterion, one.points, one.max_points, one.matched]),
      [
        ["Industry", 75, 75, true],
        ["Size", 12.5, 25, true],
      ],
    );
  });

  test("is 0 for what disqualifies, with its reason", async () => {
    const acme = await organization();
    await saveRubric(acme, {
      ...asking("name", "exists"),
      disqualifiers: [{ field: "addresses.country", operator: "in", value: ["KP"], reason: "We do not sell there" }],
    });

    const out = await score(acme, await acme.lead({ addresses: [{ country: "KP" }] }));
    const fine = await score(acme, await acme.lead({ addresses: [{ country: "DE" }] }));

    assert.deepEqual([out.score, out.grade, out.breakdown[0].reason], [0, "D", "We do not sell there"]);
    assert.equal(fine.score, 100);
  });

  test("compares in every way that a rubric can name", async () => {
    const acme = await organization();
    const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString();
    const lead = await acme.lead({
      name: "Nordwind GmbH",
      industry: "Machinery",
      mrr: 5000,
      tags: ["Hot"],
      owner_id: acme.userId,
      addresses: [{ country: "DE", city: "Kiel" }, { country: "US" }],
    });
    await acme.contact({ lead_id: lead.id, title: "CTO" });
    await acme.contact({ lead_id: lead.id, title: "Intern" });
    const holds: readonly (readonly [string, string, unknown, boolean])[] = [
      ["industry", "equals", "machinery", true],
      ["industry", "equals", ["Retail", "Machinery"], true],
      ["industry", "not_equals", "Retail", true],
      ["industry", "not_equals", "Machinery", false],
      ["name", "contains", "wind", true],
      ["name", "not_contains", "wind", false],
      ["name", "starts_with", "nord", true],
      ["name", "ends_with", "gmbh", true],
      ["name", "ends_with", "Inc", false],
      ["industry", "in", ["Retail"], false],
      ["industry", "not_in", ["Retail"], true],
      ["url", "exists", undefined, false],
      ["url", "not_exists", undefined, true],
      ["mrr", "gt", 4999, true],
      ["mrr", "gt", 5000, false],
      ["mrr", "gte", 5000, true],
      ["mrr", "lt", 5000, false],
      ["mrr", "lte", 5000, true],
      ["mrr", "between", [1, 5000], true],
      ["mrr", "between", [1, 4999], false],
      ["date_created", "before", days(1), true],
      ["date_created", "after", days(1), false],
      ["date_created", "within_last", 1, true],
      ["date_created", "within_last", "2 weeks", true],
      ["last_call_date", "within_last", { amount: 1, unit: "days" }, false],
      ["tags", "has_tag", "hot", true],
      ["tags", "has_tag", "cold", false],
      ["status", "status_is", "Potential", true],
      ["status", "status_is", "Customer", false],
      ["owner", "owner_is", acme.userId, true],
      ["addresses.country", "in", ["US"], true],
      ["addresses.country", "equals", "FR", false],
      ["addresses.country", "not_equals", "US", false],
      ["lead.addresses.city", "equals", "kiel", true],
      ["contact.title", "equals", "CTO", true],
      ["contacts.title", "not_contains", "intern", false],
      ["title", "contains", ["chief", "CTO"], true],
      ["num_contacts", "equals", 2, true],
    ];

    for (const [field, operator, value, expected] of holds) {
      await saveRubric(acme, asking(field, operator, value));
      const { score: points } = await score(acme, lead, { save: false });
      assert.equal(points, expected ? 100 : 0, `${field} ${operator} ${JSON.stringify(value)}`);
    }
  });

  test("is only answered with save false, and of many leads at once with lead_ids", async () => {
    const acme = await organization();
    const leads = [await acme.lead({ url: "https://a.example" }), await acme.lead()];

    const { data } = await acme.post("/ai/score_lead/", { lead_ids: leads.map(({ id }) => id), save: false });

    assert.deepEqual(
      data.map((one: any) => [one.lead_id, one.score]),
      [
        [leads[0].id, 5],
        [leads[1].id, 0],
      ],
    );
    assert.equal((await acme.get(`/lead/${leads[0].id}/`)).score, null);
  });

  test("needs leads that the caller sees", async () => {
    const acme = await organization();
    const [lead, member] = [await acme.lead({ owner_id: acme.userId }), await acme.member("restricteduser")];
    const other = await organization();

    await acme.refused(400, "POST", "/ai/score_lead/", {}, "lead_id");
    await acme.refused(400, "POST", "/ai/score_lead/", { lead_id: "lead_none" }, "lead_id");
    await member.refused(400, "POST", "/ai/score_lead/", { lead_id: lead.id }, "lead_id");
    await other.refused(400, "POST", "/ai/score_lead/", { lead_ids: [lead.id] }, "lead_ids");
    assert.equal((await acme.get(`/lead/${lead.id}/`)).scored_at, null);
  });
});

describe("a rubric from words", () => {
  const words =
    "SaaS and fintech companies in Germany or the UK with more than 50 employees, where we know a CTO or Head of Sales who replied. No agencies.";

  test("is saved as it is, and scores the next lead", async () => {
    const acme = await organization();
    const employees = await acme.customField("lead", { name: "Employees", type: "number" });

    const fit = await acme.lead({ industry: "SaaS", addresses: [{ country: "GB" }], [`custom.${employees.id}`]: 51 });
    const { rubric } = await acme.post("/ai/generate_icp_rubric/", { description: words });
    const unsaved = await acme.get(`/organization/${acme.id}/`);
    const before = await score(acme, fit);
    await saveRubric(acme, rubric);
    const saved = (await acme.get(`/organization/${acme.id}/`)).settings.icp.rubric;
    await acme.contact({ lead_id: fit.id, title: "CTO" });
    const agency = await acme.lead({ industry: "Marketing agency", addresses: [{ country: "DE" }] });

    assert.equal(unsaved.settings.icp, undefined);
    assert.deepEqual([before.rubric_source, before.score], ["default", 5]);
    assert.deepEqual(saved, rubric);
    assert.deepEqual(
      rubric.criteria.map((one: any) => [one.key.split("_")[0], one.operator]),
      [
        ["industry", "contains"],
        ["country", "in"],
        ["size", "gt"],
        ["role", "contains"],
        ["replied", "within_last"],
      ],
    );
    assert.deepEqual(rubric.criteria[1].value, ["DE", "GB"]);
    assert.equal(rubric.criteria[2].value, 50);
    assert.equal(Math.round(rubric.criteria.reduce((sum: number, one: any) => sum + one.weight, 0)), 100);
    const scored = await score(acme, fit);
    assert.deepEqual([scored.rubric_source, scored.score, scored.grade], ["organization", 86, "A"]);
    assert.equal((await score(acme, agency)).score, 0);
  });

  test("is made of any words, and needs some", async () => {
    const acme = await organization();

    const { rubric } = await acme.post("/ai/generate_icp_rubric/", { prompt: "Beekeepers with many hives" });

    assert.deepEqual([rubric.criteria.length, rubric.criteria[0].value], [1, ["beekeepers", "with", "many", "hives"]]);
    const part = await acme.post("/ai/generate_icp_rubric/", {
      description: "Boat yards in the United Kingdom, CEOs, 10 to 50 people",
    });
    const whole = await acme.post("/ai/generate_icp_rubric/", {
      description: "We sell to software companies in Germany and to CTOs.",
    });
    assert.match(part.notice, /^Not used: Boat, yards, 10, 50, people\. /);
    assert.equal(whole.notice, null);
    await acme.refused(400, "POST", "/ai/generate_icp_rubric/", {}, "description");
    await acme.refused(400, "POST", "/ai/generate_icp_rubric/", { description: " " }, "description");
    await acme.refused(400, "POST", "/ai/generate_icp_rubric/", { description: "x".repeat(5001) }, "description");
  });
});

const score = (ws: Workspace, { id }: { id: string }, more: object = {}): Promise<any> =>
  ws.post("/ai/score_lead/", { lead_id: id, ...more });
