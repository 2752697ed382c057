/* oxlint-disable unicorn/no-thenable -- `then` is the wire's word for what follows */
// Runs: what starts them, what they do, what they wait for, how they end. On real records, with a real worker.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chain, published, runsOf, stepsOf, work } from "../../../test/support/automations.ts";
import { atMoment } from "../../../test/support/clock.ts";
import { organization } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

describe("a run", () => {
  test("does its steps for the record that started it, one after the other, and says what it did", async () => {
    const acme = await organization();
    const made = await published(
      acme,
      chain(
        ["set.vars", { values: { greeting: { $template: "Hello {{ record.name }}" } } }],
        ["record.update", { fields: { description: { $ref: "vars.greeting" } } }],
        ["tag.change", { tag: "new", change: "add" }],
        ["note.create", { note: { $template: "{{ vars.greeting }} of {{ trigger.actor.user_id }}" } }],
        ["task.create", { text: "Call", due_in: { amount: 2, unit: "days" } }],
        ["record.create", { object_type: "contact", fields: { lead_id: { $ref: "record.id" }, name: "Ada" } }],
        ["record.update", { target: { $ref: "steps.s6.output.id" }, fields: { title: "CEO" } }],
      ),
    );
    const lead = await acme.lead({ name: "Acme" });

    await work(acme);

    const [run, ...more] = await runsOf(acme, made);
    assert.deepEqual(more, []);
    assert.equal(run.status, "completed", JSON.stringify(run.error));
    assert.deepEqual(
      stepsOf(run),
      [1, 2, 3, 4, 5, 6, 7].map((i) => [`s${i}`, "succeeded", "out"]),
    );
    assert.deepEqual([run.kind, run.object_id, run.lead_id, run.version_number], ["event", lead.id, lead.id, 1]);
    assert.deepEqual(run.vars, { greeting: "Hello Acme" });
    const after = await acme.get(`/lead/${lead.id}/?_expand=contacts`);
    assert.deepEqual([after.description, after.tags, after.contacts[0].title], ["Hello Acme", ["new"], "CEO"]);
    assert.equal((await acme.get(`/activity/note/?lead_id=${lead.id}`)).data[0].note, `Hello Acme of ${acme.userId}`);
    const [task] = (await acme.get(`/task/?lead_id=${lead.id}`)).data;
    assert.deepEqual([task.text, task.assigned_to], ["Call", acme.userId]);
    const [event] = (await acme.get("/automation_events/")).data;
    assert.deepEqual([event.id.slice(0, 3), event.type, event.run_ids], ["ev_", "lead.created", [run.id]]);
    assert.deepEqual(
      (await acme.events(run.id)).map((one) => one.event),
      ["automation_run.created", "automation_run.completed"],
    );
    assert.equal((await acme.get(`/automations/${made.id}/`)).stats.runs_total, 1);
  });

  test("goes by its branches, and ends where a step says so", async () => {
    const acme = await organization();
    const when = (value: string) => ({ type: "field", ref: "record.industry", op: "is", value });
    const cases = [
      { id: "soft", when: when("Software") },
      { id: "bad", when: when("Gambling") },
    ];
    const made = await published(acme, {
      start: "which",
      steps: {
        which: { type: "branch", config: { cases }, ports: { soft: "tag", bad: "no", else: null } },
        tag: { type: "tag.change", config: { tag: "soft", change: "add" }, ports: { out: "done" } },
        done: { type: "stop", config: { outcome: "tagged" }, ports: {} },
        no: { type: "fail", config: { message: "We do not sell to them" }, ports: {} },
      },
    });
    const leads = [await acme.lead({ industry: "Software" }), await acme.lead({ industry: "Gambling" }), await acme.lead()];

    await work(acme);

    const runs = await runsOf(acme, made);
    const of = (lead: any) => runs.find((run) => run.object_id === lead.id);
    assert.deepEqual([of(leads[0]).status, of(leads[0]).output], ["completed", { outcome: "tagged" }]);
    assert.deepEqual([of(leads[1]).status, of(leads[1]).error.message], ["failed", "We do not sell to them"]);
    assert.deepEqual(stepsOf(of(leads[2])), [["which", "succeeded", "else"]]);
  });

  test("counts business days without the holidays of the organization's calendar", async () => {
    const acme = await organization();
    const calendar = { id: "us", dates: ["2031-07-04"] };
    await acme.put(`/organization/${acme.id}/`, {
      settings: { holiday_calendars: [calendar], business_calendar: "us" },
    });
    acme.service.clock.now = new Date("2031-07-03T10:00:00Z");
    const span = { amount: 1, unit: "business_days" };
    const made = await published(
      acme,
      chain(["task.create", { text: "Call", due_in: span }], ["wait.duration", { ...span, timezone: "UTC" }]),
    );
    const lead = await acme.lead();

    await work(acme);

    // The day after is Independence Day, and then it is the weekend.
    const [run] = await runsOf(acme, made);
    const [task] = (await acme.get(`/task/?lead_id=${lead.id}`)).data;
    assert.deepEqual([run.wait_until, task.date], ["2031-07-07T10:00:00.000Z", "2031-07-07"]);
  });

  test("waits for a time, and finishes by its own version, whatever is published meanwhile", async () => {
    const acme = await organization();
    const made = await published(
      acme,
      chain(["wait.duration", { amount: 3, unit: "hours" }], ["tag.change", { tag: "old", change: "add" }]),
    );
    const lead = await acme.lead();
    await work(acme);
    const [waiting] = await runsOf(acme, made);
    await acme.put(`/automations/${made.id}/`, { graph: chain(["tag.change", { tag: "newer", change: "add" }]) });
    await acme.post(`/automations/${made.id}/publish/`, {});

    await work(acme, 2);
    assert.deepEqual((await acme.get(`/lead/${lead.id}/`)).tags, []);
    await work(acme, 1.1);

    assert.deepEqual([waiting.status, waiting.wait.kind, waiting.current_step_id], ["waiting", "time", "s1"]);
    assert.deepEqual((await acme.get(`/lead/${lead.id}/`)).tags, ["old"]);
    assert.equal((await runsOf(acme, made))[0].status, "completed");
  });

  test("waits for an event, also one that came while it began to wait, or for its time", async () => {
    const acme = await organization();
    const wait = (include_since: string) => ({
      event: "task.completed",
      match: { lead_id: { $ref: "record.id" } },
      timeout: { amount: 1, unit: "days" },
      include_since,
    });
    const graph = (since: string) => ({
      start: "wait",
      steps: {
        wait: { type: "wait.event", config: wait(since), ports: { matched: "yes", timeout: "no" } },
        yes: { type: "tag.change", config: { tag: "done", change: "add" }, ports: { out: null } },
        no: { type: "tag.change", config: { tag: "late", change: "add" }, ports: { out: null } },
      },
    });
    await published(acme, graph("trigger"));
    const [early, late, never] = [await acme.lead(), await acme.lead(), await acme.lead()];
    const complete = async (lead: any) => {
      const task = await acme.task({ lead_id: lead.id });
      await acme.put(`/task/${task.id}/`, { is_complete: true });
    };
    const tags = async (lead: any) => (await acme.get(`/lead/${lead.id}/`)).tags;

    await complete(early);
    await work(acme);
    assert.deepEqual([await tags(early), await tags(late)], [["done"], []]);
    await complete(late);
    await work(acme);
    assert.deepEqual([await tags(late), await tags(never)], [["done"], []]);
    await work(acme, 25);

    assert.deepEqual(await tags(never), ["late"]);
  });

  test("leaves by an exit, and reaches its goal", async () => {
    const acme = await organization();
    const made = await published(acme, {
      ...chain(["wait.duration", { amount: 5, unit: "days" }], ["tag.change", { tag: "late", change: "add" }]),
      goals: [{ id: "called", event: "activity.call.created", match: { lead_id: { $ref: "record.id" } } }],
      exits: [{ id: "done", event: "task.completed", match: { lead_id: { $ref: "record.id" } } }],
    });
    const [called, done] = [await acme.lead(), await acme.lead()];
    await work(acme);

    await acme.post("/activity/call/", { lead_id: called.id, direction: "outbound", status: "completed", phone: "+18004445555" });
    const task = await acme.task({ lead_id: done.id });
    await acme.put(`/task/${task.id}/`, { is_complete: true });
    await work(acme, 24 * 6);

    const runs = await runsOf(acme, made);
    const of = (lead: any) => runs.find((run) => run.object_id === lead.id);
    assert.deepEqual([of(called).status, of(called).goal_id, of(called).exit_id], ["exited", "called", null]);
    assert.deepEqual([of(done).status, of(done).exit_id], ["exited", "done"]);
    assert.deepEqual((await acme.get(`/lead/${called.id}/`)).tags, []);
  });

  test("is cancelled once, and does nothing more; over, it cannot be", async () => {
    const acme = await organization();
    const made = await published(
      acme,
      chain(["wait.duration", { amount: 1, unit: "hours" }], ["tag.change", { tag: "x", change: "add" }]),
    );
    const [lead, other] = [await acme.lead(), await acme.lead()];
    await work(acme);
    const run = (await runsOf(acme, made)).find((one) => one.object_id === lead.id);

    const cancelled = await acme.post(`/automation_runs/${run.id}/cancel/`, {});
    const again = await acme.post(`/automation_runs/${run.id}/cancel/`, {});
    await work(acme, 2);

    assert.deepEqual([cancelled.status, again.version], ["cancelled", cancelled.version]);
    assert.deepEqual((await acme.get(`/lead/${lead.id}/`)).tags, []);
    const finished = (await runsOf(acme, made)).find((one) => one.object_id === other.id);
    await acme.refused(400, "POST", `/automation_runs/${finished.id}/cancel/`, {}, "status");
    await (await acme.member()).refused(403, "POST", `/automation_runs/${run.id}/cancel/`, {});
  });

  test("whose record is deleted is over", async () => {
    const acme = await organization();
    const made = await published(
      acme,
      chain(["wait.duration", { amount: 1, unit: "hours" }], ["tag.change", { tag: "x", change: "add" }]),
      {
        trigger: { type: "record.created", config: { object_type: "contact" } },
      },
    );
    const contact = await acme.contact();
    await work(acme);
    await acme.delete(`/contact/${contact.id}/`);
    await work(acme, 2);

    const [run] = await runsOf(acme, made);
    assert.deepEqual([run.status, run.status_reason], ["exited", "record_deleted"]);
  });

  test("has an event that came in time, though the log is read after the time is over", async () => {
    const acme = await organization();
    const timeout = { amount: 1, unit: "hours" };
    const config = { event: "note.created", match: { lead_id: { $ref: "record.id" } }, timeout };
    const tag = (name: string) => ({ type: "tag.change", config: { tag: name, change: "add" }, ports: { out: null } });
    const wait = { type: "wait.event", config, ports: { matched: "came", timeout: "late" } };
    await published(acme, { start: "wait", steps: { wait, came: tag("came"), late: tag("late") } });
    const [heard, silent] = [await acme.lead(), await acme.lead()];
    await work(acme);
    await acme.note({ lead_id: heard.id });

    acme.service.clock.now = new Date(Date.now() + 2 * 3_600_000);
    await withWorker(acme.service, (worker) => worker.drained(), { does: { consumers: [] } });

    const tags = await Promise.all([heard, silent].map(async ({ id }) => (await acme.get(`/lead/${id}/`)).tags));
    assert.deepEqual(tags, [["came"], ["late"]]);
  });
});

