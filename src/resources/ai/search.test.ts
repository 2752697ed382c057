import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

describe("a search in words", () => {
  let acme: Workspace;
  const names = new Map<string, string>();

  const kept = async (name: string, record: Promise<any>): Promise<any> => {
    const made = await record;
    names.set(made.id, name);
    return made;
  };
  before(async () => {
    acme = await organization();
    const now = Date.now();
    const ago = (days: number) => new Date(now - days * 86_400_000).toISOString();
    const statuses = (await acme.get("/status/opportunity/")).data;
    const won = statuses.find((one: any) => one.type === "won").id;
    const employees = await acme.customField("lead", { name: "Employees", type: "number" });
    const kiel = await kept(
      "kiel",
      acme.lead({
        name: "Kiel Boats",
        tags: ["vip"],
        owner_id: acme.userId,
        mrr: 900_000,
        industry: "Boats",
        addresses: [{ country: "DE", city: "Kiel" }],
        [`custom.${employees.id}`]: 80,
      }),
    );
    const lyon = await kept(
      "lyon",
      acme.lead({ name: "Lyon Silk", emails: [{ email: "hi@lyon.example" }], addresses: [{ country: "FR", city: "Lyon" }] }),
    );
    const bare = await kept("bare", acme.lead({ name: "Bare Minimum", date_created: ago(800) }));
    await kept("ann", acme.contact({ lead_id: kiel.id, name: "Ann", emails: [{ email: "ann@kiel.example" }] }));
    await kept("bob", acme.contact({ lead_id: lyon.id, name: "Bob" }));
    await kept("small", acme.opportunity({ lead_id: kiel.id, value: 500_000 }));
    await kept("big", acme.opportunity({ lead_id: lyon.id, value: 5_000_000, status_id: won }));
    await acme.post("/activity/call/", { lead_id: kiel.id, direction: "outbound", status: "completed", duration: 60 });
    await kept("late", acme.task({ lead_id: kiel.id, text: "Late", date: ago(3).slice(0, 10) }));
    await kept("later", acme.task({ lead_id: lyon.id, text: "Later", date: null }));
    await kept("done", acme.task({ lead_id: bare.id, text: "Done", is_complete: true }));
  });

  const table: readonly (readonly [string, string, readonly string[]])[] = [
    ["leads in Germany", "lead", ["kiel"]],
    ["companies in Germany or France", "lead", ["kiel", "lyon"]],
    ["leads based in Lyon", "lead", ["lyon"]],
    ["my leads", "lead", ["kiel"]],
    ["leads without an owner", "lead", ["lyon", "bare"]],
    ["leads without calls", "lead", ["lyon", "bare"]],
    ["leads with calls", "lead", ["kiel"]],
    ["leads with no contacts", "lead", ["bare"]],
    ["leads with an email", "lead", ["kiel", "lyon"]],
    ["leads not contacted in 30 days", "lead", ["lyon", "bare"]],
    ["leads never contacted", "lead", ["lyon", "bare"]],
    ["leads with open deals", "lead", ["kiel"]],
    ["leads without deals", "lead", ["bare"]],
    ["leads with more than 50 employees", "lead", ["kiel"]],
    ["leads worth over 10k", "lead", ["lyon"]],
    ["leads with mrr over 5,000", "lead", ["kiel"]],
    ["leads tagged vip", "lead", ["kiel"]],
    ["leads created before this year", "lead", ["bare"]],
    ["new leads this week", "lead", ["kiel", "lyon"]],
    ["which leads are Potential", "lead", ["kiel", "lyon", "bare"]],
    ["silk", "lead", ["lyon"]],
    ["leads named Lyon", "lead", ["lyon"]],
    ["leads in the industry Boats", "lead", ["kiel"]],
    ["leads without activity in 30 days", "lead", ["lyon", "bare"]],
    ["all leads except Potential", "lead", []],
    ["leads not tagged vip", "lead", ["lyon", "bare"]],
    ["leads that are not mine", "lead", ["lyon", "bare"]],
    ["deals not over 10k", "opportunity", ["small"]],
    ["tasks not overdue", "task", ["later", "done"]],
    ["contacts without an email", "contact", ["bob"]],
    ["people in France", "contact", ["bob"]],
    ["won deals", "opportunity", ["big"]],
    ["open deals under $10,000", "opportunity", ["small"]],
    ["deals over 1 million", "opportunity", []],
    ["overdue tasks", "task", ["late"]],
    ["my open tasks", "task", ["late", "later"]],
    ["finished tasks", "task", ["done"]],
  ];
  for (const [words, type, expected] of table)
    test(`"${words}" finds ${expected.join(", ") || "nothing"}`, async () => {
      const found = await acme.post("/ai/search/", { query: words });

      assert.equal(found.object_type, type, found.explanation);
      const found_names = found.data.map((one: any) => names.get(one.id) ?? one.id);
      assert.deepEqual(found_names.toSorted(), expected.toSorted(), `${found.explanation} ${JSON.stringify(found.query)}`);
    });

  test("says what it did not understand, and looks for no word that is not to be there", async () => {
    const except = await acme.post("/ai/search/", { query: "all leads except customers" });
    const odd = await acme.post("/ai/search/", { query: "leads wobbling" });
    const plain = await acme.post("/ai/search/", { query: "leads in Germany" });

    assert.equal(except.data.length, 3, JSON.stringify(except.query));
    assert.equal(except.notice, "Not understood, and left out: “except customers”.");
    assert.match(odd.notice, /^Looked for as words, as they were not understood otherwise: “wobbling”\.$/);
    assert.equal(plain.notice, null);
  });

  test("answers a query that the search takes as it is", async () => {
    const { query, data } = await acme.post("/ai/search/", { query: "my leads in Germany without meetings", _limit: 5 });

    const same = await acme.post("/data/search/", { query });

    assert.deepEqual(
      same.data.map(({ id }: any) => id),
      data.map(({ id }: any) => id),
    );
    assert.equal(data.length, 1);
  });

  test("finds what the caller sees, of the kind that is asked for, and needs words", async () => {
    const member = await acme.member("restricteduser");
    const other = await organization();

    assert.deepEqual((await member.post("/ai/search/", { query: "leads in Germany" })).data, []);
    assert.deepEqual((await other.post("/ai/search/", { query: "leads" })).data, []);
    assert.equal((await acme.post("/ai/search/", { query: "Ann", object_type: "contact" })).data.length, 1);
    await acme.refused(400, "POST", "/ai/search/", { query: " " }, "query");
    await acme.refused(400, "POST", "/ai/search/", { query: "x", object_type: "constructor" }, "object_type");
  });

  test("takes any words, whatever they look like", async () => {
    for (const query of [
      '"',
      "((",
      "NOT AND OR",
      "\\d+ .* [",
      "leads in in in",
      "over over 10",
      "'; drop table lead; --",
      "\u0000x",
      "😀",
      "tagged",
    ])
      assert.ok((await acme.ask("POST", "/ai/search/", { body: { query } })).status < 500, query);
  });
});
