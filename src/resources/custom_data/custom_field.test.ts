import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const field = (acme: Workspace, body: object, objectType = "lead") => acme.customField(objectType, body);
const valueOf = async (acme: Workspace, lead: { id: string }, cf: { id: string }) =>
  (await acme.get(`/lead/${lead.id}/`))[`custom.${cf.id}`];

test("fields belong to the kind of record in the path, and are not found under another", async () => {
  const acme = await organization();
  const size = await field(acme, { name: "Size", type: "number" });
  const role = await field(acme, { name: "Role", type: "text" }, "contact");

  const { data } = await acme.get("/custom_field/lead/");

  assert.equal(size.object_type, "lead");
  assert.equal(size.is_shared, false);
  assert.deepEqual(
    data.map((one: any) => one.id),
    [size.id],
  );
  await acme.refused(404, "GET", `/custom_field/lead/${role.id}/`);
  await acme.refused(404, "PUT", `/custom_field/lead/${role.id}/`, { name: "Other" });
  await acme.refused(404, "DELETE", `/custom_field/lead/${role.id}/`);
  await acme.refused(404, "GET", "/custom_field/planet/");
  await acme.refused(404, "POST", "/custom_field/planet/", { name: "Size", type: "text" });
});

test("what the service itself calls custom objects and activities has two names", async () => {
  const acme = await organization();

  assert.deepEqual((await acme.get("/custom_field/custom_object/")).data, []);
  assert.deepEqual((await acme.get("/custom_field/custom_activity/")).data, []);
});

test("a name is given once for a kind of record, whatever its case", async () => {
  const acme = await organization();
  await field(acme, { name: "Size", type: "text" });
  const other = await field(acme, { name: "Budget", type: "text" });

  await acme.refused(400, "POST", "/custom_field/lead/", { name: "size", type: "text" }, "name");
  await acme.refused(400, "PUT", `/custom_field/lead/${other.id}/`, { name: "SIZE" }, "name");
  await field(acme, { name: "Size", type: "text" }, "contact");
});

test("what does not go together is refused by name", async () => {
  const acme = await organization();
  const refused = (body: object, place: string, objectType = "lead") =>
    acme.refused(400, "POST", `/custom_field/${objectType}/`, { name: "Any", ...body }, place);

  await refused({ type: "colour" }, "type");
  await refused({ type: "textarea" }, "type");
  await refused({ type: "choices" }, "choices");
  await refused({ type: "choices", choices: [] }, "choices");
  await refused({ type: "choices", choices: ["a", "a"] }, "choices");
  await refused({ type: "choices", choices: ["a", " "] }, "choices.1");
  await refused({ type: "text", choices: ["a"] }, "choices");
  await refused({ type: "text", accepts_multiple_values: true }, "accepts_multiple_values");
  await refused({ type: "text", required: true }, "required");
  await refused({ type: "text", description: "x".repeat(281) }, "description");
  await refused({ type: "text", editable_with_roles: ["admin", "role_nobody"] }, "editable_with_roles.1");
  await refused({ type: "text", associations: [{ object_type: "lead" }] }, "associations");
  await refused({ type: "text", custom_activity_type_id: "actitype_x" }, "custom_activity_type_id");
  await refused({ type: "text" }, "custom_activity_type_id", "activity");
  await refused({ type: "text", custom_object_type_id: "cotype_nobody" }, "custom_object_type_id", "custom_object_type");
  await refused({ type: "custom_object" }, "referenced_custom_type_id");
  await refused({ type: "text", associations: [{ object_type: "shared" }] }, "associations.0.object_type", "shared");
  await refused({ type: "text", associations: [{ object_type: "lead" }, { object_type: "lead" }] }, "associations.1", "shared");
});

test("fields stand in the order they are put in; a new one comes last", async () => {
  const acme = await organization();
  const [a, b, c] = [
    await field(acme, { type: "text" }),
    await field(acme, { type: "text" }),
    await field(acme, { type: "text" }),
  ];

  await acme.put(`/custom_field/lead/${c.id}/`, { position: a.position });

  assert.deepEqual(
    (await acme.get("/custom_field/lead/")).data.map((one: any) => one.id),
    [c.id, a.id, b.id],
  );
});

test("fields are listed by name and by type", async () => {
  const acme = await organization();
  const size = await field(acme, { name: "Size", type: "number" });
  await field(acme, { name: "Role", type: "text" });

  assert.deepEqual(
    (await acme.get("/custom_field/lead/?name=Size")).data.map((one: any) => one.id),
    [size.id],
  );
  assert.deepEqual(
    (await acme.get("/custom_field/lead/?type__in=number,date")).data.map((one: any) => one.id),
    [size.id],
  );
});

