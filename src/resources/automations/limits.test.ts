// How often an automation starts, and how many of its runs go on at once.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chain, published, runsOf, work } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withTwoWorkers } from "../../../test/support/worker.ts";

const always = { re_enroll: "always" };
const on = (field: string) => ({ type: "field.changed", config: { object_type: "lead", field } });
const hour = ["wait.duration", { amount: 1, unit: "hours" }] as [string, object];
const manual = { type: "manual", config: { object_type: "lead" } };

const reasonsOf = async (ws: Workspace, { id }: { id: string }): Promise<string[]> =>
  (await ws.all("/automation_events/")).flatMap((one: any) =>
    one.evaluations.flatMap((each: any) => (each.automation_id === id && each.reason !== null ? each.reason : [])),
  );

describe("loops end by themselves", () => {
  test("of one with itself, of two with each other, of tags; nothing that is innocent stops", async () => {
    const acme = await organization();
    const set = (field: string, value: string) => chain(["record.update", { fields: { [field]: { $template: value } } }]);
    const tag = (name: string, change: string) => ["tag.change", { tag: name, change }] as [string, object];
    const given = (trigger: object, graph: object, more: object = {}) =>
      published(acme, graph, { trigger, settings: { ...always, ...more } });
    const tagged = (name: string) => ({ type: "tag.changed", config: { object_type: "lead", tag: name, change: "added" } });
    const own = await given(on("description"), set("description", "{{ record.description }}x"));
    const thrice = await given(on("industry"), set("industry", "{{ record.industry }}x"), { allow_self_trigger: true });
    const [ping, pong] = [
      await given(tagged("ping"), chain(tag("ping", "remove"), tag("pong", "add"))),
      await given(tagged("pong"), chain(tag("pong", "remove"), tag("ping", "add"))),
    ];
    const innocent = await given(on("description"), chain(["note.create", { note: "Hi" }]));
    const lead = await acme.lead();

    await acme.put(`/lead/${lead.id}/`, { description: "a", industry: "b", tags: ["ping"] });
    for (let i = 0; i < 3; i++) await work(acme);

    const counts = await Promise.all([own, thrice, ping, pong, innocent].map(async (one) => (await runsOf(acme, one)).length));
    assert.deepEqual(counts, [1, 3, 1, 1, 2]);
    for (const one of [own, thrice, ping]) assert.deepEqual(new Set(await reasonsOf(acme, one)), new Set(["loop_depth"]));
    for (const one of [own, innocent]) assert.equal((await acme.get(`/automations/${one.id}/`)).health.state, "ok");
  });

  test("also through somebody outside: after twenty starts in an hour that record waits, and no other one", async () => {
    const acme = await organization();
    const made = await published(acme, chain(["note.create", { note: "Hi" }]), { trigger: on("description"), settings: always });
    const [lead, other] = [await acme.lead(), await acme.lead()];
    const change = async ({ id }: { id: string }, times: number) => {
      for (let i = 0; i < times; i++) await acme.put(`/lead/${id}/`, { description: `${Math.random()}` });
      await work(acme);
    };
    const startsOf = async ({ id }: { id: string }) => (await acme.all(`/automations/${made.id}/runs/?record_id=${id}`)).length;

    await change(lead, 22);
    await change(other, 1);
    const within = [await startsOf(lead), await startsOf(other)];
    await work(acme, 1.1);
    await change(lead, 1);

    assert.deepEqual([within, await startsOf(lead)], [[20, 1], 21]);
    const { status, health } = await acme.get(`/automations/${made.id}/`);
    assert.deepEqual([status, health.state], ["active", "ok"]);
    assert.deepEqual(await reasonsOf(acme, made), ["loop_rate", "loop_rate"]);
    assert.equal((await acme.get(`/automations/${made.id}/stats/`)).runs.skipped_by_reason.loop_rate, 2);
    const told = (await acme.get("/notification/?type=automation_paused")).data;
    assert.deepEqual(
      told.map((one: any) => one.object_id),
      [made.id],
    );
  });

  test("five hundred starts in a minute: ten minutes without, the third time it is paused", async () => {
    const acme = await organization();
    const [loop, innocent] = [
      await published(acme, chain(["note.create", { note: "Hi" }]), { trigger: on("description"), settings: always }),
      await published(acme, chain(["note.create", { note: "Hi" }]), { trigger: on("industry"), settings: always }),
    ];
    const lead = await acme.lead();
    const seen = () => acme.get(`/automations/${loop.id}/`);
    const change = async (hours = 0) => {
      await acme.put(`/lead/${lead.id}/`, { description: `${Math.random()}` });
      await work(acme, hours);
    };
    await change();
    const flood = async () => {
      await startManyNow(acme, loop);
      await change();
      return seen();
    };

    const open = await flood();
    await change(0.2);
    const after = await seen();
    await acme.put(`/lead/${lead.id}/`, { industry: "Steel" });
    await flood();
    await work(acme, 0.2);
    const last = await flood();

    assert.deepEqual([open.status, open.health.state, open.health.reason], ["active", "circuit_open", "loop_rate"]);
    assert.deepEqual([after.health.state, last.status, last.health.state], ["ok", "paused", "circuit_open"]);
    assert.equal((await acme.all(`/automations/${loop.id}/runs/?record_id=${lead.id}`)).length, 1);
    assert.ok((await reasonsOf(acme, loop)).every((one) => one === "loop_rate" || one === "paused"));
    assert.equal((await runsOf(acme, innocent)).length, 1);
    const told = (await acme.get("/notification/?type=automation_paused")).data;
    assert.deepEqual(new Set(told.map((one: any) => one.object_id)), new Set([loop.id]));
    assert.ok(told.some((one: any) => one.title.includes("was paused")));
    const again = await acme.post(`/automations/${loop.id}/publish/`, {});
    assert.deepEqual([again.status, again.health.state], ["active", "ok"]);
  });
});

