// Rules: the first generation of automations, active as soon as they are written.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const rule = {
  name: "Call new leads",
  trigger: "lead.created",
  conditions: [{ field: "industry", operator: "equals", value: "Software" }],
  actions: [
    { type: "add_tag", config: { tag: "new" } },
    { type: "create_task", params: { text: "Call" }, delay: 3600 },
  ],
};

const planOf = async (ws: Workspace, id: string) => {
  const [row] = await ws.service.app.db.unscoped({
    text: "select filter, graph, settings from automation_version where automation_id = $1 order by number desc limit 1",
    values: [id],
  });
  return row!.map((text) => JSON.parse(text!));
};

test("a rule is in force when it is saved, unless it says otherwise, in either word", async () => {
  const acme = await organization();

  const [plain, active, draft, paused] = [
    await acme.post("/automation/", rule),
    await acme.post("/automation/", { ...rule, status: "active" }),
    await acme.post("/automation/", { ...rule, status: "draft" }),
    await acme.post("/automation/", { ...rule, is_active: false }),
  ];
  const led = { ...rule, actions: [{ type: "create_task", config: { text: { $template: "{{ record.nme }}" } } }] };
  await acme.refused(400, "POST", "/automation/", led, "actions.0.config.text.$template");
  await acme.post("/automation/", { ...led, status: "draft" });

  assert.deepEqual([plain.status, plain.is_active], ["active", true]);
  assert.deepEqual([active.status, active.is_active], ["active", true]);
  assert.deepEqual([draft.status, draft.is_active], ["draft", false]);
  assert.equal(paused.status, "paused");
  assert.deepEqual(draft.trigger, { type: "record.created", config: { object_type: "lead" } });
  assert.equal(draft.generation, 1);
  assert.deepEqual(draft.actions[1], { type: "create_task", config: { text: "Call" }, delay: 3600 });
  assert.deepEqual([draft.run_count, draft.error_count, draft.last_run_at], [0, 0, null]);
  assert.equal((await acme.events(draft.id))[0].event, "automation.created");
});

test("a rule that nobody could start is refused", async () => {
  const acme = await organization();
  const manual = { ...rule, trigger: { type: "manual", config: { object_type: "lead" } }, conditions: [] };

  await acme.refused(400, "POST", "/automation/", manual, "trigger");
  const { id } = await acme.post("/automation/", { ...manual, status: "draft" });
  await acme.refused(400, "PUT", `/automation/${id}/`, { is_active: true }, "trigger");
});

test("of status and is_active, the one that was changed is meant; two that were changed must agree", async () => {
  const acme = await organization();
  const { id } = await acme.post("/automation/", { ...rule, is_active: false });
  const path = `/automation/${id}/`;

  const resumed = await acme.put(path, { ...(await acme.get(path)), is_active: true });
  const paused = await acme.put(path, { ...resumed, status: "paused" });

  assert.deepEqual([resumed.status, resumed.is_active], ["active", true]);
  assert.deepEqual([paused.status, paused.is_active], ["paused", false]);
  await acme.refused(400, "PUT", path, { status: "draft", is_active: true }, "is_active");
  await acme.refused(400, "POST", "/automation/", { ...rule, status: "active", is_active: false }, "is_active");
});

test("a rule comes to a graph that waits before what has a delay, and is kept as a version", async () => {
  const acme = await organization();

  const made = await acme.post("/automation/", { ...rule, run_once_per_record: true });
  const spelled = await acme.post("/automation/", { ...rule, conditions: [{ ...rule.conditions[0], field: "record.industry" }] });

  const [filter, graph, settings] = await planOf(acme, made.id);
  assert.deepEqual((await planOf(acme, spelled.id))[0], filter);
  assert.deepEqual(filter, { all: [{ type: "field", ref: "record.industry", op: "is", value: "Software" }] });
  assert.equal(graph.start, "action_1");
  assert.deepEqual(
    Object.entries(graph.steps).map(([id, step]: any) => [id, step.type, step.ports.out]),
    [
      ["wait_2", "wait.duration", "action_2"],
      ["action_1", "tag.change", "wait_2"],
      ["action_2", "task.create", null],
    ],
  );
  assert.equal(settings.re_enroll, "never");
  assert.equal(made.active_version, 1);
});

