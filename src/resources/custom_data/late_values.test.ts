// Values of custom fields that are written while their field is being deleted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { multiply } from "../../../test/support/rows.ts";
import { withWorker } from "../../../test/support/worker.ts";

const stored = async (acme: Workspace, condition: string, table = "lead"): Promise<number> => {
  const text = `/* a test */ select count(*) from ${table} t where organization_id = $1 and ${condition}`;
  return Number((await acme.service.app.db.unscoped({ text, values: [acme.id] }))[0]![0]);
};

/** Writes a value as a request does that still knows the field. */
const writeLate = (acme: Workspace, { id }: any, key: string) =>
  acme.service.app.db.unscoped({
    text: `/* a test */ update lead set custom = custom || jsonb_build_object($3::text, 'late'), version = version + 1, rendered = null
      where organization_id = $1 and id = $2`,
    values: [acme.id, id, key],
  });

const finish = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

/** Lets the time pass after which no request can know a deleted field, and runs what is due. */
async function settle(acme: Workspace): Promise<void> {
  const { clock } = acme.service;
  clock.now = new Date(Date.now() + 6 * 60_000);
  try {
    await finish(acme);
  } finally {
    clock.now = null;
  }
  assert.equal(await stored(acme, "true", "custom_data_change"), 0);
}

test("many write a field while it is deleted: nobody reads it afterwards, what is read can be written back, and nothing stays", async () => {
  const acme = await organization();
  const leads = await Promise.all(Array.from({ length: 12 }, () => acme.lead()));
  const keys: string[] = [];
  for (let round = 0; round < 6; round++) {
    const cf = await acme.customField("lead", { type: "text" });
    const key = `custom.${cf.id}`;
    keys.push(key);
    const put = ({ id }: any) => acme.ask("PUT", `/lead/${id}/`, { body: { [key]: "v" } });

    const [deleted, ...answers] = await Promise.all([
      acme.ask("DELETE", `/custom_field/lead/${cf.id}/`),
      ...leads.map(put),
      ...leads.map(put),
    ]);

    assert.equal(deleted.status, 200);
    for (const { status, body } of answers) assert.ok(status === 200 || key in body["field-errors"], JSON.stringify(body));
    for (const { id } of leads) {
      const read = await acme.get(`/lead/${id}/`);
      assert.equal(key in read, false);
      assert.equal(key in (await acme.put(`/lead/${id}/`, { ...read, name: `Round ${round}` })), false);
    }
  }

  await settle(acme);

  for (const key of keys) assert.equal(await stored(acme, `custom ? '${key}'`), 0);
});

for (const [form, copies] of [
  ["few", 0],
  ["many", 1100],
] as const)
  test(`a late value of a deleted field with ${form} values is never shown, and removed with its event`, async () => {
    const acme = await organization();
    const cf = await acme.customField("lead", { type: "text" });
    const key = `custom.${cf.id}`;
    const [lead, touched] = [await acme.lead({ [key]: "x" }), await acme.lead()];
    await multiply(acme, "lead", lead.id, copies);
    await acme.delete(`/custom_field/lead/${cf.id}/`);
    await finish(acme);

    for (const one of [lead, touched]) await writeLate(acme, one, key);

    for (const one of [lead, touched]) assert.equal(key in (await acme.get(`/lead/${one.id}/`)), false);
    await acme.put(`/lead/${touched.id}/`, { ...(await acme.get(`/lead/${touched.id}/`)), name: "Sent back as it was read" });
    assert.equal(await stored(acme, `custom ? '${key}'`), 1);
    await settle(acme);
    assert.equal(await stored(acme, `custom ? '${key}'`), 0);
    for (const one of [lead, touched]) {
      const { changed_fields, previous_data, data } = (await acme.events(one.id)).find(
        (event: any) => event.previous_data[key] === "late",
      );
      assert.ok(changed_fields.includes(key) && !(key in data), previous_data[key]);
    }
  });

test("a shared field leaves a place and comes back at once: its new values there stay, and late ones of another place do not", async () => {
  const acme = await organization();
  const everywhere = [{ object_type: "lead" }, { object_type: "contact" }];
  const cf = await acme.customField("shared", { type: "text", associations: everywhere });
  const [key, path] = [`custom.${cf.id}`, `/custom_field/shared/${cf.id}/`];
  const [lead, other] = [await acme.lead({ [key]: "North" }), await acme.lead()];

  await acme.put(path, { associations: [{ object_type: "contact" }] });
  await acme.put(path, { associations: everywhere });
  await acme.put(`/lead/${lead.id}/`, { [key]: "West" });
  await settle(acme);
  const stays = (await acme.get(`/lead/${lead.id}/`))[key];
  await acme.put(path, { associations: [{ object_type: "contact" }] });
  await writeLate(acme, other, key);

  assert.equal(stays, "West");
  assert.equal(key in (await acme.get(`/lead/${other.id}/`)), false);
  await settle(acme);
  assert.equal(await stored(acme, `custom ? '${key}'`), 0);
});

test("a stored value whose field is gone can be sent back as it was read, or unset, and is not changed", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const key = "custom.cf_01gone00000000000000000000";
  await writeLate(acme, lead, key);

  await acme.put(`/lead/${lead.id}/`, { ...(await acme.get(`/lead/${lead.id}/`)), name: "Sent back as it was read" });
  await acme.refused(400, "PUT", `/lead/${lead.id}/`, { [key]: "other" }, key);
  const answer = await acme.put(`/lead/${lead.id}/`, { [key]: null });

  assert.equal(key in answer, false);
  await acme.refused(400, "PUT", `/lead/${lead.id}/`, { [key]: null }, key);
});
