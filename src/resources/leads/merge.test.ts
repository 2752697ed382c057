import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

test("merging keeps the destination's own values, fills the empty ones and unites the lists", async () => {
  const acme = await organization();
  const keep = await acme.lead({ name: "Acme", emails: [{ email: "a@acme.io" }], tags: ["hot"] });
  const gone = await acme.lead({
    name: "Acme Inc",
    url: "acme.io",
    emails: [{ email: "A@acme.io" }, { email: "b@acme.io" }],
    tags: ["cold"],
  });

  const merged = await acme.post("/lead/merge/", { source: gone.id, destination: keep.id });

  assert.equal(merged.id, keep.id);
  assert.equal(merged.name, "Acme");
  assert.equal(merged.url, "http://acme.io");
  assert.deepEqual(
    merged.emails.map((one: any) => one.email),
    ["a@acme.io", "b@acme.io"],
  );
  assert.deepEqual(merged.tags, ["hot", "cold"]);
  await acme.refused(404, "GET", `/lead/${gone.id}/`);
});

test("merging brings the source's contacts along", async () => {
  const acme = await organization();
  const [keep, gone] = [await acme.lead(), await acme.lead()];
  const person = await acme.contact({ lead_id: gone.id });

  await acme.post("/lead/merge/", { source: gone.id, destination: keep.id });

  assert.equal((await acme.get(`/contact/${person.id}/`)).lead_id, keep.id);
});

test("a lead cannot be merged into itself, nor with one that does not exist", async () => {
  const acme = await organization();
  const lead = await acme.lead();

  await acme.refused(400, "POST", "/lead/merge/", { source: lead.id, destination: lead.id }, "destination");
  await acme.refused(400, "POST", "/lead/merge/", { source: "lead_nobody", destination: lead.id }, "source");
  await acme.refused(400, "POST", "/lead/merge/", { destination: lead.id }, "source");
});

test("merging needs merge_leads", async () => {
  const acme = await organization();
  const [keep, gone] = [await acme.lead(), await acme.lead()];
  const member = await acme.memberWith(["view_all_leads"]);

  await member.refused(403, "POST", "/lead/merge/", { source: gone.id, destination: keep.id });
});

for (const kind of ["lead", "contact"] as const) {
  const refusedAs400 = async (bodies: (one: string, other: string) => object[]) => {
    const acme = await organization();
    for (let i = 0; i < 4; i++) {
      const [one, other] = [await acme[kind](), await acme[kind]()];
      const asked = bodies(one.id, other.id).map((body) => acme.ask("POST", `/${kind}/merge/`, { body }));
      const answers = (await Promise.all(asked)).toSorted((a, b) => a.status - b.status);

      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 400],
      );
      const [reason] = Object.values(answers[1]!.body["field-errors"]);
      assert.equal(reason, "does not exist");
    }
  };

  test(`of two merges of the same ${kind} at once, one finds that it is gone`, () =>
    refusedAs400((source, destination) => [
      { source, destination },
      { source, destination },
    ]));

  test(`of two crossed merges of ${kind} records at once, one finds that it is gone`, () =>
    refusedAs400((one, other) => [
      { source: one, destination: other },
      { source: other, destination: one },
    ]));
}
