// What references and templates may name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, newLead, published, runsOf, work } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";

const byHand = { type: "manual", config: { object_type: "lead" } };

/** The places that publishing refuses, with the reasons. */
async function refusedAt(ws: Workspace, given: object): Promise<Record<string, string>> {
  const { id } = await ws.post("/automations/", { name: "X", trigger: newLead, ...given });
  const { status, body } = await ws.ask("POST", `/automations/${id}/publish/`, { body: {} });
  assert.equal(status, 400, JSON.stringify(body));
  assert.deepEqual(new Set(body.errors.map((one: any) => one.code)), new Set(["ref_unknown"]));
  return body["field-errors"];
}

test("a misspelt name is refused when it is published, wherever it stands, and the nearest one is named", async () => {
  const acme = await organization();
  const names: [wrong: string, nearest: string][] = [
    ["trigger.recrod", "record"],
    ["trigger.actor.user", "user_id"],
    ["trigger.record.nmae", "name"],
    ["trigger.record.owner.name", "owner_id"],
    ["trigger.payload.amount", ""],
    ["record.num_contacts", "contacts"],
    ["record.owner.frist_name", "first_name"],
    ["record.custom.cf_none", ""],
    ["run.automation_nmae", "automation_name"],
    ["org.nmae", "name"],
    ["vars.scroe", "score"],
    ["steps.s1.output.colour", ""],
  ];
  const refs = names.map(([name]): [string, object] => ["set.vars", { values: { score: { $ref: name } } }]);
  const templates = names.map(([name]): [string, object] => ["note.create", { note: { $template: `x {{ ${name} | upcase }}` } }]);
  const more = { to: { $ref: "record" }, subject: "For {{ lead.name }}", body: "From {{ usr.name }}" };
  const asks = { type: "branch", config: { cases: [{ id: "a", when: { type: "field", ref: "vars.scor", op: "exists" } }] } };
  const graph = chain(["set.vars", { values: { score: 1 } }], ...refs, ...templates, ["email.draft", more]);
  const branch = { ...asks, ports: { a: "s2", else: "s2" } };

  const found = await refusedAt(acme, {
    graph: { ...graph, start: "b", steps: { ...graph.steps, b: { ...branch, ports: { a: "s1", else: "s1" } } } },
    filter: { type: "field", ref: "trigger.actr.user_id", op: "exists" },
    settings: { concurrency: { key: "{{ record.lead }}" } },
  });

  const place = (i: number, of: string) => `graph.steps.s${i}.config.${of}`;
  names.forEach(([, nearest], i) => {
    assert.match(found[place(i + 2, "values.score.$ref")] ?? "", new RegExp(nearest), names[i]![0]);
    assert.match(found[place(i + 2 + names.length, "note.$template")] ?? "", new RegExp(nearest), names[i]![0]);
  });
  assert.deepEqual(
    Object.keys(found)
      .filter((one) => !/s\d+\.config\.(values|note)/.test(one))
      .toSorted(),
    [
      "filter.ref",
      "graph.steps.b.config.cases.0.when.ref",
      `graph.steps.s${2 * names.length + 2}.config.body`,
      "settings.concurrency.key",
    ],
  );
});

test("what is there can be named: also what it was started with, custom fields in templates, and what only a call knows", async () => {
  const acme = await organization();
  const field = await acme.post("/custom_field/lead/", { name: "Region", type: "text" });
  const lead = await acme.lead({ name: "Acme", contacts: [{ name: "Ann" }], [`custom.${field.id}`]: "North" });
  const said = [
    "{{ run.input.amount }} {{ trigger.payload.amount }}",
    `{{ record.custom.${field.id} }} {{ record["custom.${field.id}"] }}`,
    "{% assign who = org %}{{ who.name | size }} {{ record.contacts.size }} {{ record.owner.first_name }} {{ run.automation_name }}",
    "{% for one in record.contacts %}{{ one.name }}{% endfor %}",
    "{{ trigger.actor.user_id }} {{ steps.s1.output.id | slice: 0, 4 }} {{ now | date: '%Y' | size }}",
  ].map(($template): [string, object] => ["note.create", { note: { $template } }]);
  const made = await published(acme, chain(...said, ["set.vars", { values: { a: 1 } }]), { trigger: byHand });

  await acme.post(`/automations/${made.id}/run/`, { record_id: lead.id, input: { amount: 7 } });
  await work(acme);

  const [run] = await runsOf(acme, made);
  assert.equal(run.status, "completed", run.explanation);
  assert.deepEqual(
    run.steps.slice(0, 2).map((one: any) => one.input.note),
    ["7 7", "North North"],
  );
});

test("what stands below a field is known too, and what the item of a loop is", async () => {
  const acme = await organization();
  const find = { object_type: "contact", where: { type: "field", ref: "record.name", op: "exists" }, limit: 5 };
  const names: [ref: string, nearest: string][] = [
    ["record.emails.0.emial", "email"],
    ["record.emails.email", "list"],
    ["record.name.first", ""],
    ["record.custom_fields", ""],
    ["trigger.record.phones.0.phnoe", "phone"],
  ];
  const below = chain(...names.map(([name]): [string, object] => ["set.vars", { values: { a: { $ref: name } } }]));
  const trigger = { type: "record.created", config: { object_type: "contact" } };
  const found = await refusedAt(acme, { trigger, graph: below });
  names.forEach(([name, nearest], i) =>
    assert.match(found[`graph.steps.s${i + 1}.config.values.a.$ref`] ?? "", new RegExp(`.${nearest}`), name),
  );

  const note = (text: string) => ({ type: "note.create", config: { note: { $template: text } }, ports: { out: "each" } });
  const asks = (ref: string) => ({
    type: "branch",
    config: { cases: [{ id: "a", when: { type: "field", ref, op: "exists" } }] },
    ports: { a: "note", else: "each" },
  });
  const each = (items: object) => ({ type: "loop", config: { items, max: 5 }, ports: { each: "ask", done: null } });
  const loops = (items: object, ref: string, text: string) => ({
    graph: {
      start: "find",
      steps: {
        find: { type: "record.find", config: find, ports: { found: "each", empty: null } },
        each: each(items),
        ask: asks(ref),
        note: note(text),
      },
    },
  });
  const ofRecord = await refusedAt(acme, loops({ $ref: "record.contacts" }, "item.titel", "{{ item.nmae }}"));
  const ofFound = await refusedAt(acme, loops({ $ref: "steps.find.output" }, "item.lead.nmae", "{{ item.emails.0.emial }}"));
  for (const one of [ofRecord, ofFound])
    assert.deepEqual(Object.keys(one).sort(), [
      "graph.steps.ask.config.cases.0.when.ref",
      "graph.steps.note.config.note.$template",
    ]);
  assert.match(ofRecord["graph.steps.ask.config.cases.0.when.ref"]!, /title/);
  const right = loops(
    { $ref: "steps.find.output.records" },
    "item.lead.name",
    "{{ item.object_type }} {{ item.emails.0.email }}",
  );
  await published(acme, right.graph);
});
