// Compares lists with the same query on the same records in JavaScript.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import fc from "fast-check";
import { organization, type Workspace } from "../support/given.ts";

interface Lead {
  id: string;
  name: string | null;
  industry: string | null;
  mrr: number | null;
  status_id: string;
  date_created: string;
}

const names = ["Ångström", "acme", "Acme", "Zebra", "éclair", "Eclipse", "b", "_x", null];
const industries = ["Software", "software", "Steel", null];
const amounts = [0, 1, 5, 500, 100_000, null];

let acme: Workspace;
let leads: Lead[];
let statuses: string[];

before(async () => {
  acme = await organization();
  statuses = (await acme.get("/status/lead/")).data.map((one: any) => one.id);
  const pick = <T>(list: readonly T[], i: number) => list[i % list.length]!;
  for (let i = 0; i < 40; i++) {
    await acme.post("/lead/", {
      name: pick(names, i * 7),
      industry: pick(industries, i * 3),
      mrr: pick(amounts, i * 5),
      status_id: pick(statuses, i),
    });
  }
  leads = (await acme.get("/lead/?_limit=200")).data;
});

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
// As PostgreSQL sorts: lower case, without accents, by code point.
const plainText = (text: string) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

function compareBy(key: keyof Lead, descending: boolean) {
  return (a: Lead, b: Lead): number => {
    const [x, y] = [a[key], b[key]];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    const order =
      key === "name"
        ? compareText(plainText(x as string), plainText(y as string))
        : typeof x === "number"
          ? x - (y as number)
          : compareText(x as string, y as string);
    return descending ? -order : order;
  };
}

describe("any order and any page size", () => {
  const orders = fc.uniqueArray(
    fc.record({ key: fc.constantFrom<keyof Lead>("name", "mrr", "date_created"), descending: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 3,
      selector: (one) => one.key,
    },
  );

  test("give every record once, sorted", async () => {
    await fc.assert(
      fc.asyncProperty(orders, fc.integer({ min: 1, max: 60 }), async (keys, limit) => {
        const order = keys.map((one) => (one.descending ? "-" : "") + one.key).join(",");
        const last = keys.at(-1)!;
        const expected = [...leads].sort((a, b) => {
          for (const one of keys) {
            const result = compareBy(one.key, one.descending)(a, b);
            if (result !== 0) return result;
          }
          return compareText(a.id, b.id) * (last.descending ? -1 : 1);
        });

        const found = await acme.all(`/lead/?_order_by=${order}&_limit=${limit}`);

        assert.deepEqual(
          found.map((one) => one.id),
          expected.map((one) => one.id),
          order,
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe("any filters", () => {
  type Filter = { query: string; holds: (lead: Lead) => boolean };
  const amount = fc.constantFrom(0, 1, 5, 499, 500, 100_000);
  const filter: fc.Arbitrary<Filter> = fc.oneof(
    amount.map((n) => ({ query: `mrr=${n}`, holds: (one: Lead) => one.mrr === n })),
    amount.map((n) => ({ query: `mrr__gt=${n}`, holds: (one: Lead) => one.mrr !== null && one.mrr > n })),
    amount.map((n) => ({ query: `mrr__lte=${n}`, holds: (one: Lead) => one.mrr !== null && one.mrr <= n })),
    fc
      .uniqueArray(amount, { minLength: 1 })
      .map((all) => ({ query: `mrr__in=${all.join()}`, holds: (one: Lead) => all.includes(one.mrr as never) })),
    fc.boolean().map((is) => ({ query: `industry__isnull=${is}`, holds: (one: Lead) => (one.industry === null) === is })),
    fc
      .constantFrom("Software", "Steel", "none")
      .map((is) => ({ query: `industry=${is}`, holds: (one: Lead) => one.industry === is })),
    fc.constantFrom("acme", "Acme", "angstrom", "_x").map((is) => ({
      query: `name=${encodeURIComponent(is)}`,
      holds: (one: Lead) => plainText(one.name ?? "") === plainText(is),
    })),
    fc.nat({ max: 3 }).map((i) => ({ query: `status_id=${"$"}{${i}}`, holds: (one: Lead) => one.status_id === statuses[i] })),
    fc.nat({ max: 39 }).map((i) => ({
      query: `date_created__gte=${"@"}{${i}}`,
      holds: (one: Lead) => one.date_created >= leads[i]!.date_created,
    })),
  );

  test("find what the same filters find in JavaScript", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(filter, { minLength: 1, maxLength: 4, selector: (one) => one.query.split("=")[0] }),
        async (filters) => {
          // Ids and dates are known only now.
          const query = filters
            .map((one) =>
              one.query.replace(/\$\{(\d+)\}/, (_, i) => statuses[i]!).replace(/@\{(\d+)\}/, (_, i) => leads[i]!.date_created),
            )
            .join("&");

          const found = await acme.all(`/lead/?${query}&_limit=7`);

          const expected = leads.filter((one) => filters.every((filter) => filter.holds(one)));
          assert.deepEqual(found.map((one) => one.id).sort(), expected.map((one) => one.id).sort(), query);
          assert.equal((await acme.get(`/lead/?${query}&_count=exact&_limit=0`)).total_results, expected.length);
        },
      ),
      { numRuns: 80 },
    );
  });
});

describe("any text", () => {
  test("that can be stored and seen comes back as it was sent, however it is read", async () => {
    // A name that shows nothing is no name: it is returned as null, which contract/bodies.test.ts checks.
    const seen = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u;
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
      .filter((one) => seen.test(one) && !one.includes("\0") && one.isWellFormed());

    await fc.assert(
      fc.asyncProperty(text, async (name) => {
        const made = await acme.post("/lead/", { name });

        assert.equal(made.name, name);
        assert.equal((await acme.get(`/lead/${made.id}/`)).name, name);
        assert.equal((await acme.get(`/lead/${made.id}/?_fields=name`)).name, name);
        assert.equal(
          (await acme.get(`/lead/?name=${encodeURIComponent(name)}&_limit=200`)).data.some((one: any) => one.id === made.id),
          true,
        );
      }),
      { numRuns: 60 },
    );
  });
});
