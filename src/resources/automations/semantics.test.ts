// What publishing says of plans that could run and should not, and the smallest correction of each.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, newLead } from "../../../test/support/automations.ts";
import { organization } from "../../../test/support/given.ts";

const branch = (to: string) => ({
  type: "branch",
  config: { cases: [{ id: "yes", when: { type: "field", ref: "record.name", op: "exists" } }] },
  ports: { yes: "find", else: to },
});
const made = {
  type: "record.create",
  config: { object_type: "contact", fields: { name: "Ada" } },
  ports: { out: "use", matched: "use" },
};
const use = (fields: object) => ({ type: "record.update", config: { fields }, ports: { out: null } });
const reference = (to: string) => ({
  graph: { start: "b", steps: { b: branch(to), find: made, use: use({ description: { $ref: "steps.find.output.id" } }) } },
});
const changed = { trigger: { type: "record.updated", config: { object_type: "lead" } } };
const own = (field: string, more: object) => ({
  ...changed,
  graph: chain(["record.update", { fields: { [field]: { $template: "{{ now }}" } } }]),
  ...more,
});
const exit = (event: string) => ({ graph: { ...chain(["note.create", { note: "x" }]), exits: [{ id: "e", event }] } });
const awaited = (ref: string) => ({
  graph: chain([
    "wait.event",
    {
      event: "activity.note.created",
      match: { lead_id: { $ref: "record.id" } },
      where: { type: "field", ref, op: "contains", value: "magic" },
      timeout: { amount: 1, unit: "days" },
    },
  ]),
});
const asked = (ref: string) => ({ graph: chain(["note.create", { note: "x" }]), filter: { type: "field", ref, op: "exists" } });

const pause = (amount: number, unit: string) => ({
  graph: chain(["wait.duration", { amount, unit }], ["note.create", { note: "x" }]),
});
const until = (date: string) => ({ graph: chain(["wait.until", { date, if_past: "skip" }], ["note.create", { note: "x" }]) });
const awaitingNote = (amount: number, unit: string) => {
  const config = { event: "activity.note.created", match: { lead_id: { $ref: "record.id" } }, timeout: { amount, unit } };
  return { graph: chain(["wait.event", config], ["note.create", { note: "x" }]) };
};
const sharing = (key: string) => ({
  graph: chain(["note.create", { note: "x" }]),
  settings: { concurrency: { key, mode: "queue" } },
});

const refused: [code: string, path: string, wrong: object, mended: object][] = [
  ["ref_not_available_here", "graph.steps.use.config.fields.description.$ref", reference("use"), reference("find")],
  [
    "ref_unknown",
    "graph.steps.s1.config.note.$ref",
    { graph: chain(["note.create", { note: { $ref: "steps.none.output.id" } }]) },
    { graph: chain(["note.create", { note: { $ref: "record.name" } }]) },
  ],
  [
    "self_trigger_risk",
    "graph.steps.s1.config.fields",
    own("description", {}),
    own("description", { settings: { allow_self_trigger: true } }),
  ],
  ["exit_equals_trigger", "graph.exits.0.event", exit("lead.created"), exit("task.completed")],
  ["ref_unknown", "graph.steps.s1.config.where.ref", awaited("event.note"), awaited("note")],
  ["field_unknown", "graph.steps.s1.config.where.ref", awaited("record.name"), awaited("trigger.record.note")],
  ["ref_not_available_here", "graph.steps.s1.config.where.ref", awaited("vars.word"), awaited("record.note")],
  ["duration_invalid", "graph.steps.s1.config.amount", pause(366, "days"), pause(365, "days")],
  ["duration_invalid", "graph.steps.s1.config.amount", pause(300, "business_days"), pause(260, "business_days")],
  ["duration_invalid", "graph.steps.s1.config.timeout", awaitingNote(53, "weeks"), awaitingNote(52, "weeks")],
  ["date_invalid", "graph.steps.s1.config.date", until("2199-01-01"), until("2026-01-01")],
  ["template_syntax", "settings.concurrency.key", sharing("{{"), sharing("{{ record.owner_id }}")],
  ["ref_unknown", "filter.ref", asked("nonsense.foo.bar"), asked("record.name")],
];

test("what would go wrong is refused with its code, and published once it is corrected", async () => {
  const acme = await organization();
  for (const [code, path, wrong, mended] of refused) {
    const { id } = await acme.post("/automations/", { name: code, trigger: newLead, ...wrong });
    const { errors } = await acme.refused(400, "POST", `/automations/${id}/publish/`, {});
    assert.deepEqual(
      errors.map((one: any) => [one.code, one.path]),
      [[code, path]],
    );
    await acme.put(`/automations/${id}/`, mended);
    assert.deepEqual((await acme.post(`/automations/${id}/publish/`, {})).status, "active", code);
  }
});

test("what is only doubtful is published with a warning", async () => {
  const acme = await organization();
  const doubtful: [code: string, body: object][] = [
    ["no_effect", { graph: chain(["wait.duration", { amount: 1, unit: "hours" }]) }],
    ["goal_unreachable", { graph: { ...pause(1, "hours").graph, goals: [{ id: "g", event: "lead.vanished" }] } }],
    [
      "self_trigger_risk",
      own("description", { trigger: { type: "field.changed", config: { object_type: "lead", field: "description" } } }),
    ],
    [
      "ref_not_available_here",
      {
        graph: {
          start: "b",
          steps: { b: branch("use"), find: made, use: use({ description: { $template: "{{ steps.find.output.id }}" } }) },
        },
      },
    ],
  ];
  for (const [code, body] of doubtful) {
    const { id } = await acme.post("/automations/", { name: code, trigger: newLead, ...body });
    const { status, warnings } = await acme.post(`/automations/${id}/publish/`, {});
    assert.deepEqual([status, ...warnings.map((one: any) => [one.code, one.severity])], ["active", [code, "warning"]]);
  }
});

test("two hundred steps are published, one more is refused", async () => {
  const acme = await organization();
  const steps = (count: number) =>
    chain(...Array.from({ length: count }, () => ["note.create", { note: "x" }] as [string, object]));
  const { id } = await acme.post("/automations/", { name: "Long", trigger: newLead, graph: steps(200) });

  assert.equal((await acme.post(`/automations/${id}/publish/`, {})).status, "active");
  await acme.refused(400, "PUT", `/automations/${id}/`, { graph: steps(201) }, "graph.steps");
});