test("text that reads as numbers becomes numbers, and numbers become text again", async () => {
  const acme = await organization();
  const cf = await field(acme, { type: "text" });
  const leads = [
    await acme.lead({ [`custom.${cf.id}`]: "12.5" }),
    await acme.lead({ [`custom.${cf.id}`]: " 7 " }),
    await acme.lead(),
  ];

  await acme.put(`/custom_field/lead/${cf.id}/`, { type: "number" });
  const numbers = await Promise.all(leads.map((lead) => valueOf(acme, lead, cf)));
  await acme.put(`/custom_field/lead/${cf.id}/`, { type: "text" });
  const texts = await Promise.all(leads.map((lead) => valueOf(acme, lead, cf)));

  assert.deepEqual(numbers, [12.5, 7, undefined]);
  assert.deepEqual(texts, ["12.5", "7", undefined]);
});

test("days become moments and moments days; text becomes what it reads as", async () => {
  const acme = await organization();
  const cf = await field(acme, { type: "text" });
  const lead = await acme.lead({ [`custom.${cf.id}`]: "2026-02-03" });
  const become = async (type: string) => {
    await acme.put(`/custom_field/lead/${cf.id}/`, { type });
    return valueOf(acme, lead, cf);
  };

  assert.equal(await become("date"), "2026-02-03");
  assert.equal(await become("datetime"), "2026-02-03T00:00:00.000Z");
  assert.equal(await become("date"), "2026-02-03");
  assert.equal(await become("text"), "2026-02-03");
});

test("one value becomes a list when several are allowed, and a list of one a value again", async () => {
  const acme = await organization();
  const cf = await field(acme, { type: "text" });
  const lead = await acme.lead({ [`custom.${cf.id}`]: "gold" });
  const path = `/custom_field/lead/${cf.id}/`;

  await acme.put(path, { type: "choices", choices: ["gold", "silver"], accepts_multiple_values: true });
  const several = await valueOf(acme, lead, cf);
  await acme.put(path, { accepts_multiple_values: false });
  const one = await valueOf(acme, lead, cf);
  await acme.put(path, { accepts_multiple_values: true });
  await acme.put(`/lead/${lead.id}/`, { [`custom.${cf.id}.add`]: "silver" });
  await acme.refused(400, "PUT", path, { accepts_multiple_values: false }, "type");
  const text = await acme.put(path, { type: "text" });

  assert.deepEqual(several, ["gold"]);
  assert.equal(one, "gold");
  assert.equal(await valueOf(acme, lead, cf), "gold, silver");
  assert.equal(text.choices, null);
  assert.equal(text.accepts_multiple_values, false);
});

test("values that the new type cannot hold stop the change, unless they may be dropped", async () => {
  const acme = await organization();
  const cf = await field(acme, { type: "text" });
  const [many, six] = [await acme.lead({ [`custom.${cf.id}`]: "many" }), await acme.lead({ [`custom.${cf.id}`]: "6" })];

  const refusal = await acme.refused(400, "PUT", `/custom_field/lead/${cf.id}/`, { type: "number" }, "type");
  const kept = [await valueOf(acme, many, cf), await valueOf(acme, six, cf)];
  await acme.put(`/custom_field/lead/${cf.id}/`, { type: "number", drop_unconvertible_values: true });
  const dropped = [await valueOf(acme, many, cf), await valueOf(acme, six, cf)];

  assert.match(refusal["field-errors"].type, /"many"/);
  assert.deepEqual(kept, ["many", "6"]);
  assert.deepEqual(dropped, [undefined, 6]);
});

test("the refusal quotes no value to a member who may not see every lead", async () => {
  const acme = await organization();
  const cf = await field(acme, { type: "text" });
  await acme.lead({ [`custom.${cf.id}`]: "secret" });
  const designer = await acme.memberWith(["manage_customizations"]);

  const refusal = await designer.refused(400, "PUT", `/custom_field/lead/${cf.id}/`, { type: "number" }, "type");

  assert.doesNotMatch(JSON.stringify(refusal), /secret/);
  assert.match(refusal["field-errors"].type, /drop_unconvertible_values: true/);
});

test("text that would be read as another number is none", async () => {
  const acme = await organization();
  const cf = await field(acme, { type: "text" });
  const long = await acme.lead({ [`custom.${cf.id}`]: "9007199254740993" });

  await acme.refused(400, "PUT", `/custom_field/lead/${cf.id}/`, { type: "number" }, "type");

  assert.equal(await valueOf(acme, long, cf), "9007199254740993");
});

