import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const ids = (records: { id: string }[]) => records.map((one) => one.id).sort();

async function withVisits(acme: Workspace, body: object = {}) {
  const type = await acme.post("/custom_activity/", { name: "Site visit", ...body });
  const lead = await acme.lead();
  const field = async (definition: object) => {
    const made = await acme.customField("activity", { custom_activity_type_id: type.id, type: "text", ...definition });
    return { ...made, key: `custom.${made.id}` };
  };
  const visit = (values: object = {}, client = acme): Promise<any> =>
    client.post("/activity/custom/", { lead_id: lead.id, custom_activity_type_id: type.id, ...values });
  return { type, lead, field, visit };
}

test("an activity of a custom type has the values of its fields, and is in the lead's history", async () => {
  const acme = await organization();
  const { lead, field, visit, type } = await withVisits(acme);
  const weather = await field({ name: "Weather" });

  const made = await visit({ [weather.key]: "Sunny", pinned: true });

  assert.equal(made._type, "CustomActivity");
  assert.equal(made.status, "published");
  assert.equal(made[weather.key], "Sunny");
  assert.ok(made.last_published_at && made.pinned_at);
  const history = (await acme.get(`/activity/?lead_id=${lead.id}`)).data;
  assert.equal(history.find((one: any) => one.id === made.id)[weather.key], "Sunny");
  for (const types of ["Custom", "CustomActivity", type.id, `Note,${type.id}`])
    assert.deepEqual(ids((await acme.get(`/activity/?lead_id=${lead.id}&_type__in=${types}`)).data), [made.id]);
  assert.deepEqual(ids((await acme.get("/activity/?_type=actitype_nobody")).data), []);
});

test("every type of value is checked, and its field named where it does not fit", async () => {
  const acme = await organization();
  const { visit, field, type, lead } = await withVisits(acme);
  const contact = await acme.contact();
  const objectType = await acme.post("/custom_object_type/", { name: "Vehicle" });
  const other = await acme.post("/custom_object_type/", { name: "Boat" });
  const object = (kind: any) => acme.post("/custom_object/", { name: "One", lead_id: lead.id, custom_object_type_id: kind.id });
  const [car, boat] = [await object(objectType), await object(other)];
  const cases: [object, good: unknown, bad: unknown, stored?: unknown][] = [
    [{ type: "text" }, "x", 1],
    [{ type: "textarea" }, "x\ny", false],
    [{ type: "hidden" }, "x", {}],
    [{ type: "number" }, 2.5, "2.5"],
    [{ type: "date" }, "2026-01-02", "yesterday"],
    [{ type: "datetime" }, "2026-01-02T03:04:05Z", "soon", "2026-01-02T03:04:05.000Z"],
    [{ type: "boolean" }, true, "true"],
    [{ type: "url" }, "https://acme.com/", "not a url"],
    [{ type: "choices", choices: ["a", "b"] }, "a", "c"],
    [{ type: "choices", choices: ["a", "b"], accepts_multiple_values: true }, ["a", "b"], ["a", "c"]],
    [{ type: "user" }, acme.userId, "user_nobody"],
    [{ type: "contact" }, contact.id, "cont_00000000000000000000000000"],
    [{ type: "custom_object", referenced_custom_type_id: objectType.id }, car.id, boat.id],
  ];

  for (const [definition, good, bad, stored = good] of cases) {
    const { key } = await field(definition);
    assert.deepEqual((await visit({ [key]: good }))[key], stored, JSON.stringify(definition));
    await acme.refused(400, "POST", "/activity/custom/", { lead_id: lead.id, custom_activity_type_id: type.id, [key]: bad }, key);
  }
});

test("a value of several is extended and shortened one by one, and null unsets it", async () => {
  const acme = await organization();
  const { visit, field } = await withVisits(acme);
  const { key } = await field({ type: "choices", choices: ["a", "b", "c"], accepts_multiple_values: true });
  const made = await visit({ [key]: ["a"] });
  const path = `/activity/custom/${made.id}/`;

  const added = await acme.put(path, { [`${key}.add`]: "b" });
  const removed = await acme.put(path, { [`${key}.remove`]: "a" });
  const unset = await acme.put(path, { [key]: null });

  assert.deepEqual([added[key], removed[key]], [["a", "b"], ["b"]]);
  assert.ok(!(key in unset));
});

