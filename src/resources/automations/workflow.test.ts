/* oxlint-disable unicorn/no-thenable -- `then` is the wire's word for what follows */
// Automations of the second generation: drafts that may be unfinished but are valid, versions, runs and statistics.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chain, published } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { newId } from "../../values/id.ts";
import { recordTypes } from "./catalog.ts";
import { stepTypes } from "./step_types.ts";
import { triggerTypes } from "./trigger_types.ts";

const trigger = { type: "record.created", config: { object_type: "lead" } };
const create = (ws: Workspace, body: object = {}): Promise<any> => ws.post("/automations/", { name: "Greet", trigger, ...body });

/** The graph of the guide: a wait, a branch, an e-mail, a wait for an answer, a task. */
const graph = {
  schema_version: 1,
  start: "settle",
  steps: {
    settle: {
      type: "wait.duration",
      type_version: 1,
      name: "Let it settle",
      config: { amount: 1, unit: "business_days" },
      ports: { out: "big" },
    },
    big: {
      type: "branch",
      config: { cases: [{ id: "large", when: { type: "field", ref: "record.value", op: "gte", value: 1_000_000 } }] },
      ports: { large: "tell", else: "thank" },
    },
    tell: {
      type: "notify.user",
      config: { to: [{ $ref: "record.owner_id" }], text: { $template: "{{ record.name }}" } },
      on_error: { retry: { max_attempts: 3 }, then: "continue" },
      ports: { out: "thank" },
    },
    thank: {
      type: "email.send",
      config: { to: { $ref: "record.contact_id" }, template_id: "tmpl_x" },
      ports: { out: "answer", suppressed: null },
    },
    answer: {
      type: "wait.event",
      config: {
        event: "email.replied",
        match: { contact_id: { $ref: "record.contact_id" } },
        timeout: { amount: 5, unit: "days" },
      },
      ports: { matched: null, timeout: "task" },
    },
    task: { type: "task.create", config: { text: "Call", due_in: { amount: 1, unit: "days" } }, ports: { out: null } },
  },
  goals: [{ id: "meeting", event: "meeting.scheduled", match: { lead_id: { $ref: "record.lead_id" } }, then: { goto: null } }],
  exits: [{ id: "lost", event: "opportunity.lost" }],
};

