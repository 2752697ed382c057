// Values of custom fields as records carry them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const samples: [type: string, good: unknown, stored: unknown, wrong: unknown, extra?: object][] = [
  ["text", "Hello", "Hello", 12],
  ["hidden", "Hello", "Hello", true],
  ["number", 12.5, 12.5, "12.5"],
  ["boolean", false, false, "false"],
  ["date", "2026-02-03", "2026-02-03", "3.2.2026"],
  ["date", "2026-02-03T23:30:00+02:00", "2026-02-03", 20260203],
  ["datetime", "2026-02-03T04:05:06+01:00", "2026-02-03T03:05:06.000Z", "yesterday"],
  ["url", "acme.io/x", "http://acme.io/x", "no address"],
  ["choices", "gold", "gold", "bronze", { choices: ["gold", "silver"] }],
  [
    "choices",
    ["gold", "silver", "gold"],
    ["gold", "silver"],
    ["gold", "bronze"],
    { choices: ["gold", "silver"], accepts_multiple_values: true },
  ],
  ["user", "me", "me", "user_nobody"],
  ["contact", "someone", "someone", "cont_nobody"],
];

async function recordsOf(acme: Workspace): Promise<[string, string][]> {
  const lead = await acme.lead();
  const records: [string, string][] = [
    ["lead", `/lead/${lead.id}/`],
    ["contact", `/contact/${(await acme.contact({ lead_id: lead.id })).id}/`],
  ];
  if (acme.service.app.core.registry.resource("opportunity"))
    records.push(["opportunity", `/opportunity/${(await acme.opportunity({ lead_id: lead.id })).id}/`]);
  return records;
}

test("each type takes its own values, says what is wrong with others, and is unset by null", async () => {
  const acme = await organization();
  const someone = (await acme.contact()).id;
  const named: Record<string, unknown> = { me: acme.userId, someone };

  for (const [kind, path] of await recordsOf(acme)) {
    for (const [type, good, stored, wrong, extra] of samples) {
      const key = `custom.${(await acme.customField(kind, { type, ...extra })).id}`;
      const resolve = (value: unknown) => (typeof value === "string" ? (named[value] ?? value) : value);

      const answer = await acme.put(path, { [key]: resolve(good) });
      await acme.refused(400, "PUT", path, { [key]: wrong }, key);
      const read = await acme.get(path);
      const cleared = await acme.put(path, { [key]: null });

      assert.deepEqual(answer[key], resolve(stored), `${kind} ${type}`);
      assert.deepEqual(read[key], resolve(stored), `${kind} ${type}`);
      assert.ok(!(key in cleared), `${kind} ${type} is absent where it is unset`);
    }
  }
});

test("a value is taken as it is sent or refused: text is no number, a list no value, a value no list", async () => {
  const acme = await organization();
  const [someone, { id: lead }] = [(await acme.contact()).id, await acme.lead()];
  const vehicle = (await acme.post("/custom_object_type/", { name: "Vehicle" })).id;
  const car = (await acme.post("/custom_object/", { name: "Car", lead_id: lead, custom_object_type_id: vehicle })).id;
  const goods: [type: string, good: unknown, extra?: object][] = [
    ["text", "5"],
    ["hidden", "5"],
    ["number", 5],
    ["boolean", true],
    ["date", "2026-02-03"],
    ["datetime", "2026-02-03T04:05:06.000Z"],
    ["url", "https://acme.io/"],
    ["choices", "5", { choices: ["5", "true"] }],
    ["user", acme.userId],
    ["contact", someone],
    ["custom_object", car, { referenced_custom_type_id: vehicle }],
  ];
  const fits = (type: string, value: unknown) =>
    type === "choices" ? value === "5" || value === "true" : ["text", "hidden"].includes(type) && typeof value === "string";

  for (const [type, good, extra] of goods) {
    const wrong = ["5", 5, true, "true", {}, { id: good }, [good]].filter((one) => one !== good && !fits(type, one));
    for (const accepts_multiple_values of ["choices", "user", "contact", "custom_object"].includes(type)
      ? [false, true]
      : [false]) {
      const key = `custom.${(await acme.customField("lead", { type, ...extra, accepts_multiple_values })).id}`;
      const held = accepts_multiple_values ? [good] : good;
      const refused = accepts_multiple_values ? [good, ...wrong.map((one) => [one])] : [[], ...wrong];

      const answer = await acme.put(`/lead/${lead}/`, { [key]: held });
      for (const value of refused) await acme.refused(400, "PUT", `/lead/${lead}/`, { [key]: value }, key);

      assert.deepEqual(answer[key], held, type);
      assert.deepEqual((await acme.get(`/lead/${lead}/`))[key], held, `${type} is as it was`);
    }
  }
});