test("a converted record has a new version, so that a stale one is noticed", async () => {
  const acme = await organization();
  const cf = await field(acme, { type: "text" });
  const [with_, without] = [await acme.lead({ [`custom.${cf.id}`]: "6" }), await acme.lead()];
  const tag = async (lead: any) => (await acme.ask("GET", `/lead/${lead.id}/`)).headers.get("etag");
  const before = [await tag(with_), await tag(without)];

  await acme.put(`/custom_field/lead/${cf.id}/`, { type: "number" });

  assert.notEqual(await tag(with_), before[0]);
  assert.equal(await tag(without), before[1]);
});

test("the type of a shared field is fixed", async () => {
  const acme = await organization();
  const cf = await field(acme, { type: "text", associations: [{ object_type: "lead" }] }, "shared");

  await acme.refused(400, "PUT", `/custom_field/shared/${cf.id}/`, { type: "number" }, "type");
  await acme.put(`/custom_field/shared/${cf.id}/`, { type: "text" });
});

test("a choice that is no longer offered stays where it was chosen, and may be sent again", async () => {
  const acme = await organization();
  const cf = await field(acme, { type: "choices", choices: ["a", "b", "c"], accepts_multiple_values: true });
  const lead = await acme.lead({ [`custom.${cf.id}`]: ["a", "b"] });

  await acme.put(`/custom_field/lead/${cf.id}/`, { choices: ["b", "c"] });

  assert.deepEqual(await valueOf(acme, lead, cf), ["a", "b"]);
  await acme.put(`/lead/${lead.id}/`, await acme.get(`/lead/${lead.id}/`));
  await acme.put(`/lead/${lead.id}/`, { [`custom.${cf.id}.add`]: "c" });
  assert.deepEqual(await valueOf(acme, lead, cf), ["a", "b", "c"]);
  await acme.refused(400, "POST", "/lead/", { [`custom.${cf.id}`]: ["a"] }, `custom.${cf.id}`);
});

test("deleting a field removes its values, and only those", async () => {
  const acme = await organization();
  const [gone, kept] = [await field(acme, { type: "text" }), await field(acme, { type: "text" })];
  const lead = await acme.lead({ [`custom.${gone.id}`]: "x", [`custom.${kept.id}`]: "y" });

  await acme.delete(`/custom_field/lead/${gone.id}/`);

  assert.equal(await valueOf(acme, lead, gone), undefined);
  assert.equal(await valueOf(acme, lead, kept), "y");
  await acme.refused(400, "PUT", `/lead/${lead.id}/`, { [`custom.${gone.id}`]: "z" }, `custom.${gone.id}`);
});

test("a shared field is one field of several kinds of record, until they part", async () => {
  const acme = await organization();
  const cf = await field(
    acme,
    { name: "Region", type: "text", associations: [{ object_type: "lead" }, { object_type: "contact" }] },
    "shared",
  );
  const lead = await acme.lead({ [`custom.${cf.id}`]: "North" });
  const contact = await acme.contact({ lead_id: lead.id, [`custom.${cf.id}`]: "South" });

  await acme.put(`/custom_field/shared/${cf.id}/`, { associations: [{ object_type: "lead" }] });

  assert.equal(cf.is_shared, true);
  assert.equal(await valueOf(acme, lead, cf), "North");
  assert.equal((await acme.get(`/contact/${contact.id}/`))[`custom.${cf.id}`], undefined);
  await acme.refused(400, "PUT", `/contact/${contact.id}/`, { [`custom.${cf.id}`]: "x" }, `custom.${cf.id}`);
});

test("a shared field that is narrowed to one type keeps that type's values", async () => {
  const acme = await organization();
  const [visit, other] = [
    await acme.post("/custom_activity/", { name: "Visit" }),
    await acme.post("/custom_activity/", { name: "Other" }),
  ];
  const cf = await field(acme, { type: "text", associations: [{ object_type: "activity" }] }, "shared");
  const { id: lead_id } = await acme.lead();
  const make = (type: any) =>
    acme.post("/activity/custom/", { lead_id, custom_activity_type_id: type.id, [`custom.${cf.id}`]: "x" });
  const [kept, gone] = [await make(visit), await make(other)];

  await acme.put(`/custom_field/shared/${cf.id}/`, {
    associations: [{ object_type: "activity", custom_activity_type_id: visit.id }],
  });

  assert.equal((await acme.get(`/activity/custom/${kept.id}/`))[`custom.${cf.id}`], "x");
  assert.equal((await acme.get(`/activity/custom/${gone.id}/`))[`custom.${cf.id}`], undefined);
});