describe("a draft", () => {
  test("is all there is until it is published, and may be empty", async () => {
    const acme = await organization();

    const made = await create(acme);

    assert.equal(made.status, "draft");
    assert.equal(made.generation, 2);
    assert.deepEqual(made.graph, { start: null, steps: {} });
    assert.deepEqual(made.settings, { re_enroll: "after_exit", max_concurrent_per_record: 1, run_as_user_id: null });
    assert.deepEqual([made.published, made.active_version_id, made.has_unpublished_changes], [null, null, true]);
    assert.equal(made.draft.revision, 1);
    assert.equal(made.draft.updated_by, acme.userId);
    assert.deepEqual([made.trigger_type, made.object_type], ["record.created", "lead"]);
    assert.deepEqual(made.stats, { runs_total: 0, runs_failed: 0, last_run_at: null });
  });

  test("takes a whole graph as it is, and gives it back", async () => {
    const acme = await organization();

    const made = await create(acme, { graph });

    assert.equal(made.graph.start, "settle");
    assert.equal(made.graph.steps.big.type_version, 1);
    assert.deepEqual(made.graph.goals, graph.goals);
    const events = (await acme.events(made.id)).length;
    assert.deepEqual((await acme.put(`/automations/${made.id}/`, made)).graph, made.graph);
    assert.equal((await acme.events(made.id)).length, events);
    assert.equal((await acme.events(made.id))[0].event, "automations.created");
  });

  test("may lack ports and what a config must have, until it is published", async () => {
    const acme = await organization();

    const made = await create(acme, { graph: { start: "mail", steps: { mail: { type: "email.send" } } } });

    assert.deepEqual(made.graph.steps.mail, { type: "email.send", type_version: 1, config: {}, ports: {} });
  });

  test("that is not understood is refused, and the place is named", async () => {
    const acme = await organization();
    const refuse = (body: object, field: string) =>
      acme.refused(400, "POST", "/automations/", { name: "X", trigger, ...body }, field);
    const step = (change: object) => ({
      graph: { start: "a", steps: { a: { type: "task.create", config: { text: "x" }, ports: { out: null }, ...change } } },
    });

    await refuse({ trigger: { type: "lead.creatd" } }, "trigger.type");
    await refuse({ trigger: { config: {} } }, "trigger.type");
    await refuse({ trigger: "nothing.happens" }, "trigger");
    await refuse({ trigger: { ...trigger, config: { object_type: "planet" } } }, "trigger.config.object_type");
    await refuse({ trigger: { ...trigger, config: { object_tpye: "lead" } } }, "trigger.config.object_tpye");
    await refuse({ trigger: { type: "schedule.cron", config: { timezone: "Mars" } } }, "trigger.config.timezone");
    await refuse(
      { trigger: { type: "schedule.cron", config: { for_each: { object_type: "lead", condition: { type: "no" } } } } },
      "trigger.config.for_each.condition.type",
    );
    await refuse({ filter: { every: [] } }, "filter");
    await refuse({ filter: { all: [{ type: "feild" }] } }, "filter.all.0.type");
    await refuse({ filter: { any: [{ not: { type: "field", ref: "record.name", op: "like" } }] } }, "filter.any.0.not.op");
    await refuse({ filter: { type: "and", queries: [{ type: "nothing" }] } }, "filter.queries.0.type");
    await refuse({ graph: [] }, "graph");
    await refuse({ graph: { nodes: [] } }, "graph.nodes");
    await refuse({ graph: { start: "B b", steps: {} } }, "graph.start");
    await refuse({ graph: { steps: { "A b": { type: "stop" } } } }, "graph.steps.A b");
    await refuse(step({ type: "task.creat" }), "graph.steps.a.type");
    await refuse(step({ config: { text: 5 } }), "graph.steps.a.config.text");
    await refuse(step({ config: { txet: "x" } }), "graph.steps.a.config.txet");
    await refuse(step({ config: { constructor: 1 } }), "graph.steps.a.config.constructor");
    await refuse({ filter: { type: "tag", toString: 1 } }, "filter.toString");
    await refuse(step({ on_error: { retry: { valueOf: 1 } } }), "graph.steps.a.on_error.retry.valueOf");
    await refuse({ trigger: { ...trigger, config: { object_type: { $ref: "record.type" } } } }, "trigger.config.object_type");
    await refuse(step({ config: { text: { $ref: "nowhere.name" } } }), "graph.steps.a.config.text.$ref");
    await refuse(step({ config: { text: { $template: 5 } } }), "graph.steps.a.config.text.$template");
    await refuse(step({ ports: { out: "Not a name" } }), "graph.steps.a.ports.out");
    await refuse(step({ ports: { ou: null } }), "graph.steps.a.ports.ou");
    await refuse(step({ ports: { error: null } }), "graph.steps.a.ports.error");
    await refuse(step({ on_error: { then: "explode" } }), "graph.steps.a.on_error.then");
    await refuse(step({ on_error: { retry: { max_attempts: 11 } } }), "graph.steps.a.on_error.retry.max_attempts");
    await refuse(
      step({ type: "branch", config: { cases: [{ id: "x", when: { type: "no" } }] }, ports: {} }),
      "graph.steps.a.config.cases.0.when.type",
    );
    await refuse(
      step({ type: "branch", config: { cases: [{ id: "x" }, { id: "x" }] }, ports: {} }),
      "graph.steps.a.config.cases.1.id",
    );
    await refuse(step({ type: "wait.condition", config: { when: { some: [] } }, ports: {} }), "graph.steps.a.config.when");
    await refuse({ graph: { ...graph, exits: [{ id: "lost", event: 5 }] } }, "graph.exits.0.event");
    await refuse({ graph: { ...graph, goals: [{ id: "a", event: "b", then: { goto: 5 } }] } }, "graph.goals.0.then.goto");
    await refuse({ settings: { re_enroll: "sometimes" } }, "settings.re_enroll");
    await refuse({ settings: { max_concurrent_per_record: 5 } }, "settings.max_concurrent_per_record");
    await refuse({ settings: { re_enroll: "never", max_concurrent_per_record: 2 } }, "settings.max_concurrent_per_record");
    await refuse({ settings: { time_window: { from: "17:00", to: "09:00" } } }, "settings.time_window.to");
    await refuse({ settings: { run_as_user_id: "user_nobody" } }, "settings.run_as_user_id");
    await refuse({ settings: { tempo: 1 } }, "settings.tempo");
  });

  test("is refused when it is nested too deep or has too much, without falling over", async () => {
    const acme = await organization();
    let deep: object = { type: "tag", tag: "x" };
    for (let i = 0; i < 12; i++) deep = { not: deep };
    const steps = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`s${i}`, { type: "stop" }]));

    const refusal = await acme.refused(400, "POST", "/automations/", { name: "X", trigger, filter: deep });
    assert.match(Object.keys(refusal["field-errors"])[0]!, /^filter\.not/);
    await acme.refused(
      400,
      "POST",
      "/automations/",
      { name: "X", trigger, filter: { all: Array(101).fill({ type: "tag" }) } },
      "filter",
    );
    await acme.refused(400, "POST", "/automations/", { name: "X", trigger, graph: { steps } }, "graph.steps");
  });

  test("takes the name of an event for its trigger, and a query of the search for its filter", async () => {
    const acme = await organization();
    const filter = { type: "object_type", object_type: "lead" };

    const made = await create(acme, { trigger: "lead.status_updated", filter });

    assert.deepEqual(made.trigger, { type: "status.changed", config: { object_type: "lead" } });
    assert.deepEqual(made.filter, filter);
  });

  test("may be started by every event that a trigger stands for, by its name", async () => {
    const acme = await organization();
    const triggerOf = async (event: string) => (await create(acme, { trigger: event })).trigger;
    const refuse = (event: string) => acme.refused(400, "POST", "/automations/", { name: "X", trigger: event }, "trigger");

    assert.deepEqual(await triggerOf("task.created"), { type: "record.created", config: { object_type: "task" } });
    assert.deepEqual(await triggerOf("task.completed"), { type: "task.event", config: { event: "completed" } });
    assert.deepEqual(await triggerOf("task.overdue"), { type: "task.event", config: { event: "overdue" } });
    assert.deepEqual(await triggerOf("email.replied"), { type: "email.engagement", config: { event: "replied" } });
    assert.deepEqual(await triggerOf("sequence_subscription.failed"), { type: "sequence.event", config: { event: "failed" } });
    assert.deepEqual(await triggerOf("opportunity.won"), {
      type: "status.changed",
      config: { object_type: "opportunity", to_type: "won" },
    });
    assert.deepEqual(await triggerOf("quote.accepted"), { type: "quote.event", config: { event: "accepted" } });
    assert.deepEqual(await triggerOf("activity.note.created"), { type: "activity.logged", config: { kinds: ["note"] } });
    assert.deepEqual(await triggerOf("activity.email.received"), { type: "email.engagement", config: { event: "received" } });
    assert.deepEqual(await triggerOf("activity.call.completed"), { type: "call.completed", config: {} });
    assert.deepEqual(await triggerOf("message.received"), { type: "conversation.message", config: { direction: "incoming" } });
    assert.deepEqual(await triggerOf("sequence_subscription.created"), {
      type: "sequence.event",
      config: { event: "subscribed" },
    });
    for (const event of ["pipeline.created", "lead.merged", "lead.*", "*", ""]) await refuse(event);
  });

  test("counts its changes, and refuses a change that was meant for another one", async () => {
    const acme = await organization();
    const made = await create(acme);
    const path = `/automations/${made.id}/`;

    const changed = await acme.put(path, { graph, if_revision: 1 });
    await acme.refused(400, "PUT", path, { graph: { steps: {} }, if_revision: 1 }, "if_revision");
    const renamed = await acme.put(path, { name: "Other", if_revision: null });

    assert.equal(changed.draft.revision, 2);
    assert.equal(renamed.draft.revision, 2);
  });
});