test("a list is replaced whole, or changed by one value", async () => {
  const acme = await organization();
  const key = `custom.${(await acme.customField("lead", { type: "choices", choices: ["a", "b", "c"], accepts_multiple_values: true })).id}`;
  const lead = await acme.lead({ [key]: ["a", "b"] });
  const put = async (body: object) => (await acme.put(`/lead/${lead.id}/`, body))[key];

  assert.deepEqual(await put({ [key]: ["b"] }), ["b"]);
  assert.deepEqual(await put({ [`${key}.add`]: "c" }), ["b", "c"]);
  assert.deepEqual(await put({ [`${key}.add`]: "c" }), ["b", "c"]);
  assert.deepEqual(await put({ [`${key}.remove`]: "b" }), ["c"]);
  assert.equal(await put({ [`${key}.remove`]: "c" }), undefined);
  await acme.refused(400, "PUT", `/lead/${lead.id}/`, { [`${key}.add`]: "z" }, `${key}.add`);
  for (const change of ["add", "remove"])
    await acme.refused(400, "POST", "/lead/", { name: "Acme", [`${key}.${change}`]: "b" }, `${key}.${change}`);
});

test("a long text holds 100,000 characters, of whatever script, and one more is refused", async () => {
  const acme = await organization();
  const lead_id = (await acme.lead()).id;
  const visit = await acme.post("/custom_activity/", { name: "Visit", fields: [{ name: "Notes", type: "textarea" }] });
  const car = await acme.post("/custom_object_type/", { name: "Car", fields: [{ name: "Notes", type: "textarea" }] });

  for (const [path, type] of [
    ["/activity/custom/", { custom_activity_type_id: visit.id }],
    ["/custom_object/", { custom_object_type_id: car.id, name: "Mine" }],
  ] as const) {
    const key = `custom.${(path === "/custom_object/" ? car : visit).fields[0].id}`;
    const words = Array.from({ length: 20_000 }, (_, i) => i.toString(36).padStart(4, "ä")).join(" ");
    for (const text of [words.padEnd(100_000, "."), "字".repeat(100_000)]) {
      const made = await acme.post(path, { lead_id, ...type, [key]: text });

      assert.equal((await acme.get(`${path}${made.id}/`))[key], text);
      await acme.refused(400, "PUT", `${path}${made.id}/`, { [key]: `${text}.` }, key);
      await acme.put(`${path}${made.id}/`, { [key]: text.slice(1) });
    }
  }
});

test("a field may be named by its name, in either spelling", async () => {
  const acme = await organization();
  const cf = await acme.customField("lead", { name: "Deal size", type: "number" });

  const lead = await acme.lead({ "custom.Deal size": 5 });
  const changed = await acme.put(`/lead/${lead.id}/`, { custom: { "Deal size": 6 } });

  assert.equal(lead[`custom.${cf.id}`], 5);
  assert.equal(changed[`custom.${cf.id}`], 6);
});

test("a value for a field that is not there is refused, and the nearest is named", async () => {
  const acme = await organization();
  await acme.customField("lead", { name: "Size", type: "number" });
  const ofContacts = await acme.customField("contact", { type: "text" });

  const refusal = await acme.refused(400, "POST", "/lead/", { "custom.Sise": 5 }, "custom.Sise");
  await acme.refused(400, "POST", "/lead/", { [`custom.${ofContacts.id}`]: "x" }, `custom.${ofContacts.id}`);

  assert.match(refusal["field-errors"]["custom.Sise"], /did you mean custom\.Size/);
});

