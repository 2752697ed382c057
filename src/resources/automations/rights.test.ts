// Whose eyes and rights an automation has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, published, runsOf, work } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";

const newLead = { type: "record.created", config: { object_type: "lead" } };
const noted = chain(["note.create", { note: "Seen" }]);
const everyLead = { type: "field", ref: "record.name", op: "exists" };
const findAll = chain(["record.find", { object_type: "lead", where: everyLead, limit: 100 }]);

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
  assert.deepEqual(refusal["field-errors"], { "trigger.config.input_schema.pattern": "is not a regular expression" });
});

test("a schema is checked as it is written, or refused", async () => {
  const acme = await organization();
  const { id: record_id } = await acme.lead();
  const misfits: [schema: object, input: object, place: string][] = [
    [{ required: ["q"] }, {}, "q"],
    [{ type: "object", required: ["q"] }, { r: 1 }, "q"],
    [{ properties: { q: { type: "string" } } }, { q: 3 }, "q"],
    [{ properties: { q: { minLength: 4 } } }, { q: "aaa" }, "q"],
    [{ properties: { q: { type: "string", allOf: [{ pattern: "^b+$" }] } } }, { q: "aaa" }, "q"],
    [{ properties: { q: { type: "string", anyOf: [{ pattern: "^b" }, { pattern: "^c" }] } } }, { q: "aaa" }, "q"],
    [{ properties: { q: { enum: ["a"], type: "string" } } }, { q: "b" }, "q"],
    [{ properties: { q: { not: { const: 1 } } } }, { q: 1 }, "q"],
    [{ dependentSchemas: { a: { required: ["b"] } } }, { a: 1 }, "b"],
    [{ properties: { a: {} }, additionalProperties: false }, { b: 1 }, "b"],
    [{ properties: { l: { items: { required: ["x"] } } } }, { l: [{ x: 1 }, {}] }, "l.1.x"],
  ];
  for (const [input_schema, input, place] of misfits) {
    const { id } = await published(acme, noted, { trigger: { type: "manual", config: { input_schema } } });
    await acme.refused(400, "POST", `/automations/${id}/run/`, { record_id, input }, `input.${place}`);
  }

  const wrong: [schema: object, place: string][] = [
    [{ typ: "string" }, "typ"],
    [{ required: "q" }, "required"],
    [{ properties: { q: { type: "text" } } }, "properties.q.type"],
    [{ properties: { q: { format: "phone" } } }, "properties.q.format"],
    [{ patternProperties: { "(": {} } }, "patternProperties"],
    [{ items: [{ type: "string" }] }, "items"],
    [{ properties: { q: { $ref: "#/$defs/person" } } }, "properties.q.$ref"],
    [{ properties: { q: "string" } }, "properties.q"],
  ];
  for (const [input_schema, place] of wrong) {
    const body = { name: "X", trigger: { type: "manual", config: { input_schema } }, graph: noted };
    const { errors } = await acme.refused(400, "POST", "/automations/", body, `trigger.config.input_schema.${place}`);
    assert.deepEqual(
      errors.map((one: any) => one.code),
      ["schema_invalid"],
    );
  }
});