test("a draft may name steps that are not written yet, and lack what a step or a goal will say", async () => {
  const acme = await organization();
  const unfinished = {
    start: "greet",
    steps: {
      call: { type: "task.create", ports: { out: "thank" } },
      back: { type: "goto", config: { step: "wait" } },
      later: {},
    },
    goals: [{ id: "met", then: { goto: "thank" } }],
    exits: [{}],
  };

  const made = await create(acme, { graph: unfinished });
  const again = await acme.put(`/automations/${made.id}/`, { graph: made.graph });

  assert.equal(made.graph.start, "greet");
  assert.equal(made.graph.steps.call.ports.out, "thank");
  assert.deepEqual(again.graph, made.graph);
  assert.deepEqual(again.graph.goals, unfinished.goals);
});

test("publishing and pausing move the status; written back as it was it says nothing", async () => {
  const acme = await organization();
  const made = await create(acme);
  const path = `/automations/${made.id}/`;

  const refusal = await acme.refused(400, "PUT", path, { status: "active", name: "Other" }, "status");
  const back = await acme.put(path, { ...made, status: "draft" });
  const copy = await acme.post("/automations/", { ...made, status: "paused" });

  assert.match(refusal["field-errors"].status, /publish.*pause/);
  assert.deepEqual([back.name, back.version], [made.name, made.version]);
  assert.equal(copy.status, "draft");
});

