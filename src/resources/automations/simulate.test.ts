// Simulation: what an automation would do, said beforehand, with nothing left behind.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chain, published } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";

const when = (ref: string, op: string, value: unknown) => ({ type: "field", ref, op, value });

/** The rows of each table of the database that the service has a right to, and the values of its sequences. */
async function traces({ service }: Workspace): Promise<Record<string, string>> {
  const ask = (text: string) =>
    service.app.db.unscoped({ text: `/* across organizations: a test counts all */ ${text}`, values: [] });
  const names = await ask(
    "select oid::regclass::text from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace and has_table_privilege(oid, 'select') order by 1",
  );
  const counts = await ask(names.map(([name]) => `select '${name}', count(*)::text from ${name}`).join(" union all "));
  const last = await ask("select sequencename, coalesce(last_value, 0)::text from pg_sequences order by 1");
  return Object.fromEntries([...counts, ...last]);
}

const drafted = (acme: Workspace, graph: object, body: object = {}): Promise<any> =>
  acme.post("/automations/", {
    name: "Greet",
    trigger: { type: "record.created", config: { object_type: "lead" } },
    graph,
    ...body,
  });

describe("a simulation", () => {
  const graph = {
    start: "big",
    steps: {
      big: {
        type: "branch",
        config: { cases: [{ id: "yes", when: when("record.mrr", "gte", 10) }] },
        ports: { yes: "describe", else: "small" },
      },
      describe: { type: "record.update", config: { fields: { description: "Big" } }, ports: { out: "task" } },
      task: { type: "task.create", config: { text: { $template: "Call {{ record.name }}" } }, ports: { out: "pause" } },
      pause: { type: "wait.duration", config: { amount: 3, unit: "days" }, ports: { out: "reply" } },
      reply: {
        type: "wait.event",
        config: { event: "task.completed", match: { lead_id: { $ref: "record.id" } }, timeout: { amount: 2, unit: "hours" } },
        ports: { matched: "thanks", timeout: "tell" },
      },
      thanks: { type: "tag.change", config: { tag: "thanks", change: "add" }, ports: { out: null } },
      tell: { type: "notify.user", config: { to: [{ $ref: "record.created_by" }], text: "Late" }, ports: { out: null } },
      small: { type: "stop", config: {}, ports: {} },
    },
  };

  test("leaves its clock where it is where waits are to take no time", async () => {
    const acme = await organization();
    const begins = "2026-03-01T08:00:00.000Z";
    const made = await drafted(acme, graph, { settings: { time_window: { days: ["wed"] } } });
    const lead = await acme.lead({ name: "Acme", mrr: 12 });
    const simulated = (clock?: string) =>
      acme.post(`/automations/${made.id}/simulate/`, { record_id: lead.id, at: begins, ...(clock && { clock }) });

    const [skipped, real, usual] = [await simulated("skip"), await simulated("real_dates"), await simulated()];

    assert.deepEqual(
      skipped.path.map((one: any) => [one.step_id, one.branch]),
      real.path.map((one: any) => [one.step_id, one.branch]),
    );
    assert.deepEqual([...new Set(skipped.path.map((one: any) => one.virtual_time)), skipped.ended_at_virtual], [begins, begins]);
    assert.deepEqual(
      skipped.waits,
      skipped.waits.map((one: any) => ({ ...one, from: begins })),
    );
    assert.deepEqual([real.ended_at_virtual > begins, real.ended_at_virtual], [true, usual.ended_at_virtual]);
    await acme.refused(400, "POST", `/automations/${made.id}/simulate/`, { record_id: lead.id, clock: "slow" }, "clock");
  });

  test("says what would happen and why, and leaves no row and no number used behind", async () => {
    const acme = await organization();
    const made = await drafted(acme, graph, { filter: when("record.mrr", "gt", 1) });
    const lead = await acme.lead({ name: "Acme", mrr: 12 });
    const before = await traces(acme);

    const said = await acme.post(`/automations/${made.id}/simulate/`, {
      record: { type: "lead", id: lead.id },
      at: "2026-03-02T08:00:00Z",
    });

    assert.deepEqual(await traces(acme), before);
    assert.deepEqual(
      [said.outcome, said.matched, said.would_start, said.truncated],
      ["completed", true, true, false],
      JSON.stringify(said),
    );
    assert.deepEqual(said.evaluation[0], {
      condition: "field",
      ref: "record.mrr",
      op: "gt",
      actual: 12,
      expected: 1,
      result: true,
      text: "record.mrr is 12; asked: gt 1; met",
    });
    assert.deepEqual(
      said.path.map((one: any) => [one.step_id, one.branch, one.stubbed, one.virtual_time]),
      [
        ["big", "yes", false, "2026-03-02T08:00:00.000Z"],
        ["describe", "out", true, "2026-03-02T08:00:00.000Z"],
        ["task", "out", true, "2026-03-02T08:00:00.000Z"],
        ["pause", "out", false, "2026-03-02T08:00:00.000Z"],
        ["reply", "timeout", false, "2026-03-05T08:00:00.000Z"],
        ["tell", "out", true, "2026-03-05T10:00:00.000Z"],
      ],
    );
    assert.deepEqual([said.path[0].decision[0].actual, said.path[2].input.text], [12, "Call Acme"]);
    assert.deepEqual(said.record_diff, [{ object_type: "lead", object: lead.id, field: "description", old: null, new: "Big" }]);
    assert.deepEqual(
      said.effects.map(({ step_id, kind, changes }: any) => [step_id, kind, changes[0]?.event]),
      [
        ["describe", "record.update", "lead.updated"],
        ["task", "task.create", "task.lead.created"],
        ["tell", "notify.user", undefined],
      ],
    );
    assert.deepEqual(
      said.waits.map(({ step_id, kind, until }: any) => [step_id, kind, until]),
      [
        ["pause", "time", "2026-03-05T08:00:00.000Z"],
        ["reply", "event", "2026-03-05T10:00:00.000Z"],
      ],
    );
    assert.deepEqual(said.not_taken, [
      { step_id: "small", reason: "big left by yes" },
      { step_id: "thanks", reason: "reply left by timeout" },
    ]);
    assert.equal(said.ended_at_virtual, "2026-03-05T10:00:00.000Z");
  });

  test("takes other ways where it is told to, starts for an event or a payload, and says what keeps it from starting", async () => {
    const acme = await organization();
    const made = await drafted(acme, graph);
    const lead = await acme.lead({ mrr: 12 });
    const simulate = (body: object, id = made.id) => acme.post(`/automations/${id}/simulate/`, body);
    const ways = (said: any) => said.path.map((one: any) => [one.step_id, one.status, one.branch]);

    const chosen = await simulate({
      record_id: lead.id,
      choose: { reply: "matched" },
      mocks: { describe: { error: { message: "No" } }, task: { output: { id: "x" } } },
    });
    assert.deepEqual(
      [chosen.outcome, ways(chosen)],
      [
        "failed",
        [
          ["big", "succeeded", "yes"],
          ["describe", "failed", null],
        ],
      ],
    );
    assert.deepEqual([chosen.errors[0].code, chosen.errors[0].step_id, chosen.errors[0].message], ["mocked", "describe", "No"]);
    const [event] = await acme.events(lead.id);
    const byEvent = await simulate({ event_id: event!.id, choose: { big: "else" } });
    assert.deepEqual(
      [byEvent.outcome, ways(byEvent)],
      [
        "completed",
        [
          ["big", "succeeded", "else"],
          ["small", "succeeded", null],
        ],
      ],
    );
    const filtered = await drafted(acme, graph, { filter: when("record.mrr", "gt", 100) });
    const no = await simulate({ record_id: lead.id }, filtered.id);
    assert.deepEqual(
      [no.outcome, no.would_start, no.enrollment, no.path],
      ["not_started", false, { decision: "skip", reason: "filter" }, []],
    );
    assert.equal(no.evaluation[0].text, "record.mrr is 12; asked: gt 100; not met");
    const hooked = await drafted(acme, chain(["set.vars", { values: { total: { $ref: "trigger.payload.total" } } }]), {
      trigger: { type: "manual", config: {} },
    });
    const received = await simulate({ payload: { total: 3 } }, hooked.id);
    assert.deepEqual([received.outcome, received.path[0].input], ["completed", { values: { total: 3 } }]);
    const once = await published(acme, chain(["goto", { step: "s1" }]), { settings: { re_enroll: "never" } }).catch(() => null);
    assert.equal(once, null);
    const unfinished = await simulate({ record_id: lead.id }, (await drafted(acme, { start: "gone", steps: {} })).id);
    assert.deepEqual([unfinished.outcome, unfinished.errors[0].path], ["invalid", "graph.start"]);

    await acme.refused(400, "POST", `/automations/${made.id}/simulate/`, {}, "record_id");
    await acme.refused(400, "POST", `/automations/${made.id}/simulate/`, { event_id: "ev_x" }, "event_id");
    await acme.refused(400, "POST", `/automations/${made.id}/simulate/`, { record_id: "lead_x" }, "record_id");
    await acme.refused(400, "POST", `/automations/${made.id}/simulate/`, {
      record_id: lead.id,
      choose: { reply: "never", x: "y" },
    });
    await acme.refused(400, "POST", `/automations/${made.id}/simulate/`, { record_id: lead.id, version: "active" }, "version");
  });

  test("ends after a bounded number of steps", async () => {
    const acme = await organization();
    const pause = { type: "wait.duration", config: { amount: 1, unit: "minutes" }, ports: { out: "back" } };
    const made = await drafted(acme, {
      start: "pause",
      steps: { pause, back: { type: "goto", config: { step: "pause" }, ports: {} } },
    });

    const said = await acme.post(`/automations/${made.id}/simulate/`, { record_id: (await acme.lead()).id });

    assert.deepEqual(
      [said.truncated, said.outcome, said.path.length > 10, said.path.length <= 200],
      [true, said.outcome, true, true],
    );
  });

  test("shows a member nothing that they may not see, whoever the automation acts as", async () => {
    const acme = await organization();
    await acme.lead({ name: "Secret" });
    const where = { all: [{ type: "field", ref: "name", op: "is", value: "Secret" }] };
    const find = { type: "record.find", config: { object_type: "lead", where, limit: 1 }, ports: { found: null, empty: null } };
    const made = await drafted(acme, { start: "find", steps: { find } });
    const ann = await acme.memberWith([]);
    const simulate = async (who: Workspace, lead: any) => who.post(`/automations/${made.id}/simulate/`, { record_id: lead.id });
    const [hers, ours] = [await ann.lead(), await acme.lead()];

    const [seen, unseen] = [await simulate(acme, ours), await simulate(ann, hers)];

    assert.deepEqual([seen.path[0].branch, seen.warnings], ["found", []], JSON.stringify(seen));
    assert.deepEqual([unseen.path[0].branch, unseen.warnings[0].code], ["empty", "own_rights"], JSON.stringify(unseen));
    await ann.refused(400, "POST", `/automations/${made.id}/simulate/`, { record_id: ours.id }, "record_id");
    const other = { record: { type: "contact", id: ours.id } };
    await acme.refused(400, "POST", `/automations/${made.id}/simulate/`, other, "record");
    const [event] = await acme.events(ours.id);
    await ann.refused(400, "POST", `/automations/${made.id}/simulate/`, { event_id: event!.id }, "event_id");
  });
});