describe("a failed step", () => {
  test("is passed over, left by its port, holds the run, or ends it, and somebody is told", async () => {
    const acme = await organization();
    const bad = [
      "record.update",
      { fields: { name: { $ref: "record.description" }, url: { $template: "no address" } } },
    ] as const;
    const of = (then: string, ports: object) => ({
      start: "s1",
      steps: {
        s1: { type: bad[0], config: bad[1], on_error: { then }, ports: { out: "s2", ...ports } },
        s2: { type: "tag.change", config: { tag: then, change: "add" }, ports: { out: null } },
        ...("error" in ports && { s3: { type: "tag.change", config: { tag: "mended", change: "add" }, ports: { out: null } } }),
      },
    });
    const [passed, left, held, ended] = [
      await published(acme, of("continue", {})),
      await published(acme, of("port", { error: "s3" })),
      await published(acme, of("hold", {})),
      await published(acme, of("fail", {})),
    ];
    const lead = await acme.lead();

    await work(acme);

    const [[one], [two], [three], [four]] = (await Promise.all(
      [passed, left, held, ended].map((made) => runsOf(acme, made)),
    )) as any;
    assert.deepEqual(
      stepsOf(one).map(([, status]: any) => status),
      ["failed", "succeeded"],
    );
    assert.deepEqual(
      stepsOf(two).map(([id, status]: any) => [id, status]),
      [
        ["s1", "failed"],
        ["s3", "succeeded"],
      ],
    );
    assert.deepEqual([three.status, three.error.class, three.error.step_id], ["held", "rejected", "s1"]);
    assert.deepEqual([four.status, four.error.code], ["failed", "refused"]);
    assert.match(four.error.message, /url/);
    assert.deepEqual((await acme.get(`/lead/${lead.id}/`)).tags.sort(), ["continue", "mended"]);
    const told = (await acme.get("/notification/?type=automation_failed")).data.map((one: any) => one.object_id);
    assert.deepEqual(told.sort(), [held.id, ended.id].sort());
  });

  test("takes back nothing of the steps before it, which have written once", async () => {
    const acme = await organization();
    const note = (note: string) => ["note.create", { note }] as [string, object];
    const bad = ["record.update", { fields: { url: { $ref: "record.description" } } }] as const;
    const passed = await published(acme, chain(note("a"), note("b"), [...bad, { on_error: { then: "continue" } }], note("c")));
    const ended = await published(acme, chain(note("d"), note("e"), [...bad, { on_error: { then: "fail" } }], note("f")));
    const lead = await acme.lead({ description: "no address" });

    await work(acme);

    const [[one], [two]] = (await Promise.all([passed, ended].map((made) => runsOf(acme, made)))) as any;
    assert.deepEqual([one.status, two.status], ["completed", "failed"]);
    const states = (run: any) => stepsOf(run).map(([, status]: any) => status);
    assert.deepEqual(states(one), ["succeeded", "succeeded", "failed", "succeeded"]);
    assert.deepEqual(states(two), ["succeeded", "succeeded", "failed"]);
    const notes = (await acme.all(`/activity/note/?lead_id=${lead.id}`)).map((one: any) => one.note).sort();
    assert.deepEqual(notes, ["a", "b", "c", "d", "e"]);
  });

  test("writes nothing of what it began", async () => {
    const acme = await organization();
    const fields = { object_type: "lead", fields: { name: "Second", contacts: [{ name: "Ada" }, { timezone: "Mars" }] } };
    const made = await published(acme, chain(["record.create", fields]), { trigger: { type: "manual", config: {} } });
    const lead = await acme.lead({ name: "First" });
    await acme.post(`/automations/${made.id}/run/`, { record_id: lead.id });

    await work(acme);

    assert.equal((await runsOf(acme, made))[0].status, "failed");
    assert.deepEqual(
      (await acme.get("/lead/")).data.map((one: any) => one.name),
      ["First"],
    );
  });

  test("for lack of rights holds the run until it is published again", async () => {
    const acme = await organization();
    const bob = await acme.member("restricteduser");
    const steps = chain(["wait.duration", { amount: 1, unit: "minutes" }], ["tag.change", { tag: "x", change: "add" }]);
    const made = await published(acme, steps, { settings: { run_as_user_id: bob.userId } });
    const lead = await acme.lead({ owner_id: bob.userId });
    await work(acme);
    await acme.put(`/lead/${lead.id}/`, { owner_id: null });
    await work(acme, 1);
    const [held] = await runsOf(acme, made);
    await acme.put(`/lead/${lead.id}/`, { owner_id: bob.userId });
    await acme.post(`/automations/${made.id}/pause/`, {});
    await acme.post(`/automations/${made.id}/publish/`, {});

    await work(acme);

    assert.deepEqual([held.status, held.error.class], ["held", "permission"]);
    assert.equal((await runsOf(acme, made))[0].status, "completed");
    assert.equal((await acme.get(`/lead/${lead.id}/`)).updated_by, bob.userId);
  });
});

