// Steps that write records.
import assert from "node:assert/strict";
import { chain } from "../../../../test/support/automations.ts";
import { hasTag, leadOf, type StepExample } from "./example.ts";

export const recordExamples: Record<string, StepExample> = {
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
    check: async (acme, lead) => assert.equal((await leadOf(acme, lead)).status_id, (await acme.get("/status/lead/")).data[1].id),
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
    async graph(acme, { id }) {
      for (const text of ["Call Ann", "Call Bob", "Write"]) await acme.task({ lead_id: id, text });
      const calls = { type: "field", ref: "record.text", op: "starts_with", value: "call" };
      return chain(
        ["task.complete", { target: (await acme.task({ lead_id: id, text: "One" })).id }],
        ["task.complete", { where: calls }],
        ["task.complete", { where: calls }],
      );
    },
    async check(acme, lead, run) {
      const done = (await acme.get(`/task/?lead_id=${lead.id}&is_complete=true`)).data.map(({ text }: any) => text).sort();
      assert.deepEqual(done, ["Call Ann", "Call Bob", "One"]);
      assert.deepEqual(
        run.steps.map(({ output }: any) => [output.count, output.id !== null]),
        [
          [1, true],
          [2, true],
          [0, false],
        ],
      );
    },
  },
  "note.create": {
    graph: () => chain(["note.create", { note: "Hi" }]),
    check: async (acme, lead) => assert.equal((await acme.get(`/activity/note/?lead_id=${lead.id}`)).data[0].note, "Hi"),
  },
};