test("rules can be read where the second generation is, when they are asked for", async () => {
  const acme = await organization();
  const workflow = await create(acme);
  const actions = [{ type: "create_note", config: { note: "Hi" } }];
  const rule = await acme.post("/automation/", { name: "Greet", status: "draft", trigger: "lead.created", actions });
  await acme.put(`/automation/${rule.id}/`, { match: "any", conditions: [{ field: "name", operator: "exists" }] });
  const lead = await acme.lead();
  const run = await ran(acme, rule.id, "completed", "2026-01-01T00:00:00Z", lead.id);
  const ids = async (path: string) => (await acme.all(path)).map((one) => one.id);

  assert.deepEqual(await ids("/automations/?generation=1"), [rule.id]);
  assert.deepEqual(await ids("/automations/?generation__in=1&status=draft&_order_by=name"), [rule.id]);
  assert.deepEqual(await ids("/automations/?generation=2"), [workflow.id]);
  assert.deepEqual(await ids("/automations/"), [workflow.id]);
  assert.deepEqual((await acme.get("/automations/?generation=1")).data[0], (await acme.get("/automation/")).data[0]);
  await acme.refused(400, "GET", "/automations/?generation__in=1,2", undefined, "generation__in");
  assert.deepEqual(
    (await acme.get(`/automations/${rule.id}/versions/`)).data.map((one: any) => [one.number, one.is_active]),
    [
      [2, true],
      [1, false],
    ],
  );
  assert.deepEqual(await ids(`/automations/${rule.id}/runs/`), [run]);
  assert.equal((await acme.get(`/automations/${rule.id}/stats/`)).automation_id, rule.id);
  await (await organization()).refused(404, "GET", `/automations/${rule.id}/versions/`);
  await acme.refused(404, "PUT", `/automations/${rule.id}/`, { name: "X" });
});

test("changing an active automation leaves what is in force as it is", async () => {
  const acme = await organization();
  const made = await published(acme, chain(["task.create", { text: "Call" }]));
  const path = `/automations/${made.id}/`;
  const active = await acme.get(path);

  const changed = await acme.put(path, { filter: { all: [{ type: "tag", tag: "hot" }] }, status: "active" });

  assert.deepEqual([active.draft, active.has_unpublished_changes], [null, false]);
  assert.deepEqual([changed.status, changed.has_unpublished_changes], ["active", true]);
  assert.equal(changed.published.filter, null);
  assert.deepEqual(changed.filter, changed.draft.filter);
  assert.equal(changed.active_version_id, active.active_version_id);
  const back = await acme.put(path, { filter: null });
  assert.equal(back.draft, null);
});

