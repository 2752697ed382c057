// What every kind of record with a search promises.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Operation } from "../../src/core/operation.ts";
import type { Resource } from "../../src/core/resource.ts";
import { operations } from "../../src/resources/index.ts";
import { mainText, objectTypeOf } from "../../src/search/relations.ts";
import { organization } from "../support/given.ts";
import { collectionPath, createdResources, minimalBody } from "../support/samples.ts";

const creatable = new Set(createdResources(operations));

const searched = operations.filter(
  (one): one is Operation & { resource: Resource } =>
    one.verb === "list" && one.resource?.search?.words != null && creatable.has(one.resource),
);

/** The best searchable field that a caller can write. There is none if only custom fields have words. */
const textOf = (of: Resource): string | undefined =>
  [...of.search!.covers, ...mainText].find((key) => of.fields[key]?.type === "text" && of.fields[key].mode !== "read");

for (const { resource: of } of searched.filter((one) => textOf(one.resource) !== undefined))
  test(`records of ${of.name} are found by their words, from the beginning of one, and no others are`, async () => {
    const acme = await organization();
    const path = await collectionPath(acme, of);
    const sought = await acme.post(path, { ...(await minimalBody(acme, of)), [textOf(of)!]: "Zebrafinch" });
    await acme.post(path, await minimalBody(acme, of));

    const listed = await acme.get(`${path}?query=zebraf`);
    const found = await acme.post("/data/search/", {
      query: {
        type: "and",
        queries: [
          { type: "object_type", object_type: objectTypeOf(of) },
          { type: "text", value: "ZEBRAFINCH" },
        ],
      },
    });

    for (const { data } of [listed, found])
      assert.deepEqual(
        data.map((one: any) => one.id),
        [sought.id],
      );
  });

test("words are looked up in an index, and beginnings in one where nothing waits to be put in", async () => {
  const acme = await organization();
  const indexes = await acme.service.app.db.unscoped({
    text: `select c.relname, coalesce(i.reloptions::text, '') from pg_index x
      join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid join pg_am m on m.oid = i.relam
      join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0] where m.amname = 'gin' and a.attname = 'search'`,
    values: [],
  });

  for (const { resource: of } of searched) {
    const [, options] = indexes.find(([table]) => table === of.table) ?? [];
    assert.ok(options !== undefined, `${of.name} needs an index: create index on ${of.table} using gin (search)`);
    if (of.search!.beginnings) assert.match(options!, /fastupdate=(off|false)/, `the index of ${of.name} needs fastupdate = off`);
  }
});
