// Custom fields and types with more records than one transaction should change.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { until } from "../../../test/support/processes.ts";
import { multiply } from "../../../test/support/rows.ts";
import { withWorker } from "../../../test/support/worker.ts";

const many = 2500;

/** A lead with these values and many copies of it, each with its own rendering. */
async function manyLeads(acme: Workspace, values: object): Promise<any> {
  const lead = await acme.lead(values);
  await copies(acme, "lead", lead.id);
  return lead;
}

async function copies(acme: Workspace, table: string, id: string): Promise<void> {
  await multiply(acme, table, id, many);
  await acme.service.app.db.unscoped({
    text: `/* a test */ update ${table} set rendered = null where organization_id = $1`,
    values: [acme.id],
  });
}

const stored = async (acme: Workspace, condition: string, table = "lead"): Promise<number> => {
  const text = `/* a test */ select count(*) from ${table} t where organization_id = $1 and ${condition}`;
  return Number((await acme.service.app.db.unscoped({ text, values: [acme.id] }))[0]![0]);
};

const finish = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

test("many values are converted in the background: the field says so, and a value is of either type until it is done", async () => {
  const acme = await organization();
  const cf = await acme.customField("lead", { name: "Size", type: "text" });
  const [key, path] = [`custom.${cf.id}`, `/custom_field/lead/${cf.id}/`];
  const lead = await manyLeads(acme, { [key]: "12" });

  const answer = await acme.put(path, { type: "number", description: "In employees" });

  const shown = ({ type, converting_to_type, description }: any) => [type, converting_to_type, description];
  assert.deepEqual(shown(answer), ["text", "number", "In employees"]);
  assert.deepEqual(shown(await acme.get(path)), shown(answer));
  assert.deepEqual(shown((await acme.get("/custom_field_schema/?object_type=lead")).fields[0]), shown(answer));
  assert.equal((await acme.get(`/lead/${lead.id}/`))[key], "12");
  await acme.put(`/lead/${lead.id}/`, { ...(await acme.get(`/lead/${lead.id}/`)), name: "Sent back as it was read" });
  await acme.refused(400, "POST", "/lead/", { name: "New", [key]: "many" }, key);
  const made = await acme.lead({ [key]: 7 });
  assert.deepEqual(
    (await acme.get(`/lead/?${key}=7`)).data.map(({ id }: any) => id),
    [made.id],
  );
  for (const change of [{ type: "date" }, { type: "choices", choices: ["a"] }]) {
    const refusal = await acme.refused(400, "PUT", path, change);
    assert.match(JSON.stringify(refusal), /still being converted/);
  }
  assert.match(JSON.stringify(await acme.refused(400, "DELETE", path)), /still being converted/);
  await acme.put(path, { name: "Employees" });

  await finish(acme);

  assert.deepEqual(shown(await acme.get(path)), ["number", null, "In employees"]);
  assert.equal((await acme.get(`/lead/${lead.id}/`))[key], 12);
  assert.equal(await stored(acme, `custom @> '{"${key}": 12}'`), many + 1);
  assert.equal(await stored(acme, `custom @> '{"${key}": 7}'`), 1);
  assert.deepEqual((await acme.events(cf.id)).at(-1).changed_fields.sort(), ["converting_to_type", "type"]);
  await acme.put(path, { type: "text" });
});

test("a value among many that the new type cannot hold stops the change before it begins, unless such values may be dropped", async () => {
  const acme = await organization();
  const cf = await acme.customField("lead", { type: "text" });
  const [key, path] = [`custom.${cf.id}`, `/custom_field/lead/${cf.id}/`];
  await manyLeads(acme, { [key]: "12" });
  const wrong = await acme.lead({ [key]: "a dozen" });

  const refusal = await acme.refused(400, "PUT", path, { type: "number" }, "type");
  await acme.put(path, { type: "number", drop_unconvertible_values: true });
  await finish(acme);

  assert.match(refusal["field-errors"].type, /"a dozen"/);
  assert.equal(key in (await acme.get(`/lead/${wrong.id}/`)), false);
  assert.equal(await stored(acme, `custom @> '{"${key}": 12}'`), many + 1);
});