test("a schema may name parts of itself", async () => {
  const acme = await organization();
  const person = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const input_schema = {
    type: "object",
    properties: { buyer: { $ref: "#/$defs/person" }, others: { type: "array", items: { $ref: "#/$defs/person" } } },
    $defs: { person },
  };
  const graph = chain(["ai.extract", { prompt: "Who?", output_schema: input_schema }], ["note.create", { note: "x" }]);
  const made = await published(acme, graph, { trigger: { type: "manual", config: { input_schema } } });
  const { id: record_id } = await acme.lead();
  const run = (input: object) => acme.ask("POST", `/automations/${made.id}/run/`, { body: { record_id, input } });

  assert.deepEqual([made.status, made.published.graph.steps.s1.config.output_schema], ["active", input_schema]);
  const refused = await run({ buyer: { name: "Ada" }, others: [{ name: 5 }] });
  assert.deepEqual([refused.status, Object.keys(refused.body["field-errors"])], [400, ["input.others.0.name"]]);
  assert.equal((await run({ buyer: { name: "Ada" } })).status, 201);
  const elsewhere = { ...input_schema, properties: { buyer: { $ref: "record.name" } } };
  const wrong = { name: "X", trigger: { type: "manual", config: { input_schema: elsewhere } }, graph: noted };
  await acme.refused(400, "POST", "/automations/", wrong, "trigger.config.input_schema.properties.buyer.$ref");
  const noted5 = chain(["note.create", { note: { $ref: "#/$defs/person" } }]);
  await acme.refused(400, "POST", "/automations/", { name: "X", trigger: newLead, graph: noted5 }, "graph.steps.s1.config.note");
});

test("a pattern that goes back again and again holds nobody up", async () => {
  const acme = await organization();
  const pattern = { type: "string", pattern: "^(a+)+$" };
  const input_schema = { type: "object", properties: { q: pattern } };
  const made = await published(acme, noted, { trigger: { type: "manual", config: { input_schema } } });
  const run = async (q: string) =>
    acme.ask("POST", `/automations/${made.id}/run/`, { body: { record_id: (await acme.lead()).id, input: { q } } });

  const good = await run("aaa");
  const slow = await run(`${"a".repeat(60)}!`);
  const again = await run("aaa");

  assert.deepEqual([good.status, slow.status, again.status], [201, 400, 201]);
  assert.match(slow.body["field-errors"].input, /takes too long to check: a pattern/);
  assert.equal((await acme.ask("GET", "/me/")).status, 200);
});

test("a field that the record does not have is refused where it is named", async () => {
  const acme = await organization();
  const graph = chain(["task.create", { text: { $ref: "record.nme" } }]);
  const { id } = await acme.post("/automations/", { name: "X", trigger: newLead, graph });

  const { errors } = await acme.refused(400, "POST", `/automations/${id}/publish/`, {});

  assert.deepEqual([errors[0].code, errors[0].path], ["ref_unknown", "graph.steps.s1.config.text.$ref"]);
  assert.match(errors[0].message, /name/);
});

test("nobody starts by its address what has rights beyond their own", async () => {
  const acme = await organization();
  const ann = await acme.memberWith(["manage_email_sequences"]);
  const trigger = { type: "webhook.received", config: { verification: { mode: "standard" } } };
  const graph = chain(["note.create", { note: "Called", lead_id: (await acme.lead()).id }]);
  const [all, own] = [
    await published(acme, graph, { trigger }),
    await published(ann, chain(["set.vars", { values: { n: 1 } }]), { trigger, settings: { run_as_user_id: ann.userId } }),
  ];

  const shown = async (member: Workspace, { id }: { id: string }) => {
    const { webhook, webhook_url } = await member.get(`/automations/${id}/`);
    return [webhook !== null, webhook_url !== null];
  };

  assert.deepEqual(
    [await shown(acme, all), await shown(ann, all)],
    [
      [true, true],
      [false, false],
    ],
  );
  assert.deepEqual(await shown(ann, own), [true, true]);
  await ann.refused(403, "POST", `/automations/${all.id}/rotate_secret/`, { signing_secret: "whsec_c2VjcmV0c2VjcmV0c2VjcmV0" });
  await ann.post(`/automations/${own.id}/rotate_secret/`, {});
});

