import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import type { Ctx } from "../../core/context.ts";
import type { Values } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { readSelection } from "../shared/selection.ts";
import { checkEdit, type GivenEdit } from "./check_edit.ts";
import { checkEmail, checkSequenceSubscription } from "./check_outreach.ts";
import { bulkDelete } from "./delete.ts";
import { bulkEdit } from "./edit.ts";

/** An edit as it is after it has started. */
const edit = (ws: Workspace, values: Values<typeof bulkEdit> = {}) =>
  ws.inside(async (ctx) =>
    store.insert(ctx, bulkEdit, { type: "set_owner", object_ids: ["lead_1"], status: "processing", ...values }),
  );

test("bulk actions of all kinds are one list, each with the fields of its kind", async () => {
  const acme = await organization();
  const first = await edit(acme);
  const second = await acme.inside(async (ctx) => store.insert(ctx, bulkDelete, { query: "name:x" }));

  const { data } = await acme.get("/bulk_action/");

  assert.deepEqual(
    data.map((one: any) => [one.id, one.kind, one.status]),
    [
      [second.id, "delete", "created"],
      [first.id, "edit", "processing"],
    ],
  );
  assert.equal(data[0].bulk_object_type, "lead");
  assert.equal("bulk_object_type" in data[1], false);
  assert.deepEqual(await acme.get(`/bulk_action/${first.id}/`), data[1]);
  assert.deepEqual((await acme.get("/bulk_action/?kind=delete&status__in=created,done")).data, [data[0]]);
  assert.deepEqual((await acme.get("/bulk_action/?type=set_owner")).data, [data[1]]);
  const refusal = await acme.refused(400, "GET", "/bulk_action/?status=bogus", undefined, "status");
  assert.match(refusal["field-errors"].status, /must be one of .*canceled/);
  assert.deepEqual(
    (await acme.events(first.id)).map((one) => one.event),
    ["bulk_action.edit.created"],
  );
});

test("what runs can be paused and resumed, in any of the words for it", async () => {
  const acme = await organization();
  const { id } = await edit(acme);
  const change = async (body: object) => (await acme.put(`/bulk_action/${id}/`, body)).status;

  assert.equal(await change({ status: "paused" }), "paused");
  assert.equal(await change({ status: "paused" }), "paused");
  assert.equal(await change({ action: "resume" }), "resuming");
  await acme.refused(400, "PUT", `/bulk_action/${id}/`, { status: "paused" }, "status");

  const told = (await acme.events(id)).map((one) => one.event);
  assert.deepEqual(told.slice(1), ["bulk_action.edit.updated", "bulk_action.edit.paused", "bulk_action.edit.updated"]);
  assert.equal((await acme.get(`/bulk_action/${id}/`)).type, "set_owner");
});

test("what has not begun, or is over, can be neither paused nor resumed", async () => {
  const acme = await organization();

  for (const status of ["created", "done", "canceled"] as const) {
    const { id } = await edit(acme, { status });
    for (const body of [
      { status: "paused" },
      { status: "resume" },
      { action: "pause" },
      { status: "done" },
      { status: "later" },
    ]) {
      if (body.status !== status) await acme.refused(400, "PUT", `/bulk_action/${id}/`, body, "status");
    }
    const asRead = await acme.get(`/bulk_action/${id}/`);
    assert.deepEqual(await acme.put(`/bulk_action/${id}/`, asRead), asRead);
  }
});

test("what was paused for more than seven days cannot be resumed", async () => {
  const acme = await organization();
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000).toISOString();
  const [late, early] = [
    await edit(acme, { status: "paused", date_paused: daysAgo(7.1) }),
    await edit(acme, { status: "paused", date_paused: daysAgo(6.9) }),
  ];

  await acme.refused(400, "PUT", `/bulk_action/${late.id}/`, { status: "resuming" }, "status");

  assert.equal((await acme.put(`/bulk_action/${early.id}/`, { status: "resuming" })).status, "resuming");
});

