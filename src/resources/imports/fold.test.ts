// Several rows of a file about one record.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const header = "Company,Industry,About,E-mail,Title,Tags";
/** Each says something else than the one before it, or the same again. */
const about = [
  "Acme,Steel,First,ann@acme.io,CEO,a",
  "ACME,Wood,Second,ann@acme.io,CFO,b",
  "Acme,Wood,Second,ann@acme.io,CFO,b",
  "Acme,,Third,,,",
  "Known,Paper,Said,bob@known.io,CTO,",
  "Known,Paper,Said,,,",
  "Known,Glass,More,bob@known.io,COO,c",
];
const others = Array.from({ length: 420 }, (_, n) => `Other ${n},,,,,`);
const mapping = [
  { column: "Company", target: "name" },
  { column: "Industry", target: "industry" },
  { column: "About", target: "description", on_conflict: "append" },
  { column: "E-mail", target: "contact.email" },
  { column: "Title", target: "contact.title", on_conflict: "if_empty" },
  { column: "Tags", target: "tags" },
];

async function brought(acme: Workspace, rows: readonly string[]) {
  await acme.lead({ name: "Known", industry: "Paper", contacts: [{ name: "Bob", emails: [{ email: "bob@known.io" }] }] });
  const { id } = await acme.post("/import/", { csv: [header, ...rows].join("\n") });
  const { preview } = await acme.put(`/import/${id}/`, { mapping, dry_run: true });
  await acme.put(`/import/${id}/`, { mapping });
  await withWorker(acme.service, (worker) => worker.drained());
  const done = await acme.get(`/import/${id}/`);
  const leads = [];
  for (const name of ["Acme", "Known"]) {
    const [one] = (await acme.get(`/lead/?name=${name}&_expand=contacts`)).data;
    leads.push([one.name, one.industry, one.description, one.tags.toSorted(), one.contacts.map(({ title }: any) => title)]);
  }
  return {
    leads,
    previewed: [preview.created, preview.updated, preview.skipped, preview.failed],
    counted: [done.n_created, done.n_updated, done.n_skipped, done.n_failed],
  };
}

test("rows about one record are done one after the other, however many others are between them", async () => {
  const near = await brought(await organization(), [...about, ...others]);
  const apart = [about[0]!, ...others.slice(0, 210), ...about.slice(1, 5), ...others.slice(210), ...about.slice(5)];
  const far = await brought(await organization(), apart);

  assert.deepEqual(near.leads, [
    ["Acme", "Wood", "First\nSecond\nThird", ["a", "b"], ["CEO"]],
    ["Known", "Glass", "Said\nMore", ["c"], ["CTO"]],
  ]);
  assert.deepEqual(
    [near.counted, near.previewed],
    [
      [421, 4, 2, 0],
      [421, 4, 2, 0],
    ],
  );
  assert.deepEqual(far, near);
});
