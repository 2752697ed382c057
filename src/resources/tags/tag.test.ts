import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { createRecord } from "../../records/records.ts";
import { lead } from "../leads/lead.ts";

for (const kind of ["lead", "contact"] as const) {
  const path = `/${kind}_tag/`;

  describe(`a tag of ${kind}s`, () => {
    test("says how many have it, and the list is in the order of names", async () => {
      const acme = await organization();
      await acme.post(path, { name: "Warm", color: "#ff0000" });
      await acme[kind]({ tags: ["Cold"] });
      await acme[kind]({ tags: ["warm", "Cold"] });

      const { data } = await acme.get(path);

      assert.deepEqual(
        data.map((one: any) => [one.name, one.usage_count, one.color]),
        [
          ["Cold", 2, null],
          ["Warm", 1, "#ff0000"],
        ],
      );
    });

    test("has a name no other has, in any case", async () => {
      const acme = await organization();
      const hot = await acme.post(path, { name: "Hot" });
      const cold = await acme.post(path, { name: "Cold" });

      assert.equal(hot.usage_count, 0);
      await acme.refused(400, "POST", path, { name: "HOT" }, "name");
      await acme.refused(400, "POST", path, { name: " " }, "name");
      await acme.refused(400, "PUT", `${path}${cold.id}/`, { name: "hot" }, "name");
    });

    test("is renamed everywhere it is used, also where who renames it does not look", async () => {
      const acme = await organization();
      const one = await acme[kind]({ tags: ["VIP", "Hot"] });
      const other = await acme[kind]({ tags: ["Hot"] });
      const [hot] = (await acme.get(`${path}?name=Hot`)).data;
      const keeper = await acme.memberWith(["manage_customizations"]);

      const renamed = await keeper.put(`${path}${hot.id}/`, { name: "HOT!" });

      assert.deepEqual([renamed.name, renamed.usage_count], ["HOT!", 0]);
      assert.equal((await acme.get(`${path}?id=${hot.id}`)).data[0].usage_count, 2);
      assert.deepEqual((await acme.get(`/${kind}/${one.id}/`)).tags, ["VIP", "HOT!"]);
      assert.deepEqual((await acme.get(`/${kind}/${other.id}/`)).tags, ["HOT!"]);
      const last = (await acme.events(one.id)).at(-1);
      assert.deepEqual([last.action, last.changed_fields], ["updated", ["tags"]]);
      assert.deepEqual(last.previous_data, { tags: ["VIP", "Hot"] });
    });

    test("can change its case alone", async () => {
      const acme = await organization();
      const record = await acme[kind]({ tags: ["hot"] });
      const [hot] = (await acme.get(path)).data;

      await acme.put(`${path}${hot.id}/`, { name: "Hot" });

      assert.deepEqual((await acme.get(`/${kind}/${record.id}/`)).tags, ["Hot"]);
      assert.equal((await acme.get(path)).data.length, 1);
    });

    test("that is deleted is on no record any more", async () => {
      const acme = await organization();
      const record = await acme[kind]({ tags: ["Hot", "VIP"] });
      const [hot] = (await acme.get(`${path}?name=Hot`)).data;

      await acme.delete(`${path}${hot.id}/`);

      assert.deepEqual((await acme.get(`/${kind}/${record.id}/`)).tags, ["VIP"]);
      assert.deepEqual((await acme.events(record.id)).at(-1).data.tags, ["VIP"]);
      assert.deepEqual(
        (await acme.get(path)).data.map((one: any) => one.name),
        ["VIP"],
      );
    });

    test("is renamed and deleted with manage_customizations, and made by anyone", async () => {
      const acme = await organization();
      const novice = await acme.memberWith(["view_all_leads"]);

      const made = await novice.post(path, { name: "Mine" });

      await novice.refused(403, "PUT", `${path}${made.id}/`, { name: "Yours" });
      await novice.refused(403, "DELETE", `${path}${made.id}/`);
    });
  });
}

for (const [what, change] of [
  ["renamed", (acme: Workspace, id: string) => acme.put(`/lead_tag/${id}/`, { name: "Warm" })],
  ["deleted", (acme: Workspace, id: string) => acme.delete(`/lead_tag/${id}/`)],
] as const) {
  test(`a tag that is ${what} while somebody gives it to a lead is ${what} there too`, async () => {
    const acme = await organization();
    const keep = await acme.lead();
    const gone = await acme.lead({ tags: ["Hot"] });
    const [hot] = (await acme.get("/lead_tag/")).data;
    const given = Promise.withResolvers<string>();
    const creating = acme.inside(async (ctx) => {
      given.resolve((await createRecord(ctx, lead, { tags: ["hot"] })).id);
      await setTimeout(200);
    });
    const id = await given.promise;

    await Promise.all([change(acme, hot.id), acme.post("/lead/merge/", { source: gone.id, destination: keep.id }), creating]);

    const tags = what === "renamed" ? ["Warm"] : [];
    for (const one of [id, keep.id]) assert.deepEqual((await acme.get(`/lead/${one}/`)).tags, tags);
  });
}

test("more leads than one page lose a tag", async () => {
  const acme = await organization();
  for (let i = 0; i < 21; i++) await Promise.all(Array.from({ length: 10 }, () => acme.lead({ tags: ["Bulk"] })));
  const [bulk] = (await acme.get("/lead_tag/")).data;
  assert.equal(bulk.usage_count, 210);

  await acme.put(`/lead_tag/${bulk.id}/`, { name: "Many" });
  await acme.delete(`/lead_tag/${bulk.id}/`);

  assert.equal((await acme.get("/lead/?tag=Many&_count=exact&_limit=0")).total_results, 0);
  assert.equal((await acme.get("/lead/?tag=Bulk&_count=exact&_limit=0")).total_results, 0);
});
