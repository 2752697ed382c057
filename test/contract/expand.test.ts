// What `_expand` and `_fields` add, for every resource that has relations.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { operations } from "../../src/resources/index.ts";
import { organization } from "../support/given.ts";
import { createdResources, sampleRecord, verbsOf } from "../support/samples.ts";

for (const of of createdResources(operations).filter((one) => one.expand && verbsOf(operations, one).get)) {
  const { expand = {} } = of;
  const relations = Object.keys(expand);

  describe(`the relations of ${of.name}`, () => {
    test("come along when `_expand` or `_fields` names them, in lists and alone", async () => {
      const acme = await organization();
      const { path, id } = await sampleRecord(acme, of);
      const list = path.replace(/[^/]+\/$/, "");

      for (const one of relations) {
        const { [one]: expanded } = await acme.get(`${path}?_expand=${one}`);
        assert.equal(Array.isArray(expanded), expand[one]!.many, one);
        assert.deepEqual(await acme.get(`${path}?_fields=${one}`), { [one]: expanded }, one);
        assert.deepEqual(await acme.get(`${path}?_fields=id,${one}&_expand=${one}`), { id, [one]: expanded }, one);
        if (verbsOf(operations, of).list)
          assert.deepEqual((await acme.get(`${list}?_fields=id,${one}`)).data, [{ id, [one]: expanded }], one);
        if (verbsOf(operations, of).update)
          assert.deepEqual(await acme.put(`${path}?_fields=${one}`, {}), { [one]: expanded }, one);
      }
      const usual = await acme.get(path);
      for (const one of relations) assert.ok(!(one in usual), one);
    });
  });
}

test("more children than come along are said to be there", async () => {
  const acme = await organization();
  const { id } = await acme.lead({ contacts: Array.from({ length: 100 }, (_, i) => ({ name: `Contact ${i}` })) });

  const all = await acme.get(`/lead/${id}/?_expand=contacts`);
  await acme.contact({ lead_id: id });
  const cut = await acme.get(`/lead/${id}/?_expand=contacts`);

  assert.deepEqual([all.contacts.length, "contacts_has_more" in all], [100, false]);
  assert.deepEqual([cut.contacts.length, cut.contacts_has_more], [100, true]);
  assert.equal((await acme.get(`/lead/?id=${id}&_fields=contacts`)).data[0].contacts_has_more, true);
});
