// Rules and workflows in one table, which versions and runs belong to.
import { text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { rule } from "./rule.ts";
import { workflow } from "./workflow.ts";

export const anyAutomation = resource({
  name: "any_automation",
  called: ["automation", "automations"],
  prefix: "auto",
  table: "automation",
  kinds: { column: "generation", of: [rule, workflow] },
  doc: "An automation of either generation.",
  event: null,
  fields: {
    generation: text({ required: true, readOnly: true, doc: "1 for simple automations, 2 for those with a graph." }),
    name: text({ required: true, readOnly: true }),
    status: text({ required: true, readOnly: true }),
    trigger_type: text({ required: true, readOnly: true, doc: "The type of its trigger, as the catalog has it." }),
  },
});
