// A simulation takes the way that the run then takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { published } from "../support/automations.ts";
import { organization, type Workspace } from "../support/given.ts";
import { withWorker } from "../support/worker.ts";

interface Made {
  type: string;
  config: object;
  ports: readonly string[];
}

const conditions = [
  { type: "field", ref: "record.mrr", op: "gte", value: 10 },
  { type: "field", ref: "record.description", op: "exists" },
  { type: "field", ref: "vars.n", op: "is", value: 2 },
  { type: "tag", tag: "hot" },
  { type: "random", percent: 50, salt: "x" },
  { not: { type: "related", relation: "lead.tasks", quantifier: "any" } },
];
const out = ["out"];
const number = fc.nat({ max: 3 });
const step: fc.Arbitrary<Made> = fc.oneof(
  fc.array(fc.constantFrom(...conditions), { minLength: 1, maxLength: 3 }).map((asked) => ({
    type: "branch",
    config: { cases: asked.map((when, i) => ({ id: `c${i}`, when })) },
    ports: [...asked.map((_, i) => `c${i}`), "else"],
  })),
  fc.tuple(number, number).map(([a, b]) => ({
    type: "split",
    config: {
      variants: [
        { id: "a", weight: a },
        { id: "b", weight: b + 1 },
      ],
    },
    ports: ["a", "b"],
  })),
  number.map((n) => ({ type: "set.vars", config: { values: { n } }, ports: out })),
  number.map((n) => ({ type: "record.update", config: { fields: { mrr: n * 7 } }, ports: out })),
  fc.constantFrom("hot", "cold").map((tag) => ({ type: "tag.change", config: { tag, change: "add" }, ports: out })),
  fc.constant({ type: "task.create", config: { text: "Call" }, ports: out }),
  fc.constant({ type: "note.create", config: { note: { $template: "{{ record.mrr }}" } }, ports: out }),
  number.map((n) => ({ type: "wait.duration", config: { amount: n + 1, unit: "minutes" }, ports: out })),
  fc.constant({ type: "stop", config: { outcome: "enough" }, ports: [] }),
);

/** A condition may ask only for variables that are set somewhere. */
const first = { type: "set.vars", config: { values: { n: 0 } }, ports: { out: "s0" } };

/** Each port leads to one of the next three steps, or to the end. Steps that nothing leads to are left out. */
const graph = fc
  .array(fc.tuple(step, fc.array(number, { minLength: 4, maxLength: 4 })), { minLength: 2, maxLength: 9 })
  .map((made) => {
    const target = (i: number, far: number) => (far === 0 || i + far >= made.length ? null : `s${i + far}`);
    const all = made.map(([{ type, config, ports }, fars], i) => {
      const edges = ports.map((port, n): [string, string | null] => [
        port,
        target(i, n === 0 ? Math.max(1, fars[n]!) : fars[n]!),
      ]);
      return [`s${i}`, { type, config, ports: Object.fromEntries(edges) }] as const;
    });
    const reached = new Set(["s0"]);
    for (const [id, { ports }] of all)
      if (reached.has(id)) for (const to of Object.values(ports)) if (to !== null) reached.add(to);
    return { start: "first", steps: { first, ...Object.fromEntries(all.filter(([id]) => reached.has(id))) } };
  });

/** Lets the runs go on to their ends. */
async function finished(acme: Workspace): Promise<void> {
  const living = async () => (await acme.get("/automation_runs/?status__in=queued,running,waiting&_limit=1")).data.length > 0;
  await withWorker(acme.service, async (worker) => {
    for (let minutes = 0; minutes === 0 || (await living()); minutes += 5) {
      assert.ok(minutes < 120, "a run does not end");
      acme.service.clock.now = new Date((acme.service.clock.now ?? new Date()).getTime() + 5 * 60_000);
      await worker.drained();
    }
  });
}

/** Each costs a publication. `SIMULATIONS=100` draws a hundred. */
const drawn = Number(process.env.SIMULATIONS ?? 30);

test(`${drawn} random automations go the way that was simulated`, async () => {
  const acme = await organization();
  const seed = Math.floor(Math.random() * 2 ** 31);
  const pairs: { said: string[]; runId: string; graph: object }[] = [];
  for (const [i, one] of fc.sample(graph, { numRuns: drawn, seed }).entries()) {
    const lead = await acme.lead({ mrr: i % 20, ...(i % 3 === 0 && { tags: ["hot"] }) });
    const { id } = await published(acme, one, { trigger: { type: "manual", config: {} } });
    const { path } = await acme.post(`/automations/${id}/simulate/`, { record_id: lead.id });
    const run = await acme.post(`/automations/${id}/run/`, { record_id: lead.id });
    pairs.push({ said: path.map((at: any) => `${at.step_id} ${at.branch}`), runId: run.id, graph: one });
  }

  await finished(acme);

  for (const { said, runId, graph: of } of pairs) {
    const run = await acme.get(`/automation_runs/${runId}/`);
    const went = run.steps.map((at: any) => `${at.step_id} ${at.branch}`);
    assert.deepEqual(went, said, `seed ${seed}: ${JSON.stringify(of)}`);
    assert.equal(run.status, "completed", JSON.stringify(run.error));
  }
});