test("only the roles of a field change its values; others may send back what they read", async () => {
  const acme = await organization();
  const key = `custom.${(await acme.customField("lead", { type: "text", editable_with_roles: ["superuser"] })).id}`;
  const lead = await acme.lead({ [key]: "x" });
  const [superuser, member] = [await acme.member("superuser"), await acme.member("user")];

  await superuser.put(`/lead/${lead.id}/`, { [key]: "y" });
  await member.refused(403, "PUT", `/lead/${lead.id}/`, { [key]: "z" }, key);
  await member.refused(403, "PUT", `/lead/${lead.id}/`, { [key]: null, mrr: "none" }, key);
  await member.refused(403, "POST", "/lead/", { [key]: "z" }, key);
  await member.refused(403, "POST", "/lead/", { contacts: [{}], [key]: "z" }, key);
  await member.put(`/lead/${lead.id}/`, { ...(await member.get(`/lead/${lead.id}/`)), name: "Renamed" });

  assert.equal((await acme.get(`/lead/${lead.id}/`))[key], "y");
});

test("values that are not said by the names of their fields are refused, not lost", async () => {
  const acme = await organization();
  await acme.customField("lead", { type: "text", name: "Size" });

  for (const custom of ["x", 5, ["x"], true]) await acme.refused(400, "POST", "/lead/", { custom }, "custom");
  await acme.post("/lead/", { custom: null });
  await acme.post("/lead/", { custom: { Size: "x" } });
});

test("an id of another organization's contact does not exist", async () => {
  const [acme, other] = [await organization(), await organization()];
  const key = `custom.${(await acme.customField("lead", { type: "contact", accepts_multiple_values: true })).id}`;
  const [ours, theirs] = [await acme.contact(), await other.contact()];
  const lead = await acme.lead({ [key]: [ours.id] });

  await acme.refused(400, "PUT", `/lead/${lead.id}/`, { [key]: [ours.id, theirs.id] }, key);
  await acme.delete(`/contact/${ours.id}/`);
  await acme.refused(400, "PUT", `/lead/${lead.id}/`, { [key]: [ours.id] }, key);
  assert.equal(key in (await acme.put(`/lead/${lead.id}/`, { name: "Still writable" })), false);
});

test("a change of a value is a change of the record, under the value's own name", async () => {
  const acme = await organization();
  const key = `custom.${(await acme.customField("lead", { type: "text" })).id}`;
  const lead = await acme.lead({ [key]: "x" });

  await acme.put(`/lead/${lead.id}/`, { [key]: "y" });

  const last = (await acme.events(lead.id)).at(-1);
  assert.deepEqual(last.changed_fields, [key]);
  assert.deepEqual(last.previous_data, { [key]: "x" });
});

test("lists filter by values of every type, as by any field", async () => {
  const acme = await organization();
  const define = async (type: string, extra = {}) => `custom.${(await acme.customField("lead", { type, ...extra })).id}`;
  const [text, number, date, moment, several, flag] = [
    await define("text"),
    await define("number"),
    await define("date"),
    await define("datetime"),
    await define("choices", { choices: ["a", "b", "c"], accepts_multiple_values: true }),
    await define("boolean"),
  ];
  const small = await acme.lead({
    [text]: "x",
    [number]: 2,
    [date]: "2026-01-01",
    [moment]: "2026-01-01T12:00:00Z",
    [several]: ["a", "b"],
    [flag]: true,
  });
  const large = await acme.lead({
    [text]: "y",
    [number]: 10,
    [date]: "2026-06-01",
    [moment]: "2026-06-01T00:00:00Z",
    [several]: ["b"],
    [flag]: false,
  });
  const none = await acme.lead();
  const found = async (query: string) =>
    (await acme.get(`/lead/?${query}&_order_by=date_created`)).data.map((one: any) => one.id);

  assert.deepEqual(await found(`${text}=x`), [small.id]);
  assert.deepEqual(await found(`${text}__in=x,y,z`), [small.id, large.id]);
  assert.deepEqual(await found(`${text}__isnull=true`), [none.id]);
  assert.deepEqual(await found(`${text}__isnull=false`), [small.id, large.id]);
  assert.deepEqual(await found(`${number}=10`), [large.id]);
  assert.deepEqual(await found(`${number}__gt=2`), [large.id]);
  assert.deepEqual(await found(`${number}__gte=2&${number}__lt=10`), [small.id]);
  assert.deepEqual(await found(`${number}__lte=9.5`), [small.id]);
  assert.deepEqual(await found(`${date}=2026-06-01`), [large.id]);
  assert.deepEqual(await found(`${date}__gte=2026-01-02`), [large.id]);
  assert.deepEqual(await found(`${moment}=2026-01-01`), [small.id]);
  assert.deepEqual(await found(`${moment}__lt=2026-06-01`), [small.id]);
  assert.deepEqual(await found(`${several}=b`), [small.id, large.id]);
  assert.deepEqual(await found(`${several}__in=a,c`), [small.id]);
  assert.deepEqual(await found(`${flag}=false`), [large.id]);
  await acme.refused(400, "GET", `/lead/?${number}=x`, undefined, number);
  await acme.refused(400, "GET", `/lead/?${text}__gt=x`, undefined, `${text}__gt`);
  await acme.refused(400, "GET", "/lead/?custom.cf_nobody=x", undefined, "custom.cf_nobody");
});

