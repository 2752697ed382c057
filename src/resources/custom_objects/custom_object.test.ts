import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, Workspace } from "../../../test/support/given.ts";

const ids = (records: { id: string }[]) => records.map((one) => one.id).sort();

async function withVehicles(acme: Workspace, body: object = {}) {
  const type = await acme.post("/custom_object_type/", { name: "Vehicle", ...body });
  const lead = await acme.lead();
  const field = async (definition: object) => {
    const made = await acme.customField("custom_object_type", { custom_object_type_id: type.id, type: "text", ...definition });
    return { ...made, key: `custom.${made.id}` };
  };
  const vehicle = (values: object = {}): Promise<any> =>
    acme.post("/custom_object/", { lead_id: lead.id, custom_object_type_id: type.id, name: "Van", ...values });
  return { type, lead, field, vehicle };
}

test("a type is called by its name and an s where nothing else is said for several", async () => {
  const acme = await organization();

  const { type } = await withVehicles(acme);
  const box = await acme.post("/custom_object_type/", { name: "Box", name_plural: "Boxes" });

  assert.equal(type.name_plural, "Vehicles");
  assert.equal(box.name_plural, "Boxes");
  assert.equal((await acme.post("/custom_object_type/", { name: "Boat", name_plural: "" })).name_plural, "Boats");
  assert.equal((await acme.put(`/custom_object_type/${box.id}/`, { name_plural: " " })).name_plural, "Boxs");
  assert.equal((await acme.put(`/custom_object_type/${box.id}/`, { name: "Crate" })).name_plural, "Boxs");
});

test("an object has the fields of its type, and cannot be without the required ones", async () => {
  const acme = await organization();
  const { field, vehicle, type, lead } = await withVehicles(acme);
  const other = await acme.post("/custom_object_type/", { name: "Boat" });
  const [plate, seats] = [await field({ required: true }), await field({ type: "number" })];
  const body = { lead_id: lead.id, custom_object_type_id: type.id, name: "Van" };

  const made = await vehicle({ [plate.key]: "B-AB 12", [seats.key]: 5 });

  assert.equal(made[plate.key], "B-AB 12");
  await acme.refused(400, "POST", "/custom_object/", body, plate.key);
  await acme.refused(400, "POST", "/custom_object/", { ...body, [plate.key]: "x", [seats.key]: "5" }, seats.key);
  await acme.refused(400, "POST", "/custom_object/", { ...body, custom_object_type_id: other.id, [plate.key]: "x" }, plate.key);
  await acme.refused(400, "PUT", `/custom_object/${made.id}/`, { [plate.key]: null }, plate.key);
  await acme.refused(400, "PUT", `/custom_object/${made.id}/`, { name: " " }, "name");
  assert.equal((await acme.put(`/custom_object/${made.id}/`, { [seats.key]: 7 }))[seats.key], 7);
});

test("an unknown or archived type and an unknown lead are refused", async () => {
  const acme = await organization();
  const { type, lead } = await withVehicles(acme);
  const body = { lead_id: lead.id, custom_object_type_id: type.id, name: "Van" };

  await acme.refused(400, "POST", "/custom_object/", { ...body, lead_id: "lead_nobody" }, "lead_id");
  await acme.refused(400, "POST", "/custom_object/", { ...body, custom_object_type_id: "cotype_x" }, "custom_object_type_id");
  await acme.put(`/custom_object_type/${type.id}/`, { is_archived: true });
  await acme.refused(400, "POST", "/custom_object/", body, "custom_object_type_id");
});