/** As if it had just started for 500 other records, by themselves or by a bulk action. */
const startManyNow = (ws: Workspace, { id }: { id: string }, bulkId: string | null = null): Promise<void> =>
  ws.inside(async ({ db, organization_id }) => {
    await db.unscoped({
      text: `/* a test */ insert into automation_run select (jsonb_populate_record(r, jsonb_build_object('id', left(r.id, 12) || gen_random_uuid(),
               'object_id', 'lead_' || n, 'lead_id', null, 'bulk_action_id', $4::text, 'status', 'failed', 'date_created', $3::timestamptz))).*
             from automation_run r, generate_series(1, 500) n where r.organization_id = $1
               and r.id = (select min(id) from automation_run where organization_id = $1 and automation_id = $2)`,
      values: [organization_id, id, ws.service.clock.now ?? new Date(), bulkId],
    });
  });

test("an automation that a bulk action starts for very many records is no loop", async () => {
  const acme = await organization();
  const made = await published(acme, chain(["fail", { message: "No" }]), { trigger: on("industry"), settings: always });
  const [lead] = [await acme.lead({ name: "Steel one" })];
  const fields = { type: "set_fields", object_type: "lead", fields: { industry: "Steel" }, query: "name:steel" };
  const { id: bulkId } = await acme.post("/bulk_action/edit/", fields);
  await work(acme);
  const [run] = await acme.all(`/automations/${made.id}/runs/`);
  await startManyNow(acme, made, run.bulk_action_id);

  await acme.put(`/lead/${lead.id}/`, { industry: "Stone" });
  await work(acme);

  const runs = await acme.all(`/automations/${made.id}/runs/?record_id=${lead.id}`);
  assert.deepEqual(runs.map((one: any) => one.bulk_action_id).toSorted(), [bulkId, null].toSorted());
  assert.equal((await acme.get(`/automations/${made.id}/`)).health.state, "ok");
});

test("what a template comes to, and what a run carries with it, is bounded: the run is held and says so", async () => {
  const acme = await organization();
  const times = (count: number) => ({ $template: "{{ trigger.payload.x }}".repeat(count) });
  const made = await published(acme, chain(["set.vars", { values: { x: times(7) } }]), { trigger: manual });
  const values = Object.fromEntries(["a", "b", "c", "d", "e"].map((key) => [key, times(6)]));
  const many = await published(acme, chain(["set.vars", { values }]), { trigger: manual });
  const body = { record_id: (await acme.lead()).id, input: { x: "x".repeat(10_000) } };
  for (const { id } of [made, many]) await acme.post(`/automations/${id}/run/`, body);
  await work(acme);

  const [[one], [other]] = [await runsOf(acme, made), await runsOf(acme, many)];

  assert.deepEqual([one.status, one.error.code, one.vars], ["held", "template_failed", {}]);
  assert.match(one.explanation, /64 KB/);
  assert.deepEqual([other.status, other.error.code, other.vars], ["held", "vars_too_large", {}]);
});

