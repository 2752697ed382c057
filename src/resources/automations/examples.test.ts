// Every trigger, condition and step that the catalogs offer as available runs here once, on real records. A new one needs its example.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chain, published } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { conditionTypes } from "./condition_types.ts";
import { stepTypes } from "./step_types.ts";
import { startsRuns, triggerTypes } from "./trigger_types.ts";

async function work(acme: Workspace, hours = 0): Promise<void> {
  await withWorker(acme.service, async (worker) => {
    for (let i = 0; i < 3; i++) await worker.drained();
    if (hours === 0) return;
    acme.service.clock.now = new Date((acme.service.clock.now ?? new Date()).getTime() + hours * 3_600_000);
    for (let i = 0; i < 3; i++) await worker.drained();
  });
}

const named = (types: readonly { type: string }[]) => types.map(({ type }) => type).sort();
const runsOf = (acme: Workspace, { id }: any): Promise<any[]> => acme.all(`/automations/${id}/runs/`);

describe("every step that is available", () => {
  interface Example {
    graph(acme: Workspace, lead: any): Promise<any> | any;
    /** What it did. */
    check(acme: Workspace, lead: any, run: any): Promise<void> | void;
  }
  const leadOf = async (acme: Workspace, { id }: any) => acme.get(`/lead/${id}/`);
  const tag = (name: string) => ({ type: "tag.change", config: { tag: name, change: "add" }, ports: { out: null } });
  const hasTag =
    (...tags: string[]): Example["check"] =>
    async (acme, lead) =>
      assert.deepEqual((await leadOf(acme, lead)).tags, tags);
  const always = { type: "field", ref: "record.name", op: "exists" };

  const examples: Record<string, Example> = {
    branch: {
      graph: () => ({
        start: "s1",
        steps: {
          s1: { type: "branch", config: { cases: [{ id: "yes", when: always }] }, ports: { yes: "s2", else: null } },
          s2: tag("yes"),
        },
      }),
      check: hasTag("yes"),
    },
    split: {
      graph: () => {
        const variants = [
          { id: "a", weight: 0 },
          { id: "b", weight: 1 },
        ];
        return { start: "s1", steps: { s1: { type: "split", config: { variants }, ports: { a: null, b: "s2" } }, s2: tag("b") } };
      },
      check: hasTag("b"),
    },
    "wait.duration": {
      graph: () => chain(["wait.duration", { amount: 2, unit: "hours" }], ["tag.change", { tag: "waited", change: "add" }]),
      check: hasTag("waited"),
    },
    "wait.until": {
      graph: () =>
        chain(
          [
            "wait.until",
            { date: { $ref: "run.started_at" }, offset: { amount: 3, unit: "hours", direction: "after" }, if_past: "skip" },
          ],
          ["tag.change", { tag: "then", change: "add" }],
        ),
      check: hasTag("then"),
    },
    "wait.event": {
      graph: () => ({
        start: "s1",
        steps: {
          s1: {
            type: "wait.event",
            config: { event: "note.created", match: { lead_id: { $ref: "record.id" } }, timeout: { amount: 1, unit: "hours" } },
            ports: { matched: null, timeout: "s2" },
          },
          s2: tag("silent"),
        },
      }),
      check: hasTag("silent"),
    },
    goto: {
      graph: () => ({
        start: "s1",
        steps: {
          s1: { type: "wait.duration", config: { amount: 1, unit: "minutes" }, ports: { out: "s2" } },
          s2: {
            type: "branch",
            config: { cases: [{ id: "again", when: { type: "field", ref: "vars.done", op: "not_exists" } }] },
            ports: { again: "s3", else: "s5" },
          },
          s3: { type: "set.vars", config: { values: { done: true } }, ports: { out: "s4" } },
          s4: { type: "goto", config: { step: "s1" }, ports: {} },
          s5: tag("twice"),
        },
      }),
      check: async (acme, _lead, run) => assert.equal((await acme.get(`/automation_runs/${run.id}/`)).steps.length >= 4, true),
    },
    stop: {
      graph: () => chain(["stop", { outcome: "enough" }]),
      check: (_acme, _lead, run) => assert.deepEqual([run.status, run.output], ["completed", { outcome: "enough" }]),
    },
    fail: {
      graph: () => chain(["fail", { message: "No" }]),
      check: (_acme, _lead, run) => assert.deepEqual([run.status, run.error.message], ["failed", "No"]),
    },
    "set.vars": {
      graph: () => chain(["set.vars", { values: { one: 1 } }]),
      check: (_acme, _lead, run) => assert.deepEqual(run.vars, { one: 1 }),
    },
    "record.update": {
      graph: () => chain(["record.update", { fields: { mrr: 5 }, mode: "increment" }]),
      check: async (acme, lead) => assert.equal((await leadOf(acme, lead)).mrr, 15),
    },
    "record.create": {
      graph: (_acme, { name }) =>
        chain(["record.create", { object_type: "lead", fields: { name, mrr: 7 }, dedupe: { by: ["name"], on_match: "update" } }]),
      check: async (acme, lead) => assert.equal((await leadOf(acme, lead)).mrr, 7),
    },
    "status.set": {
      graph: async (acme) => chain(["status.set", { status_id: (await acme.get("/status/lead/")).data[1].id }]),
      check: async (acme, lead) =>
        assert.equal((await leadOf(acme, lead)).status_id, (await acme.get("/status/lead/")).data[1].id),
    },
    "owner.assign": {
      graph: (acme) => chain(["owner.assign", { mode: "round_robin", pool: [acme.userId] }]),
      check: async (acme, lead) => assert.equal((await leadOf(acme, lead)).owner_id, acme.userId),
    },
    "tag.change": { graph: () => chain(["tag.change", { tag: "x", change: "add" }]), check: hasTag("x") },
    "opportunity.create": {
      graph: () => chain(["opportunity.create", { value: 500, note: "Big" }]),
      check: async (acme, lead) => assert.equal((await acme.get(`/opportunity/?lead_id=${lead.id}`)).data[0].value, 500),
    },
    "task.create": {
      graph: () => chain(["task.create", { text: "Call", priority: "high" }]),
      check: async (acme, lead) => assert.equal((await acme.get(`/task/?lead_id=${lead.id}`)).data[0].priority, "high"),
    },
    "task.complete": {
      graph: async (acme, { id }) => chain(["task.complete", { target: (await acme.task({ lead_id: id })).id }]),
      check: async (acme, lead) => assert.equal((await acme.get(`/task/?lead_id=${lead.id}`)).data[0].is_complete, true),
    },
    "note.create": {
      graph: () => chain(["note.create", { note: "Hi" }]),
      check: async (acme, lead) => assert.equal((await acme.get(`/activity/note/?lead_id=${lead.id}`)).data[0].note, "Hi"),
    },
    "notify.user": {
      graph: (acme) => chain(["notify.user", { to: [acme.userId], text: { $template: "Look at {{ record.name }}" } }]),
      check: async (acme, lead) => {
        const [told] = (await acme.get("/notification/?type=automation")).data;
        assert.deepEqual([told.title, told.object_id], [`Look at ${lead.name}`, lead.id]);
      },
    },
  };

  test("has an example", () =>
    assert.deepEqual(Object.keys(examples).sort(), named(stepTypes.filter(({ run }) => run !== undefined))));

  test("does what it says", async () => {
    const acme = await organization();
    const given = [];
    for (const example of Object.values(examples)) {
      const lead = await acme.lead({ mrr: 10 });
      const made = await published(acme, await example.graph(acme, lead), { trigger: { type: "manual", config: {} } });
      given.push({ example, lead, run: await acme.post(`/automations/${made.id}/run/`, { record_id: lead.id }) });
    }

    await work(acme, 5);
    await work(acme, 5);

    for (const { example, lead, run } of given) await example.check(acme, lead, await acme.get(`/automation_runs/${run.id}/`));
  });
});

