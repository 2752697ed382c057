// Loops: each element has its turn once, one after the other.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { published, runsOf, work } from "../../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../../test/support/given.ts";

const manual = { trigger: { type: "manual", config: {} } };
const task = (text: object, out: string | null, more: object = {}) => ({
  type: "task.create",
  config: { text },
  ports: { out },
  ...more,
});
const loop = (items: unknown, each: string, done: string | null, max = 1000) => ({
  type: "loop",
  config: { items, max },
  ports: { each, done },
});
const tagged = { object_type: "lead", tag: "go", change: "added" };
const template = ($template: string) => ({ $template });

/** Runs it for a new lead, and returns the run, the lead, and the texts of the lead's tasks in their order. */
async function ran(acme: Workspace, steps: object, input: object = {}, body: object = {}) {
  const made = await published(acme, { start: "s1", steps }, { ...manual, ...body });
  const lead = await acme.lead();
  await acme.post(`/automations/${made.id}/run/`, { record_id: lead.id, input });
  await work(acme);
  const [run] = await runsOf(acme, made);
  const tasks = await acme.all(`/task/?lead_id=${lead.id}&_order_by=date_created`);
  return { made, lead, run, texts: tasks.reverse().map(({ text }) => text) };
}

describe("a loop", () => {
  test("goes through a list in its order, with others within it, and says in each step which turn it was", async () => {
    const acme = await organization();
    const steps = {
      s1: loop({ $ref: "trigger.payload.rows" }, "s2", "s5"),
      s2: loop({ $ref: "item.cells" }, "s3", "s4"),
      s3: task(template("{{ steps.s1.output.item.name }}{{ item_index }} {{ item }}"), "s2"),
      s4: task(template("{{ item.name }} is done"), "s1"),
      s5: task(template("{{ steps.s1.output.count }} rows {{ item }}"), null),
    };
    const rows = [
      { name: "A", cells: ["x", "y"] },
      { name: "B", cells: [] },
      { name: "C", cells: ["z"] },
    ];

    const { run, texts } = await ran(acme, steps, { rows });

    assert.equal(run.status, "completed", JSON.stringify(run.error));
    assert.deepEqual(texts.sort(), ["3 rows ", "A is done", "A0 x", "A1 y", "B is done", "C is done", "C0 z"]);
    assert.deepEqual(run.loops, []);
    const turns = run.steps.filter(({ step_id }: any) => step_id === "s3").map(({ iteration }: any) => iteration);
    assert.deepEqual(turns, [1, 2, 1]);
    assert.deepEqual(run.steps.at(-2).output, { index: 3, count: 3, item: null, skipped: 0, left_out: 0 });
  });

  test("over nothing is done at once, over no list it fails, and its turns count against the limit", async () => {
    const acme = await organization();
    const steps = { s1: loop({ $ref: "trigger.payload.rows" }, "s2", null), s2: task(template("{{ item }}"), "s1") };

    const none = await ran(acme, steps, { rows: [] });
    const short = { ...steps, s1: { ...steps.s1, config: { ...steps.s1.config, max: 2 } } };
    const cut = await ran(acme, short, { rows: [1, 2, 3, 4, 5] });
    const text = await ran(acme, steps, { rows: "a" });
    const long = await ran(acme, steps, { rows: [1, 2, 3] }, { settings: { limits: { max_steps_per_run: 4 } } });

    assert.deepEqual([cut.run.status, cut.run.steps.at(-1).output.left_out, cut.texts.length], ["completed", 3, 2]);
    assert.deepEqual([none.run.status, none.run.steps.length, none.texts], ["completed", 1, []]);
    assert.deepEqual([text.run.status, text.run.error.code], ["failed", "config_invalid"]);
    assert.deepEqual([long.run.status, long.run.status_reason, long.texts.length], ["failed", "max_steps_per_run", 2]);
  });

  test("over records that were found reads each as it is in its turn, and passes over those that are gone", async () => {
    const acme = await organization();
    const [one, two, three] = [
      await acme.contact({ name: "One", title: "Hunter" }),
      await acme.contact({ name: "Two", title: "Hunter" }),
      await acme.contact({ name: "Three", title: "Hunter" }),
    ];
    const hunters = { type: "field", ref: "record.title", op: "is", value: "hunter" };
    const steps = {
      s1: {
        type: "record.find",
        config: { object_type: "contact", where: hunters, order: "date_created", limit: 10 },
        ports: { found: "s2", empty: null },
      },
      s2: loop({ $ref: "steps.s1.output" }, "s3", null),
      s3: { type: "wait.duration", config: { amount: 1, unit: "hours" }, ports: { out: "s4" } },
      s4: {
        type: "record.update",
        config: { target: { $ref: "item" }, fields: { title: template("{{ item.name }} of {{ item.lead.name }}") } },
        ports: { out: "s2" },
      },
    };

    const { made } = await ran(acme, steps);
    await acme.delete(`/contact/${two.id}/`);
    await acme.put(`/contact/${three.id}/`, { name: "Third" });
    await work(acme, 1.1, 1.1);

    const [run] = await runsOf(acme, made);
    assert.equal(run.status, "completed", JSON.stringify(run.error));
    const title = async ({ id, lead_id }: any) => [
      (await acme.get(`/contact/${id}/`)).title,
      (await acme.get(`/lead/${lead_id}/`)).name,
    ];
    const [[first, leadOfOne], [third, leadOfThree]] = [await title(one), await title(three)] as any;
    assert.deepEqual([first, third], [`One of ${leadOfOne}`, `Third of ${leadOfThree}`]);
    assert.deepEqual(run.steps.at(-1).output, { index: 3, count: 3, item: null, skipped: 1, left_out: 0 });
  });

  test("over the contacts of its lead has each of them, asks about them, and without any is done at once", async () => {
    const acme = await organization();
    const steps = {
      s1: loop({ $ref: "record.contacts" }, "s2", null),
      s2: {
        type: "branch",
        config: { cases: [{ id: "chief", when: { type: "field", ref: "item.title", op: "is", value: "CEO" } }] },
        ports: { chief: "s3", else: "s1" },
      },
      s3: task(template("Call {{ item.name }}, one of {{ record.contacts.size }}"), "s1"),
    };
    const made = await published(acme, { start: "s1", steps }, { trigger: { type: "tag.changed", config: tagged } });
    const contacts = [{ name: "Ann", title: "CEO" }, { name: "Bob" }, { name: "Cat", title: "CEO" }];
    const lead = await acme.lead({ contacts, tags: ["go"] });
    await acme.lead({ tags: ["go"] });

    await work(acme);

    const runs = await runsOf(acme, made);
    assert.deepEqual(
      runs.map(({ status, steps }) => [status, steps.length]),
      [
        ["completed", 1],
        ["completed", 9],
      ],
      JSON.stringify(runs.map(({ error }) => error)),
    );
    const tasks = await acme.all(`/task/?lead_id=${lead.id}`);
    assert.deepEqual(tasks.map(({ text }) => text).sort(), ["Call Ann, one of 3", "Call Cat, one of 3"]);
  });
});