test("only who began it, or an admin, may pause it", async () => {
  const acme = await organization();
  const { id } = await edit(acme);
  const colleague = await acme.member("superuser");
  const restricted = await acme.member("restricteduser");

  await colleague.refused(403, "PUT", `/bulk_action/${id}/`, { status: "paused" });
  await restricted.refused(404, "GET", `/bulk_action/${id}/`);

  assert.equal((await acme.put(`/bulk_action/${id}/`, { status: "paused" })).status, "paused");
});

test("which records are meant must be said, in exactly one way that a search would take", async () => {
  const acme = await organization();
  const select = (given: object) =>
    acme.inside((ctx) => readSelection(ctx, ctx.registry.resource("lead")!, given)).catch((problem) => problem.fields);
  const named = {
    type: "field_condition",
    field: { type: "regular_field", object_type: "lead", field_name: "name" },
    condition: { type: "text", mode: "phrase", value: "x" },
  };

  assert.deepEqual(await select({ ids: ["lead_1", "lead_1"] }), { s_query: null, query: null, object_ids: ["lead_1"] });
  assert.deepEqual(await select({ query: "name:acme" }), { s_query: null, query: "name:acme", object_ids: null });
  assert.deepEqual((await select({ s_query: { query: named } })).s_query, named);
  assert.deepEqual((await select({ query: named })).s_query, named);
  for (const [given, place] of [
    [{}, "s_query"],
    [{ query: "name:a", ids: ["lead_1"] }, "ids"],
    [{ query: "name:(" }, "query"],
    [{ s_query: { type: "colour" } }, "s_query.type"],
  ] as const)
    assert.ok(place in (await select(given)), `${place} for ${JSON.stringify(given)}`);
});

test("an empty query is refused, so that a script whose variable is empty changes nothing", async () => {
  const acme = await organization();
  await acme.lead();
  const nothing = { type: "and", queries: [{ type: "and", queries: [{ type: "object_type", object_type: "lead" }] }] };
  for (const given of [
    { query: "" },
    { query: "  " },
    { query: "*" },
    { query: "sort:name" },
    { s_query: { type: "match_all" } },
    { s_query: nothing },
    { s_query: { query: nothing } },
  ])
    for (const [path, more] of [
      ["delete", {}],
      ["edit", { object_type: "lead", type: "set_fields", fields: { industry: "Wood" } }],
    ] as const)
      await acme.refused(400, "POST", `/bulk_action/${path}/`, { ...given, ...more, dry_run: true }, Object.keys(given)[0]!);
});

test("an edit names what it changes, and a value that the field takes", async () => {
  const acme = await organization();
  const size = await acme.customField("lead", { type: "number", name: "Size" });
  const [status] = (await acme.get("/status/lead/")).data;
  const check = (given: GivenEdit) =>
    acme.inside(async (ctx) => (await checkEdit(ctx, given)).values).catch((problem) => Object.keys(problem.fields).join());

  const { id } = size;
  const set = { type: "set_custom_field", custom_field_id: id, custom_field_value: 5, custom_field_operation: "replace" };
  assert.deepEqual(await check({ type: "set_custom_field", custom_field_name: "Size", custom_field_value: 5 }), set);
  assert.deepEqual(await check({ type: "clear_custom_field", custom_field_id: id }), {
    type: "clear_custom_field",
    custom_field_id: id,
  });
  assert.deepEqual(await check({ type: "set_lead_status", lead_status_id: status.id }), {
    type: "set_lead_status",
    lead_status_id: status.id,
  });
  assert.deepEqual(await check({ type: "set_owner", owner_id: null }), { type: "set_owner", owner_id: null });
  assert.deepEqual(await check({ type: "add_tag", tag: " hot " }), { type: "add_tag", tag: "hot", object_type: "lead" });
  for (const [given, place] of [
    [{ type: "set_custom_field", custom_field_id: id, custom_field_value: "five" }, "custom_field_value"],
    [{ type: "set_contact_custom_field", custom_field_id: id, custom_field_value: 5 }, "custom_field_id"],
    [{ type: "set_custom_field", custom_field_name: "Colour", custom_field_value: 5 }, "custom_field_name"],
    [{ type: "set_lead_status", lead_status_id: "stat_none" }, "lead_status_id"],
    [{ type: "set_owner", owner_id: "user_nobody" }, "owner_id"],
    [{ type: "add_tag" }, "tag"],
    [{ type: "set_fields", object_type: "cat", fields: { name: "x" } }, "object_type"],
    [{ type: "set_fields", object_type: "lead", fields: { colour: "x" } }, "fields.colour"],
    [{ type: "set_fields", object_type: "lead", fields: { mrr: "x" } }, "fields.mrr"],
    [{ type: "set_fields", object_type: "lead", fields: { constructor: "x" } }, "fields.constructor"],
    [{ type: "set_fields", object_type: "lead", fields: { display_name: "x" } }, "fields.display_name"],
    [{ type: "set_fields", object_type: "lead", fields: { source: "x" } }, "fields.source"],
    [{ type: "set_fields", object_type: "lead", fields: { owner_id: "user_nobody" } }, "fields.owner_id"],
    [{ type: "set_fields", object_type: "task", fields: { contact_id: "nobody" } }, "fields.contact_id"],
    [{ ...set, custom_field_operation: "add" }, "custom_field_operation"],
  ] as const)
    assert.equal(await check(given as GivenEdit), place, JSON.stringify(given));
});