describe("every condition that is available", () => {
  /** A condition that holds when the industry of the lead Acme becomes Software, and one that does not. */
  const examples: Record<string, (acme: Workspace, ids: any) => [object, object]> = {
    field: () => [
      { ref: "record.industry", op: "starts_with", value: "soft" },
      { ref: "record.mrr", op: "gt", value: 10 },
    ],
    changed: () => [
      { field: "industry", from: "Steel", to: "Software" },
      { field: "industry", to: "Steel" },
    ],
    tag: () => [{ tag: "Hot" }, { tag: "hot", present: false }],
    status: (_acme, { lead }) => [{ status_id: lead.status_id }, { status_id: "stat_other" }],
    pipeline: () => [{ pipeline_id: "pipe_none" }, { pipeline_id: "pipe_none" }],
    owner: (acme) => [{ user_ids: [acme.userId], is_actor: true }, { is_null: true }],
    random: () => [{ percent: 100 }, { percent: 0 }],
    payload: () => [
      { path: "/order/total", op: "not_exists" },
      { path: "/order/total", op: "gt", value: 1 },
    ],
    actor: (acme) => [{ actor_type: "user", user_ids: [acme.userId] }, { actor_type: "automation" }],
  };

  test("has an example", () =>
    assert.deepEqual(Object.keys(examples).sort(), named(conditionTypes.filter(({ meets }) => meets !== undefined))));

  test("holds where it says so, and only there", async () => {
    const acme = await organization();
    const lead = await acme.lead({ industry: "Steel", tags: ["hot"], mrr: 10, owner_id: acme.userId });
    const trigger = { type: "field.changed", config: { object_type: "lead", field: "industry" } };
    const given = await Promise.all(
      Object.entries(examples).flatMap(([type, example]) =>
        example(acme, { lead }).map(async (leaf, i) => {
          const when = { any: [{ type, ...leaf }, { not: { not: { type, ...leaf } } }] };
          const graph = {
            start: "s1",
            steps: { s1: { type: "branch", config: { cases: [{ id: "yes", when }] }, ports: { yes: null, else: null } } },
          };
          // A lead has no pipeline: there it never holds.
          return { type, holds: i === 0 && type !== "pipeline", made: await published(acme, graph, { trigger }) };
        }),
      ),
    );

    await acme.put(`/lead/${lead.id}/`, { industry: "Software" });
    await work(acme);

    for (const { type, holds, made } of given) {
      const [run] = await runsOf(acme, made);
      const { steps } = await acme.get(`/automation_runs/${run.id}/`);
      assert.equal(steps[0].branch, holds ? "yes" : "else", type);
    }
  });
});