test("a loop whose steps leave it, or whose steps others lead into, is not published", async () => {
  const acme = await organization();
  const refuse = async (steps: object, ...codes: [string, string][]) => {
    const made = await acme.post("/automations/", { name: "X", ...manual, graph: { start: "s1", steps } });
    const { errors } = await acme.refused(400, "POST", `/automations/${made.id}/publish/`, {});
    assert.deepEqual(
      errors.map(({ code, path }: any) => [code, path.replace("graph.steps.", "")]),
      codes,
    );
  };
  const note = (out: string | null) => ({ type: "note.create", config: { note: "x" }, ports: { out } });

  await refuse({ s1: loop([1], "s2", null), s2: note(null) }, ["loop_body_escapes", "s2.ports.out"]);
  await refuse({ s1: { ...loop([1], "s2", null), ports: { each: null, done: null } } }, ["loop_body_escapes", "s1.ports.each"]);
  await refuse(
    { s1: loop([1], "s2", "s2"), s2: note("s1") },
    ["cycle_without_wait", "s1.ports"],
    ["loop_port_overlap", "s1.ports.each"],
  );
  await refuse({ s1: loop([1], "s2", "s3"), s2: note("s3"), s3: note(null) }, ["loop_body_escapes", "s2.ports.out"]);
  await refuse({ s1: note("s2"), s2: loop([1], "s1", null) }, ["loop_port_overlap", "s2.ports.each"]);
});