describe("an automation starts", () => {
  test("for what its filter lets through, and every no has its reason", async () => {
    const acme = await organization();
    const filter = { all: [{ type: "field", ref: "record.industry", op: "is", value: "Software" }] };
    const made = await published(acme, chain(["note.create", { note: "Hi" }]), { filter });
    const [yes, no] = [await acme.lead({ industry: "software" }), await acme.lead({ industry: "Steel" })];
    await work(acme);
    await acme.post(`/automations/${made.id}/pause/`, {});
    const paused = await acme.lead({ industry: "Software" });

    await work(acme);

    const events = (await acme.get("/automation_events/")).data;
    const of = (lead: any) => {
      const [{ result, reason }] = events.find((one: any) => one.object_id === lead.id).evaluations;
      return [result, reason];
    };
    assert.deepEqual(
      [of(yes), of(no), of(paused)],
      [
        ["started", null],
        ["filtered", "filter"],
        ["skipped", "paused"],
      ],
    );
    assert.deepEqual(
      (await runsOf(acme, made)).map((run) => run.object_id),
      [yes.id],
    );
  });

  test("once for a record while it runs, never again, always, or after a while", async () => {
    const acme = await organization();
    const trigger = { type: "field.changed", config: { object_type: "lead", field: "industry" } };
    const wait = chain(["wait.duration", { amount: 1, unit: "hours" }]);
    const [usual, never, always, cool] = [
      await published(acme, wait, { trigger }),
      await published(acme, wait, { trigger, settings: { re_enroll: "never" } }),
      await published(acme, wait, { trigger, settings: { re_enroll: "always" } }),
      await published(acme, wait, { trigger, settings: { cooldown: { amount: 1, unit: "days" } } }),
    ];
    const lead = await acme.lead();
    const change = async (industry: string, hours: number) => {
      await acme.put(`/lead/${lead.id}/`, { industry });
      await work(acme, hours);
    };

    await change("A", 0);
    await change("B", 2);
    await change("C", 2);

    const counts = await Promise.all([usual, never, always, cool].map(async (made) => (await runsOf(acme, made)).length));
    assert.deepEqual(counts, [2, 1, 3, 1]);
  });

  test("always, but only as many at once as it shows", async () => {
    const acme = await organization();
    const trigger = { type: "field.changed", config: { object_type: "lead", field: "industry" } };
    const wait = chain(["wait.duration", { amount: 1, unit: "hours" }]);
    const most = [1, 2, undefined];
    const made = await Promise.all(
      most.map((max_concurrent_per_record) =>
        published(acme, wait, { trigger, settings: { re_enroll: "always", max_concurrent_per_record } }),
      ),
    );
    const lead = await acme.lead();
    for (const industry of ["A", "B", "C"]) {
      await acme.put(`/lead/${lead.id}/`, { industry });
      await work(acme);
    }

    const counts = await Promise.all(made.map(async (one) => (await runsOf(acme, one)).length));
    assert.deepEqual(counts, [1, 2, 3]);
    const shown = await Promise.all(made.map(async ({ id }) => (await acme.get(`/automations/${id}/`)).settings));
    assert.deepEqual(
      shown.map((one) => one.max_concurrent_per_record),
      [1, 2, null],
    );
    const { data } = await acme.get(`/automation_events/?automation_id=${made[0]!.id}&result=skipped`);
    assert.equal(data[0].evaluations.find((one: any) => one.automation_id === made[0]!.id).reason, "concurrency");
  });

  test("not by its own doing, and not in circles with another one", async () => {
    const acme = await organization();
    const count = (field: string) =>
      chain(["record.update", { fields: { [field]: { $template: `{{ record.${field} }}{{ now }}` } } }]);
    const on = (field: string) => ({
      trigger: { type: "field.changed", config: { object_type: "lead", field } },
      settings: { re_enroll: "always" },
    });
    const [own, ping, pong] = [
      await published(acme, count("description"), on("description")),
      await published(acme, count("industry"), on("url")),
      await published(
        acme,
        chain(["record.update", { fields: { url: { $template: "https://example.com/{{ now }}" } } }]),
        on("industry"),
      ),
    ];
    const lead = await acme.lead();

    await acme.put(`/lead/${lead.id}/`, { description: "Begin", industry: "Steel" });
    await work(acme);
    await work(acme);

    const counts = await Promise.all([own, ping, pong].map(async (made) => (await runsOf(acme, made)).length));
    assert.deepEqual(counts, [1, 1, 1]);
    const reasons = (await acme.get("/automation_events/")).data.flatMap((one: any) =>
      one.evaluations.map((each: any) => each.reason),
    );
    assert.ok(reasons.includes("loop_depth"), JSON.stringify(reasons));
  });

  test("by hand, for one record or several, if that is its trigger", async () => {
    const acme = await organization();
    const manual = { type: "manual", config: { object_type: "lead" } };
    const made = await published(acme, chain(["note.create", { note: { $template: "{{ trigger.payload.word }}" } }]), {
      trigger: manual,
    });
    const other = await published(acme, chain(["note.create", { note: "x" }]), { trigger: "task.completed" });
    const [one, two, three] = [await acme.lead(), await acme.lead(), await acme.lead()];
    const path = `/automations/${made.id}/run/`;

    const bob = await acme.member("admin");
    const run = await bob.post(path, { lead_id: one.id, input: { word: "Hello" } });
    const runs = await acme.post(path, { record_ids: [two.id, "lead_none", three.id], input: { word: "Hi" } });
    await work(acme);

    assert.deepEqual([run.status, run.kind, run.run.id, run.run_ids], ["queued", "manual", run.id, [run.id]]);
    const started = await runsOf(acme, made);
    assert.deepEqual(started.map(({ object_id, actor }: any) => [object_id, actor.user_id]).sort(), [
      [one.id, bob.userId],
      [two.id, acme.userId],
      [three.id, acme.userId],
    ]);
    assert.deepEqual([runs.queued, runs.runs.length, runs.unknown_ids], [2, 2, ["lead_none"]]);
    assert.equal((await acme.get(`/activity/note/?lead_id=${one.id}`)).data[0].note, "Hello");
    assert.equal((await acme.get(`/activity/note/?lead_id=${three.id}`)).data[0].note, "Hi");
    await acme.refused(400, "POST", `/automations/${other.id}/run/`, { record_id: one.id }, "trigger");
    await acme.refused(400, "POST", path, { record_id: "lead_none" }, "record_id");
    await acme.refused(400, "POST", path, { record_ids: ["lead_none"] }, "record_ids");
    await acme.refused(400, "POST", path, { record_id: (await acme.contact()).id }, "record_id");
    await acme.refused(400, "POST", path, {}, "record_id");
    const draft = await acme.post("/automations/", { name: "X", trigger: manual });
    await acme.refused(400, "POST", `/automations/${draft.id}/run/`, { record_id: one.id }, "status");
  });
});