describe("every trigger that is available", () => {
  interface Example {
    config: object | ((acme: Workspace) => Promise<object>);
    /** Makes it start, and returns the id of the record. Before it comes what must not start it. */
    act(acme: Workspace): Promise<string>;
  }
  const examples: Record<string, Example> = {
    "record.created": { config: { object_type: "contact" }, act: async (acme) => (await acme.contact()).id },
    "record.updated": {
      config: { object_type: "lead", fields: ["url"] },
      async act(acme) {
        const [one, other] = [await acme.lead(), await acme.lead()];
        await acme.put(`/lead/${other.id}/`, { industry: "Steel" });
        await acme.put(`/lead/${one.id}/`, { url: "https://example.com" });
        return one.id;
      },
    },
    "record.deleted": {
      config: { object_type: "lead" },
      async act(acme) {
        const { id } = await acme.lead();
        await acme.delete(`/lead/${id}/`);
        return id;
      },
    },
    "field.changed": {
      config: { object_type: "lead", field: "industry", from: ["Steel"], to: ["Software"] },
      async act(acme) {
        const [one, other] = [await acme.lead({ industry: "Steel" }), await acme.lead({ industry: "Wood" })];
        await acme.put(`/lead/${other.id}/`, { industry: "Software" });
        await acme.put(`/lead/${one.id}/`, { industry: "Software" });
        return one.id;
      },
    },
    "status.changed": {
      config: { object_type: "opportunity", to_type: "won" },
      async act(acme) {
        const [one, other] = [await acme.opportunity(), await acme.opportunity()];
        await acme.put(`/opportunity/${other.id}/`, { status: "Lost" });
        await acme.put(`/opportunity/${one.id}/`, { status: "Won" });
        return one.id;
      },
    },
    "tag.changed": {
      config: { object_type: "lead", tag: "hot", change: "removed" },
      async act(acme) {
        const [one] = [await acme.lead({ tags: ["Hot", "b"] }), await acme.lead({ tags: ["hot"] })];
        await acme.put(`/lead/${one.id}/`, { tags: ["b"] });
        return one.id;
      },
    },
    "task.event": {
      config: { event: "completed", task_type: "call" },
      async act(acme) {
        const [one, other] = [await acme.task({ _type: "call" }), await acme.task()];
        for (const { id } of [other, one]) await acme.put(`/task/${id}/`, { is_complete: true });
        return one.id;
      },
    },
    "activity.logged": {
      config: { kinds: ["call"], direction: "incoming" },
      async act(acme) {
        const lead = await acme.lead();
        const call = (direction: string) =>
          acme.post("/activity/call/", { lead_id: lead.id, direction, status: "completed", phone: "+18004445555" });
        await call("outbound");
        return (await call("inbound")).id;
      },
    },
    manual: { config: {}, act: async (acme) => (await acme.lead()).id },
  };

  test("has an example", () => assert.deepEqual(Object.keys(examples).sort(), named(triggerTypes.filter(startsRuns))));

  test("starts for what it is about, and for nothing else", async () => {
    await Promise.all(
      Object.entries(examples).map(async ([type, { config, act }]) => {
        const acme = await organization();
        const made = await published(acme, chain(["set.vars", { values: { done: true } }]), { trigger: { type, config } });
        const id = await act(acme);
        if (type === "manual") await acme.post(`/automations/${made.id}/run/`, { record_id: id });
        await work(acme);

        const runs = await runsOf(acme, made);
        assert.deepEqual(
          runs.map((run) => [run.object_id, run.status, run.trigger_type]),
          [[id, "completed", type]],
          JSON.stringify(runs),
        );
      }),
    );
  });
});