test("a shared field has a type only of the kind of record that has types", async () => {
  const acme = await organization();
  const { id } = await acme.post("/custom_activity/", { name: "Visit" });
  const associations = [{ object_type: "lead", custom_activity_type_id: id }];

  await acme.refused(
    400,
    "POST",
    "/custom_field/shared/",
    { name: "Any", type: "text", associations },
    "associations.0.custom_activity_type_id",
  );
});

test("a field for a role that is gone since can be changed and written back", async () => {
  const acme = await organization();
  const role = await acme.post("/role/", { name: "Temporary", permissions: [] });
  const editable_with_roles = [role.id];
  const own = await field(acme, { type: "text", editable_with_roles });
  const shared = await field(acme, { type: "text", associations: [{ object_type: "lead", editable_with_roles }] }, "shared");
  const type = await acme.post("/custom_activity/", { name: "Visit", editable_with_roles });
  await acme.delete(`/role/${role.id}/`);

  for (const path of [`/custom_field/lead/${own.id}/`, `/custom_field/shared/${shared.id}/`, `/custom_activity/${type.id}/`]) {
    const renamed = await acme.put(path, { ...(await acme.get(path)), name: `Other ${path}` });
    assert.equal(renamed.name, `Other ${path}`);
  }
  await acme.refused(
    400,
    "POST",
    "/custom_field/lead/",
    { name: "New", type: "text", editable_with_roles },
    "editable_with_roles.0",
  );
});

test("each change of a field leaves an event that names its kind of record", async () => {
  const acme = await organization();
  const cf = await field(acme, { name: "Size", type: "text" });

  await acme.put(`/custom_field/lead/${cf.id}/`, { name: "Employees" });
  await acme.delete(`/custom_field/lead/${cf.id}/`);

  const events = await acme.events(cf.id);
  assert.deepEqual(
    events.map((one) => `${one.object_type}.${one.action}`),
    ["custom_fields.lead.created", "custom_fields.lead.updated", "custom_fields.lead.deleted"],
  );
});

test("only who may customize makes fields; everyone reads them", async () => {
  const acme = await organization();
  const cf = await field(acme, { type: "text" });
  const member = await acme.member();

  await member.refused(403, "POST", "/custom_field/lead/", { name: "Any", type: "text" });
  await member.refused(403, "PUT", `/custom_field/lead/${cf.id}/`, { name: "Any" });
  await member.refused(403, "DELETE", `/custom_field/lead/${cf.id}/`);
  assert.equal((await member.get(`/custom_field/lead/${cf.id}/`)).id, cf.id);
});

test("the schema of a kind of record has its own fields in their order, then the shared ones as they hold there", async () => {
  const acme = await organization();
  const shared = await field(
    acme,
    { type: "text", associations: [{ object_type: "contact" }, { object_type: "lead", editable_with_roles: ["admin"] }] },
    "shared",
  );
  const [a, b] = [await field(acme, { type: "number" }), await field(acme, { type: "text" })];
  await acme.put(`/custom_field/lead/${b.id}/`, { position: a.position });

  const schema = await acme.get("/custom_field_schema/?object_type=lead");

  assert.deepEqual(
    schema.fields.map((one: any) => one.id),
    [b.id, a.id, shared.id],
  );
  assert.deepEqual(
    schema.fields.map((one: any) => one.editable_with_roles),
    [[], [], ["admin"]],
  );
  assert.equal(schema.organization_id, acme.id);
  assert.deepEqual(
    schema.standard_fields.find((one: any) => one.name === "status_id"),
    { name: "status_id", type: "reference", read_only: false },
  );
  assert.deepEqual(
    schema.standard_fields.find((one: any) => one.name === "date_updated"),
    { name: "date_updated", type: "datetime", read_only: true },
  );
  await acme.refused(400, "GET", "/custom_field_schema/", undefined, "object_type");
  await acme.refused(400, "GET", "/custom_field_schema/?object_type=planet", undefined, "object_type");
  await acme.refused(400, "GET", "/custom_field_schema/?object_type=cotype_nobody", undefined, "object_type");
  const typed = "/custom_field_schema/?custom_activity_type_id=actitype_nobody&object_type=";
  for (const kind of ["activity", "lead"])
    await acme.refused(400, "GET", `${typed}${kind}`, undefined, "custom_activity_type_id");
});
