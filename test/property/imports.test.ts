// A dry run says what the import of the same file does, and where its rows stand in the file makes no difference.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { organization, type Workspace } from "../support/given.ts";
import { withWorker } from "../support/worker.ts";

// Each run writes thousands of rows, so the suite takes the same few. `IMPORT_RUNS=60` takes as many others.
const runs = process.env.IMPORT_RUNS === undefined ? undefined : Number(process.env.IMPORT_RUNS);
const seed = runs === undefined ? { seed: 17 } : {};

const columns = ["Company", "Web", "Person", "Mail", "Industry", "Deal"] as const;
type Line = Record<(typeof columns)[number], string>;

/** Few values, so that rows are about each other, in every way that rows find records. */
const line = fc.record<Line>({
  Company: fc.constantFrom("", "Acme", "ÁCME", "Bolt", "Ann", "Straße", "Strasse"),
  Web: fc.constantFrom("", "", "acme.example", "bolt.example"),
  Person: fc.constantFrom("", "Ann", "Bob"),
  Mail: fc.constantFrom("", "", "a@acme.example", "b@bolt.example", "c@gmail.com", "no address"),
  Industry: fc.constantFrom("", "Steel", "Wood"),
  Deal: fc.constantFrom("", "", "5"),
});

const asked = fc.record({
  object_type: fc.constantFrom("lead", "contact", "opportunity"),
  options: fc.record(
    {
      match_by: fc.constantFrom("name", "email", "url", "none"),
      on_match: fc.constantFrom("update", "skip", "create"),
      group_by: fc.constantFrom("Company", "email_domain"),
    },
    { requiredKeys: [] },
  ),
  conflict: fc.constantFrom("overwrite", "if_empty", "never", undefined),
});
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

const mappingOf = ({ conflict }: Asked) =>
  Object.entries({
    Company: "name",
    Web: "url",
    Person: "contact.name",
    Mail: "contact.email",
    Industry: "industry",
    Deal: "opportunity.value",
  }).map(([column, target]) => ({
    column,
    target,
    ...(conflict !== undefined && column !== "Deal" && { on_conflict: conflict }),
  }));

const withoutIds = (text: string): string => text.replaceAll(/\b[a-z]+_[0-9a-z]{26}/g, "id");

/** Brings the rows in. `places` are their numbers in the file. */
async function brought(acme: Workspace, given: Asked, rows: readonly Line[], places: readonly number[]) {
  const known = { name: "Bolt", url: "https://bolt.example", contacts: [{ name: "Ann", emails: [{ email: "b@bolt.example" }] }] };
  await acme.lead(known);
  const { id } = await acme.post("/import/", { object_type: given.object_type, rows });
  const body = { mapping: mappingOf(given), options: given.options };
  await acme.put(`/import/${id}/`, { ...body, dry_run: true });
  await withWorker(acme.service, (worker) => worker.drained());
  const { preview } = await acme.get(`/import/${id}/`);
  await acme.put(`/import/${id}/`, body);
  await withWorker(acme.service, (worker) => worker.drained());
  const done = await acme.get(`/import/${id}/`);

  const states = [];
  for (const row of places) states.push(...(await acme.get(`/import/${id}/rows/?_limit=1&_skip=${row - 1}`)).data);
  const leads = (await acme.get("/lead/?_limit=100&query=not%20name:other&_expand=contacts,opportunities")).data;
  return {
    previewed: [preview.status, preview.created, preview.updated, preview.skipped, preview.failed],
    counted: [done.status, done.n_created, done.n_updated, done.n_skipped, done.n_failed],
    errors: [preview.errors, done.errors].map((some) => some.map((one: any) => withoutIds(one.error))),
    states: states.map(({ status, errors }) => [status, ...errors.map((one: any) => withoutIds(one.error))]),
    leads: leads
      .map(({ name, url, industry, contacts, opportunities }: any) => ({
        name,
        url,
        industry,
        deals: opportunities.length,
        people: contacts.map((one: any) => [one.name, ...one.emails.map(({ email }: any) => email)].join(" ")).toSorted(),
      }))
      .map((one: any) => JSON.stringify(one))
      .toSorted(),
  };
}

/** Rows of their own between the others, so that these are in transactions of their own here and there. */
const others = (count: number, from: number): Line[] =>
  Array.from({ length: count }, (_, i) => ({
    Company: `Other ${from + i}`,
    Web: "",
    Person: "",
    Mail: "",
    Industry: "",
    Deal: "",
  }));