test("a read shows all values, or only the requested ones", async () => {
  const acme = await organization();
  const [a, b] = [
    `custom.${(await acme.customField("lead", { type: "text" })).id}`,
    `custom.${(await acme.customField("lead", { type: "text" })).id}`,
  ];
  const lead = await acme.lead({ [a]: "x", [b]: "y" });

  assert.deepEqual(await acme.get(`/lead/${lead.id}/?_fields=id,custom`), { id: lead.id, [a]: "x", [b]: "y" });
  assert.deepEqual(await acme.get(`/lead/${lead.id}/?_fields=id,${b}`), { id: lead.id, [b]: "y" });
  assert.deepEqual((await acme.get(`/lead/?_fields=${a}`)).data, [{ [a]: "x" }]);
});

test("a field that is deleted tells each record that loses a value, whatever its kind", async () => {
  const acme = await organization();
  const type = await acme.post("/custom_activity/", { name: "Visit" });
  const shared = await acme.customField("shared", {
    type: "text",
    associations: [{ object_type: "lead" }, { object_type: "contact" }, { object_type: "activity" }],
  });
  const key = `custom.${shared.id}`;
  const lead = await acme.lead({ [key]: "Berlin" });
  const bare = await acme.lead();
  const records = [
    lead,
    await acme.contact({ lead_id: lead.id, [key]: "Paris" }),
    await acme.post("/activity/custom/", { lead_id: lead.id, custom_activity_type_id: type.id, [key]: "Rome" }),
  ];

  await acme.delete(`/custom_field/shared/${shared.id}/`);

  for (const record of records) {
    const event = (await acme.events(record.id)).at(-1);
    assert.deepEqual([event.action, event.changed_fields, event.previous_data], ["updated", [key], { [key]: record[key] }]);
    assert.equal(key in event.data, false);
  }
  assert.equal((await acme.events(bare.id)).length, 1);
  assert.deepEqual((await acme.get("/activity/?query=rome")).data, []);
  assert.deepEqual(
    (await acme.get(`/lead/?query=${lead.name}`)).data.map((one: any) => one.id),
    [lead.id],
  );
});