test("a single value becomes a list in many records, and values added in the meantime are kept", async () => {
  const acme = await organization();
  const cf = await acme.customField("lead", { type: "choices", choices: ["a", "b"] });
  const key = `custom.${cf.id}`;
  const lead = await manyLeads(acme, { [key]: "a" });

  await acme.put(`/custom_field/lead/${cf.id}/`, { accepts_multiple_values: true });
  const added = await acme.put(`/lead/${lead.id}/`, { [`${key}.add`]: "b" });
  await finish(acme);

  assert.deepEqual(added[key], ["a", "b"]);
  assert.deepEqual((await acme.get(`/lead/${lead.id}/`))[key], ["a", "b"]);
  assert.equal(await stored(acme, `custom @> '{"${key}": ["a"]}'`), many + 1);
});

test("a field with many values is gone at once, and each record tells later that it lost its value, once", async () => {
  const acme = await organization();
  const [gone, kept] = [await acme.customField("lead", { type: "text" }), await acme.customField("lead", { type: "text" })];
  const [key, other] = [`custom.${gone.id}`, `custom.${kept.id}`];
  const lead = await manyLeads(acme, { [key]: "x", [other]: "y" });
  const rendered = await acme.lead({ [key]: "x", [other]: "y" });
  const changed = await acme.lead({ [key]: "x", [other]: "y" });

  await acme.delete(`/custom_field/lead/${gone.id}/`);

  assert.equal(await stored(acme, `custom ? '${key}'`), many + 3);
  for (const one of [lead, rendered]) {
    for (const query of ["", "?_fields=custom", `?_fields=id,${key},${other}`]) {
      const read = await acme.get(`/lead/${one.id}/${query}`);
      assert.deepEqual([read[key], read[other]], [undefined, "y"], query);
    }
  }
  const lists = ["/lead/?_limit=100", "/lead/?_limit=100&_order_by=name", "/lead/?_limit=100&_fields=custom"];
  for (const list of lists) {
    const { data } = await acme.get(list);
    assert.ok(data.length === 100 && data.every((one: any) => !(key in one) && one[other] === "y"), list);
  }
  const found = await acme.post("/data/search/", { query: { type: "object_type", object_type: "lead" }, _limit: 5 });
  assert.ok(found.data.every((one: any) => !(key in one)));
  await acme.refused(400, "GET", `/lead/?${key}=x`, undefined, key);
  await acme.refused(400, "PUT", `/lead/${lead.id}/`, { [key]: "z" }, key);
  await acme.refused(404, "GET", `/custom_field/lead/${gone.id}/`);
  const answer = await acme.put(`/lead/${changed.id}/`, { name: "Changed meanwhile" });
  assert.equal(key in answer, false);

  await finish(acme);

  assert.equal(await stored(acme, `custom ? '${key}'`), 0);
  assert.equal(await stored(acme, `custom ? '${other}'`), many + 3);
  for (const one of [lead, rendered, changed]) {
    const lost = (await acme.events(one.id)).filter((event) => event.changed_fields.includes(key));
    assert.deepEqual(
      lost.map(({ action, previous_data, data }) => [action, previous_data[key], key in data]),
      [["updated", "x", false]],
    );
  }
  assert.equal((await acme.events(gone.id)).at(-1).action, "deleted");
});

test("a shared field leaves one of its many places at once, and can be put back when all is removed", async () => {
  const acme = await organization();
  const associations = [{ object_type: "lead" }, { object_type: "contact" }];
  const cf = await acme.customField("shared", { type: "text", associations });
  const [key, path] = [`custom.${cf.id}`, `/custom_field/shared/${cf.id}/`];
  const lead = await manyLeads(acme, { [key]: "North" });
  const contact = await acme.contact({ lead_id: lead.id, [key]: "South" });

  await acme.put(path, { associations: [{ object_type: "contact" }] });

  assert.equal(key in (await acme.get(`/lead/${lead.id}/`)), false);
  assert.equal((await acme.get(`/contact/${contact.id}/`))[key], "South");
  assert.match(JSON.stringify(await acme.refused(400, "PUT", path, { associations })), /still being converted or removed/);
  await finish(acme);
  await acme.put(path, { associations });
  assert.equal(key in (await acme.get(`/lead/${lead.id}/`)), false);
  assert.equal((await acme.put(`/lead/${lead.id}/`, { [key]: "West" }))[key], "West");
});