test("nobody acts in another's name by writing what that member's automation does", async () => {
  const acme = await organization();
  const boss = await acme.member("superuser");
  const ann = await acme.memberWith(["manage_email_sequences"]);
  const manual = { trigger: { type: "manual", config: { object_type: "lead" } } };
  const made = await published(boss, noted, { ...manual, settings: { run_as_user_id: boss.userId } });
  const path = `/automations/${made.id}/`;
  const [mine, hidden] = [await acme.lead({ owner_id: ann.userId }), await acme.lead()];

  await ann.put(path, { graph: findAll });
  const refusals = [
    await ann.refused(403, "POST", `${path}publish/`, {}),
    await ann.refused(403, "POST", `${path}run/`, { record_id: mine.id }),
    await ann.refused(403, "POST", `${path}run/`, { record_ids: [mine.id] }),
    await ann.refused(403, "POST", `${path}run/`, { all: true }),
  ];

  for (const { error } of refusals) assert.match(error, /Name yourself, or ask an admin/);
  await (await acme.member("superuser")).refused(403, "POST", `${path}publish/`, {});
  assert.deepEqual(await ann.all("/automation_runs/"), []);
  await ann.put(path, { settings: { run_as_user_id: ann.userId } });
  await ann.post(`${path}publish/`, {});
  const { id } = await ann.post(`${path}run/`, { record_id: mine.id });
  await work(acme);
  const { steps, withheld } = await ann.get(`/automation_runs/${id}/`);
  assert.equal(withheld, null);
  assert.ok(steps[0].output.records.length === 1 && !JSON.stringify(steps).includes(hidden.id));
});

test("nobody gives an automation records to work with that they do not see, where it has rights beyond theirs", async () => {
  const acme = await organization();
  const ann = await acme.memberWith(["manage_email_sequences"]);
  const trigger = { type: "manual", config: { object_type: "lead" } };
  const described = chain(["record.update", { target: { $ref: "run.input.t" }, fields: { description: "By input" } }]);
  const made = await published(acme, described, { trigger });
  const own = await published(ann, described, { trigger, settings: { run_as_user_id: ann.userId } });
  const starting = chain(["automation.start", { automation_id: made.id, input: { t: { $ref: "run.input.t" } } }]);
  const chained = await published(ann, starting, { trigger, settings: { run_as_user_id: ann.userId } });
  const [mine, other] = [await acme.lead({ owner_id: ann.userId }), await acme.lead({ owner_id: ann.userId })];
  const hidden = await acme.lead();
  const gone = `lead_${"0".repeat(26)}`;
  const run = `/automations/${made.id}/run/`;
  const given = (t: unknown) => ({ record_id: mine.id, input: { t } });

  const refusals = [
    await ann.refused(400, "POST", run, given(hidden.id), "input.t"),
    await ann.refused(400, "POST", run, given(gone), "input.t"),
    await ann.refused(400, "POST", run, given([{ a: `x${hidden.id.toUpperCase()}` }]), "input.t.0.a"),
    await ann.refused(400, "POST", run, { all: true, input: { [hidden.id]: 1 } }, "input"),
  ];
  assert.equal(new Set(refusals.slice(0, 2).map((one) => JSON.stringify(one["field-errors"]))).size, 1);
  await ann.post(run, { record_id: mine.id, input: { t: other.id, who: acme.userId, note: "any words" } });
  await acme.post(run, { record_id: (await acme.lead()).id, input: { t: (await acme.lead()).id } });
  const through = await ann.post(`/automations/${chained.id}/run/`, given(hidden.id));
  await ann.post(`/automations/${own.id}/run/`, given(hidden.id));
  await work(acme);

  assert.deepEqual(
    [(await acme.get(`/lead/${other.id}/`)).description, (await acme.get(`/lead/${hidden.id}/`)).description],
    ["By input", null],
  );
  const { steps } = await acme.get(`/automation_runs/${through.id}/`);
  assert.deepEqual(steps[0].output, { run_id: null, reason: "permission", status: null, output: null });
});