test("an edit adds to a field of several values one at a time, and knows the fields of custom objects", async () => {
  const acme = await organization();
  const colours = await acme.customField("lead", { type: "choices", choices: ["Red", "Blue"], accepts_multiple_values: true });
  const type = await acme.post("/custom_object_type/", { name: "Car", name_plural: "Cars" });
  const doors = await acme.customField("custom_object_type", { custom_object_type_id: type.id, type: "number" });
  const check = (given: GivenEdit) => acme.inside(async (ctx) => (await checkEdit(ctx, given)).of.name);
  const add = { type: "set_custom_field", custom_field_id: colours.id, custom_field_operation: "add" } as const;

  assert.equal(await check({ ...add, custom_field_value: "Red" }), "lead");
  assert.equal(await check({ ...add, custom_field_values: ["Red", "Blue"] }), "lead");
  await assert.rejects(check({ ...add, custom_field_value: "Green" }));
  assert.equal(
    await check({ type: "set_custom_object_custom_field", custom_field_id: doors.id, custom_field_value: 4 }),
    "custom_object",
  );
});

test("an edit of a field that the role may not change is refused when it is asked for", async () => {
  const acme = await organization();
  const { id } = await acme.customField("lead", { type: "text", editable_with_roles: ["superuser"] });
  const check = (given: GivenEdit) =>
    acme.inside((ctx) => checkEdit({ ...ctx, actor: { ...ctx.actor, role_id: "user" } }, { custom_field_id: id, ...given }));

  await assert.rejects(check({ type: "set_custom_field", custom_field_value: "x" }), { status: 403 });
  await assert.rejects(check({ type: "clear_custom_field" }), { status: 403 });
});

test("an e-mail to many names a template, and a subscription of many a sequence and a sender", async () => {
  const acme = await organization();
  const template = await acme.post("/email_template/", { name: "Hello", subject: "Hi", body: "There" });
  const places = (work: (ctx: Ctx) => Promise<unknown>) =>
    acme.inside(work).then(
      () => "",
      (problem) => Object.keys(problem.fields).join(),
    );

  assert.equal(await places((ctx) => checkEmail(ctx, { template_id: template.id })), "");
  assert.equal(await places((ctx) => checkEmail(ctx, {})), "template_id");
  assert.equal(await places((ctx) => checkEmail(ctx, { template_id: "tmpl_none" })), "template_id");
  assert.equal(
    await places((ctx) => checkEmail(ctx, { template_id: template.id, email_account_id: "emailacct_no" })),
    "email_account_id",
  );
  assert.equal(await places((ctx) => checkSequenceSubscription(ctx, { action_type: "pause" })), "");
  assert.equal(await places((ctx) => checkSequenceSubscription(ctx, { action_type: "subscribe" })), "sequence_id");
  assert.equal(
    await places((ctx) => checkSequenceSubscription(ctx, { action_type: "pause", sequence_id: "seq_none" })),
    "sequence_id",
  );
  assert.equal(
    await places((ctx) => checkSequenceSubscription(ctx, { action_type: "pause", calls_assigned_to: ["user_no"] })),
    "calls_assigned_to",
  );
});
