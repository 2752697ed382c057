// Steps that talk to people.
import assert from "node:assert/strict";
import { chain } from "../../../../test/support/automations.ts";
import type { StepExample } from "./example.ts";

export const outreachExamples: Record<string, StepExample> = {
  "notify.user": {
    graph: (acme) => chain(["notify.user", { to: [acme.userId], text: { $template: "Look at {{ record.name }}" } }]),
    check: async (acme, lead) => {
      const [told] = (await acme.get("/notification/?type=automation")).data;
      assert.deepEqual([told.title, told.object_id], [`Look at ${lead.name}`, lead.id]);
    },
  },
};