for (const [kind, types, records, table] of [
  ["activity", "/custom_activity/", "/activity/custom/", "activity"],
  ["custom_object_type", "/custom_object_type/", "/custom_object/", "custom_object"],
] as const)
  test(`a type with many records (${table}) is gone at once with all of them, and its name is free`, async () => {
    const acme = await organization();
    const type = await acme.post(types, { name: "Visit", fields: [{ name: "Reason", type: "text" }] });
    const stays = await acme.post(types, { name: "Other" });
    const column = kind === "activity" ? "custom_activity_type_id" : "custom_object_type_id";
    const lead = await acme.lead();
    const make = (of: any) => acme.post(records, { lead_id: lead.id, name: "One", [column]: of.id });
    const [record, other] = [await make(type), await make(stays)];
    await copies(acme, table, record.id);
    await acme.service.app.db.unscoped({
      text: `/* a test */ delete from ${table} where organization_id = $1 and ${column} = $2 and id like $3`,
      values: [acme.id, stays.id, `${other.id}_%`],
    });
    const member = await acme.member("restricteduser");

    await acme.delete(`${types}${type.id}/`);

    assert.equal(await stored(acme, `${column} = '${type.id}'`, table), many + 1);
    await acme.refused(404, "GET", `${types}${type.id}/`);
    await acme.refused(404, "GET", `${records}${record.id}/`);
    await acme.refused(404, "PUT", `${records}${record.id}/`, { name: "Other" });
    await acme.refused(404, "DELETE", `${records}${record.id}/`);
    await acme.refused(400, "POST", records, { lead_id: lead.id, name: "New", [column]: type.id }, column);
    const seen = (await acme.get(`${records}?lead_id=${lead.id}`)).data.map(({ id }: any) => id);
    assert.deepEqual(seen, [other.id]);
    if (kind === "activity")
      assert.ok((await acme.get(`/activity/?lead_id=${lead.id}`)).data.every((one: any) => one[column] !== type.id));
    assert.deepEqual((await member.get(records)).data, []);
    assert.deepEqual(
      (await acme.get(types)).data.map(({ id }: any) => id),
      [stays.id],
    );
    const again = await acme.post(types, { name: "Visit" });

    await finish(acme);

    assert.equal(await stored(acme, `${column} = '${type.id}'`, table), 0);
    assert.equal(await stored(acme, `id = '${type.id}'`, `custom_${kind === "activity" ? "activity" : "object"}_type`), 0);
    assert.equal((await acme.get(`${records}${other.id}/`)).id, other.id);
    assert.equal((await acme.get(`${types}${again.id}/`)).name, "Visit");
    assert.equal((await acme.events(record.id)).at(-1).action, "deleted");
    assert.deepEqual(
      (await acme.events(type.id)).map(({ action }) => action),
      ["created", "deleted"],
    );
  });

test("a lead moves while the records of its deleted type are being removed: they stay behind and are deleted", async () => {
  const acme = await organization();
  const there = await acme.another();
  const type = await acme.post("/custom_object_type/", { name: "Vehicle" });
  const [lead, moved] = [await acme.lead(), await acme.lead()];
  const make = ({ id: lead_id }: any) => acme.post("/custom_object/", { lead_id, name: "Car", custom_object_type_id: type.id });
  await copies(acme, "custom_object", (await make(lead)).id);
  const car = await make(moved);

  await acme.delete(`/custom_object_type/${type.id}/`);
  await acme.post(`/lead/${moved.id}/move/`, { target_organization_id: there.id });
  await finish(acme);

  assert.equal((await there.get(`/lead/${moved.id}/`)).id, moved.id);
  await there.refused(404, "GET", `/custom_object/${car.id}/`);
  assert.equal(await stored(acme, "true", "custom_object"), 0);
});

test("many changes of one organization do not hold up the one of another", async () => {
  const [acme, other] = [await organization(), await organization()];
  const fields = [1, 2, 3, 4].map(() => acme.customField("lead", { type: "text" }));
  const own = await Promise.all(fields);
  await manyLeads(acme, Object.fromEntries(own.map(({ id }) => [`custom.${id}`, "x"])));
  const theirs = await other.customField("lead", { type: "text" });
  await manyLeads(other, { [`custom.${theirs.id}`]: "x" });

  for (const { id } of own) await acme.delete(`/custom_field/lead/${id}/`);
  await other.delete(`/custom_field/lead/${theirs.id}/`);

  await withWorker(acme.service, async (worker) => {
    await until(async () => (await stored(other, "not removed", "custom_data_change")) === 0);
    assert.ok((await stored(acme, "not removed", "custom_data_change")) > 0);
    await worker.drained();
  });
  assert.equal(await stored(acme, "not removed", "custom_data_change"), 0);
});