test("changing what a rule does makes a new version, changing its name does not; what was read can be written back", async () => {
  const acme = await organization();
  const made = await acme.post("/automation/", rule);
  const path = `/automation/${made.id}/`;

  const back = await acme.put(path, made);
  const renamed = await acme.put(path, { name: "Other", is_active: true });
  const changed = await acme.put(path, { match: "any" });

  assert.equal(back.active_version, 1);
  assert.equal((await acme.events(made.id)).length, 3);
  assert.deepEqual([renamed.status, renamed.active_version], ["active", 1]);
  assert.equal(changed.active_version, 2);
  assert.notEqual(changed.active_version_id, made.active_version_id);
  assert.ok("any" in (await planOf(acme, made.id))[0]);
});

test("a rule must be whole, and what is wrong is named by its place in the rule", async () => {
  const acme = await organization();
  const refuse = (body: object, field: string) => acme.refused(400, "POST", "/automation/", { ...rule, ...body }, field);

  await refuse({ actions: [] }, "actions");
  await refuse({ actions: [{ type: "dance" }] }, "actions.0.type");
  const refusal = await refuse({ actions: [{ ...rule.actions[0], colour: "red" }] }, "actions.0.colour");
  assert.deepEqual(refusal["field-errors"], {
    "actions.0.colour": "is not a field of this request; known are config, delay, type, params",
  });
  await refuse({ actions: [rule.actions[0], { type: "create_task" }] }, "actions.1.config.text");
  await refuse({ actions: [{ type: "set_status", config: { status: "x" } }] }, "actions.0.config.status");
  await refuse({ actions: [{ type: "create_note", config: { note: "x" }, delay: -1 }] }, "actions.0.delay");
  await refuse({ trigger: { type: "record.created" } }, "trigger.config.object_type");
  await refuse({ trigger: "moon.rises" }, "trigger");
  await refuse({ conditions: [{ field: "name", operator: "resembles" }] }, "conditions.0.operator");
  await refuse({ conditions: [{ field: "name" }] }, "conditions.0.operator");
  await refuse({ match: "some" }, "match");
});

test("a rule names only records that are there; what is gone since stops no other change", async () => {
  const acme = await organization();
  const foreign = await organization();
  const list = await acme.post("/lead_list/", { name: "Hot" });
  const theirs = await foreign.post("/lead_list/", { name: "Theirs" });
  const body = (action: object, more: object = {}) => ({ ...rule, actions: [action], ...more });
  const refuse = (action: object, field: string) => acme.refused(400, "POST", "/automation/", body(action), field);

  await refuse({ type: "add_to_list", config: { list_id: theirs.id } }, "actions.0.config.list_id");
  await refuse({ type: "set_status", config: { status_id: "stat_none" } }, "actions.0.config.status_id");
  await refuse({ type: "assign_owner", config: { pool: [acme.userId, foreign.userId] } }, "actions.0.config.pool.1");
  await refuse({ type: "subscribe_sequence", config: { sequence_id: "seq_none" } }, "actions.0.config.sequence_id");
  await refuse({ type: "send_email", config: { template_id: "tmpl_none" } }, "actions.0.config.template_id");
  const listens = { type: "list.membership", config: { list_id: list.id, change: "added" } };
  const made = await acme.post("/automation/", body({ type: "add_to_list", config: { list_id: list.id } }, { trigger: listens }));
  await acme.delete(`/lead_list/${list.id}/`);
  const path = `/automation/${made.id}/`;
  await acme.put(path, { ...made, match: "any" });
  await acme.refused(400, "POST", "/automation/", { ...rule, trigger: listens }, "trigger.config.list_id");
});

