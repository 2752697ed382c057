// Whose eyes and rights an automation has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, published, work } from "../../../test/support/automations.ts";
import { organization } from "../../../test/support/given.ts";

const newLead = { type: "record.created", config: { object_type: "lead" } };
const noted = chain(["note.create", { note: "Seen" }]);

test("who sees only some leads puts nothing in force that sees all, and learns nothing of others by what is", async () => {
  const acme = await organization();
  const ann = await acme.memberWith(["manage_email_sequences"]);
  const open = await ann.post("/automations/", { name: "All", trigger: newLead, graph: noted });
  const own = { run_as_user_id: ann.userId };
  const filter = (value: string) => ({ type: "field", ref: "record.name", op: "starts_with", value });

  const { errors } = await ann.refused(400, "POST", `/automations/${open.id}/publish/`, {});
  const [hit, miss] = [
    await published(ann, noted, { trigger: newLead, settings: own, filter: filter("Top") }),
    await published(ann, noted, { trigger: newLead, settings: own, filter: filter("No") }),
  ];
  await acme.lead({ name: "Top secret" });
  const mine = await acme.lead({ name: "Top of mine", owner_id: ann.userId });
  await work(acme);

  assert.deepEqual([errors[0].code, errors[0].path], ["permission_step", "settings.run_as_user_id"]);
  const runs = await ann.all(`/automations/${hit.id}/runs/`);
  assert.deepEqual(
    runs.map(({ object_id, status }) => [object_id, status]),
    [[mine.id, "completed"]],
  );
  assert.equal((await ann.get(`/automations/${miss.id}/`)).last_run_at, null);
  assert.deepEqual((await ann.get("/notification/?type=automation_failed")).data, []);
});

test("what a run is started with fits the trigger's schema, and by hand too it starts once where it may only once", async () => {
  const acme = await organization();
  const input_schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const trigger = { type: "manual", config: { input_schema } };
  const { id } = await published(acme, noted, { trigger, settings: { re_enroll: "never" } });
  const lead = await acme.lead();
  const run = (input: object) => acme.ask("POST", `/automations/${id}/run/`, { body: { record_id: lead.id, input } });

  const wrong = await run({ n: "x" });
  const [first, second] = [await run({ n: 1 }), await run({ n: 1 })];
  await work(acme);
  const third = await run({ n: 1 });

  assert.deepEqual([wrong.status, Object.keys(wrong.body["field-errors"])], [400, ["input.n"]]);
  assert.deepEqual([first.status, second.status, third.status], [201, 400, 400]);
  const broken = { type: "manual", config: { input_schema: { type: "string", pattern: "(" } } };
  const refusal = await acme.refused(400, "POST", "/automations/", { name: "X", trigger: broken, graph: noted });
  assert.match(JSON.stringify(refusal), /is no JSON Schema that can be checked/);
});

test("a field that the record does not have is refused where it is named", async () => {
  const acme = await organization();
  const graph = chain(["task.create", { text: { $ref: "record.nme" } }]);
  const { id } = await acme.post("/automations/", { name: "X", trigger: newLead, graph });

  const { errors } = await acme.refused(400, "POST", `/automations/${id}/publish/`, {});

  assert.deepEqual([errors[0].code, errors[0].path], ["ref_unknown", "graph.steps.s1.config.text.$ref"]);
  assert.match(errors[0].message, /name/);
});