test("required fields are checked when it is published, not in a draft", async () => {
  const acme = await organization();
  const { visit, field, lead, type } = await withVisits(acme);
  const { key } = await field({ required: true });
  const body = { lead_id: lead.id, custom_activity_type_id: type.id };

  await acme.refused(400, "POST", "/activity/custom/", body, key);
  const draft = await visit({ status: "draft" });
  const path = `/activity/custom/${draft.id}/`;
  await acme.refused(400, "PUT", path, { status: "published" }, key);
  const published = await acme.put(path, { status: "published", [key]: "x" });
  await acme.refused(400, "PUT", path, { [key]: null }, key);
  const again = await acme.put(path, { status: "draft", [key]: null });

  assert.equal(draft.last_published_at, null);
  assert.equal(published.status, "published");
  assert.equal(again.last_published_at, published.last_published_at);
});

test("what has become required since stops no other change", async () => {
  const acme = await organization();
  const { visit, field } = await withVisits(acme);
  const made = await visit();
  const { key } = await field({ required: true });

  const changed = await acme.put(`/activity/custom/${made.id}/`, { pinned: true });

  assert.equal(changed.pinned, true);
  await acme.put(`/activity/custom/${made.id}/`, { [key]: "x" });
  await acme.refused(400, "PUT", `/activity/custom/${made.id}/`, { [key]: null }, key);
});

test("a field of another type is refused, and so are an archived type and one that is not there", async () => {
  const acme = await organization();
  const { lead, type, field } = await withVisits(acme);
  const other = await acme.post("/custom_activity/", { name: "Other" });
  const { key } = await field({});
  const foreign = { lead_id: lead.id, custom_activity_type_id: other.id, [key]: "x" };

  await acme.refused(400, "POST", "/activity/custom/", foreign, key);
  await acme.put(`/custom_activity/${type.id}/`, { is_archived: true });
  const ofType = (id: string) => ({ lead_id: lead.id, custom_activity_type_id: id });
  await acme.refused(400, "POST", "/activity/custom/", ofType(type.id), "custom_activity_type_id");
  await acme.refused(400, "POST", "/activity/custom/", ofType("actitype_nobody"), "custom_activity_type_id");
});

test("a type may be for some roles only, and so may a field", async () => {
  const acme = await organization();
  const { visit, type, field, lead } = await withVisits(acme);
  const { key } = await field({ editable_with_roles: ["superuser"] });
  const [user, superuser] = [await acme.member("user"), await acme.member("superuser")];
  const body = { lead_id: lead.id, custom_activity_type_id: type.id };

  await user.refused(403, "POST", "/activity/custom/", { ...body, [key]: "x" }, key);
  const made = await visit({ [key]: "x" }, superuser);
  await acme.put(`/custom_activity/${type.id}/`, { editable_with_roles: ["superuser"] });
  await user.refused(403, "POST", "/activity/custom/", body);
  await user.refused(403, "PUT", `/activity/custom/${made.id}/`, { pinned: true });
  await user.refused(403, "DELETE", `/activity/custom/${made.id}/`);
  await superuser.put(`/activity/custom/${made.id}/`, { pinned: true });
  assert.equal((await user.get(`/activity/custom/${made.id}/`))[key], "x");
});

