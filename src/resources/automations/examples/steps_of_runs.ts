// Steps that repeat others, ask people, and start and end other runs.
import assert from "node:assert/strict";
import { chain, published } from "../../../../test/support/automations.ts";
import { hasTag, type StepExample, tag } from "./example.ts";

const manual = { trigger: { type: "manual", config: {} } };

export const runExamples: Record<string, StepExample> = {
  loop: {
    graph: () => ({
      start: "s1",
      steps: {
        s1: { type: "loop", config: { items: ["a", "b", "c"], max: 2 }, ports: { each: "s2", done: "s3" } },
        s2: {
          type: "tag.change",
          config: { tag: { $template: "{{ item_index }} is {{ item }}" }, change: "add" },
          ports: { out: "s1" },
        },
        s3: tag("done"),
      },
    }),
    check: hasTag("0 is a", "1 is b", "done"),
  },
  approve: {
    graph: (acme) => ({
      start: "s1",
      steps: {
        s1: {
          type: "approve",
          config: { approvers: [acme.userId], text: "May we?", timeout: { amount: 2, unit: "hours" } },
          ports: { approved: null, rejected: null, timeout: "s2" },
        },
        s2: tag("unanswered"),
      },
    }),
    check: hasTag("unanswered"),
  },
  "automation.start": {
    async graph(acme) {
      const word = { $template: "{{ trigger.payload.word }} from above" };
      const child = await published(acme, chain(["tag.change", { tag: word, change: "add" }]), manual);
      const config = { automation_id: child.id, input: { word: "hello" }, wait: true, timeout: { amount: 1, unit: "hours" } };
      return chain(["automation.start", config]);
    },
    async check(acme, lead, run) {
      await hasTag("hello from above")(acme, lead, run);
      const { branch, output } = run.steps[0];
      const child = await acme.get(`/automation_runs/${output.run_id}/`);
      assert.deepEqual([branch, output.status], ["out", "completed"]);
      assert.deepEqual([child.kind, child.parent_run_id, child.causation.depth], ["child", run.id, 2]);
    },
  },
  "automation.exit": {
    async graph(acme, lead) {
      const slow = chain(["wait.duration", { amount: 3, unit: "days" }]);
      const other = await published(acme, slow, manual);
      await acme.post(`/automations/${other.id}/run/`, { record_id: lead.id });
      return chain(["automation.exit", { automation_ids: [other.id] }]);
    },
    async check(acme, lead, run) {
      assert.deepEqual(run.steps[0].output, { exited: 1 });
      const [left] = await acme.all(`/automation_runs/?record_id=${lead.id}&status=exited`);
      assert.deepEqual([left.status_reason, left.wait], ["exit", null]);
      assert.equal(left.explanation, `It ended early: the run ${run.id} of ${run.automation_id} took its record out.`);
    },
  },
};
