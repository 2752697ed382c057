// What the feed tells when a custom field is converted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../../../test/support/feed.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { multiply } from "../../../test/support/rows.ts";
import { withWorker } from "../../../test/support/worker.ts";

const finish = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());
const byId = (records: readonly any[]) => new Map(records.map((one) => [one.id, one]));

/** Brings a copy of the leads up to date by the events after a cursor, oldest first. */
async function follow(acme: Workspace, leads: Map<string, any>, cursor: string): Promise<void> {
  for (let next = cursor; ; ) {
    const { data, cursor_previous } = await acme.get(`/event/?_cursor=${next}`);
    if (data.length === 0) return;
    for (const event of data.toReversed()) {
      if (event.object_type !== "lead") continue;
      const lead = { ...leads.get(event.object_id) };
      for (const key of event.changed_fields) delete lead[key];
      leads.set(event.object_id, { ...lead, ...event.data });
    }
    next = cursor_previous;
  }
}

for (const [form, copies] of [
  ["in the request", 0],
  ["in the background", 1100],
] as const)
  test(`each record whose value is converted or dropped ${form} has its event, so that a mirror equals the list`, async () => {
    const acme = await organization();
    const cf = await acme.customField("lead", { type: "text" });
    const key = `custom.${cf.id}`;
    const [converted, dropped, unchanged] = [
      await acme.lead({ [key]: "acme.io/x" }),
      await acme.lead({ [key]: "no address" }),
      await acme.lead({ [key]: "https://acme.io/" }),
    ];
    await multiply(acme, "lead", converted.id, copies);
    const { cursor_previous } = await acme.get("/event/");
    const mirror = byId(await acme.all("/lead/?_limit=200"));

    await acme.put(`/custom_field/lead/${cf.id}/`, { type: "url", drop_unconvertible_values: true });
    await finish(acme);

    const told = async ({ id }: any) =>
      (await acme.events(id))
        .slice(1)
        .map(({ event, changed_fields, previous_data, data }) => [event, changed_fields, previous_data, data[key]]);
    assert.deepEqual(await told(converted), [["lead.updated", [key], { [key]: "acme.io/x" }, "http://acme.io/x"]]);
    assert.deepEqual(await told(dropped), [["lead.updated", [key], { [key]: "no address" }, undefined]]);
    assert.deepEqual(await told(unchanged), []);
    await settled(acme);
    await follow(acme, mirror, cursor_previous);
    const list = byId(await acme.all("/lead/?_limit=200"));
    assert.equal(list.size, copies + 3);
    assert.deepEqual(mirror, list);
    assert.equal(list.get(converted.id).date_updated, converted.date_updated);
  });

test("the event of a converted value is of the record's own kind", async () => {
  const acme = await organization();
  const cf = await acme.customField("contact", { type: "text" });
  const key = `custom.${cf.id}`;
  const contact = await acme.contact({ [key]: "12" });

  await acme.put(`/custom_field/contact/${cf.id}/`, { type: "number" });

  const { event, changed_fields, previous_data, data } = (await acme.events(contact.id)).at(-1);
  assert.deepEqual([event, changed_fields, previous_data], ["contact.updated", [key], { [key]: "12" }]);
  assert.equal(data[key], 12);
});