test("rights are lent by oneself, by who allows it, and by admins", async () => {
  const acme = await organization();
  const [boss, bob] = [await acme.member("superuser"), await acme.member()];
  const body = (run_as_user_id: string) => ({ name: "X", trigger, settings: { run_as_user_id } });

  await boss.refused(403, "POST", "/automations/", body(acme.userId));
  await boss.post("/automations/", body(boss.userId));
  await acme.post("/automations/", body(bob.userId));
  const [membership] = (await acme.get(`/membership/?user_id=${bob.userId}`)).data;
  await acme.put(`/membership/${membership.id}/`, { may_workflows_impersonate: true });
  await boss.post("/automations/", body(bob.userId));
});

test("only who writes sequences writes automations; every member reads them", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const made = await create(acme);

  await bob.refused(403, "POST", "/automations/", { name: "X", trigger });
  await bob.refused(403, "PUT", `/automations/${made.id}/`, { name: "X" });
  await bob.refused(403, "DELETE", `/automations/${made.id}/`);
  assert.equal((await bob.get("/automations/?trigger_type=record.created&status=draft")).data[0].id, made.id);
  assert.equal((await bob.get("/automations/?status__in=active,paused")).data.length, 0);
});

test("the generations do not show each other's automations", async () => {
  const acme = await organization();
  const made = await create(acme);

  await acme.refused(404, "GET", `/automation/${made.id}/`);
  assert.deepEqual((await acme.get("/automation/")).data, []);
});

