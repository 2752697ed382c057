import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const created = async (acme: Workspace, kind: string): Promise<string[]> =>
  (await acme.get(`/event/?event=${kind}.created`)).data.map((one: any) => one.data.name).sort();

for (const kind of ["lead", "contact"] as const) {
  const path = `/${kind}/`;

  describe(`the tags of a ${kind}`, () => {
    test("are created when they are new, once", async () => {
      const acme = await organization();

      const first = await acme[kind]({ tags: ["Hot", " Partner "] });
      await acme[kind]({ tags: ["Hot"] });
      await acme.put(`${path}${first.id}/`, { tags: ["Hot", "VIP"] });

      assert.deepEqual(first.tags, ["Hot", "Partner"]);
      assert.deepEqual(await created(acme, `${kind}_tag`), ["Hot", "Partner", "VIP"]);
    });

    test("take the spelling the tag has, and each stands once", async () => {
      const acme = await organization();
      await acme[kind]({ tags: ["Übermorgen", "Hot"] });

      const record = await acme[kind]({ tags: ["hot", "ÜBERMORGEN", "Hot", "cold", "Cold"] });

      assert.deepEqual(record.tags, ["Hot", "Übermorgen", "cold"]);
      assert.deepEqual(await created(acme, `${kind}_tag`), ["Hot", "cold", "Übermorgen"].sort());
      for (const [tag, count] of [
        ["Hot", 2],
        ["HOT", 2],
        ["übermorgen", 2],
        ["none", 0],
      ] as const)
        assert.equal((await acme.get(`${path}?tag=${encodeURIComponent(tag)}`)).data.length, count, tag);
    });

    test("must say something, in at most 100 characters, and are at most 100", async () => {
      const acme = await organization();

      await acme.refused(400, "POST", path, { tags: ["ok", "  "] }, "tags.1");
      await acme.refused(400, "POST", path, { tags: ["x".repeat(101)] }, "tags.0");
      await acme.refused(400, "POST", path, { tags: Array.from({ length: 101 }, (_, i) => `t${i}`) }, "tags");
      await acme.refused(400, "POST", path, { tags: "hot" }, "tags");
      assert.deepEqual(await created(acme, `${kind}_tag`), []);
    });

    test("can be cleared, and sent back as they were without a trace", async () => {
      const acme = await organization();
      const record = await acme[kind]({ tags: ["Hot"] });

      await acme.put(`${path}${record.id}/`, { tags: ["Hot"] });
      await acme.put(`${path}${record.id}/`, { tags: ["HOT"] });
      const cleared = await acme.put(`${path}${record.id}/`, { tags: null });

      assert.deepEqual(cleared.tags, []);
      assert.deepEqual(
        (await acme.events(record.id)).map((one) => one.action),
        ["created", "updated"],
      );
    });

    test("that many ask for at once are created once", async () => {
      const acme = await organization();
      const spelled = ["Rush", "RUSH", "rush", "Second", "second"];

      const records = await Promise.all(
        Array.from({ length: 12 }, (_, i) => acme[kind]({ tags: i % 2 ? spelled : spelled.toReversed() })),
      );

      const tags = await created(acme, `${kind}_tag`);
      assert.equal(tags.length, 2);
      for (const record of records) assert.deepEqual([...record.tags].sort(), tags);
    });

    test("go with a refused change", async () => {
      const acme = await organization();
      const other = kind === "lead" ? { owner_id: "user_nobody" } : { lead_id: "lead_00000000000000000000000000" };

      await acme.refused(400, "POST", path, { tags: ["Never"], ...other });

      assert.deepEqual(await created(acme, `${kind}_tag`), []);
    });

    test("are united by a merge", async () => {
      const acme = await organization();
      const [keep, gone] = [await acme[kind]({ tags: ["Hot"] }), await acme[kind]({ tags: ["HOT", "Cold"] })];

      const merged = await acme.post(`${path}merge/`, { source: gone.id, destination: keep.id });

      assert.deepEqual(merged.tags, ["Hot", "Cold"]);
    });
  });
}

test("tags of leads and of contacts, and those of two organizations, are lists of their own", async () => {
  const [acme, other] = [await organization(), await organization()];

  const lead = await acme.lead({ tags: ["Hot"], contacts: [{ name: "Bo", tags: ["HOT"] }] });
  const elsewhere = await other.lead({ tags: ["hot"] });

  const [person] = (await acme.get(`/contact/?lead_id=${lead.id}`)).data;
  assert.deepEqual(lead.tags, ["Hot"]);
  assert.deepEqual(person.tags, ["HOT"]);
  assert.deepEqual(elsewhere.tags, ["hot"]);
});
