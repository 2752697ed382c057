// Steps that ask a model, and one that scores by rules.
import assert from "node:assert/strict";
import { chain } from "../../../../test/support/automations.ts";
import type { Workspace } from "../../../../test/support/given.ts";
import { type AskedModel, connectModel, json, type ModelServer, startModel } from "../../../../test/support/model.ts";
import { hasTag, leadOf, type StepExample, tag } from "./example.ts";

let server: Promise<ModelServer> | null = null;

/** A model that knows what these examples ask for. */
async function connect(acme: Workspace): Promise<void> {
  server ??= startModel(({ system }: AskedModel) => json(answers.find(([sign]) => system.includes(sign))![1]));
  await connectModel(acme, await server);
}

const answers: readonly (readonly [string, object])[] = [
  ['{"text"', { text: "Hello from a model" }],
  ['{"class"', { class: "cold" }],
  ['{"value"', { value: { seats: 40 } }],
];

const lead = { $ref: "record.name" };

export const aiExamples: Record<string, StepExample> = {
  "ai.generate": {
    async graph(acme) {
      await connect(acme);
      const text = { $template: "{{ steps.s1.output.text }}" };
      return chain(["ai.generate", { prompt: "Greet them.", input: { lead } }], ["tag.change", { tag: text, change: "add" }]);
    },
    check: hasTag("Hello from a model"),
  },
  "ai.classify": {
    async graph(acme) {
      await connect(acme);
      const classes = [{ id: "hot", description: "They want to buy." }, { id: "cold" }];
      const config = { prompt: "How interested are they?", input: { lead }, classes };
      const s1 = { type: "ai.classify", config, ports: { hot: null, cold: "s2" } };
      return { start: "s1", steps: { s1, s2: tag("cold") } };
    },
    check: hasTag("cold"),
  },
  "ai.extract": {
    async graph(acme) {
      await connect(acme);
      const output_schema = { type: "object", properties: { seats: { type: "integer" } }, required: ["seats"] };
      const seats = { $template: "{{ steps.s1.output.values.seats }} seats" };
      return chain(
        ["ai.extract", { prompt: "How many seats?", input: { lead }, output_schema }],
        ["tag.change", { tag: seats, change: "add" }],
      );
    },
    check: hasTag("40 seats"),
  },
  "ai.score": {
    graph: () => {
      const criterion = { key: "mrr", label: "Revenue", weight: 1, field: "mrr", operator: "gte", value: 10 };
      return chain(["ai.score", { rubric: { criteria: [criterion] }, max: 10 }]);
    },
    async check(acme, scored, run) {
      const { score, grade, rubric_source } = run.steps[0].output;
      assert.deepEqual([score, grade, rubric_source], [10, "A", "step"]);
      const { score: stored, score_reasons } = await leadOf(acme, scored);
      assert.deepEqual([stored, score_reasons.length], [100, 1]);
    },
  },
};
