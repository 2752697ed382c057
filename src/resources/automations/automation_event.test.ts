// Events that automations were offered, and how somebody finds out why nothing started.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, published, work } from "../../../test/support/automations.ts";
import { organization } from "../../../test/support/given.ts";

test("are found by automation, by event and by what became of them", async () => {
  const acme = await organization();
  const note = chain(["note.create", { note: "Hi" }]);
  const filter = { type: "field", ref: "record.industry", op: "is", value: "Steel" };
  const [all, steel] = [await published(acme, note), await published(acme, note, { filter })];
  const lead = await acme.lead({ industry: "Retail" });
  await work(acme);
  const found = async (query: string) => (await acme.all(`/automation_events/?${query}`)).map((one: any) => one.object_id);

  for (const query of [
    `automation_id=${all.id}`,
    `automation_id=${steel.id}&result=filtered`,
    "result=started,skipped",
    "event=lead.created",
    `event=lead.created&automation_id=${all.id}&date_created__gte=2020-01-01`,
  ])
    assert.deepEqual(await found(query), [lead.id], query);
  for (const query of ["automation_id=auto_none", "result=no_match_edge", "event=lead.deleted", "date_created__lt=2020-01-01"])
    assert.deepEqual(await found(query), [], query);
  await acme.refused(400, "GET", "/automation_events/?result=never", undefined, "result");
});