test("nobody replays or retries in the name of another, or with rights that they lack", async () => {
  const acme = await organization();
  const boss = await acme.member("superuser");
  const ann = await acme.memberWith(["manage_email_sequences"]);
  const failing = chain(["fail", { message: "No" }]);
  const [named, open] = [
    await published(boss, failing, { settings: { run_as_user_id: boss.userId } }),
    await published(acme, failing),
  ];
  const lead = await acme.lead({ owner_id: ann.userId });
  await work(acme);
  const [event] = await acme.events(lead.id);

  for (const { id } of [named, open]) {
    const [run] = await acme.all(`/automations/${id}/runs/`);
    assert.equal(run.status, "failed");
    for (const effects of ["stub", "execute"])
      await ann.refused(403, "POST", `/automations/${id}/replay/`, { event_id: event!.id, effects });
    await ann.refused(403, "POST", `/automation_runs/${run.id}/retry/`, {});
    await ann.refused(403, "POST", `/automations/${id}/retry/`, { status: "failed" });
    await ann.refused(403, "POST", `/automations/${id}/publish/`, {});
  }
  assert.equal((await acme.post(`/automations/${named.id}/retry/`, { status: "failed" })).retried, 1);
});

test("a run hears of nothing that the member does not see in whose name it runs", async () => {
  const acme = await organization();
  const ann = await acme.memberWith(["manage_email_sequences"]);
  const [mine, hidden] = [await acme.lead({ owner_id: ann.userId }), await acme.lead()];
  const says = { type: "field", ref: "record.description", op: "starts_with", value: "pass" };
  const waits = (match: object) =>
    chain(["wait.event", { event: "lead.updated", match, where: says, timeout: { amount: 1, unit: "hours" } }]);
  const own = { trigger: { type: "manual", config: { object_type: "lead" } }, settings: { run_as_user_id: ann.userId } };
  const [there, anywhere] = [
    await published(ann, waits({ object_id: hidden.id }), own),
    await published(ann, waits({}), { ...own, exits: [] }),
  ];
  for (const { id } of [there, anywhere]) await ann.post(`/automations/${id}/run/`, { record_id: mine.id });
  await work(acme);
  const states = async () =>
    (await Promise.all([there, anywhere].map((one) => runsOf(acme, one)))).flat().map(({ status }) => status);

  await acme.put(`/lead/${hidden.id}/`, { description: "password" });
  await work(acme);
  const unheard = await states();
  await acme.put(`/lead/${mine.id}/`, { description: "pass by" });
  await work(acme);

  assert.deepEqual(
    [unheard, await states()],
    [
      ["waiting", "waiting"],
      ["waiting", "completed"],
    ],
  );
});

test("nobody learns from the numbers beside an automation of runs that they do not see", async () => {
  const acme = await organization();
  const ann = await acme.memberWith(["manage_email_sequences"]);
  const [made, rule] = [
    await published(acme, chain(["wait.until", { date: { $ref: "record.description" }, if_past: "skip" }])),
    await acme.post("/automation/", {
      name: "Rule",
      status: "active",
      trigger: newLead,
      actions: [{ type: "create_note", config: { note: "Hi" } }],
    }),
  ];
  const numbers = async (ws: Workspace) => {
    const [{ stats, counts, health, last_run_at }, { run_count }] = [
      await ws.get(`/automations/${made.id}/?_fields=stats,counts,health,last_run_at`),
      await ws.get(`/automation/${rule.id}/`),
    ];
    assert.equal(last_run_at, stats.last_run_at);
    return [stats.runs_total, stats.last_run_at !== null, counts.runs_7d, health.state, run_count];
  };
  await acme.lead();

  await work(acme);

  assert.deepEqual(await numbers(acme), [1, true, 1, "degraded", 1]);
  assert.deepEqual(await numbers(ann), [0, false, 0, "ok", 0]);
  await acme.lead({ owner_id: ann.userId });
  await work(acme);
  assert.deepEqual(await numbers(ann), [1, true, 1, "degraded", 1]);
});

