// Rules and workflows in one table, which versions and runs belong to.
import { text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { rule } from "./rule.ts";
import { workflow } from "./workflow.ts";

export const anyAutomation = resource({
  name: "any_automation",
  prefix: "auto",
  table: "automation",
  kinds: { column: "generation", of: [rule, workflow] },
  doc: "An automation of either generation.",
  event: null,
  fields: {
    generation: text({ required: true, readOnly: true }),
    name: text({ required: true, readOnly: true }),
    status: text({ required: true, readOnly: true }),
    trigger_type: text({ required: true, readOnly: true }),
  },
});