function spread(rows: readonly Line[], gaps: readonly number[]): { all: Line[]; places: number[] } {
  const [all, places]: [Line[], number[]] = [[], []];
  for (const [i, row] of rows.entries()) {
    all.push(...others(gaps[i] ?? 0, all.length), row);
    places.push(all.length);
  }
  return { all: [...all, ...others(Math.max(0, 1001 - all.length), all.length)], places };
}

test("a dry run says what an import does, and rows find each other across all parts of a file", async () => {
  const gap = fc.oneof(fc.constant(0), fc.nat({ max: 3 }), fc.constantFrom(199, 200, 201));
  const several = fc.array(fc.tuple(line, gap), { minLength: 2, maxLength: 8 });

  await fc.assert(
    fc.asyncProperty(several, asked, async (some, given) => {
      const rows = some.map(([row]) => row);
      const { all, places } = spread(
        rows,
        some.map(([, count]) => count),
      );
      const near = await brought(
        await organization(),
        given,
        rows,
        [...rows.keys()].map((i) => i + 1),
      );
      const far = await brought(await organization(), given, all, places);

      for (const one of [near, far]) {
        assert.deepEqual(one.previewed, one.counted);
        assert.deepEqual(one.errors[0], one.errors[1]);
      }
      assert.deepEqual([far.states, far.leads], [near.states, near.leads]);
    }),
    { numRuns: runs ?? 3, ...seed },
  );
});

test("the same holds for products, by their codes and names", async () => {
  const part = fc.record({
    Name: fc.constantFrom<string>("", "Bolt", "bolt", "Nut", "Known"),
    Code: fc.constantFrom<string>("", "", "B1", "N1"),
    Unit: fc.constantFrom<string>("", "piece", "box"),
  });
  const gap = fc.constantFrom<number>(0, 0, 1, 199, 200);
  const several = fc.array(fc.tuple(part, gap), { minLength: 2, maxLength: 8 });
  const options = fc.record(
    { match_by: fc.constantFrom("name", "none"), on_match: fc.constantFrom("update", "skip", "create") },
    { requiredKeys: [] },
  );
  const mapping = { Name: "product.name", Code: "product.code", Unit: "product.unit" };
  const counts = (one: any, prefix: string) => ["created", "updated", "skipped", "failed"].map((what) => one[prefix + what]);
  const take = async (rows: readonly object[], asked: object) => {
    const acme = await organization();
    await acme.product({ name: "Known", code: "B1" });
    const { id } = await acme.post("/import/", { object_type: "product", rows });
    await acme.put(`/import/${id}/`, { mapping, options: asked, dry_run: true });
    await withWorker(acme.service, (worker) => worker.drained());
    const { preview } = await acme.get(`/import/${id}/`);
    await acme.put(`/import/${id}/`, { mapping, options: asked });
    await withWorker(acme.service, (worker) => worker.drained());
    const done = await acme.get(`/import/${id}/`);
    assert.deepEqual([preview.status, ...counts(preview, "")], [done.status, ...counts(done, "n_")]);
    return counts(done, "n_");
  };

  // By name: one row gives a product the code that the other has too, or gives up the code that the other takes.
  const takenOrFreed = (Code: string): [[{ Name: string; Code: string; Unit: string }, number][], { match_by: "name" }] => [
    [
      [{ Name: "Known", Code: "N1", Unit: "" }, 0],
      [{ Name: "bolt", Code, Unit: "" }, 0],
    ],
    { match_by: "name" },
  ];
  await fc.assert(
    fc.asyncProperty(several, options, async (some, asked) => {
      const rows = some.map(([row]) => row);
      const all = some.flatMap(([row, count], i) => [
        ...Array.from({ length: count }, (_, n) => ({ Name: `Other ${i} ${n}`, Code: "", Unit: "" })),
        row,
      ]);
      const rest = Array.from({ length: Math.max(0, 1001 - all.length) }, (_, n) => ({ Name: `Last ${n}`, Code: "", Unit: "" }));

      const [created = 0, ...near] = await take(rows, asked);
      const far = await take([...all, ...rest], asked);

      const more = all.length + rest.length - rows.length;
      assert.deepEqual(far, [created + more, ...near]);
    }),
    { numRuns: runs ?? 2, ...seed, examples: ["N1", "B1"].map(takenOrFreed) },
  );
});