test("what the catalogs only declare is refused where it would go live", async () => {
  const acme = await organization();
  const refuse = async (body: object, code: string, path: string) => {
    const made = await acme.post("/automations/", {
      name: "X",
      trigger: "lead.created",
      graph: chain(["note.create", { note: "x" }]),
      ...body,
    });
    const { errors } = await acme.refused(400, "POST", `/automations/${made.id}/publish/`, {});
    assert.deepEqual([errors[0].code, errors[0].path], [code, path]);
  };

  await refuse(
    { graph: chain(["webhook.emit", { event_name: "x", payload: {} }]) },
    "step_type_not_available",
    "graph.steps.s1.type",
  );
  await refuse(
    { trigger: { type: "record.inactive", config: { object_type: "lead", days: 3 } } },
    "trigger_type_not_available",
    "trigger.type",
  );
  await refuse({ filter: { all: [{ type: "score", op: "gt", value: 5 }] } }, "condition_type_not_available", "filter.all.0.type");
  await refuse({ graph: chain(["owner.assign", { mode: "by_territory" }]) }, "config_not_available", "graph.steps.s1.config");
  const types = await acme.all("/automation_step_types/?_limit=200");
  assert.deepEqual(
    types
      .filter(({ available }) => available)
      .map(({ type }) => type)
      .sort(),
    named(stepTypes.filter(({ run }) => run !== undefined)),
  );
});