test("a rule is live as soon as it is saved active, and runs on the same engine", async () => {
  const acme = await organization();
  const list = await acme.post("/lead_list/", { name: "New" });
  const made = await acme.post("/automation/", {
    name: "Call",
    trigger: "lead.created",
    conditions: [{ field: "industry", operator: "equals", value: "Software" }],
    actions: [
      { type: "add_tag", config: { tag: "new" } },
      { type: "set_field", config: { field: "description", value: { $template: "About {{ record.name }}" } } },
      { type: "add_to_list", config: { list_id: list.id } },
      { type: "create_task", config: { text: "Call" }, delay: 3600 },
    ],
    status: "active",
  });
  const lead = await acme.lead({ name: "Acme", industry: "Software" });
  await acme.lead({ industry: "Steel" });

  await work(acme, 2);

  const after = await acme.get(`/lead/${lead.id}/`);
  assert.deepEqual([after.tags, after.description], [["new"], "About Acme"]);
  assert.equal((await acme.get("/lead_list/")).data[0].member_count, 1);
  assert.equal((await acme.get(`/task/?lead_id=${lead.id}`)).data[0].text, "Call");
  const [run, ...more] = await runsOf(acme, made);
  assert.deepEqual([run.status, run.generation, more], ["completed", 1, []]);
  assert.equal((await acme.get(`/automation/${made.id}/`)).run_count, 1);
  const missing = {
    name: "X",
    trigger: "lead.created",
    actions: [{ type: "call_webhook", config: { url: "https://example.com", auth_credential: "twilio" } }],
  };
  const refusal = await acme.refused(400, "POST", "/automation/", { ...missing, is_active: true }, "actions.0.config");
  assert.equal(refusal.errors[0].code, "config_not_available");
});