test("objects are found by lead, type, name, words and the values of their fields", async () => {
  const acme = await organization();
  const { field, vehicle, type, lead } = await withVehicles(acme);
  const seats = await field({ type: "number", name: "Seats" });
  const colour = await field({ name: "Colour" });
  const [van, bus] = [
    await vehicle({ name: "Van", [seats.key]: 5, [colour.key]: "Dark green" }),
    await vehicle({ name: "Bus", [seats.key]: 40 }),
  ];
  const found = async (query: string) => ids((await acme.get(`/custom_object/?${query}`)).data);

  assert.deepEqual(await found(`lead_id=${lead.id}&custom_object_type_id__in=${type.id}`), ids([van, bus]));
  assert.deepEqual(await found("name=Bus"), [bus.id]);
  assert.deepEqual(await found("query=green"), [van.id]);
  assert.deepEqual(await found(`${seats.key}__gt=10`), [bus.id]);
  assert.deepEqual(await found("query=custom.Seats>10"), [bus.id]);
  const { data } = await acme.post("/data/search/", {
    query: {
      type: "and",
      queries: [
        { type: "object_type", object_type: "custom_object" },
        {
          type: "field_condition",
          field: { type: "custom_field", custom_field_id: seats.id },
          condition: { type: "number_range", lt: 10 },
        },
      ],
    },
  });
  assert.deepEqual(
    data.map((one: any) => [one.id, one.__object_type]),
    [[van.id, "custom_object"]],
  );
});

test("objects and activities are not found by values of a field that is gone", async () => {
  const acme = await organization();
  const { field, vehicle, lead } = await withVehicles(acme);
  const [colour, plate] = [await field({ name: "Colour" }), await field({ name: "Plate" })];
  const van = await vehicle({ name: "Van", [colour.key]: "Dark green", [plate.key]: "ABC 123" });
  const visit = await acme.post("/custom_activity/", { name: "Visit" });
  const notes = await acme.customField("activity", { type: "textarea", custom_activity_type_id: visit.id });
  const activity = await acme.post("/activity/custom/", {
    lead_id: lead.id,
    custom_activity_type_id: visit.id,
    [`custom.${notes.id}`]: "evergreen",
  });
  const found = async (path: string) => ids((await acme.get(path)).data);
  assert.deepEqual(await found("/activity/custom/?query=evergreen"), [activity.id]);

  await acme.delete(`/custom_field/custom_object_type/${colour.id}/`);
  await acme.delete(`/custom_field/activity/${notes.id}/`);

  assert.deepEqual(await found("/custom_object/?query=green"), []);
  assert.deepEqual(await found("/activity/custom/?query=evergreen"), []);
  for (const word of ["van", "abc"]) assert.deepEqual(await found(`/custom_object/?query=${word}`), [van.id]);
  const read = await acme.get(`/custom_object/${van.id}/`);
  assert.deepEqual([read[colour.key], read[plate.key]], [undefined, "ABC 123"]);
});

test("a lead is found by the custom objects it has", async () => {
  const acme = await organization();
  const { vehicle, lead } = await withVehicles(acme);
  await vehicle({ name: "Fire engine" });
  await acme.lead();

  const { data } = await acme.post("/data/search/", {
    query: {
      type: "and",
      queries: [
        { type: "object_type", object_type: "lead" },
        {
          type: "has_related",
          this_object_type: "lead",
          related_object_type: "custom_object",
          related_query: {
            type: "field_condition",
            field: { type: "regular_field", object_type: "custom_object", field_name: "name" },
            condition: { type: "text", mode: "full_words", value: "engine" },
          },
        },
      ],
    },
  });

  assert.deepEqual(ids(data), [lead.id]);
});

test("objects go with their lead when it is deleted, and follow it into another when they are merged", async () => {
  const acme = await organization();
  const { vehicle, lead } = await withVehicles(acme);
  const other = await acme.lead();
  const made = await vehicle();

  await acme.post("/lead/merge/", { source: lead.id, destination: other.id });
  const moved = await acme.get(`/custom_object/${made.id}/`);
  await acme.delete(`/lead/${other.id}/`);

  assert.equal(moved.lead_id, other.id);
  await acme.refused(404, "GET", `/custom_object/${made.id}/`);
  assert.deepEqual(
    (await acme.events(made.id)).map((one) => one.action),
    ["created", "updated", "deleted"],
  );
});

