import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const visitType = (acme: Workspace, body: object = {}) => acme.post("/custom_activity/", { name: "Site visit", ...body });
const fieldOf = (acme: Workspace, type: { id: string }, body: object) =>
  acme.customField("activity", { custom_activity_type_id: type.id, type: "text", ...body });
const ids = (records: { id: string }[]) => records.map((one) => one.id);

test("a type shows its own fields in their order, then the shared ones as they hold there", async () => {
  const acme = await organization();
  const type = await visitType(acme);
  const shared = await acme.customField("shared", {
    type: "text",
    associations: [{ object_type: "activity", custom_activity_type_id: type.id, required: true }],
  });
  const [a, b] = [await fieldOf(acme, type, { name: "A" }), await fieldOf(acme, type, { name: "B" })];
  await visitType(acme, { name: "Another" });

  const read = await acme.get(`/custom_activity/${type.id}/`);

  assert.deepEqual(ids(read.fields), [a.id, b.id, shared.id]);
  assert.deepEqual(
    read.fields.map((one: any) => one.required),
    [false, false, true],
  );
  assert.deepEqual(ids((await acme.get(`/custom_field_schema/?object_type=${type.id}`)).fields), ids(read.fields));
});

test("sending the fields back in another order puts them in it; those not named follow", async () => {
  const acme = await organization();
  const type = await visitType(acme);
  const fields = [];
  for (const name of ["A", "B", "C"]) fields.push(await fieldOf(acme, type, { name }));
  const [a, b, c] = ids(fields);

  const answer = await acme.put(`/custom_activity/${type.id}/`, { fields: [{ id: c }, { id: a }] });

  assert.deepEqual(ids(answer.fields), [c, a, b]);
  assert.deepEqual(ids((await acme.get(`/custom_activity/${type.id}/`)).fields), [c, a, b]);
  await acme.put(`/custom_activity/${type.id}/`, await acme.get(`/custom_activity/${type.id}/`));
  assert.deepEqual(ids((await acme.get(`/custom_activity/${type.id}/`)).fields), [c, a, b]);
});

test("fields of another type, and the same field twice, are refused", async () => {
  const acme = await organization();
  const [type, other] = [await visitType(acme), await visitType(acme, { name: "Other" })];
  const [own, foreign] = [await fieldOf(acme, type, {}), await fieldOf(acme, other, {})];
  const path = `/custom_activity/${type.id}/`;

  await acme.refused(400, "PUT", path, { fields: [{ id: foreign.id }] }, "fields.0.id");
  await acme.refused(400, "PUT", path, { fields: [{ id: own.id }, { id: own.id }] }, "fields.1.id");
  await acme.refused(400, "POST", "/custom_activity/", { name: "New", fields: [{ id: "cf_nobody" }] }, "fields.0.id");
});

test("a type that is posted as another was read has fields of its own like those, and the shared ones", async () => {
  const acme = await organization();
  const type = await visitType(acme);
  await fieldOf(acme, type, { name: "Reason", type: "choices", choices: ["a", "b"], accepts_multiple_values: true });
  await fieldOf(acme, type, { name: "Notes", type: "textarea", required: true });
  const associations = [{ object_type: "activity", custom_activity_type_id: type.id, required: true }];
  const shared = await acme.customField("shared", { type: "text", associations });
  const read = await acme.get(`/custom_activity/${type.id}/`);

  const copy = await acme.post("/custom_activity/", { ...read, name: "Call at the door" });

  const own = ["id", "position", "custom_activity_type_id", "date_created", "date_updated"];
  const plain = (one: object) => Object.fromEntries(Object.entries(one).filter(([key]) => !own.includes(key)));
  assert.deepEqual(copy.fields.slice(0, 2).map(plain), read.fields.slice(0, 2).map(plain));
  assert.ok(
    copy.fields.slice(0, 2).every((one: any) => one.custom_activity_type_id === copy.id && !ids(read.fields).includes(one.id)),
  );
  assert.deepEqual([copy.fields[2].id, copy.fields[2].required], [shared.id, true]);
  assert.deepEqual(
    ids((await acme.get(`/custom_activity/${type.id}/`)).fields),
    ids(read.fields),
    "the first type keeps its own",
  );
  assert.deepEqual(await acme.get(`/custom_activity/${copy.id}/`), copy);
});