test("however many start it at once for a record, it runs once, and the others are told", async () => {
  const acme = await organization();
  const made = await published(acme, chain(hour), { trigger: manual });
  const lead = await acme.lead();

  const answers = await Promise.all(
    Array.from({ length: 50 }, () => acme.ask("POST", `/automations/${made.id}/run/`, { body: { record_id: lead.id } })),
  );

  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  const refused = answers.filter(({ status }) => status !== 201);
  assert.deepEqual(
    new Set(refused.map(({ status, body }) => `${status} ${body["field-errors"].record_id}`)),
    new Set(["400 has a run of this automation that is not over"]),
  );
  assert.equal((await runsOf(acme, made)).length, 1);
});

describe("runs with the same key", () => {
  const settings = (mode: string, more: object = {}) => ({ ...always, concurrency: { key: "lead", mode, ...more } });
  const states = async (ws: Workspace, ids: string[]) =>
    Promise.all(ids.map(async (id) => (await ws.get(`/automation_runs/${id}/`)).status));

  test("are skipped, or take the place of the one before, or go on side by side", async () => {
    const acme = await organization();
    const given = (mode: string) => published(acme, chain(hour), { trigger: on("description"), settings: settings(mode) });
    const [skip, cancel, allow] = [await given("skip"), await given("cancel_previous"), await given("allow")];
    const lead = await acme.lead();
    for (const description of ["a", "b"]) {
      await acme.put(`/lead/${lead.id}/`, { description });
      await work(acme);
    }

    const of = async (made: { id: string }) => (await runsOf(acme, made)).map((one) => [one.status, one.status_reason]).sort();
    assert.deepEqual(await of(skip), [["waiting", null]]);
    assert.deepEqual(await reasonsOf(acme, skip), ["concurrency"]);
    assert.deepEqual(await of(cancel), [
      ["cancelled", "cancel_previous"],
      ["waiting", null],
    ]);
    assert.deepEqual(await of(allow), [
      ["waiting", null],
      ["waiting", null],
    ]);
  });

  test("wait in a queue, the first first, with two workers at once; a cancelled one lets the next begin", async () => {
    const acme = await organization();
    const step = { note: { $template: "{{ trigger.payload.n }}" } };
    const made = await published(acme, chain(["note.create", step], hour), { trigger: manual, settings: settings("queue") });
    const [lead, other] = [await acme.lead(), await acme.lead()];
    const ids: string[] = [];
    const start = async ({ id }: { id: string }, n: number) =>
      (await acme.post(`/automations/${made.id}/run/`, { record_id: id, input: { n } })).id;
    for (const n of [1, 2, 3, 4]) ids.push(await start(lead, n));
    const apart = await start(other, 5);
    const both = () => withTwoWorkers(acme.service, (workers) => workers.drained());
    const later = () => {
      acme.service.clock.now = new Date((acme.service.clock.now ?? new Date()).getTime() + 3_700_000);
      return both();
    };

    await both();
    assert.deepEqual(await states(acme, [...ids, apart]), ["waiting", "queued", "queued", "queued", "waiting"]);
    const fourth = await acme.get(`/automation_runs/${ids[3]}/`);
    assert.deepEqual([fourth.wait.run_id, fourth.explanation], [ids[2], `It waits for its turn, after ${ids[2]}.`]);
    await acme.post(`/automation_runs/${ids[0]}/cancel/`, {});
    await both();
    assert.deepEqual(await states(acme, ids), ["cancelled", "waiting", "queued", "queued"]);
    for (let i = 0; i < 3; i++) await later();

    assert.deepEqual(await states(acme, ids), ["cancelled", "completed", "completed", "completed"]);
    const notes = (await acme.all(`/activity/note/?lead_id=${lead.id}`)).map((one: any) => one.note);
    assert.deepEqual(notes.toSorted(), ["1", "2", "3", "4"]);
  });

  test("or without a key are so many at once, and all get their turn; the setting says what it takes", async () => {
    const acme = await organization();
    const most = { ...always, concurrency: { max_active_runs: 2 } };
    const made = await published(acme, chain(hour), { trigger: manual, settings: most });
    const leads = [await acme.lead(), await acme.lead(), await acme.lead(), await acme.lead(), await acme.lead()];
    const { run_ids } = await acme.post(`/automations/${made.id}/run/`, { record_ids: leads.map(({ id }) => id) });

    const counts: number[] = [];
    for (const hours of [0, 1.1, 1.1]) {
      await work(acme, hours);
      counts.push((await states(acme, run_ids)).filter((one) => one === "waiting").length);
    }

    assert.deepEqual(counts, [2, 2, 1]);
    const body = { name: "X", trigger: manual, settings: { concurrency: { key: "colour" } } };
    await acme.refused(400, "POST", "/automations/", body, "settings.concurrency.key");
  });
});
