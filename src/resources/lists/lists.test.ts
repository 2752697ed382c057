import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

for (const kind of ["lead", "contact"] as const) {
  const path = `/${kind}_list/`;
  const ids = `${kind}_ids`;
  const listWith = async (acme: Workspace, records: any[]): Promise<any> => {
    const list = await acme.post(path, { name: `List ${Math.random()}` });
    await acme.post(`${path}${list.id}/members/`, { [ids]: records.map((one) => one.id) });
    return list;
  };

  describe(`a list of ${kind}s`, () => {
    test("says who was put on it, who was there, and who is nobody", async () => {
      const acme = await organization();
      const [one, two] = [await acme[kind](), await acme[kind]()];
      const list = await acme.post(path, { name: "Fair", description: "Met in Hanover" });
      const nobody = `${kind === "lead" ? "lead" : "cont"}_00000000000000000000000000`;

      const first = await acme.post(`${path}${list.id}/members/`, { [ids]: [one.id, one.id, nobody] });
      const second = await acme.post(`${path}${list.id}/members/`, { [ids]: [one.id, two.id] });

      assert.deepEqual([list.source, list.is_read_only, list.member_count], ["internal", false, 0]);
      assert.deepEqual(first, { added: 1, already_members: 0, not_found: [nobody], member_count: 1 });
      assert.deepEqual(second, { added: 1, already_members: 1, not_found: [], member_count: 2 });
      assert.equal((await acme.get(path)).data[0].member_count, 2);
      const added = (await acme.events(list.id)).filter((event) => event.action === "member_added");
      assert.deepEqual(
        added.map((event) => event.meta[ids]),
        [[one.id], [two.id]],
      );
    });

    test("finds its members, and a member says which lists it is on when asked", async () => {
      const acme = await organization();
      const record = await acme[kind]();
      await acme[kind]();
      const list = await listWith(acme, [record]);

      const found = await acme.get(`/${kind}/?list_id=${list.id}`);
      const shown = await acme.get(`/${kind}/${record.id}/?_fields=list_ids`);

      assert.deepEqual(
        found.data.map((one: any) => one.id),
        [record.id],
      );
      assert.equal((await acme.get(`/${kind}/?list_id__in=${list.id},other&_count=exact`)).total_results, 1);
      assert.deepEqual(shown, { list_ids: [list.id] });
      assert.equal("list_ids" in found.data[0], false);
    });

    test("lets a member go once", async () => {
      const acme = await organization();
      const record = await acme[kind]();
      const list = await listWith(acme, [record]);

      assert.deepEqual(await acme.delete(`${path}${list.id}/members/${record.id}/`), {});

      await acme.refused(404, "DELETE", `${path}${list.id}/members/${record.id}/`);
      assert.equal((await acme.events(list.id)).at(-1).event, `${kind}_list.member_removed`);
      await acme.get(`/${kind}/${record.id}/`);
    });

    test("refuses nobody, too many, and a name that is taken", async () => {
      const acme = await organization();
      const list = await acme.post(path, { name: "Fair" });

      await acme.refused(400, "POST", `${path}${list.id}/members/`, {}, ids);
      await acme.refused(400, "POST", `${path}${list.id}/members/`, { [ids]: [] }, ids);
      await acme.refused(400, "POST", `${path}${list.id}/members/`, { [ids]: Array(1001).fill("x") }, ids);
      await acme.refused(400, "POST", path, { name: "FAIR" }, "name");
    });

    test("is renamed and deleted with manage_customizations; who was on it stays", async () => {
      const acme = await organization();
      const novice = await acme.memberWith(["view_all_leads"]);
      const record = await acme[kind]();
      const list = await listWith(acme, [record]);
      await novice.refused(403, "PUT", `${path}${list.id}/`, { name: "Mine" });
      await novice.refused(403, "DELETE", `${path}${list.id}/`);

      assert.equal((await acme.put(`${path}${list.id}/`, { name: "Ours" })).member_count, 1);
      await acme.delete(`${path}${list.id}/`);

      assert.deepEqual((await acme.get(`/${kind}/${record.id}/?_fields=list_ids`)).list_ids, []);
    });

    test("is for records one sees", async () => {
      const acme = await organization();
      const bob = await acme.member("restricteduser");
      const hidden = await acme[kind]();
      const list = await acme.post(path, { name: "Fair" });

      const answer = await bob.post(`${path}${list.id}/members/`, { [ids]: [hidden.id] });

      assert.deepEqual(answer.not_found, [hidden.id]);
    });

    test("keeps who is left of a merge once, and forgets who is deleted", async () => {
      const acme = await organization();
      const [keep, gone, last] = [await acme[kind](), await acme[kind](), await acme[kind]()];
      const shared = await listWith(acme, [keep, gone]);
      const only = await listWith(acme, [gone, last]);

      await acme.post(`/${kind}/merge/`, { source: gone.id, destination: keep.id });
      await acme.delete(`/${kind}/${last.id}/`);

      const lists = (await acme.get(path)).data;
      assert.deepEqual(
        lists.map((one: any) => one.member_count),
        [1, 1],
      );
      assert.deepEqual((await acme.get(`/${kind}/${keep.id}/?_fields=list_ids`)).list_ids, [shared.id, only.id].sort());
    });
  });
}

