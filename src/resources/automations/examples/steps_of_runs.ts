// Steps that repeat others, ask people, and start and end other runs.
import type { StepExample } from "./example.ts";
import { hasTag, tag } from "./example.ts";

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
};