const sorted: [type: string, ascending: unknown[], extra?: object][] = [
  ["number", [-3, 0.5, 2, 10]],
  ["text", ["anna", "Berta", "Émile", "Zoe"]],
  ["date", ["1999-12-31", "2026-01-02", "2026-01-10"]],
  ["datetime", ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.001Z", "2027-01-01T00:00:00.000Z"]],
  ["boolean", [false, true]],
  ["choices", ["Bronze", "gold", "Silver"], { choices: ["gold", "Silver", "Bronze"] }],
];

for (const [type, ascending, extra = {}] of sorted)
  test(`lists are sorted by a custom ${type}, both ways, with those without a value last, page by page`, async () => {
    const acme = await organization();
    const field = await acme.customField("lead", { name: "Rank of it", type, ...extra });
    const key = `custom.${field.id}`;
    await acme.lead();
    for (const value of ascending.toReversed()) await acme.lead({ [key]: value });
    await acme.lead();
    const values = (page: any[]) => page.map((one) => one[key] ?? null);

    for (const name of [key, "custom.Rank of it"]) {
      const up = await acme.all(`/lead/?_order_by=${encodeURIComponent(name)}&_limit=2`);
      const down = await acme.all(`/lead/?_order_by=${encodeURIComponent(`-${name}`)}&_limit=1`);

      assert.deepEqual(values(up), [...ascending, null, null]);
      assert.deepEqual(values(down), [...ascending.toReversed(), null, null]);
      assert.equal(new Set(up.map((one) => one.id)).size, up.length);
      assert.deepEqual(values((await acme.get(`/lead/?_order_by=${encodeURIComponent(name)}&_skip=1&_limit=1`)).data), [
        ascending[1],
      ]);
    }
  });

test("a custom field of members sorts by name, and a list or an unknown field is no sort key", async () => {
  const acme = await organization();
  const boss = await acme.customField("lead", { name: "Boss", type: "user" });
  const grades = await acme.customField("lead", {
    name: "Grades",
    type: "choices",
    choices: ["A"],
    accepts_multiple_values: true,
  });
  const other = await acme.member();
  for (const userId of [other.userId, acme.userId]) await acme.lead({ [`custom.${boss.id}`]: userId });

  const { data } = await acme.get(`/lead/?_order_by=custom.${boss.id}`);

  assert.deepEqual(
    data.map((one: any) => one[`custom.${boss.id}`]),
    [acme.userId, other.userId],
  );
  for (const wrong of [`custom.${grades.id}`, "custom.Bosss", "custom.constructor", "nmae"])
    await acme.refused(400, "GET", `/lead/?_order_by=${wrong}`, undefined, "_order_by");
  assert.match((await acme.refused(400, "GET", "/lead/?_order_by=custom.Bos"))["field-errors"]._order_by, /custom\.Boss,/);
});

test("sorting by a field that points at records tells nothing of those that the caller may not see", async () => {
  const acme = await organization();
  const bob = await acme.member("restricteduser");
  const friend = await acme.customField("lead", { name: "Friend", type: "contact" });
  const nobody = await acme.lead({ name: "none", owner_id: bob.userId });
  const pointing = async (name: string, owner_id: string) => {
    const { contact_ids } = await acme.get(
      `/lead/${(await acme.lead({ name, owner_id, contacts: [{ name }] })).id}/?_fields=contact_ids`,
    );
    return acme.lead({ name: `to ${name}`, owner_id: bob.userId, [`custom.${friend.id}`]: contact_ids[0] });
  };
  const [hiddenFirst, seen, hiddenLast] = [
    await pointing("Aaa", acme.userId),
    await pointing("Mmm", bob.userId),
    await pointing("Zzz", acme.userId),
  ];
  const pointingIds = [nobody, hiddenFirst, seen, hiddenLast].map((one) => one.id);
  const sorted = async (who: Workspace, order: string) =>
    (await who.get(`/lead/?_order_by=${order}`)).data.map((one: any) => one.id).filter((id: string) => pointingIds.includes(id));

  const likeNull = [hiddenLast.id, hiddenFirst.id, nobody.id];
  assert.deepEqual(await sorted(bob, `-custom.${friend.id}`), [seen.id, ...likeNull]);
  assert.deepEqual(await sorted(bob, `custom.${friend.id}`), [seen.id, ...likeNull.toReversed()]);
  assert.deepEqual(await sorted(acme, `custom.${friend.id}`), [hiddenFirst.id, seen.id, hiddenLast.id, nobody.id]);
});

test("an operator that a filter does not have is named as such", async () => {
  const acme = await organization();
  const { id } = await acme.customField("lead", { type: "text" });

  const refusal = await acme.refused(400, "GET", `/lead/?custom.${id}__like=x`, undefined, `custom.${id}__like`);

  assert.match(refusal["field-errors"][`custom.${id}__like`], /^like is not an operator; did you mean lte\? Known are /);
});

test("a filter of a member field takes a group for its members", async () => {
  const acme = await organization();
  const [colleague, other] = [await acme.member(), await acme.member()];
  const group = await acme.post("/group/", { name: "Sales team", user_ids: [acme.userId, colleague.userId] });
  const boss = await acme.customField("lead", { name: "Boss", type: "user" });
  const several = await acme.customField("lead", { name: "Several", type: "user", accepts_multiple_values: true });
  for (const { userId } of [acme, colleague, other])
    await acme.lead({ name: userId, [`custom.${boss.id}`]: userId, [`custom.${several.id}`]: [userId] });
  const found = async (filter: string) => (await acme.get(`/lead/?${filter}`)).data.map((one: any) => one.name).sort();

  for (const { id } of [boss, several]) {
    assert.deepEqual(await found(`custom.${id}=${group.id}`), [acme.userId, colleague.userId].sort());
    assert.deepEqual(
      await found(`custom.${id}__in=${group.id},${other.userId}`),
      [acme, colleague, other].map((one) => one.userId).sort(),
    );
  }
});
