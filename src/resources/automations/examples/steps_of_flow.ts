// Steps that decide, wait, loop and end.
import assert from "node:assert/strict";
import { chain } from "../../../../test/support/automations.ts";
import { always, hasTag, type StepExample, tag } from "./example.ts";

export const flowExamples: Record<string, StepExample> = {
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
  "wait.condition": {
    graph: () => ({
      start: "s1",
      steps: {
        s1: {
          type: "wait.condition",
          config: { when: { type: "field", ref: "record.name", op: "not_exists" }, timeout: { amount: 1, unit: "hours" } },
          ports: { matched: null, timeout: "s2" },
        },
        s2: tag("in vain"),
      },
    }),
    check: hasTag("in vain"),
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
};
