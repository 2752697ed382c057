// Merging loses nothing: everything that belonged to either record belongs to the remaining one.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Field } from "../../src/core/field.ts";
import type { Resource } from "../../src/core/resource.ts";
import { operations } from "../../src/resources/index.ts";
import { organization, type Workspace } from "../support/given.ts";
import { collectionPath, createdResources, minimalBody, verbsOf } from "../support/samples.ts";

/** Resources that can be created with a reference to `target` and read back. */
const childrenOf = (target: string): [Resource, string][] =>
  createdResources(operations).flatMap((of) =>
    of.columns.flatMap(([key, field]): [Resource, string][] =>
      (field as Field).ref?.to === target && field.mode !== "read" && verbsOf(operations, of).get && of.parent !== key
        ? [[of, key]]
        : [],
    ),
  );

async function makeChild(ws: Workspace, of: Resource, values: Record<string, unknown>): Promise<string> {
  const path = await collectionPath(ws, of);
  const body = { ...(await minimalBody(ws, of)), ...values };
  return `${path}${(await ws.post(path, body)).id}/`;
}

test("merging two leads loses no child, no address and no tag, and leaves nothing that points at the one that went", async () => {
  const kinds = childrenOf("lead");
  const addresses = fc.uniqueArray(fc.constantFrom("a@x.io", "B@x.io", "b@x.io", "c@x.io"), { maxLength: 4 });
  const side = fc.record({
    children: fc.array(fc.nat({ max: kinds.length - 1 }), { maxLength: 4 }),
    emails: addresses,
    tags: fc.uniqueArray(fc.constantFrom("x", "y", "z"), { maxLength: 3 }),
  });

  await fc.assert(
    fc.asyncProperty(side, side, async (kept, gone) => {
      const acme = await organization();
      const make = async (of: typeof kept) => {
        const lead = await acme.lead({ emails: of.emails.map((email) => ({ email })), tags: of.tags });
        const children = [];
        for (const i of of.children)
          children.push([kinds[i]![1], await makeChild(acme, kinds[i]![0], { [kinds[i]![1]]: lead.id })] as const);
        return { lead, children };
      };
      const [a, b] = [await make(kept), await make(gone)];

      const merged = await acme.post("/lead/merge/", { source: b.lead.id, destination: a.lead.id });

      for (const [field, path] of [...a.children, ...b.children]) assert.equal((await acme.get(path))[field], a.lead.id, path);
      const lower = (list: string[]) => [...new Set(list.map((one) => one.toLowerCase()))].sort();
      assert.deepEqual(lower(merged.emails.map((one: any) => one.email)), lower([...kept.emails, ...gone.emails]));
      assert.deepEqual([...merged.tags].sort(), [...new Set([...kept.tags, ...gone.tags])].sort());
      assert.equal(merged.name, a.lead.name);
      await assertNothingPointsAt(acme, b.lead.id);
    }),
    { numRuns: 12 },
  );
});

test("merging two contacts moves what named the one that went, also across leads", async () => {
  const kinds = childrenOf("contact");

  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: Math.max(0, kinds.length - 1) }), { maxLength: 5 }), async (children) => {
      const acme = await organization();
      const [keep, gone] = [
        await acme.contact({ emails: [{ email: "a@x.io" }] }),
        await acme.contact({ emails: [{ email: "b@x.io" }] }),
      ];
      const paths = [];
      for (const i of kinds.length === 0 ? [] : children) {
        const [of, field] = kinds[i]!;
        const lead = "lead_id" in of.fields ? { lead_id: gone.lead_id } : {};
        paths.push([field, await makeChild(acme, of, { ...lead, [field]: gone.id })] as const);
      }

      const merged = await acme.post("/contact/merge/", { source: gone.id, destination: keep.id });

      for (const [field, path] of paths) {
        const child = await acme.get(path);
        assert.equal(child[field], keep.id, path);
        if ("lead_id" in child) assert.equal(child.lead_id, keep.lead_id, `${path} follows the destination's lead`);
      }
      assert.deepEqual(
        merged.emails.map((one: any) => one.email),
        ["a@x.io", "b@x.io"],
      );
      await assertNothingPointsAt(acme, gone.id);
    }),
    { numRuns: 8 },
  );
});

/** No column of any table, except the history, has the id. */
async function assertNothingPointsAt(ws: Workspace, id: string): Promise<void> {
  const { db, registry } = ws.service.app.core;
  for (const of of registry.resources.filter((one) => one.table !== "member" && one.table !== "event")) {
    for (const [key, field] of of.columns.filter(([, one]) => one.ref !== null)) {
      const rows = await db.unscoped({
        text: `select 1 from "${of.table}" where organization_id = $1 and "${key}" = $2`,
        values: [ws.id, id],
      });
      assert.equal(rows.length, 0, `${of.table}.${key} still points at ${id}`);
      void field;
    }
  }
}