test("lists, the stream and a search find activities by their type and by the values of their fields", async () => {
  const acme = await organization();
  const { visit, field, type } = await withVisits(acme);
  const [weather, rooms] = [await field({ name: "Weather" }), await field({ type: "number" })];
  const [sunny, rainy] = [
    await visit({ [weather.key]: "Sunny and warm", [rooms.key]: 5 }),
    await visit({ [weather.key]: "Rain", [rooms.key]: 1 }),
  ];
  await acme.note();

  for (const path of ["/activity/", "/activity/custom/"]) {
    const found = async (query: string) => ids((await acme.get(`${path}?${query}`)).data);
    assert.deepEqual(await found(`${rooms.key}__gte=3`), [sunny.id], path);
    assert.deepEqual(await found(`${weather.key}=Rain`), [rainy.id], path);
    assert.deepEqual(await found(`custom_activity_type_id=${type.id}`), ids([sunny, rainy]), path);
    assert.deepEqual(await found(`custom_activity_type_id__in=${type.id},actitype_x`), ids([sunny, rainy]), path);
    assert.deepEqual(await found("query=sunny"), [sunny.id], path);
    assert.deepEqual(await found("query=custom.Weather:rain"), [rainy.id], path);
  }
  for (const object_type of ["activity", "activity.custom_activity"]) {
    const field_ = { type: "custom_field", custom_field_id: rooms.id };
    const { data } = await acme.post("/data/search/", {
      query: {
        type: "and",
        queries: [
          { type: "object_type", object_type },
          { type: "field_condition", field: field_, condition: { type: "number_range", gte: 3 } },
        ],
      },
    });
    assert.deepEqual(
      data.map((one: any) => [one.id, one.__object_type, one[rooms.key]]),
      [[sunny.id, "activity.custom_activity", 5]],
    );
  }
});

test("a search tells the types apart, and finds leads by what was recorded at them", async () => {
  const acme = await organization();
  const { visit, field, type, lead } = await withVisits(acme);
  const rooms = await field({ type: "number" });
  const other = await acme.post("/custom_activity/", { name: "Other" });
  const made = await visit({ [rooms.key]: 5 });
  await visit({ custom_activity_type_id: other.id });
  await acme.lead();
  const search = async (object_type: string, ...conditions: object[]) => {
    const query = { type: "and", queries: [{ type: "object_type", object_type }, ...conditions] };
    return ids((await acme.post("/data/search/", { query })).data);
  };
  const ofType = (condition: object) => ({
    type: "field_condition",
    field: { type: "regular_field", object_type: "activity.custom_activity", field_name: "custom_activity_type_id" },
    condition,
  });
  const manyRooms = {
    type: "field_condition",
    field: { type: "custom_field", custom_field_id: rooms.id },
    condition: { type: "number_range", gt: 4 },
  };
  const related = { type: "has_related", this_object_type: "lead", related_object_type: "activity.custom_activity" };

  assert.deepEqual(await search("activity.custom_activity", ofType({ type: "term", values: [type.id] })), [made.id]);
  const reference = { type: "reference", reference_type: "custom_activity_type", object_ids: [type.id] };
  assert.deepEqual(await search("activity.custom_activity", ofType(reference)), [made.id]);
  assert.deepEqual(await search("lead", { ...related, related_query: manyRooms }), [lead.id]);
});

test("deleting a field removes its values from activities", async () => {
  const acme = await organization();
  const { visit, field } = await withVisits(acme);
  const [gone, kept] = [await field({ name: "A" }), await field({ name: "B" })];
  const made = await visit({ [gone.key]: "x", [kept.key]: "y" });

  await acme.delete(`/custom_field/activity/${gone.id}/`);

  const read = await acme.get(`/activity/custom/${made.id}/`);
  assert.equal(read[gone.key], undefined);
  assert.equal(read[kept.key], "y");
});

test("each change leaves an event that names the fields that changed", async () => {
  const acme = await organization();
  const { visit, field } = await withVisits(acme);
  const { key } = await field({});
  const made = await visit({ [key]: "x" });

  await acme.put(`/activity/custom/${made.id}/`, { [key]: "y" });
  await acme.delete(`/activity/custom/${made.id}/`);

  const events = await acme.events(made.id);
  assert.deepEqual(
    events.map((one) => [`${one.object_type}.${one.action}`, one.changed_fields]),
    [
      ["activity.custom_activity.created", []],
      ["activity.custom_activity.updated", [key]],
      ["activity.custom_activity.deleted", []],
    ],
  );
});