test("a lead that moves to another organization leaves its lists", async () => {
  const here = await organization();
  const there = await here.another();
  const lead = await here.lead({ contacts: [{ name: "Ann" }] });
  const [person] = (await here.get(`/contact/?lead_id=${lead.id}`)).data;
  const [leads, people] = [await here.post("/lead_list/", { name: "L" }), await here.post("/contact_list/", { name: "C" })];
  await here.post(`/lead_list/${leads.id}/members/`, { lead_ids: [lead.id] });
  await here.post(`/contact_list/${people.id}/members/`, { contact_ids: [person.id] });

  const { left } = await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  assert.deepEqual({ ...left }, { contact_list_member: 1, lead_list_member: 1 });
  assert.equal((await here.get("/lead_list/")).data[0].member_count, 0);
  assert.equal((await here.get("/contact_list/")).data[0].member_count, 0);
  assert.deepEqual((await there.get(`/contact/${person.id}/?_fields=list_ids`)).list_ids, []);
});

describe("a list copied from a source", () => {
  const synced = async (acme: Workspace, contact: any, ...lists: string[]): Promise<void> => {
    const profiles = [{ source: "external", external_id: contact.id, list_names: lists, synced_at: "2026-01-02T00:00:00Z" }];
    await acme.service.app.db.unscopedTransaction(async (tx) => {
      tx.write({
        text: "update contact set external_profiles = $1 where organization_id = $2 and id = $3",
        values: [JSON.stringify(profiles), acme.id, contact.id],
      });
    });
  };

  test("has every contact whose profile names it, and later who came since", async () => {
    const acme = await organization();
    const [one, two, three] = [await acme.contact(), await acme.contact(), await acme.contact()];
    await synced(acme, one, "Newsletter", "Fair");
    await synced(acme, two, "Fair");

    const first = await acme.ask("POST", "/contact_list/copy_from_source/", { body: { name: "Newsletter", source: "external" } });
    await synced(acme, three, "Newsletter");
    const again = await acme.ask("POST", "/contact_list/copy_external/", { body: { name: "Newsletter" } });

    assert.deepEqual([first.status, first.body.added, first.body.member_count], [201, 1, 1]);
    assert.deepEqual(
      [first.body.list.name, first.body.list.source, first.body.list.is_read_only],
      ["Newsletter", "external", false],
    );
    assert.deepEqual([again.status, again.body.added, again.body.member_count], [200, 1, 2]);
    assert.equal(again.body.list.id, first.body.list.id);
    const members = (await acme.get(`/contact/?list_id=${again.body.list.id}`)).data.map((each: any) => each.id);
    assert.deepEqual(members.sort(), [one.id, three.id].sort());
  });

  test("takes the contacts that its caller may see", async () => {
    const acme = await organization();
    const eve = await acme.member("restricteduser");
    const [hidden, own] = [await acme.contact(), await eve.contact()];
    await synced(acme, hidden, "Newsletter", "Fair");
    await synced(acme, own, "Newsletter");

    const { added, list } = await eve.post("/contact_list/copy_from_source/", { name: "Newsletter", source: "external" });
    const again = await acme.post("/contact_list/copy_from_source/", { name: "Newsletter", source: "external" });

    assert.deepEqual([added, again.added, again.member_count], [1, 1, 2]);
    assert.equal(again.list.id, list.id);
    await eve.refused(400, "POST", "/contact_list/copy_from_source/", { name: "Fair", source: "external" }, "name");
  });

  test("is made once, however many copy it at the same moment", async () => {
    const acme = await organization();
    await synced(acme, await acme.contact(), "Fair");

    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        acme.ask("POST", "/contact_list/copy_from_source/", { body: { name: "Fair", source: "external" } }),
      ),
    );

    assert.deepEqual(answers.map((one) => one.status).sort(), [200, 200, 200, 200, 201]);
    assert.equal(new Set(answers.map((one) => one.body.list.id)).size, 1);
  });

  test("must be there, from a source that is set up, under a name that is free", async () => {
    const acme = await organization();
    await synced(acme, await acme.contact(), "Fair");
    await acme.post("/contact_list/", { name: "Fair" });

    const path = "/contact_list/copy_from_source/";
    await acme.refused(400, "POST", path, { name: "Nowhere" }, "name");
    await acme.refused(400, "POST", path, { name: "Fair", source: "external" }, "name");
    await acme.refused(400, "POST", path, {}, "name");
    await acme.refused(400, "POST", path, { name: "Fair", source: "elsewhere" }, "source");
    await acme.refused(404, "POST", "/contact_list/copy_elsewhere/", { name: "Fair" });
  });
});
