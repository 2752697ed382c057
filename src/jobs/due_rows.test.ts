// Due records change once, by whichever worker comes first. A record that cannot be changed does not affect others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../test/support/given.ts";
import { raw, sql } from "../db/sql.ts";
import { updateRecord } from "../records/records.ts";
import { lead } from "../resources/leads/lead.ts";
import { actOnDue, type Due } from "./due_rows.ts";

/** A timer that renames leads of one organization from `Due …` to `Done …`. */
const renaming = (organizationId: string, spoiled: string | null = null): Due<typeof lead> => ({
  of: lead,
  when: () => sql`t.organization_id = ${organizationId} and t.name like 'Due %'`,
  since: raw("t.date_created"),
  async act(ctx, rows) {
    for (const { id, name } of rows) {
      if (id === spoiled) throw new Error("this one cannot be changed");
      await updateRecord(ctx, lead, id, { name: name!.replace("Due", "Done") });
    }
  },
});

const namesOf = async (ws: { all(path: string): Promise<any[]> }) => (await ws.all("/lead/?_fields=name")).map((one) => one.name);

test("more rows than fit into a transaction are changed, each once, by two who look at the same time", async () => {
  const acme = await organization();
  const names = Array.from({ length: 230 }, (_, i) => `Due ${i}`);
  for (let i = 0; i < names.length; i += 23) await Promise.all(names.slice(i, i + 23).map((name) => acme.lead({ name })));
  const { core } = acme.service.app;

  await Promise.all([actOnDue(core, renaming(acme.id)), actOnDue(core, renaming(acme.id))]);

  assert.deepEqual((await namesOf(acme)).sort(), names.map((name) => name.replace("Due", "Done")).sort());
  assert.equal((await acme.all("/event/?event=lead.updated")).length, names.length);
});

test("a row that cannot be changed is reported, and the others are changed", async () => {
  const acme = await organization();
  const [, bad] = [await acme.lead({ name: "Due 1" }), await acme.lead({ name: "Due 2" }), await acme.lead({ name: "Due 3" })];

  await assert.rejects(actOnDue(acme.service.app.core, renaming(acme.id, bad.id)), /cannot be changed/);

  assert.deepEqual((await namesOf(acme)).sort(), ["Done 1", "Done 3", "Due 2"]);
});

test("what somebody else is changing at this moment is left for the next time", async () => {
  const acme = await organization();
  const [one] = [await acme.lead({ name: "Due 1" }), await acme.lead({ name: "Due 2" })];
  const { core } = acme.service.app;

  await acme.inside(async (ctx) => {
    await updateRecord(ctx, lead, one.id, { description: "Busy" });
    await actOnDue(core, renaming(acme.id));
  });
  const meanwhile = (await namesOf(acme)).sort();
  await actOnDue(core, renaming(acme.id));

  assert.deepEqual(meanwhile, ["Done 2", "Due 1"]);
  assert.deepEqual((await namesOf(acme)).sort(), ["Done 1", "Done 2"]);
});