test("an automation that names nobody writes in the name of who published it, whoever made it", async () => {
  const acme = await organization();
  const eve = await acme.member("superuser");
  const made = await published(acme, noted);
  await eve.put(`/automations/${made.id}/`, { graph: chain(["note.create", { note: "By Eve" }]) });
  await eve.post(`/automations/${made.id}/publish/`, {});
  const lead = await acme.lead();

  await work(acme);

  const [note] = await acme.all(`/activity/note/?lead_id=${lead.id}`);
  assert.deepEqual([note.note, note.user_id], ["By Eve", eve.userId]);
});

test("what an admin published goes on with the rights the admin still has, and is held until somebody with rights publishes it again", async () => {
  const acme = await organization();
  const eve = await acme.member("superuser");
  const [made, rule] = [
    await published(eve, noted),
    await eve.post("/automation/", {
      name: "Rule",
      status: "active",
      trigger: newLead,
      actions: [{ type: "create_note", config: { note: "Hi" } }],
    }),
  ];
  const { id: membership } = (await acme.get(`/membership/?user_id=${eve.userId}`)).data[0];
  const statesOf = async ({ id }: { id: string }) =>
    (await acme.all(`/automation_runs/?automation_id=${id}`)).map((run: any) => [run.status, run.status_reason]).sort();
  const demoted = ["held", "publisher_demoted"];

  await acme.put(`/membership/${membership}/`, { role_id: "restricteduser" });
  const lead = await acme.lead();
  await work(acme);

  assert.deepEqual([await statesOf(made), await statesOf(rule)], [[demoted], [demoted]]);
  assert.deepEqual(await acme.all(`/activity/note/?lead_id=${lead.id}`), []);
  const told = await acme.all("/notification/?type=automation_failed");
  assert.equal(told.length, 2);
  for (const { body } of told) assert.match(body, /no longer sees all leads.*publish it again/);

  await acme.delete(`/membership/${membership}/`);
  await acme.lead();
  await work(acme);
  assert.deepEqual(await statesOf(made), [demoted, ["held", "publisher_inactive"]]);

  const { version } = await acme.post(`/automations/${made.id}/publish/`, {});
  await acme.put(`/automation/${rule.id}/`, { name: "Mine", status: "active" });
  await work(acme);
  assert.deepEqual([version.number, version.published_by], [2, acme.userId]);
  assert.deepEqual(await statesOf(made), [
    ["completed", null],
    ["completed", null],
  ]);
  const notes = await acme.all("/activity/note/");
  assert.deepEqual(new Set(notes.map((one: any) => one.user_id)), new Set([acme.userId]));
  await acme.lead();
  await work(acme);
  assert.equal((await statesOf(rule)).filter(([status]) => status === "completed").length, 1);
});

test("a rule acts for who put it in force, whoever else saves it, and nobody puts it in force again with less", async () => {
  const acme = await organization();
  const rita = await acme.memberWith(["manage_email_sequences"]);
  const actions = [{ type: "create_note", config: { note: "Hi" } }];
  const conditions = [{ field: "name", operator: "exists" }];
  const [all, own] = [
    await acme.post("/automation/", { name: "All", trigger: newLead, actions }),
    await rita.post("/automation/", { name: "Own", trigger: newLead, actions }),
  ];
  const path = `/automation/${all.id}/`;
  const notesOf = async ({ id }: any) => (await acme.all(`/activity/note/?lead_id=${id}`)).map((one: any) => one.user_id).sort();

  await rita.put(path, { name: "Renamed" });
  await rita.refused(403, "PUT", path, { conditions });
  await rita.put(path, { is_active: false });
  await rita.put(path, { conditions });
  await rita.refused(403, "PUT", path, { is_active: true });
  await acme.put(path, { is_active: true });
  const eve = await acme.memberWith(["manage_email_sequences", "view_all_leads"]);
  for (const member of [eve, acme]) await member.put(`/automation/${own.id}/`, { description: "For Rita" });
  await eve.refused(403, "PUT", `/automation/${own.id}/`, { conditions });
  const untouched = (await acme.get(`/automations/${own.id}/versions/`)).data.map((one: any) => one.published_by);
  const edited = await acme.put(`/automation/${own.id}/`, { conditions });
  const [theirs, hers] = [await acme.lead(), await acme.lead({ owner_id: rita.userId })];
  await work(acme);

  assert.deepEqual([all.run_as_user_id, own.run_as_user_id, edited.run_as_user_id], [null, rita.userId, rita.userId]);
  assert.deepEqual(untouched, [rita.userId]);
  assert.deepEqual(await notesOf(theirs), [acme.userId]);
  assert.deepEqual(await notesOf(hers), [acme.userId, rita.userId].sort());
});