test("in another organization objects and activities have the type of the same name, which is made where there is none", async () => {
  const here = await organization();
  const { vehicle, lead } = await withVehicles(here);
  const made = await here.post("/organization/", { name: "Elsewhere" });
  const there = new Workspace(here.service, made.api_key, made.id, here.userId);
  const visit = await there.post("/custom_activity/", { name: "VISIT" });
  const type = await here.post("/custom_activity/", { name: "Visit" });
  const activity = await here.post("/activity/custom/", { lead_id: lead.id, custom_activity_type_id: type.id });
  const vans = [await vehicle({ name: "A" }), await vehicle({ name: "B" })];

  const { matched } = await here.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });

  const types = (await there.get("/custom_object_type/")).data;
  assert.deepEqual(
    types.map((one: any) => [one.name, one.name_plural]),
    [["Vehicle", "Vehicles"]],
  );
  for (const van of vans)
    assert.equal((await there.get(`/custom_object/${van.id}/`)).custom_object_type_id, types[0].id, van.name);
  assert.equal((await there.get(`/activity/custom/${activity.id}/`)).custom_activity_type_id, visit.id);
  assert.deepEqual(matched["custom_object.custom_object_type_id"], { [vans[0].custom_object_type_id]: types[0].id });
  assert.deepEqual(matched["activity.custom_activity_type_id"], { [type.id]: visit.id });
});

test("who does not see a lead does not see its objects", async () => {
  const acme = await organization();
  const { vehicle } = await withVehicles(acme);
  const made = await vehicle();
  const restricted = await acme.member("restricteduser");

  await restricted.refused(404, "GET", `/custom_object/${made.id}/`);
  await restricted.refused(404, "PUT", `/custom_object/${made.id}/`, { name: "Mine" });
  assert.deepEqual((await restricted.get("/custom_object/")).data, []);
});

test("a type may be for some roles only", async () => {
  const acme = await organization();
  const { vehicle, type, lead } = await withVehicles(acme, { editable_with_roles: ["superuser"] });
  const made = await vehicle();
  const user = await acme.member("user");

  await user.refused(403, "POST", "/custom_object/", { lead_id: lead.id, custom_object_type_id: type.id, name: "Van" });
  await user.refused(403, "PUT", `/custom_object/${made.id}/`, { name: "Mine" });
  await user.refused(403, "DELETE", `/custom_object/${made.id}/`);
});

test("deleting a type takes its objects, its fields and the fields that name its objects along, with their values", async () => {
  const acme = await organization();
  const { vehicle, type, field } = await withVehicles(acme);
  const plate = await field({});
  const van = await vehicle();
  const naming = await acme.customField("lead", { type: "custom_object", referenced_custom_type_id: type.id });
  const lead = await acme.lead({ [`custom.${naming.id}`]: van.id });

  await acme.delete(`/custom_object_type/${type.id}/`);

  await acme.refused(404, "GET", `/custom_object/${van.id}/`);
  await acme.refused(404, "GET", `/custom_field/custom_object_type/${plate.id}/`);
  await acme.refused(404, "GET", `/custom_field/lead/${naming.id}/`);
  assert.equal((await acme.get(`/lead/${lead.id}/`))[`custom.${naming.id}`], undefined);
  assert.equal((await acme.events(van.id)).at(-1).action, "deleted");
});

test("a type shows the fields elsewhere that name its objects, where they are to be seen", async () => {
  const acme = await organization();
  const { type } = await withVehicles(acme);
  const naming = { type: "custom_object", referenced_custom_type_id: type.id };
  const shown = await acme.customField("lead", { ...naming, back_reference_is_visible: true });
  await acme.customField("contact", naming);

  const read = await acme.get(`/custom_object_type/${type.id}/`);

  assert.deepEqual(ids(read.back_reference_fields), [shown.id]);
  assert.deepEqual(read.fields, []);
});