test("a new type brings its fields along as they are described, and one that is wrong is named", async () => {
  const acme = await organization();
  const fields = [
    { name: "Reason", type: "text" },
    { name: "Size", type: "number", required: true },
  ];

  const type = await visitType(acme, { fields });

  assert.deepEqual(
    type.fields.map(({ name, type, required }: any) => ({ name, type, required })),
    [{ ...fields[0], required: false }, fields[1]],
  );
  const wrong = (one: object, place: string) =>
    acme.refused(400, "POST", "/custom_activity/", { name: "New", fields: [fields[0], one] }, place);
  await wrong({ name: "Size" }, "fields.1.type");
  await wrong({ name: "Size", type: "choices" }, "fields.1.choices");
  await wrong({ name: "Size", type: "number", required: "yes" }, "fields.1.required");
});

test("two types cannot have one name, whatever its case, and roles must exist", async () => {
  const acme = await organization();
  await visitType(acme);

  await acme.refused(400, "POST", "/custom_activity/", { name: "SITE VISIT" }, "name");
  await acme.refused(400, "POST", "/custom_activity/", { name: "Any", editable_with_roles: ["role_x"] }, "editable_with_roles.0");
  await acme.post("/custom_object_type/", { name: "Site visit" });
});

test("types are found by whether they are archived and sorted by name", async () => {
  const acme = await organization();
  const [b, a] = [await visitType(acme, { name: "B" }), await visitType(acme, { name: "A", is_archived: true })];

  assert.deepEqual(ids((await acme.get("/custom_activity/?_order_by=name")).data), [a.id, b.id]);
  assert.deepEqual(ids((await acme.get("/custom_activity/?is_archived=true")).data), [a.id]);
});

test("deleting a type takes its fields and its activities along, each with an event, and leaves shared fields without it", async () => {
  const acme = await organization();
  const [type, other] = [await visitType(acme), await visitType(acme, { name: "Other" })];
  const [own, kept] = [await fieldOf(acme, type, {}), await fieldOf(acme, other, {})];
  const shared = await acme.customField("shared", {
    type: "text",
    associations: [{ object_type: "activity", custom_activity_type_id: type.id }, { object_type: "lead" }],
  });
  const { id: lead_id } = await acme.lead();
  const instance = await acme.post("/activity/custom/", {
    lead_id,
    custom_activity_type_id: type.id,
    [`custom.${own.id}`]: "x",
  });
  const another = await acme.post("/activity/custom/", { lead_id, custom_activity_type_id: other.id });

  await acme.delete(`/custom_activity/${type.id}/`);

  await acme.refused(404, "GET", `/activity/custom/${instance.id}/`);
  await acme.refused(404, "GET", `/custom_field/activity/${own.id}/`);
  assert.equal((await acme.get(`/activity/custom/${another.id}/`)).id, another.id);
  assert.equal((await acme.get(`/custom_field/activity/${kept.id}/`)).id, kept.id);
  assert.deepEqual(
    (await acme.get(`/custom_field/shared/${shared.id}/`)).associations.map((one: any) => one.object_type),
    ["lead"],
  );
  const last = async (id: string) => (await acme.events(id)).at(-1);
  assert.equal((await last(instance.id)).previous_data[`custom.${own.id}`], "x");
  assert.deepEqual(
    [await last(own.id), await last(instance.id), await last(type.id)].map((one) => `${one.object_type}.${one.action}`),
    ["custom_fields.activity.deleted", "activity.custom_activity.deleted", "custom_activity_type.deleted"],
  );
});

test("only who may customize makes types; everyone reads them", async () => {
  const acme = await organization();
  const type = await visitType(acme);
  const member = await acme.member();

  await member.refused(403, "POST", "/custom_activity/", { name: "Any" });
  await member.refused(403, "PUT", `/custom_activity/${type.id}/`, { name: "Any" });
  await member.refused(403, "DELETE", `/custom_activity/${type.id}/`);
  assert.equal((await member.get(`/custom_activity/${type.id}/`)).id, type.id);
});