test("a rule whose actions name what is not there, or a sender that is not its author's, is never in force", async () => {
  const acme = await organization();
  const ann = await acme.memberWith(["manage_email_sequences", "view_all_leads"]);
  const note = { type: "create_note", config: { note: "Hi" } };
  const wrong: [action: object, place: string][] = [
    [{ type: "create_task", config: { text: { $ref: "record.nme" } } }, "actions.1.config.text.$ref"],
    [{ type: "send_email", config: { from: acme.userId, subject: "Hi", body: "Hi" } }, "actions.1.config.from"],
  ];
  for (const [action, place] of wrong) {
    const rule = { name: "Rule", status: "active", trigger: newLead, actions: [note, action] };
    await ann.refused(400, "POST", "/automation/", rule, place);
  }
  assert.deepEqual(await acme.all("/automation/"), []);
});

test("who sees only some leads sees that a run with more rights went on, and not what it read", async () => {
  const acme = await organization();
  const ann = await acme.memberWith(["manage_email_sequences"]);
  const secret = await acme.lead({ name: "Hidden", description: "TOPSECRET" });
  const mine = await acme.lead({ owner_id: ann.userId });
  const trigger = { type: "manual", config: { object_type: "lead" } };
  const graph = chain(
    ["record.find", { object_type: "lead", where: everyLead, limit: 100 }],
    ["set.vars", { values: { all: { $ref: "steps.s1.output.records" } } }],
    ["fail", { message: { $template: "{{ vars.all }}" } }],
  );
  const made = await published(acme, graph, { trigger });
  const { id } = await ann.post(`/automations/${made.id}/run/`, { record_id: mine.id });
  await acme.post(`/automations/${made.id}/run/`, { record_id: secret.id });
  await work(acme);

  const run = await ann.get(`/automation_runs/${id}/`);
  const seen = [
    run,
    await ann.all("/automation_runs/"),
    await ann.all(`/automations/${made.id}/runs/`),
    await ann.all("/automation_events/"),
    await ann.all(`/event/?object_id=${id}`),
    await ann.all("/notification/"),
  ];

  assert.deepEqual([run.status, run.withheld, run.output, run.vars, run.error], ["failed", "other_rights", null, null, null]);
  assert.deepEqual(
    run.steps.map(({ step_id, status, branch, output }: any) => [step_id, status, branch, output]),
    [
      ["s1", "succeeded", "found", null],
      ["s2", "succeeded", "out", null],
      ["s3", "succeeded", null, null],
    ],
  );
  for (const one of seen) assert.doesNotMatch(JSON.stringify(one), new RegExp(`TOPSECRET|Hidden|${secret.id}`));
  const hers = await ann.get(`/automations/${made.id}/?_fields=stats,counts`);
  assert.deepEqual([hers.stats.runs_total, hers.stats.runs_failed, hers.counts.runs_7d], [1, 1, 1]);
  const whole = await acme.get(`/automation_runs/${id}/`);
  assert.equal(whole.withheld, null);
  assert.match(JSON.stringify(whole.steps), /Hidden/);
  assert.ok((await acme.all(`/event/?object_id=${id}`)).length > 0);
});