describe("runs", () => {
  test("are listed failures first, then newest first, of one automation and of all, with their steps when read alone", async () => {
    const acme = await organization();
    const [one, other] = [await create(acme), await create(acme)];
    const lead = await acme.lead();
    const [old, failed, fresh] = [
      await ran(acme, one.id, "completed", "2026-01-01T00:00:00Z", lead.id),
      await ran(acme, one.id, "failed", "2026-01-02T00:00:00Z"),
      await ran(acme, one.id, "waiting", "2026-01-03T00:00:00Z"),
    ];
    const elsewhere = await ran(acme, other.id, "queued", "2026-01-04T00:00:00Z");
    const ids = async (path: string) => (await acme.all(path)).map((run) => run.id);

    assert.deepEqual(await ids(`/automations/${one.id}/runs/`), [failed, fresh, old]);
    assert.deepEqual(await ids(`/automations/${one.id}/runs/?_order_by=-date_created`), [fresh, failed, old]);
    assert.deepEqual(await ids("/automation_runs/?_limit=2"), [failed, elsewhere, fresh, old]);
    assert.deepEqual(await ids(`/automation_runs/?record_id=${lead.id}&status=completed`), [old]);
    const run = await acme.get(`/automation_runs/${old}/`);
    assert.equal(run.automation_name, "Greet");
    assert.deepEqual(
      run.steps.map((step: any) => [step.step_id, step.status, step.branch]),
      [["greet", "succeeded", "out"]],
    );
    assert.deepEqual(run.step_runs, run.steps);
    assert.deepEqual(await acme.get(`/automation_runs/${old}/?_fields=steps`), { steps: run.steps });
    await acme.refused(404, "GET", "/automations/autm_none/runs/");
  });

  test("of a lead one may not see are not there", async () => {
    const acme = await organization();
    const restricted = await acme.member("restricteduser");
    const made = await create(acme);
    const lead = await acme.lead();
    const id = await ran(acme, made.id, "completed", "2026-01-01T00:00:00Z", lead.id);
    const event = newId("aevt");
    await run(
      acme,
      "insert into automation_event (organization_id, id, type, object_type, object_id, lead_id, date_created, date_updated) values ($1, $2, 'lead.created', 'lead', $3, $3, now(), now())",
      [acme.id, event, lead.id],
    );
    const hidden = async () => {
      await restricted.refused(404, "GET", `/automation_runs/${id}/`);
      assert.deepEqual((await restricted.get(`/automations/${made.id}/runs/`)).data, []);
      assert.deepEqual((await restricted.get("/automation_events/")).data, []);
    };

    await hidden();
    await acme.delete(`/lead/${lead.id}/`);
    await hidden();
    assert.equal((await acme.get(`/automation_runs/${id}/`)).object_id, lead.id);
    assert.equal((await acme.get("/automation_events/")).data[0].object_id, lead.id);
  });

  test("are counted by state, day and step", async () => {
    const acme = await organization();
    const made = await create(acme);
    await ran(acme, made.id, "completed", "2026-01-01T10:00:00Z");
    await ran(acme, made.id, "completed", "2026-01-02T10:00:00Z");
    await ran(acme, made.id, "failed", "2026-01-02T11:00:00Z");
    const path = `/automations/${made.id}/stats/`;

    const stats = await acme.get(`${path}?date_start=2026-01-01&date_end=2026-01-31`);

    assert.deepEqual(stats.runs, {
      total: 3,
      queued: 0,
      running: 0,
      waiting: 0,
      completed: 2,
      failed: 1,
      cancelled: 0,
      held: 0,
      skipped: 0,
      exited: 0,
      expired: 0,
      active_now: 0,
      waiting_now: 0,
      held_now: 0,
      skipped_by_reason: {},
    });
    assert.deepEqual(stats.duration_ms, { p50: 250, p95: 250, max: 250 });
    assert.deepEqual(stats.rates, { success: 2 / 3, goal: 0, failure: 1 / 3 });
    assert.equal(stats.success_rate, 2 / 3);
    assert.equal(stats.average_duration_ms, 250);
    assert.equal(stats.last_failure_at, "2026-01-02T11:00:00.000Z");
    assert.deepEqual(stats.runs_by_day, [
      { date: "2026-01-01", completed: 1, failed: 0 },
      { date: "2026-01-02", completed: 1, failed: 1 },
    ]);
    assert.deepEqual(stats.series, [
      { t: "2026-01-01T00:00:00.000Z", started: 1, completed: 1, failed: 0 },
      { t: "2026-01-02T00:00:00.000Z", started: 2, completed: 1, failed: 1 },
    ]);
    assert.deepEqual(
      (await acme.get(`${path}?from=2026-01-02&to=2026-01-31&interval=hour`)).series.map((one: any) => [one.t, one.started]),
      [
        ["2026-01-02T10:00:00.000Z", 1],
        ["2026-01-02T11:00:00.000Z", 1],
      ],
    );
    assert.equal((await acme.get(`${path}?from=2026-01-01&interval=week&version_id=aver_none`)).runs.total, 0);
    assert.deepEqual(stats.email, { sent: 0, delivered: 0, opened: 0, clicked: 0, replied: 0, bounced: 0, unsubscribed: 0 });
    const [{ avg_ms: _, ...step }] = stats.steps;
    const counts = { entered: 3, succeeded: 3, failed: 0, waiting: 0, skipped: 0, retries: 0, ports: { out: 3 } };
    assert.deepEqual([stats.steps.length, step], [1, { step_id: "greet", type: "task.create", ...counts }]);
    assert.equal((await acme.get(path)).success_rate, null);
    const restricted = await acme.member("restricteduser");
    await ran(acme, made.id, "completed", "2026-01-03T10:00:00Z", (await acme.lead()).id);
    assert.equal((await acme.get(`${path}?date_start=2026-01-01&date_end=2026-01-31`)).runs.total, 4);
    assert.equal((await restricted.get(`${path}?date_start=2026-01-01&date_end=2026-01-31`)).runs.total, 3);
    await acme.refused(400, "GET", `${path}?date_start=soon`, undefined, "date_start");
    await acme.refused(400, "GET", `${path}?date_start=2026-02-01&date_end=2026-01-01`, undefined, "date_start");
    await acme.refused(400, "GET", `${path}?from=2026-02-01&to=2026-01-01`, undefined, "from");
    const whole = await acme.get(`${path}?from=2026-01-31&to=2026-01-31`);
    assert.equal(Date.parse(whole.date_end) - Date.parse(whole.date_start), 24 * 3_600_000);
  });

  test("stay when their automation and its versions go", async () => {
    const acme = await organization();
    const made = await published(acme, chain(["task.create", { text: "Call" }]));
    const run = await ran(acme, made.id, "waiting", "2026-01-01T00:00:00Z");

    assert.equal((await acme.get(`/automations/${made.id}/versions/`)).data[0].number, 1);
    await acme.delete(`/automations/${made.id}/`);

    assert.equal((await acme.get(`/automation_runs/${run}/`)).automation_name, "Greet");
    assert.equal((await acme.events(run)).at(-1).event, "automation_run.cancelled");
    await acme.refused(404, "GET", `/automations/${made.id}/versions/`);
  });

  test("that started from an event are found by it", async () => {
    const acme = await organization();
    const id = newId("aevt");
    await run(
      acme,
      "insert into automation_event (organization_id, id, type, object_id, payload, date_created, date_updated) values ($1, $2, 'lead.created', 'lead_1', '{\"a\":1}', now(), now())",
      [acme.id, id],
    );

    const { data } = await acme.get("/automation_events/?type=lead.created&object_id=lead_1");

    assert.deepEqual(
      data.map((one: any) => [one.id, one.payload, one.run_ids]),
      [[id, { a: 1 }, []]],
    );
  });
});