test("a rule that could not run is refused, and what stands in its way is named by its place", async () => {
  const acme = await organization();
  const [status, list] = [
    (await acme.get("/status/opportunity/")).data[0],
    await acme.post("/contact_list/", { name: "People" }),
  ];
  const size = await acme.customField("lead", { type: "number" });
  const refuse = (body: object, field: string) => acme.refused(400, "POST", "/automation/", { ...rule, ...body }, field);
  const acts = (type: string, config: object) => ({ actions: [rule.actions[0], { type, config }] });
  const where = (field: string, operator: string, value: unknown = 1) => ({ conditions: [{ field, operator, value }] });
  const at = (place: string) => `actions.1.config.${place}`;

  await refuse(where("industri", "is"), "conditions.0.field");
  await refuse(where("custom.cf_none", "is"), "conditions.0.field");
  await refuse(where("name", "gt"), "conditions.0.operator");
  await refuse(where("date_created", "contains"), "conditions.0.operator");
  await refuse({ trigger: { type: "field.changed", config: { object_type: "lead", field: "nmae" } } }, "trigger.config.field");
  await refuse(acts("set_field", { field: "nmae", value: "x" }), at("field"));
  await refuse(acts("set_field", { field: "date_updated", value: "2026-01-02" }), at("field"));
  await refuse(acts("set_field", { field: "name", value: 5 }), at("value"));
  await refuse(acts("set_field", { field: `custom.${size.id}`, value: "5" }), at("value"));
  await refuse(acts("set_status", { status_id: status.id }), at("status_id"));
  await refuse(acts("add_to_list", { list_id: list.id }), at("list_id"));
  await refuse(acts("create_note", { note: { $template: "Hi {{ record.name" } }), at("note.$template"));
  await refuse(acts("send_email", { subject: "Hi" }), at("template_id"));
  await refuse(acts("send_sms", { from_number: (await acme.post("/phone_number/", { number: "+12125550177" })).id }), at("text"));
  await refuse(acts("call_webhook", { url: "http://169.254.169.254/latest/" }), at("url"));
  const made = await acme.post("/automation/", {
    ...rule,
    conditions: [{ field: `custom.${size.id}`, operator: "gt", value: 5 }],
    ...acts("set_field", { fields: { description: { $template: "{{ record.name }}" }, [`custom.${size.id}`]: 6 } }),
    status: "active",
  });
  await refuse({ ...made, ...where("industri", "is") }, "conditions.0.field");
  await acme.refused(400, "PUT", `/automation/${made.id}/`, where("industri", "is"), "conditions.0.field");
  await acme.delete(`/custom_field/lead/${size.id}/`);
  assert.equal((await acme.put(`/automation/${made.id}/`, { ...made, name: "Renamed" })).status, "active");
});

test("a refusal names the places that were sent, in the words that were sent", async () => {
  const acme = await organization();
  const size = await acme.customField("lead", { type: "number" });
  const refuse = async (body: object, ...places: string[]) => {
    const refusal = await acme.refused(400, "POST", "/automation/", { ...rule, ...body });
    assert.deepEqual(Object.keys(refusal["field-errors"]), places);
  };
  const sets = (config: object) => ({ actions: [{ type: "set_field", config }] });

  await refuse({ conditions: [{ field: "name", op: "gt", value: 1 }] }, "conditions.0.op");
  await refuse({ conditions: [rule.conditions[0], { field: "nmae", op: "is", value: 1 }] }, "conditions.1.field");
  await refuse({ actions: [{ type: "create_note", params: { noet: "x" } }] }, "actions.0.params.noet", "actions.0.params.note");
  await refuse({ actions: [{ type: "set_field", params: { field: "nmae", value: 1 } }] }, "actions.0.params.field");
  await refuse(sets({ field: `custom.${size.id}`, value: "5" }), "actions.0.config.value");
  await refuse(sets({ field: "custom.cf_none", value: "5" }), "actions.0.config.field");
  await refuse(sets({ fields: { nmae: "x", name: 5 } }), "actions.0.config.fields.nmae", "actions.0.config.fields.name");
  await refuse(sets({ field: "name", value: "x", colour: "red" }), "actions.0.config.colour");
  await refuse(sets({ field: "name", value: { $template: "{{ record.name" } }), "actions.0.config.value.$template");
  await refuse({ trigger: "lead.nothing" }, "trigger");
});

test("only who writes sequences writes rules", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const made = await acme.post("/automation/", rule);

  await bob.refused(403, "POST", "/automation/", rule);
  await bob.refused(403, "PUT", `/automation/${made.id}/`, { name: "X" });
  await bob.refused(403, "DELETE", `/automation/${made.id}/`);
  assert.equal((await bob.get(`/automation/${made.id}/`)).id, made.id);
  await acme.delete(`/automation/${made.id}/`);
});