test("what automations made of an event is told for thirty days; its run stays", async () => {
  const acme = await organization();
  const made = await published(acme, chain(["note.create", { note: "Hi" }]));
  await acme.lead();
  await work(acme);
  const events = async () => (await acme.get("/automation_events/")).data;
  const [{ date_created }] = await events();
  const after = (ms: number) => new Date(Date.parse(date_created) + 30 * 86_400_000 + ms).toISOString();

  await atMoment(acme.service, after(-1000), "automation_events");
  const before = await events();
  await atMoment(acme.service, after(1000), "automation_events");

  assert.deepEqual([before.length, (await events()).length, (await runsOf(acme, made)).length], [1, 0, 1]);
});

test("a step whose target comes out empty is held, or fails where a call did not send it, and never writes to the run's own record", async () => {
  const acme = await organization();
  const nothing = { $ref: "trigger.payload.nothing" };
  const empty = { $ref: "record.description" };
  const graphs = [
    chain(["record.update", { target: nothing, fields: { description: "Hit" } }]),
    chain(["record.update", { target: empty, fields: { description: "Hit" } }]),
    chain(["tag.change", { target: { id: empty }, tag: "Hit", change: "add" }]),
    chain(["task.create", { lead_id: empty, text: "Hit" }]),
  ];
  const lead = await acme.lead();

  for (const [i, graph] of graphs.entries()) {
    const made = await published(acme, graph, { trigger: { type: "manual", config: { object_type: "lead" } } });
    await acme.post(`/automations/${made.id}/run/`, { record_id: lead.id });
    await work(acme);
    const [run] = await runsOf(acme, made);
    assert.deepEqual([run.status, run.error.code], [i === 0 ? "failed" : "held", "unresolved_ref"]);
  }
  const after = await acme.get(`/lead/${lead.id}/`);
  assert.deepEqual(
    [after.description, after.tags ?? [], (await acme.get(`/task/?lead_id=${lead.id}`)).data],
    [lead.description, lead.tags ?? [], []],
  );
});