describe("the catalogs", () => {
  test("say of every type what its config takes", async () => {
    const acme = await organization();

    const [triggers, conditions, steps] = await Promise.all(
      ["trigger", "condition", "step"].map((word) => acme.get(`/automation_${word}_types/?_limit=200`)),
    );

    const find = (list: any, type: string) => list.data.find((one: any) => one.type === type);
    assert.deepEqual(find(triggers, "record.created").config_schema.required, ["object_type"]);
    assert.ok(find(conditions, "field").config_schema.properties.op.enum.includes("is_not"));
    assert.deepEqual(find(steps, "email.send").ports, ["out", "suppressed"]);
    assert.equal(find(steps, "email.send").side_effect, true);
    assert.equal(find(steps, "branch").side_effect, false);
    assert.deepEqual([triggers.data.length, conditions.data.length, steps.data.length], [30, 22, 49]);
    assert.deepEqual(Object.keys((await acme.get("/automation_step_types/?_limit=1&_skip=1&_fields=type")).data[0]), ["type"]);
  });
});

test("the catalogs speak of kinds of record that there are", async () => {
  const { registry } = (await organization()).service.app.core;
  const named = [...triggerTypes, ...stepTypes].flatMap((type) => Object.values(type.config).flatMap((one) => one.names ?? []));

  assert.deepEqual(
    [...named, ...recordTypes].filter((name) => registry.resource(name) === undefined),
    [],
  );
});

// The worker does not run automations yet. The rows that it will write are inserted here by SQL.

const run = (ws: Workspace, text: string, values: unknown[]): Promise<void> =>
  ws.service.app.db.unscopedTransaction(async (tx) => void tx.write({ text, values: values as string[] }));

async function ran(
  ws: Workspace,
  automationId: string,
  status: string,
  at: string,
  leadId: string | null = null,
): Promise<string> {
  const id = newId("arun");
  await run(
    ws,
    `insert into automation_run (organization_id, id, automation_id, status, trigger_type, object_type, object_id, lead_id, duration_ms, date_created, date_updated)
     values ($1, $2, $3, $4, 'record.created', $7, $5, $5, 250, $6, $6)`,
    [ws.id, id, automationId, status, leadId, at, leadId && "lead"],
  );
  await run(
    ws,
    `insert into automation_step_run (organization_id, id, run_id, step_id, type, status, branch, date_created, date_updated)
     values ($1, $2, $3, 'greet', 'task.create', 'succeeded', 'out', $4, $4)`,
    [ws.id, newId("astep"), id, at],
  );
  return id;
}
